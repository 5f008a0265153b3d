#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/19_data_parallel/test.py: have runs of one process and of several the same bits, also a
# run that goes on with another number of processes, and does it say what is wrong?
"""Usage: test.py <program 19_data_parallel> <build folder> [unittest options]

Standard library only. Several processes are those of mpirun, if there is one and tenon.mpi was
built; else tests/processes shows the same over shared memory."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data/digits"
MPIRUN = shutil.which("mpirun")
HAS_MPI = MPIRUN is not None and (BUILD / "plugins/tenon.mpi").is_dir()
# As root in a container, and more processes than processors.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def run(processes, epochs, file, engine=None, folder=DIGITS):
    engine = engine or ("tenon.mpi" if processes else "tenon.self")
    command = [PROGRAM, folder, epochs, file, engine]
    if processes:
        command = [MPIRUN, "-n", processes, *command]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=240,
        env=ENVIRONMENT,
    )  # fmt: skip


class DataParallel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_learns_alone(self):
        done = run(0, 8, self.folder / "run.safetensors")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(float(re.findall(r"accuracy (\S+)", done.stdout)[-1]), 0.93)

    @unittest.skipUnless(HAS_MPI, "no mpirun, or tenon.mpi was not built")
    def test_same_bits(self):
        alone = self.folder / "alone.safetensors"
        self.assertEqual(run(0, 3, alone).returncode, 0)
        for processes in (1, 2, 4, 8):
            several = self.folder / f"{processes}.safetensors"
            done = run(processes, 3, several)
            self.assertEqual((done.returncode, done.stderr), (0, ""), processes)
            self.assertEqual(several.read_bytes(), alone.read_bytes(), processes)

    @unittest.skipUnless(HAS_MPI, "no mpirun, or tenon.mpi was not built")
    def test_goes_on_with_others(self):
        alone, several = self.folder / "alone.safetensors", self.folder / "several.safetensors"
        self.assertEqual(run(0, 3, alone).returncode, 0)
        for epochs, processes in ((1, 4), (2, 2), (3, 0)):
            done = run(processes, epochs, several)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("goes on with", done.stdout)
        self.assertEqual(several.read_bytes(), alone.read_bytes())

    def test_says_what_is_wrong(self):
        done = run(0, 1, self.folder / "run.safetensors", engine="tenon.no")
        self.assertEqual(done.returncode, 1)
        self.assertIn("TENON_E_NOT_FOUND", done.stderr)
        self.assertIn("tenon.no", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
