# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/processes.py: groups of processes, what they send each other, and training
# steps that they share.
"""A program for several processes, which `mpirun -n 4 python train.py` starts:

    world = tenon.processes.join("tenon.mpi")
    parallel = tenon.processes.DataParallel(model.parameters(), world, shards=8)
    for images, labels in batches:
        for shard in parallel.shards():
            part = shard.part(images), shard.part(labels)
            shard.backward(tenon.cross_entropy(model(part[0]), part[1]))
        optimizer.step()

With `tenon.self` it runs in one process, and gives the same bits.
"""

import contextlib
import operator
import os
import sys
import traceback
import weakref

from tenon import _core, _ops
from tenon._errors import check_type, refuse
from tenon.optim import Optimizer

_COLLECTIVES = {
    "send": 0,
    "receive": 1,
    "broadcast": 2,
    "all_gather": 3,
    "all_to_all": 4,
    "reduce_scatter": 5,
    "all_reduce": 6,
    "barrier": 7,
}
_LONGEST = 2147483  # seconds: engines count milliseconds in 32 bits, too


def join(engine, timeout=None, **options):
    """All processes of the program, as a Group, when they have joined.

    engine   the name of a registered one: "tenon.mpi", "tenon.nccl", or "tenon.self" for this
             process alone
    timeout  seconds that joining, and each transfer, may take; ten minutes unless given
    options  of the engine

    From then on an error that nobody catches ends all processes, with its words and the rank.
    """
    check_type("join", "engine", engine, str, "the name of an engine")
    return Group(_core.create_group(engine, options, _milliseconds(timeout)))


def _milliseconds(timeout):
    if timeout is None:
        return 0
    check_type("transfer", "timeout", timeout, (int, float), "seconds")
    if not 0 < timeout <= _LONGEST:  # what is not a number is neither
        expected = f"seconds above 0, at most {_LONGEST} (24 days)"
        raise refuse("transfer", "timeout", expected, repr(timeout))
    return max(1, round(timeout * 1000))


# ---- The end of a program -----------------------------------------------------------------------

_groups = weakref.WeakSet()  # of several processes
_joined_in = None  # the process that has joined, not one that was forked from it


def _watch(group):
    """An error that nobody catches ends the program: the others would wait for this process."""
    global _joined_in
    if _joined_in is None:
        previous = sys.excepthook

        def hook(kind, error, trace):
            previous(kind, error, trace)
            _end_all(kind, error)

        sys.excepthook = hook
    _joined_in = os.getpid()
    _groups.add(group)


def _end_all(kind, error):
    if hasattr(sys, "ps1") or sys.flags.interactive or os.getpid() != _joined_in:
        return  # the user, or the process that has forked this one, goes on
    for group in sorted(_groups, key=lambda group: -group.size)[:1]:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        words = "".join(traceback.format_exception_only(kind, error)).strip()
        _core.abort_group(group._handle, 130 if kind is KeyboardInterrupt else 1, words)


# ---- Transfers ----------------------------------------------------------------------------------


class Transfer:
    """Something that is on its way; `end()` waits for it. Until then inputs may not be written,
    and outputs neither written nor read."""

    def __init__(self, handle):
        self._handle = handle

    def end(self):
        """Waits. Raises what went wrong, again each time it is called."""
        _core.end_transfer(self._handle)

    @property
    def ended(self):
        """Whether it has ended, well or not."""
        return _core.transfer_ended(self._handle)


