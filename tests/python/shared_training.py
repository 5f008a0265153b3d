# SPDX-License-Identifier: Apache-2.0
# tests/python/shared_training.py: real models trained by 1, 2, 4 and 8 processes have equal bits,
# and send as much as is said. Not test_*.py: it takes seconds, and runs with the full tests.
"""Models and optimizers are those of shared_training_run.py: H1's layers, a residual network with
batch norms, decoders with rows and dropout; momentum, and AdamW after clipping. As many processes
run as are asked for, on however few cores there are."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import Case, skip, tenon

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/python/data_parallel.py"
PROGRAM = pathlib.Path(__file__).with_name("shared_training_run.py")
AGREEMENT = 104  # bytes to each other process, for each transfer: docs/processes.md
SURPLUS = 1.02  # of bytes sent, over 2 (n - 1) / n of the gradients'
# Largest |difference| / largest |value| of a tensor. An engine's order moves a sum by some 1e-7 of
# it; AdamW's first steps divide small gradients by their own size, which makes more of that.
TOLERANCE = {"sgd": 1e-5, "adamw": 1e-3}

if shutil.which("mpirun") is None or "tenon.mpi" not in tenon.plugins():
    skip("no mpirun, or tenon.mpi was not built")


def environment():
    found = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }
    # MPI itself keeps memory to the end.
    found["ASAN_OPTIONS"] = found.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return found


def train(size, arithmetic, folder):
    """What the program prints, and the tensors that it writes: by the runs' names."""
    folder = pathlib.Path(folder, f"{arithmetic} {size}")
    folder.mkdir()
    launcher = ["mpirun", "--bind-to", "none", "-n", str(size)] if size > 1 else []
    engine = "tenon.mpi" if size > 1 else "tenon.self"
    done = subprocess.run(
        [*launcher, sys.executable, PROGRAM, engine, arithmetic, str(folder)],
        capture_output=True, text=True, check=False, timeout=300, env=environment(),
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{size} processes: {done.stdout}{done.stderr}")
    found = json.loads(done.stdout)
    return found, {name: tenon.load(folder / f"{name}.safetensors") for name in found}


class SharedTraining(Case):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.one, cls.tensors = train(1, "canonical", folder)
            cls.several = {size: train(size, "canonical", folder)[0] for size in (2, 4, 8)}
            cls.fast = {size: train(size, "fast", folder)[1] for size in (2, 4)}

    @classmethod
    def tearDownClass(cls):
        del cls.tensors, cls.fast

    def test_the_bits_are_those_of_one_process(self):
        for size, runs in self.several.items():
            for name, run in runs.items():
                for part, digests in run["digests"].items():
                    with self.subTest(run=name, part=part, processes=size):
                        self.assertEqual(digests, self.one[name]["digests"][part] * size)

    def test_runs_train_what_they_are_for(self):
        for runs in (self.one, *self.several.values()):
            for name, run in runs.items():
                with self.subTest(run=name):
                    self.check_counts(*name.split(), run["counts"])

    def check_counts(self, model, way, counts):
        self.assertEqual(counts["changed"], [True, model == "ResNet"])
        self.assertEqual(counts["rows"], 1 if model == "Decoder" else 0)
        self.assertEqual(counts["clipped"] > 0, way == "adamw")
        self.assertGreaterEqual(counts["state"], counts["parameters"] * (1 + (way == "adamw")))
        if model == "ResNet":
            self.assertEqual(counts["buffers"], 12)  # mean and variance of six norms

    def test_bytes(self):
        """Of the last step: buckets are in their order since the third."""
        for size, runs in self.several.items():
            counts, sent = runs["Wide sgd"]["counts"], runs["Wide sgd"]["sent"][-1]
            gradients = 4 * counts["numbers"]
            self.assertGreater(counts["numbers"], 1_000_000)
            least = 2 * (size - 1) / size * gradients
            with self.subTest(processes=size):
                self.assertGreaterEqual(sent["bytes_sent"], least)
                self.assertLessEqual(sent["bytes_sent"], SURPLUS * least)
                self.assertEqual(sent["transfers"], counts["buckets"])
                self.assertGreater(counts["buckets"], 1)
                told = sent["transfers"] * (size - 1) * AGREEMENT
                self.assertEqual(sent["bytes_agreed"], told)

    def test_fast_arithmetic_is_close(self):
        for size, runs in self.fast.items():
            for name, tensors in runs.items():
                for key, found in tensors.items():
                    wanted = self.tensors[name][key]
                    far = (found - wanted).abs().max().item()
                    limit = TOLERANCE[name.split()[1]] * wanted.abs().max().item()
                    with self.subTest(run=name, tensor=key, processes=size):
                        self.assertLessEqual(far, limit)


class Example(Case):
    def run_example(self, *arguments, processes=0):
        launcher = ["mpirun", "-n", str(processes)] if processes else []
        done = subprocess.run(
            [*launcher, sys.executable, EXAMPLE, *arguments],
            capture_output=True, text=True, check=False, timeout=200, env=environment(),
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def test_says_whether_bits_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "one.safetensors")
            status, out, err = self.run_example("--save", file)
            self.assertEqual((status, err), (0, ""))
            self.assertIn("epoch 3: accuracy 0.9", out)
            for processes in (2, 4):
                command = "--engine", "tenon.mpi", "--same-as", file
                status, out, err = self.run_example(*command, processes=processes)
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(out.count("the same bits"), processes)
            status, out, err = self.run_example("--epochs", "1", "--same-as", file)
            self.assertEqual(status, 1)
            self.assertIn("differs", err)


if __name__ == "__main__":
    unittest.main()
