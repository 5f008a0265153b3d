# SPDX-License-Identifier: Apache-2.0
# tests/outside/launchers_test.py: tenon.mpi of this build, which is Open MPI's, and one that is
# built here with the package mpich, under the mpirun of both, and with the variables of srun.
"""Needs the package mpich, a C++ compiler, and a build with Open MPI's tenon.mpi."""

import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPICH = pathlib.Path(sys.prefix)
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1]
MAIN = BUILD / "plugins/mpi/tenon.mpi_main.cc"
OPEN_MPI = shutil.which("mpirun")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="tenon-launchers-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)

PROGRAM = """
import tenon

try:
    world = tenon.processes.join("tenon.mpi", timeout=20)
    print(f"rank {world.rank} of {world.size}, {world.all_reduce(tenon.ones(1)).item()}\\n", end="")
except tenon.Error as refused:
    print(f"refused: {refused.message}, {refused.found}\\n", end="", flush=True)
"""
STEP = {
    "SLURM_JOBID": "5", "SLURM_STEP_ID": "0", "SLURM_NODELIST": "node0", "SLURM_PROCID": "0",
    "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2",
}  # fmt: skip


def output(*command, **environment):
    """Lines, sorted: those of several processes come in any order."""
    base = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=60,
        env={**base, "PYTHONPATH": str(BUILD / "python"), **environment},
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return tuple(sorted(line for line in done.stdout.splitlines() if line))


if not (MPICH / "bin/mpichversion").exists():
    print("skipped: mpich is not installed")
    sys.exit(77)
if OPEN_MPI is None or "Open MPI" not in str(output(OPEN_MPI, "--version")) or not MAIN.exists():
    print("skipped: tenon.mpi was not built with Open MPI")
    sys.exit(77)


def build_with_mpich():
    """A folder of plugins with tenon.mpi of the package mpich."""
    library = WORK / "tenon.mpi/tenon.mpi.so"
    library.parent.mkdir()
    output(
        "c++", "-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
        "-Werror", "-DMPICH_SKIP_MPICXX", f"-I{ROOT}/sdk/include", f"-I{ROOT}/c_api/include",
        f"-I{ROOT}/plugins/mpi", "-isystem", MPICH / "include",
        *(ROOT / "plugins/mpi").glob("*.cc"), MAIN, "-o", library, f"-L{MPICH}/lib", "-lmpi",
        f"-Wl,-rpath,{MPICH}/lib,--version-script={ROOT}/sdk/cmake/TenonPlugin.map,-z,defs",
    )  # fmt: skip
    output(BUILD / "bin/tenon", "manifest", library)
    return WORK


class Launchers(unittest.TestCase):
    PROCESS = (sys.executable, "-c", PROGRAM)
    GROUP = ("rank 0 of 2, 2.0", "rank 1 of 2, 2.0")

    @classmethod
    def setUpClass(cls):
        cls.mpich = {"TENON_PLUGIN_PATH": str(build_with_mpich())}

    def of_open_mpi(self, *more, **environment):
        # As docs/processes.md says it of a container with few cores.
        words = ("--oversubscribe", "--allow-run-as-root", "-n", "2", *more)
        return output(OPEN_MPI, *words, *self.PROCESS, **environment)

    def of_mpich(self, **environment):
        return output(MPICH / "bin/mpirun", "-n", "2", *self.PROCESS, **environment)

    def refused(self, lines, words, library, processes=2):
        self.assertEqual(len(lines), processes, lines)
        for line in lines:
            self.assertRegex(line, f"^refused: tenon.mpi: {words}.*{library}")

    def test_each_under_its_own_launcher_is_a_group(self):
        self.assertEqual(self.of_open_mpi(), self.GROUP)
        self.assertEqual(self.of_mpich(**self.mpich), self.GROUP)

    def test_alone(self):
        for which in ({}, self.mpich):
            self.assertEqual(output(*self.PROCESS, **which), ("rank 0 of 1, 1.0",))

    def test_open_mpi_under_mpich(self):
        words = "PMI_SIZE says that this process is one of 2, and MPI has found no other"
        self.refused(self.of_mpich(), words, "Open MPI v")

    def test_mpich_under_open_mpi(self):
        """MPICH 5 ends the process in MPI_Init; MPICH 4 makes worlds of one."""
        words = "PMIX_NAMESPACE says how this process was started"
        self.refused(self.of_open_mpi(**self.mpich), words, "PMIx")

    def test_variables_of_srun(self):
        """Open MPI 4 ends the process in MPI_Init; Open MPI 5 and MPICH make worlds of one."""
        words = "SLURM_STEP_NUM_TASKS says that this process is one of 2"
        either = f"({words}|srun has started this process without PMIx)"
        self.refused(output(*self.PROCESS, **STEP), either, "Open MPI v", 1)
        self.refused(output(*self.PROCESS, **STEP, **self.mpich), words, "MPICH Version", 1)

    def test_a_session_that_begins_is_left_again(self):
        """MPICH is asked whether it can start where something speaks of PMIx, and can."""
        beside = {"PMIX_NAMESPACE": "another", "MPIR_CVAR_PMI_VERSION": "1"}
        self.assertEqual(self.of_mpich(**beside, **self.mpich), self.GROUP)


if __name__ == "__main__":
    unittest.main()
