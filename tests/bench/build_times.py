#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/build_times.py: what compiling all of the release preset takes, without a cache.

usage    build_times.py CMAKE NINJA COMMIT

Builds in build/timed, whose objects are removed first; CMake runs this same file as the launcher of
every compiler (`build_times.py --one COMPILER...`), which notes the seconds of CPU that it
and its children took, as user and as system. Writes a section of docs/benchmarks.md between two
marks, in place of the one before: seconds by folder, the 20 slowest objects, and which of them
take more than a file may (LIMIT). Not a test: the limit is for whoever reads it.
"""

import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks.md"
BEGIN, END = "<!-- build: begin -->", "<!-- build: end -->"
LIMIT = 20.0  # seconds of user time
SLOWEST = 20


def run_one(command):
    """A compiler with its arguments; a line of the log is: user, system, source, object."""
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = command[command.index("-o") + 1] if "-o" in command[:-1] else ""
    # One write of a short line is never torn.
    with open(os.environ["TENON_BUILD_TIMES"], "a", encoding="utf-8") as log:
        log.write(f"{used.ru_utime:.3f}\t{used.ru_stime:.3f}\t{output}\n")
    return status


def folder_of(output):
    """core/CMakeFiles/x.dir/...: core; plugins/ops/CMakeFiles/...: plugins/ops."""
    return output.split("/CMakeFiles/")[0] if "/CMakeFiles/" in output else "configuring"


def file_of(output):
    """The source as a reader knows it: without the build's own folders and `.o`."""
    name = re.sub(r"CMakeFiles/[^/]+\.dir/", "", output.removesuffix(".o"))
    return name.replace("__/", "")


def build(cmake, ninja, log):
    tree = ROOT / "build/timed"
    shutil.rmtree(tree, ignore_errors=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    environment = dict(os.environ, TENON_BUILD_TIMES=str(log))
    launcher = f"{sys.executable};-S;-E;{pathlib.Path(__file__).resolve()};--one"
    languages = ("C", "CXX", "CUDA")
    configure = [
        cmake, "--preset", "release", "-B", str(tree), f"-DCMAKE_MAKE_PROGRAM={ninja}",
        "-DTENON_CCACHE=off",
        *(f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in languages),
    ]  # fmt: skip
    subprocess.run(configure, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    log.unlink(missing_ok=True)  # what configuring tried
    start = time.monotonic()
    jobs = str(os.cpu_count() or 2)
    subprocess.run(
        [sys.executable, str(ROOT / "cmake/progress.py"), cmake, "--build", str(tree),
         "--parallel", jobs],
        cwd=ROOT, env=environment, check=True,
    )  # fmt: skip
    return time.monotonic() - start


def read(log):
    rows = []
    for line in log.read_text(encoding="utf-8").splitlines():
        user, system, output = line.split("\t")
        if output.endswith((".o", ".gch")):
            rows.append((float(user), float(system), output))
    return rows


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def section(rows, elapsed, commit):
    folders = {}
    for user, system, output in rows:
        whole = folders.setdefault(folder_of(output), [0.0, 0.0, 0])
        whole[0] += user
        whole[1] += system
        whole[2] += 1
    total = sum(user for user, _, _ in rows)
    slow = sorted(rows, reverse=True)[:SLOWEST]
    over = [row for row in rows if row[0] > LIMIT]
    text = [
        BEGIN, "## Building", "",
        "`./dev bench --build`: the release preset with tests and benchmarks, compiled without a"
        " cache", "",
        f"- commit: {commit}",
        f"- machine: {processor()}, {os.cpu_count()} threads",
        f"- {elapsed / 60:.1f} min, {total:.0f} s of user time in {len(rows)} objects",
        f"- over {LIMIT:.0f} s: " + (
            ", ".join(f"{file_of(row[2])} ({row[0]:.0f} s)" for row in sorted(over, reverse=True))
            or "none"),
        "", "| folder | user s | system s | objects |", "|---|---|---|---|",
    ]  # fmt: skip
    for name, (user, system, count) in sorted(folders.items(), key=lambda each: -each[1][0]):
        text.append(f"| {name} | {user:.1f} | {system:.1f} | {count} |")
    text += ["", f"The {SLOWEST} slowest:", "", "| object | user s |", "|---|---|"]
    text += [f"| {file_of(output)} | {user:.1f} |" for user, _, output in slow]
    return "\n".join([*text, END])


def write(text):
    page = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else "# Benchmarks\n"
    start, end = page.find(BEGIN), page.find(END)
    if 0 <= start < end:
        page = page[:start] + text + page[end + len(END) :]
    else:
        page = page.rstrip("\n") + "\n\n" + text + "\n"
    PAGE.write_text(page, encoding="utf-8")


def main(arguments):
    if arguments[:1] == ["--one"]:
        return run_one(arguments[1:])
    if len(arguments) != 3:
        sys.exit(__doc__)
    cmake, ninja, commit = arguments
    log = ROOT / "build/timed.log"
    elapsed = build(cmake, ninja, log)
    text = section(read(log), elapsed, commit)
    write(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
