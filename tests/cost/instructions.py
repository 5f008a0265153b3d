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
# "replayed" is a plan of 100 such additions, of which core takes about 40 instructions each.
LIMITS = {"out": 1460, "returned": 1870, "recorded": 2570, "backward": 14760, "replayed": 84400}
FEW, MANY = 100, 1100
# A step of an optimizer over so many tensors: nothing in it compares each with each, so that one
# tensor costs about the same among many.
TENSORS, MORE_TENSORS, MOST_GROWTH = 100, 800, 1.25


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


def each(program, plugins, work, few, many):
    """What one more costs, without the start."""
    start = instructions(program, plugins, work, few)
    return (instructions(program, plugins, work, many) - start) / (many - few)


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    program, plugins = sys.argv[1:]
    failed = 0
    for work, limit in LIMITS.items():
        found = each(program, plugins, work, FEW, MANY)
        verdict = "" if found <= limit else "  TOO MANY"
        failed += bool(verdict)
        print(f"{work:10} {found:8.0f} instructions, at most {limit}{verdict}")
    short, long = (each(program, plugins, f"step{count}", 3, 6) / count
                   for count in (TENSORS, MORE_TENSORS))
    verdict = "" if long <= MOST_GROWTH * short else "  TOO MANY"
    failed += bool(verdict)
    print(f"step{MORE_TENSORS}    {long:8.0f} instructions for each tensor, "
          f"at most {MOST_GROWTH} times the {short:.0f} of step{TENSORS}{verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
