#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/rust/memory.py: the tests of the crate run without a wrong access to memory or a leak.
"""Usage: memory.py <valgrind> <cargo> <what cargo is told>..."""

import json
import pathlib
import subprocess
import sys

VALGRIND, CARGO, *TOLD = sys.argv[1:]
SUPPRESSED = pathlib.Path(__file__).resolve().parent / "memory.supp"


def programs():
    """Those of the package's tests, which cargo builds."""
    command = [CARGO, "test", *TOLD, "--no-run", "--tests", "--message-format=json"]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in built.splitlines():
        found = json.loads(line)
        if found.get("executable") and "test" in found["target"]["kind"]:
            yield found["target"]["name"], found["executable"]


def main():
    found = dict(programs())
    print("tests:", ", ".join(found))
    if not {"tensor", "training", "processes", "alone", "side"} <= set(found):
        return 1
    leaks = ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]
    watched = [VALGRIND, "--quiet", "--error-exitcode=9", *leaks, f"--suppressions={SUPPRESSED}"]
    failed = [
        name
        for name, program in found.items()
        if subprocess.run([*watched, program, "--test-threads=1"], check=False).returncode
    ]
    print("failed:" if failed else "no errors", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