class Group:
    """Processes that send each other tensors; `join` makes the group of all.

    rank    of this process, 0 to size - 1
    size    how many there are
    number  for ops: tenon.all_reduce(x, group=world.number)
    """

    def __init__(self, handle):
        self._handle = handle
        self.number, self.rank, self.size = _core.group_info(handle)[:3]
        if self.size > 1:
            _watch(self)

    def split(self, color, key=0):
        """The group of all processes that give the same color, in the order of their keys, then
        of their ranks. All processes of this group call it."""
        color, key = operator.index(color), operator.index(key)
        return Group(_core.split_group(self._handle, color, key))

    def info(self):
        """What was sent so far: a dict of transfers, bytes_sent and bytes_agreed (on what to
        send)."""
        names = ("transfers", "bytes_sent", "bytes_agreed")
        return dict(zip(names, _core.group_info(self._handle)[3:]))

    # ---- At once, with gradients ---------------------------------------------------------------

    def all_reduce(self, x, reduction="sum"):
        """The "sum", "mean" or "max" of all processes' x."""
        return _ops.op.tenon.all_reduce(x, group=self.number, reduction=reduction)

    def all_gather(self, x):
        """[size, ...]: the x of each process."""
        return _ops.op.tenon.all_gather(x, group=self.number)

    def reduce_scatter(self, x):
        """Our row of the sum of all processes' x [size, ...]."""
        return _ops.op.tenon.reduce_scatter(x, group=self.number)

    def all_to_all(self, x):
        """[size, ...]: our row of the x [size, ...] of each process."""
        return _ops.op.tenon.all_to_all(x, group=self.number)

    def broadcast(self, x, root=0):
        """The x of rank `root`; that of the others gives shape and dtype."""
        return _ops.op.tenon.broadcast(x, group=self.number, root=root)

    # ---- Beside the program --------------------------------------------------------------------

    def begin(self, collective, input=None, output=None, peer=0, timeout=None):
        """Begins a transfer and returns at once: a Transfer. No gradients flow through it.

        collective  "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
                    "send", "receive" or "barrier"
        input       what is sent; None for "receive", "barrier", and "broadcast" but at `peer`
        output      where it arrives; None for "send" and "barrier"
        peer        the partner of "send" and "receive"; whose data a "broadcast" is
        timeout     seconds; the group's unless given
        """
        return self.begin_all([(collective, input, output, peer)], timeout)

    def begin_all(self, requests, timeout=None):
        """The same for a list of (collective, input, output, peer), "send" and "receive" alone,
        which go on side by side."""
        asked = []
        for collective, input, output, peer in requests:
            if collective not in _COLLECTIVES:
                known = ", ".join(map(repr, _COLLECTIVES))
                raise refuse("transfer", "collective", f"one of {known}", repr(collective))
            number = _COLLECTIVES[collective]
            asked.append((number, operator.index(peer), [input, output]))
        return Transfer(_core.begin_transfer(self._handle, asked, _milliseconds(timeout)))

    def barrier(self, timeout=None):
        """Returns when all processes have come."""
        self.begin("barrier", timeout=timeout).end()

    def __repr__(self):
        return f"<group {self.number}: rank {self.rank} of {self.size}>"


class Shard:
    """One shard of a step, while it is computed.

    number  among all shards of the batch
    """

    def __init__(self, parallel, number):
        self._parallel, self.number = parallel, number
        self._ended = False

    def part(self, batch):
        """Our rows of a batch [n, ...] that all processes read whole: n is to be a multiple of
        the number of shards."""
        count = self._parallel.n_shards_of_all
        rows = len(batch)
        if rows % count:
            expected = f"a multiple of {count} rows, a part for each shard"
            raise refuse("shard.part", "batch", expected, f"{rows} rows")
        size = rows // count
        return batch[self.number * size : (self.number + 1) * size]

    def backward(self, loss):
        """Ends the shard: the backward of its loss, the mean over its samples. After the last
        shard of this process the parameters have the gradients of all processes."""
        self._ended = True
        _core.end_shard(self._parallel._handle, loss)


class _Step:
    """A step's shards with their batches. Nobody but the loop holds what gives them one by one, so
    that a step is given up where its loop is left."""

    def __init__(self, parallel, part, parts):
        self._parallel, self._part, self._parts = parallel, part, parts
        self._left = parallel.n_shards - 1  # batches of the step that were not read yet

    def __iter__(self):
        part = self._part
        for shard in self._parallel.shards():
            if part is None:
                self._left -= 1
                part = next(self._parts)
            yield shard, part
            part = None

    def _skip(self):
        """Reads what a step that was left has not."""
        while self._left > 0:
            self._left -= 1
            next(self._parts, None)


