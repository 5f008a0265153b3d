# SPDX-License-Identifier: Apache-2.0
# tests/bench/scaling_model.py: what a data-parallel step of n processes costs: a closed form, and a
# simulation of each message; memory. It needs nothing but Python, and measures nothing.
"""Units: seconds, bytes, bytes a second.

A step is forward, backward, update. Gradients leave in buckets while the last backward runs, one
bucket after the other. A bucket is agreed on (n - 1 messages of 104 bytes from each process), its
parts are exchanged (n - 1 messages), each process adds its part, and the sums are gathered (n - 1
messages): core/processes/group.cc. A message takes `overhead` and its bytes / `bandwidth` of the
sender's wire, and arrives `latency` later: the LogGP model (Alexandrov, Ionescu, Schauser,
Scheiman, "LogGP", SPAA 1995). Every process has a wire of its own, and wires do not share switches
that are too narrow for all."""

import dataclasses
import heapq
import math
import random

MIB = 2**20
TOLD = 104  # bytes: sizeof(Told), core/processes/agree.cc
BUCKET = MIB  # kDefaultBucketBytes, core/processes/data_parallel.cc


@dataclasses.dataclass(frozen=True)
class Wires:
    name: str
    latency: float
    overhead: float
    bandwidth: float


@dataclasses.dataclass(frozen=True)
class Work:
    """What one process does in a step, without the others.

    forward, backward  of all its shards
    dense    (bytes, share of backward after which it is there) of each gradient, in that order
    rows     (rows of a process, bytes of a row) of each gradient that is rows
    buffers  bytes of each
    added    bytes of a sum's second operand that it adds in a second
    shards   of this process, one after the other: buckets leave during the last one's backward
    """

    name: str
    forward: float
    backward: float
    update: float
    dense: tuple
    rows: tuple = ()
    buffers: tuple = ()
    added: float = 1e10
    shards: int = 1

    @property
    def seconds(self):
        return self.forward + self.backward + self.update

    @property
    def gradient_bytes(self):
        return sum(size for size, _ in self.dense)


@dataclasses.dataclass(frozen=True)
class Way:
    """How processes agree and add. The first is what Tenon does.

    bucket  bytes after which a bucket is full
    agree   "all": everyone tells everyone; "tree": a hash goes up and down a tree
    sums    "exchange": all_to_all and all_gather; "levels": the same among neighbours, then among
            those who have the same part; "ring"
    """

    bucket: int = BUCKET
    agree: str = "all"
    sums: str = "exchange"


def buckets(work, limit=BUCKET):
    """(bytes, seconds after which it is full) of each, from the begin of forward."""
    last = work.backward / work.shards
    begin = work.forward + work.backward - last
    made, size = [], 0
    for place, (each, share) in enumerate(work.dense):
        size += each
        if size >= limit or place + 1 == len(work.dense):
            made.append((size, begin + share * last))
            size = 0
    return made


# ---- The closed form ----------------------------------------------------------------------------


def exchange(each, n, wires):
    """Everyone sends everyone `each` bytes."""
    if n == 1:
        return 0.0
    return wires.latency + (n - 1) * (wires.overhead + each / wires.bandwidth)


def agreement(n, wires, how="all"):
    if how == "all":
        return exchange(TOLD, n, wires)
    height = 2 * math.ceil(math.log2(n))
    return height * (wires.latency + wires.overhead + TOLD / wires.bandwidth)


def levels(n):
    """(neighbours, groups of them), of n that is a power of two: as square as it goes."""
    near = 2 ** math.ceil(math.log2(n) / 2)
    return near, n // near


def exchanges(size, n, wires, how="exchange"):
    """The parts of so many bytes, before they are added or after: in levels as many bytes in all,
    and fewer messages."""
    if how != "levels":
        return exchange(size / n, n, wires)
    near, far = levels(n)
    return exchange(size / near, near, wires) + exchange(size / n, far, wires)


def adding(size, n, work):
    return size * (n - 1) / n / work.added


