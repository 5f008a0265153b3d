# SPDX-License-Identifier: Apache-2.0
# tests/python/test_shared_steps.py: steps that processes share: what decides them is the same in
# all of them or told, and a step that fails in one is given up by all.
"""Processes are started over test.shm, the engine of tests/processes/plugins; each runs a program
below and prints what it found."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import SHM, Case, shm_place, skip, tenon

if not (SHM / "test.shm").is_dir():
    skip("test.shm was not built")

BEGIN = """
import json, sys
import tenon

world = tenon.processes.join("test.shm", timeout=30)
rank, odd = world.rank, world.rank == 1  # the one that differs


def tell(call):
    '''What is raised, as JSON.'''
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


def leaf(*values):
    return tenon.tensor(values, "float32").requires_grad_()

"""


def programs(size, body, *arguments):
    """The last line of each process, read as JSON."""
    ranks = []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "program.py")
        program.write_text(BEGIN + textwrap.dedent(body))
        name = f"/tenon-shared-{os.getpid()}-{pathlib.Path(folder).name}"
        for rank in range(size):
            place = {**shm_place(name, rank, size), "TENON_PLUGIN_PATH": str(SHM)}
            ranks.append(
                subprocess.Popen(
                    [sys.executable, program, *arguments], env=place, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )  # fmt: skip
            )
        ends = [each.communicate(timeout=100) for each in ranks]
    for each, (out, error) in zip(ranks, ends):
        if each.returncode:
            raise AssertionError(f"{each.returncode}: {out}{error}")
    return [json.loads(out.splitlines()[-1]) for out, _ in ends]


class Captured(Case):
    def test_parameters_that_one_process_uses_alone(self):
        found = programs(2, """
            a, b = leaf(0.0, 0.0), leaf(0.0, 0.0)
            parallel = tenon.processes.DataParallel([a, b], world, shards=2)

            @tenon.captured
            def step(x):
                for shard in parallel.shards():
                    p = (a, b)[shard.number]
                    shard.backward((p * shard.part(x)[0]).sum())

            for _ in range(3):
                step(tenon.tensor([[1.0, 2.0], [3.0, 4.0]]))
            print(json.dumps([a.grad.tolist(), b.grad.tolist()]))
        """)  # fmt: skip
        self.assertEqual(found, [[[0.5, 1.0], [1.5, 2.0]]] * 2)

    def test_a_run_that_fails_is_told(self):
        """Its step is given up, and so is that of the others; then all go on."""
        found = programs(2, """
            a = leaf(0.0)
            parallel = tenon.processes.DataParallel([a], world, shards=2)
            fails = tenon.tensor([0.0])

            @tenon.captured
            def step(x, rows):
                x = tenon.gather(x, rows, axis=0)  # judges the rows in each run
                for shard in parallel.shards():
                    shard.backward((a * x[0]).sum())

            x = tenon.tensor([2.0, 3.0])
            good, bad = tenon.tensor([0], "int64"), tenon.tensor([7], "int64")
            step(x, good)
            step(x, good)
            told = tell(lambda: step(x, bad if odd else good))
            step(x, good)
            print(json.dumps([told, a.grad.tolist()]))
        """)  # fmt: skip
        for told, grad in found:
            self.assertEqual(grad, [2.0])
        self.assertEqual(found[0][0][0], "PeerError")
        self.assertIn("rank 1 has given up what all were doing", found[0][0][1])
        self.assertIn("7", found[1][0][1])


    def test_a_frozen_parameter(self):
        a, b = tenon.ones([2]).requires_grad_(), tenon.ones([2]).requires_grad_()
        parallel = tenon.processes.DataParallel([a, b], shards=2)

        @tenon.captured
        def step(x):
            for shard in parallel.shards():
                shard.backward((a * b * x).sum())

        for frozen in (True, False, True):
            b.requires_grad_(not frozen)
            b.grad = None
            step(tenon.tensor([2.0, 3.0]))
            self.same(a.grad, [2.0, 3.0])
            self.assertEqual(b.grad is None, frozen)
        a.grad = b.grad = None


class Rows(Case):
    def test_a_table_that_is_used_late(self):
        """Adam moves all of a table whose gradient is dense, and rows alone where it is rows."""
        body = """
            table = tenon.ones([4, 2]).requires_grad_()
            bias = leaf(1.0)
            optimizer = tenon.optim.adam([table, bias], lr=0.1)
            parallel = tenon.processes.DataParallel([table, bias], world, shards=4)
            for step in range(4):
                for shard in parallel.shards():
                    loss = bias.sum()
                    if step >= 1:
                        row = tenon.tensor([(shard.number + step) % 2], "int64")
                        loss = loss + tenon.embedding(table, row).sum()
                    if step == 2 and shard.number == 3:
                        loss = loss + (table * table).sum()
                    shard.backward(loss)
                rows = table.has_grad_rows
                optimizer.step()
            print(json.dumps([rows, table.tolist()]))
        """
        one = programs(1, body)
        self.assertTrue(one[0][0])
        for size in (2, 4):
            self.assertEqual(programs(size, body), one * size)


# What one process does otherwise: the words of the line, and the two values.
DIFFERENT = {
    "shards": (
        "tenon.processes.DataParallel([leaf(1.0)], world, shards=4 if odd else 2)",
        "shards", "2", "4",
    ),
    "bucket_bytes": (
        "tenon.processes.DataParallel([leaf(1.0)], world, bucket_bytes=9 if odd else 8)",
        "bucket_bytes", "8", "9",
    ),
    "parameters": (
        "tenon.processes.DataParallel([leaf(1.0), leaf(2.0)][odd:], world)",
        "parameters that require gradients", "2", "1",
    ),
    "shapes": (
        "tenon.processes.DataParallel([leaf(1.0, *[2.0] * odd)], world)",
        "params[0]", "f32[1]", "f32[2]",
    ),
    "dtypes": (
        "p = tenon.ones([1], dtype='float64' if odd else 'float32').requires_grad_()\n"
        "tenon.processes.DataParallel([p], world)",
        "params[0]", "f32[1]", "f64[1]",
    ),
    "buffers": (
        "tenon.processes.DataParallel([leaf(1.0)], world, buffers=[tenon.ones(1)][odd:])",
        "buffers", "1", "0",
    ),
    "requires_grad": (
        "parallel.params[0].requires_grad_(not odd)\nstep()",
        "parameters that require no gradient", "none", "params[0]",
    ),
    "step": ("parallel.step = 5 + odd\nstep()", "step", "5", "6"),
    "seed": ("tenon.seed(3 + odd)\nstep()", "seed", "3", "4"),
    "lr": ("optimizer.lr = 0.2 if odd else 0.1\nstep()", "lr of tenon.sgd", "0.1", "0.2"),
    "momentum": (
        "other = tenon.optim.sgd(parallel.params, lr=0.1, momentum=0.9 * odd)\nstep()",
        "momentum of tenon.sgd", "0", "0.9",
    ),
    "optimizer": (
        "kind = tenon.optim.adam if odd else tenon.optim.sgd\n"
        "other = kind(parallel.params, lr=0.1)\nstep()",
        "what is done", "parameters of tenon.sgd: 0 1", "parameters of tenon.adam: 0 1",
    ),
    "parameters of an optimizer": (
        "other = tenon.optim.sgd(parallel.params[odd:], lr=0.1)\nstep()",
        "parameters of tenon.sgd", "0 1", "1",
    ),
    "groups of an optimizer": (
        "p = parallel.params\nlists = [p] if odd else [p[:1], p[1:]]\n"
        "other = tenon.optim.sgd([{'params': each, 'lr': 0.1} for each in lists])\nstep()",
        "parameters of tenon.sgd", "0 | 1", "0 1",
    ),
    "runs in captured steps": (
        "step()\nrun = tenon.captured(lambda x: optimizer.step())\n"
        "if odd: run(tenon.ones(1)), run(tenon.ones(1))\nstep()",
        "runs of tenon.sgd", "0", "2",
    ),
    "random numbers of captured steps": (
        "@tenon.captured\n"
        "def drawn(x):\n"
        "    for shard in parallel.shards():\n"
        "        shard.backward((tenon.dropout(x, p=0.5) * parallel.params[0]).sum())\n"
        "drawn(tenon.ones(1))\nif odd: tenon.uniform(shape=[1])\ndrawn(tenon.ones(1))",
        "counter of random numbers", "1", "2",
    ),
    "runs of an optimizer": (
        "step()\nif odd: optimizer.step()\nstep()", "runs of tenon.sgd", "0", "1",
    ),
    "clip": (
        "step()\nparallel.clip(2.0 if odd else 1.0)\noptimizer.step()\nstep()",
        "max_norm of the last clipping", "1", "2",
    ),
    "shared states": (
        "parallel.share_states(optimizer)\nstep()\nparallel.clip(2.0 if odd else 1.0)",
        "max_norm of the last clipping", "1", "2",
    ),
    "optimizer of shared states": (
        "kind = tenon.optim.adam if odd else tenon.optim.sgd\n"
        "parallel.share_states(kind(parallel.params, lr=0.1))",
        "what is done", "parameters of tenon.sgd: 0 1", "parameters of tenon.adam: 0 1",
    ),
    "root": (
        "parallel.share_states(optimizer)\nstep()\noptimizer.step()\n"
        "parallel.gather_states(int(odd))",
        "root of the states", "0", "1",
    ),
    "reduction": (
        "world.all_reduce(tenon.ones(2), 'mean' if odd else 'sum')", "reduction", "sum", "mean",
    ),
    "batch": ("step(loader(batch=1 + odd))", "batch of a loader", "1", "2"),
    "shuffle": ("step(loader(shuffle=odd))", "shuffle of a loader", "0", "1"),
    "drop_last": ("step(loader(drop_last=odd))", "drop_last of a loader", "0", "1"),
    "seed of a loader": ("step(loader(seed=1 + odd))", "seed of a loader", "1", "2"),
    "samples": ("step(loader(n=8 - odd))", "samples of a loader", "8", "7"),
    "share": (
        "step(loader(share=(0, 1, 2)))",
        "shards between share and process of a loader", "0", "-1",
    ),
    "epoch": ("step(loader(epoch=1 + odd))", "epoch of a loader", "1", "2"),
    "position": (
        "batches = loader()\nif odd: next(batches)\nstep(batches)",
        "batches so far of a loader", "1", "2",
    ),
}  # fmt: skip

ONE_DIFFERS = """
tenon.seed(3)
parallel = tenon.processes.DataParallel([leaf(1.0), leaf(2.0)], world)
optimizer = tenon.optim.sgd(parallel.params, lr=0.1)


