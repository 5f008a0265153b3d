# SPDX-License-Identifier: Apache-2.0
# tests/python/test_process_ends.py: how one of two processes, over test.shm, may end in Python, and
# what the other one and the shell are told. tests/outside/ends_test.py has real launchers.

import functools
import math
import os
import subprocess
import sys
import unittest

from support import SHM, Case, shm_place, tenon

from tenon import processes

# Rank 1 does what is given; rank 0 goes on until it is told.
PROGRAM = """
import os, sys, threading
import tenon

tenon.configure(plugin_paths=[sys.argv[1]])
world = tenon.processes.join("test.shm", timeout=60)
x = tenon.ones(2)
world.all_reduce(x)
if world.rank == 1:
    exec(sys.argv[2])
else:
    try:
        while True:
            world.all_reduce(x)
    except tenon.PeerError as told:
        print(told.message.split(": ")[-1])
"""
HELD = "import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(world._handle))\n"
count = 0


def run(way):
    """What rank 0 was told; the status of rank 1, and what it has said."""
    global count
    count += 1
    name = f"/tenon-python-{os.getpid()}-{count}"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, SHM, way], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=shm_place(name, rank, 2),
        ) for rank in range(2)
    ]  # fmt: skip
    (told, failed), (printed, said) = [each.communicate(timeout=25) for each in both]
    if both[0].returncode:
        raise AssertionError(failed)
    return told.strip(), both[1].returncode, printed + said


@unittest.skipUnless((SHM / "test.shm").exists(), "test.shm was not built")
class Ends(Case):
    def test_an_error_that_nobody_catches_ends_all(self):
        told, status, said = run("print('so far'); raise ValueError('no such file')")
        self.assertEqual((told, status), ("rank 1 is gone", 1))
        self.assertTrue(said.startswith("so far\nTraceback"), said)
        lines = said.splitlines()
        self.assertEqual(lines[-2], "ValueError: no such file")
        self.assertEqual(lines[-1], "tenon: rank 1 of 2: ValueError: no such file")

    def test_an_interrupt_ends_all(self):
        told, status, said = run("raise KeyboardInterrupt")
        self.assertEqual((told, status), ("rank 1 is gone", 130))
        self.assertTrue(said.endswith("\ntenon: rank 1 of 2: KeyboardInterrupt\n"), said)

    def test_a_hook_of_the_program_is_called_before(self):
        told, status, said = run(
            "hook = sys.excepthook\n"
            "sys.excepthook = lambda *error: (print('mine'), hook(*error))\n"
            "1 / 0"
        )
        self.assertIn("mine\nTraceback", said)
        last = "tenon: rank 1 of 2: ZeroDivisionError: division by zero"
        self.assertEqual(said.splitlines()[-1], last)

    def test_who_leaves_is_said_to_have_left(self):
        for way in ("pass", "del world", "sys.exit(0)", "sys.exit(3)", HELD + "sys.exit(0)"):
            told, status, said = run(way)
            self.assertEqual(told, "rank 1 has left the group", way)
            self.assertEqual((status, said), (3 if "3" in way else 0, ""), way)

    def test_an_exit_status_is_said(self):
        told, status, said = run(HELD + "sys.exit(3)")
        self.assertEqual((told, status), ("rank 1 is gone", 3))
        self.assertEqual(said, "tenon: rank 1 of 2: the process has ended with exit status 3\n")

    def test_ends_that_are_none(self):
        thread = "thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()\n"
        child = "pid = os.fork()\nif pid == 0: raise ValueError\nos.waitpid(pid, 0)\n"
        prompt = "sys.ps1 = '> '\nsys.excepthook(ValueError, ValueError('x'), None)\n"
        for way in (thread, child, prompt):
            told, status, said = run(way + "world.all_reduce(x); print('on')")
            self.assertEqual((told, status), ("rank 1 has left the group", 0), said)
            self.assertIn("on\n", said)
            self.assertNotIn("tenon: rank 1", said)


class Timeouts(Case):
    def test_numbers_that_are_none(self):
        group = processes.join("tenon.self", timeout=2147483)
        for wrong in (math.inf, -math.inf, math.nan, 1e300, 10**400, 2147484, 0, -1.5):
            for call in (functools.partial(processes.join, "tenon.self"), group.barrier):
                with self.assertRaises(ValueError) as caught:
                    call(timeout=wrong)
                words = str(caught.exception)
                self.assertIn("seconds above 0, at most 2147483 (24 days)", words)
                self.assertIn(repr(wrong)[:40], words)
        group.barrier(timeout=1e-9)


if __name__ == "__main__":
    unittest.main()
