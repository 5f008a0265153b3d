#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/neon/same_bits.py: builds tenon.cpu for 64-bit ARM, runs its tests under qemu, and compares
# the hashes of its results with those of this machine.
#
# Usage: same_bits.py <cmake> <cpu_digest of this machine>
# Exit status 77 where a tool is not installed; what is missing is said.
import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = FOLDER.parents[1] / "build" / "neon"
EMULATOR = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
TOOLS = {"aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"}
SOURCES = pathlib.Path("/usr/src/googletest")
# Beside the long ones those that are about threads and large matrices, not about instructions.
LEFT_OUT = "*Soak*:*Full.*:*Threads.*"


def missing():
    found = [
        f"{tool} (Debian: {package})"
        for tool, package in TOOLS.items()
        if not shutil.which(tool)
    ]
    if not SOURCES.is_dir():
        found.append(f"{SOURCES} (Debian: googletest)")
    return found


def run(command, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), check=True, text=True, **options)


def build(cmake):
    run([cmake, "-S", FOLDER / "project", "--preset", "neon", "-Wno-dev"], cwd=FOLDER / "project")
    jobs = len(os.sched_getaffinity(0))
    run([cmake, "--build", BUILD, "--parallel", jobs, "--target", "tests_cpu", "cpu_digest"])


def digest(command):
    lines = run(command, stdout=subprocess.PIPE).stdout.splitlines()
    if len(lines) < 40:
        sys.exit(f"{command[-1]} printed {len(lines)} hashes, far fewer than there are kernels")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cmake")
    parser.add_argument("digest", type=pathlib.Path)
    arguments = parser.parse_args()
    if lacking := missing():
        print("skipped: not installed:", ", ".join(lacking))
        return 77
    build(arguments.cmake)
    run([*EMULATOR, BUILD / "bin" / "tests_cpu", f"--gtest_filter=-{LEFT_OUT}"])
    here = digest([arguments.digest])
    there = digest([*EMULATOR, BUILD / "bin" / "cpu_digest"])
    differences = list(difflib.unified_diff(here, there, "this machine", "NEON", lineterm="", n=0))
    print("\n".join(differences or [f"{len(here)} hashes are the same"]))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
