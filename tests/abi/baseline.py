#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/baseline.py: compares a library with the ABI it had, or writes down the one it has now.
#   baseline.py compare <baseline.abi> <library>   1 where something changed, moved or vanished
#   baseline.py write   <baseline.abi> <library>
# What was only added is printed and passes. A struct that grew at its end counts as changed: that
# is a step of the ABI, and whoever takes it writes the baseline anew and says so in the changelog.
import pathlib
import re
import subprocess
import sys
import tempfile

# Nothing of the machine it was written on stands in a baseline: all 64-bit ones share it.
WRITE = ["abidw", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
         "--no-elf-needed", "--no-parameter-names", "--exported-interfaces-only"]  # fmt: skip
MOVED = 4 | 8  # abidiff's exit bits: the ABI changed, incompatibly; 1 and 2 are errors of its own


def symbols_only(library, folder):
    """libtenon carries line numbers and no types; without either, every build says the same."""
    if not library.name.startswith("libtenon"):
        return library
    stripped = folder / library.name
    subprocess.run(["objcopy", "--strip-debug", library, stripped], check=True)
    return stripped


def write(baseline, library):
    text = subprocess.run([*WRITE, library], check=True, capture_output=True, text=True).stdout
    text = re.sub(r" path='[^']*/([^'/]*)'", r" path='\1'", text)
    baseline.parent.mkdir(parents=True, exist_ok=True)
    baseline.write_text(text)


def differences(baseline, library, *options):
    """abidiff's words, and whether they are of a difference."""
    command = ["abidiff", "--no-architecture", *options, baseline, library]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode & ~MOVED:
        sys.exit(f"abidiff failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.returncode & MOVED != 0, done.stdout


def compare(baseline, library):
    print(differences(baseline, library)[1] or f"as in {baseline.name}")
    moved, words = differences(baseline, library, "--no-added-syms")
    if moved:
        print(words)
        print(f"{library.name} is not what {baseline} says. Undo the change; or, where the ABI is\n"
              "to change, raise TENON_ABI_DRAFT, write the baselines anew with `cmake --build\n"
              "build/release --target abi_baseline`, and name the change in CHANGELOG.md.")
    return 1 if moved else 0


def main():
    action, baseline, library = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        library = symbols_only(library.resolve(), pathlib.Path(folder))
        if action == "write":
            write(baseline, library)
            return 0
        return compare(baseline, library)


if __name__ == "__main__":
    sys.exit(main())