def loader(n=8, batch=1, share=None, epoch=0, **options):
    samples = tenon.data.tensors(tenon.ones([n, 1]))
    share = share or parallel.share
    made = tenon.data.batches(samples, batch, share=share, **{"seed": 1, **options})
    made.begin(epoch)
    batches = iter(made)
    next(batches)
    return batches


def step(*kept):
    for shard in parallel.shards():
        shard.backward((parallel.params[0] * parallel.params[1]).sum())


def run():
    exec(sys.argv[1], globals())


told = tell(run)
for name in ("optimizer", "other", "data"):
    globals().pop(name, None)
world.barrier()  # the group goes on
print(json.dumps(told))
"""


class OneDiffers(Case):
    def test_it_is_told(self):
        """In all processes, with both values and the rank."""
        for name, (code, line, ours, theirs) in DIFFERENT.items():
            with self.subTest(name):
                found = programs(2, ONE_DIFFERS, code)
                for rank, (a, b) in enumerate([(ours, theirs), (theirs, ours)]):
                    self.assertIsNotNone(found[rank], f"rank {rank} is not told")
                    kind, words = found[rank]
                    self.assertEqual(kind, "PeerError", words)
                    self.assertIn(f"rank {1 - rank} has another value: {line}\n", words)
                    self.assertIn(f"expected {a}, found {b}", words)


class GivenUp(Case):
    def test_everything_is_as_before(self):
        tenon.seed(5)
        weight = tenon.ones([3]).requires_grad_()
        mean = tenon.zeros([3])
        parallel = tenon.processes.DataParallel([weight], shards=2, buffers=[mean])
        parallel.step = 4
        tenon.uniform(shape=[2])
        state = tenon.get_rng_state()
        for place in ("begin", "backward", "break"):
            with self.subTest(place):
                try:
                    for shard in parallel.shards():
                        mean += 1.0
                        tenon.uniform(shape=[2])
                        if shard.number == 1 and place == "begin":
                            raise KeyboardInterrupt
                        if shard.number == 1 and place == "break":
                            break
                        loss = (weight * 2.0).sum()
                        if shard.number == 1:
                            loss = tenon.stack([loss, loss])
                        shard.backward(loss)
                except (KeyboardInterrupt, tenon.GradError):
                    pass
                self.same(mean, [0.0, 0.0, 0.0])
                self.assertIsNone(weight.grad)
                self.assertEqual(parallel.step, 4)
                self.assertEqual(tenon.get_rng_state(), state)
        for shard in parallel.shards():
            shard.backward((weight * 2.0).sum())
        self.same(weight.grad, [2.0, 2.0, 2.0])
        self.assertEqual(parallel.step, 5)
        weight.grad = None

    def test_others_are_told_and_go_on(self):
        """One that gives up does not meet the next step of the others."""
        found = programs(4, """
            weight = leaf(1.0)
            optimizer = tenon.optim.sgd([weight], lr=1.0)
            parallel = tenon.processes.DataParallel([weight], world, shards=8)


            def step(number, fails=False):
                for shard in parallel.shards():
                    if fails and odd:
                        raise RuntimeError("a bad sample")
                    shard.backward((weight * float(number)).sum())
                optimizer.step()


            told = []
            for number in range(6):
                told.append(tell(lambda: step(number, fails=number in (0, 3))))
            print(json.dumps([told, weight.tolist()]))
        """)  # fmt: skip
        for rank, (told, weight) in enumerate(found):
            self.assertEqual(weight, [1.0 - 1 - 2 - 4 - 5])
            self.assertEqual([each is not None for each in told], [True, False, False] * 2)
            if rank != 1:
                self.assertEqual(told[3][0], "PeerError")
                self.assertIn("rank 1 has given up what all were doing", told[3][1])
                self.assertIn("expected all_", told[3][1])

    def test_in_a_pass_through_batches(self):
        """A step that is left out takes its batches with it."""
        body = """
            weight = leaf(1.0)
            optimizer = tenon.optim.sgd([weight], lr=0.1)
            parallel = tenon.processes.DataParallel([weight], world, shards=4)
            samples = tenon.data.tensors(tenon.tensor([float(i) for i in range(24)]))
            parts = tenon.data.batches(samples, 2, share=parallel.share)
            told = 0
            for epoch in range(2):
                for step in parallel.steps(parts):
                    try:
                        for shard, (x,) in step:
                            if shard.number == 0 and 0.0 in x.tolist():
                                raise RuntimeError("a bad sample")
                            shard.backward((weight * x).sum())
                    except RuntimeError:
                        told += 1
                        continue
                    optimizer.step()
            print(json.dumps([told, weight.tolist()]))
        """
        one = programs(1, body)
        self.assertEqual(one[0][0], 2)
        for size in (2, 4):
            self.assertEqual(programs(size, body), one * size)

    def test_gradients_that_were_on_their_way(self):
        """What a failed step has sent does not get into the next one."""
        found = programs(2, """
            weights = [leaf(*[1.0] * 4096) for _ in range(4)]
            parallel = tenon.processes.DataParallel(weights, world, shards=4, bucket_bytes=1)


            def fail(grad):
                raise RuntimeError("in the backward")


            def step(number, fails=False):
                for shard in parallel.shards():
                    first = weights[0] * float(number + 1)
                    if fails and odd and shard.number == 3:
                        first.register_hook(fail)
                    y = first
                    for weight in weights[1:]:
                        y = y * weight
                    shard.backward(y.sum())


            told, wrong = [], []
            for number in range(12):
                if number > 2:
                    told.append(tell(lambda: step(number + 100, fails=True)) is not None)
                step(number)
                for weight in weights:
                    if (weight.grad != float(number + 1)).any().item():
                        wrong.append(number)
            print(json.dumps([told, wrong]))
        """)  # fmt: skip
        self.assertEqual(found, [[[True] * 9, []]] * 2)

    def test_an_update_that_one_leaves_out(self):
        """Where states are shared nobody updates a part alone."""
        found = programs(2, """
            weight = leaf(*[1.0] * 4)
            optimizer = tenon.optim.sgd([weight], lr=1.0)
            parallel = tenon.processes.DataParallel([weight], world)
            parallel.share_states(optimizer)
            told = []
            for number in range(3):
                for shard in parallel.shards():
                    shard.backward(weight.sum())
                skips = odd and number == 1
                told.append(tell(world.barrier if skips else optimizer.step))
            print(json.dumps([[each and each[0] for each in told], weight.tolist()]))
        """)  # fmt: skip
        self.assertEqual(found, [[[None, "PeerError", None], [-1.0] * 4]] * 2)

    def test_making_one_fails_in_one_process(self):
        found = programs(2, """
            def make():
                return tenon.processes.DataParallel([leaf(1.0)] * (1 + odd), world)

            told = tell(make)
            world.barrier()
            print(json.dumps(told))
        """)  # fmt: skip
        self.assertIn("rank 1 has given up what all were doing", found[0][1])
        self.assertIn("params[1] is given twice", found[1][1])


if __name__ == "__main__":
    unittest.main()