def all_reduce(size, n, wires, work, way=Way()):
    """Of a bucket, from when all have it."""
    told = agreement(n, wires, way.agree)
    if way.sums == "ring":
        # Each of the first n - 1 rounds adds what has come.
        round_ = wires.latency + wires.overhead + size / n / wires.bandwidth
        return told + 2 * (n - 1) * round_ + adding(size, n, work)
    return told + 2 * exchanges(size, n, wires, way.sums) + adding(size, n, work)


def tail(n, wires, work, way=Way()):
    """What comes after the buckets: rows (their number, indices, values, and adding them up), and
    buffers, each a transfer."""
    seconds = 0.0
    for count, width in work.rows:
        for each in (8, 8 * count, width * count):
            seconds += agreement(n, wires, way.agree) + exchange(each, n, wires)
        seconds += (n - 1) * count * width / work.added
    for size in work.buffers:
        small = "levels" if way.sums == "levels" else "exchange"
        seconds += all_reduce(size, n, wires, work, dataclasses.replace(way, sums=small))
    return seconds


def end_of(ready, seconds):
    """Of jobs that one machine does in their order: the latest of all ways to wait for one of them
    and do the rest."""
    rest, latest = 0.0, 0.0
    for begin, each in zip(reversed(ready), reversed(seconds)):
        rest += each
        latest = max(latest, begin + rest)
    return latest


def step(n, wires, work, way=Way()):
    """Seconds of a step of n processes."""
    if n == 1:
        return work.seconds
    full = buckets(work, way.bucket)
    sums = [all_reduce(size, n, wires, work, way) for size, _ in full]
    computed = work.forward + work.backward
    end = max(computed, end_of([ready for _, ready in full], sums))
    return end + tail(n, wires, work, way) + work.update


def sent(n, work, way=Way()):
    """(bytes of data, bytes of agreement) that a process sends in a step."""
    full = buckets(work, way.bucket)
    data = 2 * (n - 1) / n * (work.gradient_bytes + sum(work.buffers) + 4 * len(work.dense))
    data += sum((n - 1) * (8 + count * (8 + width)) for count, width in work.rows)
    transfers = len(full) + len(work.buffers) + 3 * len(work.rows)
    told = (n - 1) if way.agree == "all" else 2
    return data, transfers * told * TOLD


# ---- The simulation -----------------------------------------------------------------------------


@dataclasses.dataclass
class Round:
    """Messages of a process to others, as many from others, then work; not before `ready`."""

    peers: list
    size: float
    work: float = 0.0
    ready: float = 0.0