class DataParallel:
    """Training steps whose batch is cut into shards, which the processes of a group share.

    params        leaves that require gradients; they get the values that rank 0 has
    group         a Group; None: this process alone
    shards        of a batch, by all processes; one for each process unless given. The same number
                  gives the same bits with 1, 2, 4 and 8 processes
    bucket_bytes  of gradients that travel together; 1 MiB unless given
    buffers       tensors such as running statistics, averaged over shards after each step

    After `for shard in parallel.shards(): shard.backward(loss)` each parameter has the gradient of
    the mean of all shards' losses.
    """

    def __init__(self, params, group=None, shards=0, bucket_bytes=0, buffers=()):
        if group is not None:
            check_type("DataParallel", "group", group, Group, "a Group of tenon.processes.join")
        handle = group._handle if group is not None else None
        self.params, self.group = list(params), group
        self._handle = _core.create_parallel(
            handle, self.params, operator.index(shards), operator.index(bucket_bytes), list(buffers)
        )
        self._running = None  # which call of shards() has a step that has not ended
        info = _core.parallel_info(self._handle)
        self.n_shards_of_all, self.first_shard, self.n_shards = info[:3]

    def shards(self):
        """The shards of this process for one step, one after the other: end each by
        `shard.backward(loss)`. Gradients of the step before are dropped.

        A step that is left before its end, by an error, Ctrl-C or `break`, is given up: random
        numbers, buffers and `step` are as before it, and no parameter has a gradient. The other
        processes get a `tenon.PeerError` in their next transfer; after that all may go on."""
        if self._running is not None:
            _core.give_up_step(self._handle)  # one that was left, but is not closed yet
        ours = self._running = object()
        try:
            for param in self.params:
                param.grad = None
            for place in range(self.n_shards):
                _core.begin_shard(self._handle, place)
                shard = Shard(self, self.first_shard + place)
                yield shard
                if not shard._ended:
                    expected = "shard.backward(loss) before the next shard"
                    raise refuse("shards", "shard", expected, f"none for shard {shard.number}")
            self._running = None
        finally:
            if self._running is ours:
                self._running = None
                _core.give_up_step(self._handle)  # nothing, if its last shard has ended

    @property
    def share(self):
        """Which of a step's shards are this process's: (first, count, of), for
        `tenon.data.batches(..., share=parallel.share)`, whose batches are single shards."""
        return self.first_shard, self.n_shards, self.n_shards_of_all

    def steps(self, batches):
        """The steps of one pass through `batches`, which are single shards: for each step its
        shards, with the batch of each.

            parts = tenon.data.batches(digits, 16, shuffle=True, share=parallel.share)
            for step in parallel.steps(parts):
                for shard, (images, labels) in step:
                    shard.backward(loss_of(images, labels))
                optimizer.step()
        """
        share = getattr(batches, "share", None)
        if share != self.share:
            hint = "tenon.data.batches(..., share=parallel.share)"
            raise refuse("steps", "batches", f"the share {self.share}", repr(share), hint)
        parts = iter(batches)
        while True:
            try:
                part = next(parts)
            except StopIteration:
                return
            except BaseException:
                self._fail()
                raise
            step = _Step(self, part, parts)
            yield step
            step._skip()

    def _fail(self):
        """Tells the others that a step fails here before it begins."""
        for _ in self.shards():
            break

    def share_states(self, optimizer):
        """Lets each process hold a size-th of the optimizer's state, from the next step on: it
        updates its share of every bucket, and `optimizer.step()` gathers the parameters. The same
        bits, and no more is sent. All processes call it, and then `optimizer.step()` after each
        step.

        optimizer  one that updates each element by itself, such as `tenon.optim.adamw`; not lamb,
                   muon or adafactor

        A parameter has no `grad` then: `clip` makes gradients shorter.
        """
        check_type("share_states", "optimizer", optimizer, Optimizer, "an optimizer")
        _core.share_states(self._handle, optimizer._handle)

    def gather_states(self, root=0):
        """Gives rank `root` the whole states of the optimizer until its next step: for its
        `state_dict`, or a checkpoint. All processes call it."""
        _core.gather_states(self._handle, operator.index(root))

    def clip(self, max_norm):
        """Makes all gradients together no longer than `max_norm`, before `optimizer.step()`;
        returns their norm. The same bits for any number of processes, and whether states are
        shared or not: squares are summed exactly. All processes call it."""
        check_type("clip", "max_norm", max_norm, (int, float), "a number")
        return _core.clip_parallel(self._handle, max_norm)

    @property
    def step(self):
        """The number of the next step, from 0; set it when a run goes on from a checkpoint, so
        that random numbers do."""
        return _core.parallel_info(self._handle)[3]

    @step.setter
    def step(self, number):
        _core.set_parallel_step(self._handle, operator.index(number))

    @property
    def buckets(self):
        """How many transfers of gradients the last step has made."""
        return _core.parallel_info(self._handle)[4]

    def __repr__(self):
        return (
            f"<data parallel: shards {self.first_shard} to "
            f"{self.first_shard + self.n_shards - 1} of {self.n_shards_of_all}>"
        )
