# SPDX-License-Identifier: Apache-2.0
# tests/bench/timing.py: the best of many calls, for benchmarks that take turns with PyTorch.

import time

# PyTorch's threads spin for a while after a call, and would take the others' processors.
AFTER_PEER_SECONDS = 0.3


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
