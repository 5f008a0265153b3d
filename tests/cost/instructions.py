# SPDX-License-Identifier: Apache-2.0
# tests/cost/instructions.py: instructions of one small op, counted by callgrind, may not exceed
# their limit. Exit status 77 where valgrind is absent: instructions.py <small_ops> <plugin folder>
import os
import re
import shutil
import subprocess
import sys
import tempfile

# With the kernels of tenon.ref, which take about 660 of them for an addition of 64 elements; a
# tenth above what was counted when the limit was set. Lower a limit when its figure falls.
LIMITS = {"out": 1460, "returned": 1870, "recorded": 2570, "backward": 14760}
FEW, MANY = 100, 1100


def instructions(program, plugins, work, count):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind",
                   "--callgrind-out-file=" + os.path.join(folder, "out"),
                   program, plugins, work, str(count)]
        done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return int(found.group(1))


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    program, plugins = sys.argv[1:]
    failed = 0
    for work, limit in LIMITS.items():
        # What one more costs, without the start.
        few = instructions(program, plugins, work, FEW)
        each = (instructions(program, plugins, work, MANY) - few) / (MANY - FEW)
        verdict = "" if each <= limit else "  TOO MANY"
        failed += bool(verdict)
        print(f"{work:10} {each:8.0f} instructions, at most {limit}{verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
