# SPDX-License-Identifier: Apache-2.0
# tests/outside/ends_test.py: every way in which one of three processes under a real mpirun may end:
# the others end within seconds, and its rank is named where it could still say it. And ordinary
# ends, which mpirun has to call that.
"""Needs what launchers_test.py needs. TENON_ENDS=all: every way in every place, as a table."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import launchers_test as launchers

SECONDS = 5  # beyond what an ordinary end takes
TABLE = os.environ.get("TENON_ENDS") == "all"

PROGRAM = r"""
import ctypes, os, resource, signal, sys, time
import tenon

way, place = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
world = tenon.processes.join("tenon.mpi", timeout=600)
x = tenon.ones(1000)
world.all_reduce(x)


def fill():
    here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (here + (64 << 20), here + (64 << 20)))
    held = []
    while True:
        held.append(bytearray(1 << 20))


def deeper():
    deeper()


def fail():
    raise ValueError("no such file")


def signalled(number):
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


libc = ctypes.CDLL(None)
ways = {
    "raise": fail,
    "KeyboardInterrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "RecursionError": deeper,
    "MemoryError": fill,
    "tenon.Error": lambda: tenon.ones(2) + tenon.ones(3),
    "sys.exit(0)": lambda: sys.exit(0),
    "sys.exit(3)": lambda: sys.exit(3),
    "sys.exit(words)": lambda: sys.exit("no such file"),
    "os._exit(0)": lambda: os._exit(0),
    "os._exit(3)": lambda: os._exit(3),
    "exit(0) in C": lambda: libc.exit(0),
    "exit(3) in C": lambda: libc.exit(3),
    "os.abort()": os.abort,
    "another program": lambda: os.execv("/bin/true", ["true"]),
    "SIGKILL": lambda: signalled(signal.SIGKILL),
    "SIGTERM": lambda: signalled(signal.SIGTERM),
    "SIGINT": lambda: signalled(signal.SIGINT),
    "SIGHUP": lambda: signalled(signal.SIGHUP),
    "SIGSEGV": lambda: ctypes.string_at(0),
    "SIGBUS": lambda: signalled(signal.SIGBUS),
    "SIGFPE": lambda: signalled(signal.SIGFPE),
    "SIGILL": lambda: signalled(signal.SIGILL),
}
if world.rank == 1:
    if place == "between":
        ways[way]()
    signal.signal(signal.SIGALRM, lambda *_: ways[way]())
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    if place == "waits":
        world.all_reduce(x)
    square = tenon.ones(64, 64)
    while True:
        tenon.matmul(square, square)
if place == "waits":
    time.sleep(0.5)
while True:
    world.all_reduce(x)
"""

# What lives as long as the module holds the group.
ORDINARY = """
import sys, time
import tenon

world = tenon.processes.join("tenon.mpi", timeout=60)
rows = world.split(world.rank % 2)
hook = tenon.processes.DataParallel([tenon.ones(3).requires_grad_()], world)
sys.kept = [world, rows, hook]  # never destroyed
world.barrier()
if world.rank == 0:
    time.sleep(2)
print("rank", world.rank, "is done", flush=True)
"""
# What not even the interpreter's end destroys.
KEPT = ORDINARY.replace(
    "sys.kept", "import ctypes\nctypes.pythonapi.Py_IncRef(ctypes.py_object(hook))\nsys.kept"
)

WAYS = re.findall(r'^    "(.*?)":', PROGRAM, re.MULTILINE)
PLACES = ("waits", "computes", "between")
# What can still say it is named.
NAMED = {
    "raise": "ValueError: no such file", "KeyboardInterrupt": "KeyboardInterrupt",
    "RecursionError": "RecursionError", "MemoryError": "MemoryError",
    "tenon.Error": "tenon.ShapeError: ",
    "exit(3) in C": "the process has ended with exit status 3",
}  # fmt: skip
# mpirun of MPICH 5 ends the others, too, but may call it a success; now and then it does not see
# that what a process has become has ended.
QUIET = (("MPICH", "os._exit(0)"),)
UNSEEN = (("MPICH", "another program"),)
LEFT = ("sys.exit(0)", "sys.exit(3)", "sys.exit(words)", "exit(0) in C")


def setUpModule():
    global mpich
    mpich = {"TENON_PLUGIN_PATH": str(launchers.build_with_mpich())}


def run(which, processes, program, *arguments):
    """Exit status, what was printed, seconds."""
    if which == "MPICH":
        words = [launchers.MPICH / "bin/mpirun", "-n", processes]
    else:
        words = [launchers.OPEN_MPI, "--oversubscribe", "--allow-run-as-root", "-n", processes]
    more = mpich if which == "MPICH" else {}
    begin = time.monotonic()
    with tempfile.TemporaryFile() as printed:  # not a pipe, which a process left behind would hold
        try:
            status = subprocess.run(
                [*map(str, words), sys.executable, "-c", program, *arguments], stdout=printed,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False, timeout=40,
                env={**os.environ, "PYTHONPATH": str(launchers.BUILD / "python"), **more},
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            status = None
        printed.seek(0)
        return status, printed.read().decode(errors="replace"), time.monotonic() - begin


class Ends(unittest.TestCase):
    def judge(self, which, way, place):
        status, printed, seconds = run(which, 3, PROGRAM, way, place)
        where = f"{which}, {way}, {place}: {status} after {seconds:.1f} s\n{printed[-3000:]}"
        told = f"tenon: rank 1 of 3: {NAMED.get(way, '')}" in printed if way in NAMED else None
        if way in LEFT:
            told = "rank 1 has left the group" in printed or "tenon: rank 1 of 3: " in printed
        if TABLE:
            print(f"| {way} | {which} | {place} | {status} | {seconds:.1f} | {told} |", flush=True)
        if (which, way) in UNSEEN:
            return
        self.assertIsNotNone(status, where)
        if (which, way) not in QUIET:
            self.assertNotEqual(status, 0, where)
        self.assertLess(seconds, SECONDS + self.ordinary, where)
        self.assertIsNot(told, False, where)

    def test_every_way(self):
        self.ordinary = run("Open MPI", 3, "import tenon")[2] * 2
        cases = [
            (which, way, place)
            for i, way in enumerate(WAYS)
            for j, which in enumerate(("MPICH", "Open MPI"))
            for k, place in enumerate(PLACES)
            if TABLE or (k == (i + j) % 3 and (which, way) not in UNSEEN)
        ]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for case, future in [(c, pool.submit(self.judge, *c)) for c in cases]:
                with self.subTest(case):
                    future.result()

    def test_ordinary_ends(self):
        for which in ("MPICH", "Open MPI"):
            for program in (ORDINARY, KEPT):
                status, printed, _ = run(which, 3, program)
                self.assertEqual(status, 0, f"{which}\n{printed}")
                self.assertEqual(printed.count("is done"), 3, printed)


if __name__ == "__main__":
    unittest.main()
