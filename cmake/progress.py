#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/progress.py: runs a build by Ninja and shows how far it is.

usage    progress.py COMMAND [ARGUMENT...]

On a terminal, one line that is written again and again: the share of steps done, the time so far
and an estimate of what is left. Elsewhere nothing until the end. What fails is printed as Ninja
prints it, in both. The last line says how many steps there were and how long they took; with
TENON_BUILD_SECONDS=<file> the seconds are also added to that file. Exit status: the command's.
"""

import os
import re
import subprocess
import sys
import time

STATUS = re.compile(r"@(\d+)/(\d+)@ (.*)")
FIRST_GUESS = 0.05  # of the steps: before that, an estimate says little


def words(seconds):
    seconds = round(seconds)
    return f"{seconds // 60} min {seconds % 60:02} s" if seconds >= 60 else f"{seconds} s"


class Line:
    """What is written in place; nothing if nobody looks."""

    def __init__(self):
        self.shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def write(self, text):
        if self.shown:
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            sys.stderr.write(f"\r\x1b[K{text[: width - 1]}")
            sys.stderr.flush()

    def clear(self):
        self.write("")


def progress(done, total, elapsed, what):
    text = f"{100 * done // total:3} %  {done} of {total} steps, {words(elapsed)}"
    if done < total and done >= FIRST_GUESS * total:
        text += f", about {words(elapsed / done * (total - done))} left"
    return f"{text}  {what}"


def run(command):
    line, start, done = Line(), time.monotonic(), 0
    environment = dict(os.environ, NINJA_STATUS="@%f/%t@ ")
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, errors="replace"
    )
    for text in process.stdout:
        step = STATUS.match(text)
        if step:
            done = int(step[1])
            line.write(progress(done, int(step[2]), time.monotonic() - start, step[3].rstrip()))
        elif not text.startswith("ninja: "):
            line.clear()
            print(text, end="", flush=True)
    status = process.wait()
    line.clear()
    elapsed = time.monotonic() - start
    print(f"==> {done} steps in {words(elapsed)}" if not status else "==> the build failed")
    if file := os.environ.get("TENON_BUILD_SECONDS"):
        with open(file, "a", encoding="utf-8") as out:
            out.write(f"{elapsed:.1f}\n")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
