# SPDX-License-Identifier: Apache-2.0
# tests/bench/timing.py: what benchmarks share that take turns with PyTorch: their command line, and
# the best of many calls in each of some rounds.

import argparse
import os
import pathlib
import statistics
import sys
import time

# PyTorch's threads spin for a while after a call, and would take the others' processors.
AFTER_PEER_SECONDS = 0.3


def begin(description, rounds=5, flags=()):
    """Arguments of the command line, and Tenon of the build that they name. Both libraries have
    the threads that it asks for."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--threads", type=int, default=2)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ["TENON_THREADS"] = str(arguments.threads)
    os.environ.setdefault("TENON_LIBRARY", str(arguments.build.resolve() / "lib/libtenon.so"))
    sys.path.insert(0, str(arguments.build.resolve() / "python"))
    import tenon
    import torch

    torch.set_num_threads(arguments.threads)
    return arguments, tenon


def best(call, seconds=0.3):
    """Seconds of the fastest call, of as many as fit into `seconds`, after one that warms up."""
    time.sleep(AFTER_PEER_SECONDS)
    call()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def in_turns(calls, rounds, seconds=0.3):
    """The best of each call, a row for each round."""
    return [[best(call, seconds) for call in calls] for _ in range(rounds)]


def medians(rows):
    return [statistics.median(column) for column in zip(*rows, strict=True)]