def rounds_of(rank, n, wires, work, way, slow):
    """All rounds of a process whose compute takes `slow` times as long."""
    others = [(rank + 1 + place) % n for place in range(n - 1)]
    near, far = levels(n)
    beside = [rank // near * near + (rank + 1 + place) % near for place in range(near - 1)]
    across = [(rank + near * (1 + place)) % n for place in range(far - 1)]
    made = []
    for size, ready in buckets(work, way.bucket):
        if way.agree == "all":
            made.append(Round(others, TOLD, 0.0, ready * slow))
        else:
            height = math.ceil(math.log2(n))
            for level in range(2 * height):
                made.append(Round([(rank + 2 ** (level % height)) % n], TOLD, 0.0, ready * slow))
        added = adding(size, n, work)
        if way.sums == "ring":
            right = [(rank + 1) % n]
            made += [Round(right, size / n, added / (n - 1))] * (n - 1)
            made += [Round(right, size / n)] * (n - 1)
        elif way.sums == "levels":
            # What is added among neighbours is (near - 1) / near of all, the rest the others.
            first = added * (1 - 1 / near) / (1 - 1 / n)
            made += [Round(beside, size / near, first), Round(across, size / n, added - first)]
            made += [Round(across, size / n), Round(beside, size / near)]
        else:
            made += [Round(others, size / n, added), Round(others, size / n)]
    return made


class Simulation:
    """Processes that go through their rounds. A wire sends one message after the other, and
    receives one after the other; a message that has come waits for the receiver's round."""

    def __init__(self, plans, wires):
        self.plans, self.wires = plans, wires
        n = len(plans)
        self.out, self.into = [0.0] * n, [0.0] * n
        self.place, self.sent = [0] * n, [None] * n  # the round; when its messages were sent
        self.came = [{} for _ in plans]  # round: (messages, when the last one was there)
        self.end = [0.0] * n
        self.heap, self.count = [], 0

    def push(self, when, kind, rank, number):
        self.count += 1
        heapq.heappush(self.heap, (when, self.count, kind, rank, number))

    def run(self):
        for rank, plan in enumerate(self.plans):
            self.push(plan[0].ready, "begin", rank, 0)
        while self.heap:
            when, _, kind, rank, number = heapq.heappop(self.heap)
            if kind == "begin":
                self.begin(when, rank, number)
            else:
                self.arrive(when, rank, number)
        return self.end

    def begin(self, when, rank, number):
        wires, each = self.wires, self.plans[rank][number]
        wire = max(self.out[rank], when)
        for peer in each.peers:
            wire += wires.overhead + each.size / wires.bandwidth
            # The first byte is there when the last is sent, but for its own length.
            self.push(wire + wires.latency - each.size / wires.bandwidth, "come", peer, number)
        self.out[rank] = self.sent[rank] = wire
        self.advance(rank)

    def arrive(self, when, rank, number):
        length = self.plans[rank][number].size / self.wires.bandwidth
        self.into[rank] = max(self.into[rank], when) + length
        count, _ = self.came[rank].get(number, (0, 0.0))
        self.came[rank][number] = (count + 1, self.into[rank])
        self.advance(rank)

    def advance(self, rank):
        number = self.place[rank]
        if self.sent[rank] is None or number == len(self.plans[rank]):
            return
        each = self.plans[rank][number]
        count, last = self.came[rank].get(number, (0, 0.0))
        if count < len(each.peers):
            return
        self.came[rank].pop(number, None)
        done = max(self.sent[rank], last) + each.work
        self.end[rank], self.sent[rank] = done, None
        self.place[rank] = number + 1
        if number + 1 < len(self.plans[rank]):
            ready = self.plans[rank][number + 1].ready
            self.push(max(done, ready), "begin", rank, number + 1)


def simulate(n, wires, work, way=Way(), uneven=0.0, seed=1):
    """Seconds of a step, each message on its own; the slowest process counts. Compute takes 1 +
    `uneven` |z| times as long, z a normal number of each process."""
    draw = random.Random(seed)
    slow = [1 + uneven * abs(draw.gauss(0, 1)) for _ in range(n)]
    plans = [rounds_of(rank, n, wires, work, way, slow[rank]) for rank in range(n)]
    ends = Simulation(plans, wires).run()
    computed = max(slow) * (work.forward + work.backward)
    rest = tail(n, wires, work, way) + work.update * max(slow)
    return max(computed, *ends) + rest


# ---- Fits, memory -------------------------------------------------------------------------------


def fit(points):
    """(a, b, rms, worst) of seconds = a + bytes / b by least squares of relative errors, for a list
    of (bytes, seconds); rms and worst are residuals over the seconds."""
    s11 = s12 = s22 = t1 = t2 = 0.0
    for size, seconds in points:
        one, slope = 1 / seconds, size / seconds
        s11, s12, s22 = s11 + one * one, s12 + one * slope, s22 + slope * slope
        t1, t2 = t1 + one, t2 + slope
    determinant = s11 * s22 - s12 * s12
    a, c = (t1 * s22 - t2 * s12) / determinant, (t2 * s11 - t1 * s12) / determinant
    errors = [(a + c * size) / seconds - 1 for size, seconds in points]
    rms = math.sqrt(sum(error * error for error in errors) / len(errors))
    return a, 1 / c, rms, max(errors, key=abs)


def memory(numbers, n, state=8):
    """Bytes of a process for that many f32 parameters with their gradients: (what Tenon holds, with
    the optimizer's state 1 / n, with all 1 / n)."""
    held = 4 + 4 + state
    return numbers * held, numbers * (4 + 4 + state / n), numbers * held / n
