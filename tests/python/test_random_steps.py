# SPDX-License-Identifier: Apache-2.0
# tests/python/test_random_steps.py: what random steps compute and leave behind is the same, bit for
# bit, eagerly and captured.
"""TENON_TEST_SEED is the first seed (1), TENON_TEST_STEPS how many steps are drawn (120). They run
in processes of their own, one after the other's end on each of two:

  kernels for every instruction set of the processor, and those for AVX2 alone
  as they are, and with TENON_CHECK=plan, which runs the recording beside what was made of it and
  fills the arena before each run

A step runs with 1, 2 or 7 threads, as its seed says; a quarter of them beside another step, whose
plan goes first."""

import concurrent.futures
import contextlib
import io
import os
import subprocess
import sys
import unittest

import random_steps
from random_steps_run import Refused, judge
from random_steps_shrink import program, shrink
from support import Case, build_folder, run_python, tenon

SEED = int(os.environ.get("TENON_TEST_SEED", "1"))
STEPS = int(os.environ.get("TENON_TEST_STEPS", "120"))
TWIN = build_folder() / "test_plugins/cpu"
OTHER = 10**9  # added to a seed: the step beside
MOST_REFUSED = 0.01  # of the steps may fail by themselves


def tell(first, *others):
    """Prints a failure as a small program."""
    if others and judges(first):
        others = ()
    if not judges(first, *others):
        print("alone the step does not fail: what ran before has a part in it")
    print(program(shrink(first, lambda step: judge(step, *others))))
    for each in others:
        print(f"# beside it:\n{program(each)}")


def judges(*steps):
    try:
        return judge(*steps)
    except Refused:
        return None


def run_steps(seeds):
    """0, or 1 with what has failed printed; counts steps that fail by themselves."""
    refused = 0
    for seed in seeds:
        steps = [random_steps.draw(seed)]
        if seed % 4 == 0:
            steps.append(random_steps.draw(seed + OTHER))
        try:
            words = judge(*steps)
        except Refused:
            refused += 1
            continue
        if words:
            print(f"seed {seed}: {words}")
            tell(*steps)
            return 1
    print(f"refused {refused}")
    return 0


def run_shard(name, first, count):
    """One process; what it printed, and its status."""
    environment = {**os.environ, "TENON_THREADS": "7"}
    if "plan" in name:
        given = os.environ.get("TENON_CHECK")
        environment["TENON_CHECK"] = f"{given},plan" if given else "plan"
    if "AVX2" in name:
        environment["TENON_PLUGIN_PATH"] = str(TWIN)
    arguments = map(str, (first, count, int("AVX2" in name)))
    done = subprocess.run(
        [sys.executable, __file__, "--steps", *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return name, first, count, done


def shards():
    """[name, ...] of what there is here."""
    names = ["all instructions"]
    if TWIN.exists():
        names.append("AVX2")
    if run_python("import tenon; tenon.zeros([1])", TENON_CHECK="plan").returncode == 0:
        names += [f"{name}, TENON_CHECK=plan" for name in names]
    return names


class RandomSteps(Case):
    def test_replays_do_what_the_step_does(self):
        names, refused = shards(), 0
        pieces = len(names) * max(1, STEPS // (len(names) * 1000))
        each = -(-STEPS // pieces)
        print(f"seeds {SEED} to {SEED + each * pieces - 1}: {', '.join(names)}")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [
                pool.submit(run_shard, names[k % len(names)], SEED + each * k, each)
                for k in range(pieces)
            ]
            for job in concurrent.futures.as_completed(jobs):
                name, first, count, done = job.result()
                if done.returncode != 0:
                    for other in jobs:
                        other.cancel()
                    self.fail(f"{name}, seeds {first} to {first + count - 1}:\n"
                              f"{done.stdout}\n{done.stderr}")  # fmt: skip
                refused += int(done.stdout.split()[-1])
        self.assertLessEqual(refused, MOST_REFUSED * each * pieces + 1)

    def test_what_is_said_to_be_drawn_is_drawn(self):
        drawn, threads, dtypes, events = set(), set(), set(), set()
        for seed in range(300):
            step = random_steps.draw(seed)
            drawn |= {node.op for node in step.statements}
            threads.add(step.threads)
            dtypes.add(step.dtype)
            events |= {event[0] for each in step.events for event in each}
        self.assertEqual(threads, {1, 2, 7})
        self.assertEqual(dtypes, {"float16", "bfloat16", "float32", "float64"})
        kinds = {
            "view", "written", "written_part", "made", "constant", "drop", "keep", "result", "topk",
            "split", "random", "dropout", "cast", "whole", "picked", "chosen", "recorded", "joined",
            "embedding", "backward", "twice", "gradient_alone", "pending", "grad_read", "grad_kept",
            "grad_scaled", "grad_set", "grad_none", "zero_grad", "optimizer", "clip", "update",
        }  # fmt: skip
        self.assertLessEqual(kinds, drawn)
        self.assertEqual(
            {"clear", "lr", "draw", "drop kept", "refused", "eager backward", "profile", "fewer",
             "same", "captured again", "thread"}, events,
        )  # fmt: skip
        self.assertGreater(len({op for op in drawn if op.startswith("tenon.")}), 100)

    def test_a_failure_is_made_small(self):
        """What fails here is each step that has an op; what is left runs as a program."""
        for op in ("topk", "optimizer", "written_part", "pending"):
            with self.subTest(op):

                def has(step, op=op):
                    return any(node.op == op for node in step.statements)

                step = next(filter(has, map(random_steps.draw, range(1000))))
                small = shrink(step, lambda each, has=has: has(each) and judge(each) is None)
                self.assertTrue(has(small))
                self.assertLess(len(small.statements), 8)
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    exec(program(small), {})
                lines = said.getvalue().splitlines()
                self.assertEqual(
                    [line.replace("False", "", 1) for line in lines[: len(lines) // 2]],
                    [line.replace("True", "", 1) for line in lines[len(lines) // 2 :]],
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--steps"]:
        first, count, twin = map(int, sys.argv[2:])
        if twin:
            tenon.configure(exclude=["tenon.cpu"])
        sys.exit(run_steps(range(first, first + count)))
    unittest.main()
