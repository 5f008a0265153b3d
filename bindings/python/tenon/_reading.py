# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_reading.py: what batches read: datasets of the registry by a loader, and
# those written in Python here, with threads of Python's and random numbers of the samples' own.

import _thread

from tenon import _core, _errors, _runtime
from tenon._errors import refuse as _refuse


def wrong_state(expected, found, hint):
    words = f"batches: expected {expected}, found {found}"
    return _errors.make_error(
        4, "TENON_E_STATE", words, "batches", "", expected, found, "", "", hint, ()
    )


class Registered:
    """Batches of a dataset of the registry: a loader with threads of its own."""

    def __init__(self, dataset, size, seed, shuffle, drop_last, workers, transforms, parts):
        self._n_fields = len(dataset.fields)
        self._handle = _core.create_loader(
            dataset._handle, 0, size, seed, shuffle, drop_last, workers, transforms, *parts
        )

    def begin(self, epoch, position):
        _core.begin_epoch(self._handle, epoch, position)

    def place(self):
        return _core.loader_place(self._handle)

    def next(self):
        return _core.next_batch(self._handle, self._n_fields)

    def close(self):
        _core.close_loader(self._handle)


ALL = 0, 1, 1  # the share of one process alone


def _order(length, size, seed, epoch, shuffle, parts):
    """The numbers of the samples in the order of an epoch, which without buckets or a share is the
    same for batches of every size."""
    if parts == (0, None, ALL):
        size = max(length, 1)  # one batch
    loader = _core.create_loader(None, length, size, seed, shuffle, False, 0, [], *parts)
    _core.begin_epoch(loader, epoch, 0)
    order = []
    while fields := _core.next_batch(loader, 1):
        order += fields[0].tolist()
    return order


class Written:
    """Batches of a dataset written in Python: the same orders and transforms, with threads of
    Python's, each of which has a context of its own."""

    def __init__(self, dataset, size, seed, shuffle, drop_last, workers, transforms, parts):
        self._dataset, self._size, self._seed = dataset, size, seed
        self._parts = parts
        self._shuffle, self._drop_last, self._transforms = shuffle, drop_last, transforms
        self._workers, self._pool, self._ahead = workers, None, {}
        self._lock = _thread.allocate_lock()
        # By it processes that share a step see whether all of them read alike.
        self._shown = None
        if parts[2] != ALL:
            self._shown = _core.create_loader(
                None, len(dataset), size, seed, shuffle, drop_last, 0, [], *parts
            )
        self.begin(0, 0)

    def begin(self, epoch, position):
        length = len(self._dataset)
        order = _order(length, self._size, self._seed, epoch, self._shuffle, self._parts)
        if self._shown is not None:
            _core.begin_epoch(self._shown, epoch, position)
        self._drop()
        self._order, self._epoch, self._position = order, epoch, position

    def place(self):
        return self._epoch, self._position

    def next(self):
        if not self._lock.acquire(blocking=False):
            raise wrong_state("one thread at a time", "another one, which asks just now", "")
        try:
            return self._next()
        finally:
            self._lock.release()

    def _next(self):
        position = self._position
        chosen = self._chosen(position)
        if not chosen:
            return None
        if self._workers:
            self._read_ahead()
            fields = self._ahead.pop(position).result()  # one that failed is read again next time
        else:
            fields = self._read(chosen, self._epoch)
        self._position += len(chosen)
        if self._shown is not None:
            _core.next_batch(self._shown, 1)
        return fields

    def close(self):
        self._drop()
        if self._pool:
            self._pool.shutdown()
            self._pool = None

    def _chosen(self, position):
        chosen = self._order[position : position + self._size]
        return [] if self._drop_last and len(chosen) < self._size else chosen

    def _drop(self):
        for future in self._ahead.values():
            future.cancel()
        self._ahead = {}

    def _read_ahead(self):
        if not self._pool:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._workers, "tenon.data", _core.begin_reading)
        fast = _runtime.thread_modes()[1]
        for batch in range(2 * self._workers):
            position = self._position + batch * self._size
            chosen = self._chosen(position)
            if chosen and position not in self._ahead:
                read = self._pool.submit(self._read_as, fast, chosen, self._epoch)
                self._ahead[position] = read

    def _read_as(self, fast, chosen, epoch):
        """In a worker, with the arithmetic of the thread that asks."""
        if _runtime.thread_modes()[1] != fast:
            _runtime.fast_arithmetic(fast)
        return self._read(chosen, epoch)

    def _read(self, chosen, epoch):
        from tenon._autograd import no_grad
        from tenon._ops import op

        with no_grad:
            with _runtime.Reading(self._seed, epoch) as reading:
                fields = self._take(chosen, reading)
            if not self._transforms:
                return fields
            # They want memory of their own.
            fields = [op.tenon.copy(field) for field in fields]
            return _core.transform_batch(self._transforms, self._seed, epoch, chosen, fields)

    def _take(self, chosen, reading):
        if hasattr(self._dataset, "take"):
            reading.at(chosen[0])
            return list(self._dataset.take(chosen))
        samples = []
        for number in chosen:
            reading.at(number)
            try:
                sample = self._dataset[number]
            except StopIteration as error:  # would end the caller's loop without a word
                raise RuntimeError(f"sample {number} raised StopIteration") from error
            except Exception as error:
                if hasattr(error, "add_note"):
                    error.add_note(f"tenon.data: while sample {number} was read")
                raise
            samples.append(tuple(sample) if isinstance(sample, (list, tuple)) else (sample,))
            if len(samples[-1]) != len(samples[0]):
                found = f"{len(samples[-1])} in sample {number}"
                raise _refuse("batches", "fields", f"{len(samples[0])} in each sample", found)
        return [_stack(column, chosen, place) for place, column in enumerate(zip(*samples))]


def _stack(column, chosen, place):
    """The values of one field as one tensor [n, ...]."""
    from tenon._ops import op
    from tenon._tensor import asarray

    if all(isinstance(value, (bool, int, float)) for value in column):
        return _core.from_numbers(list(column), None)
    values = [asarray(value) for value in column]
    for number, value in zip(chosen, values):
        if (value.shape, value.dtype) != (values[0].shape, values[0].dtype):
            raise _refuse(
                "batches",
                f"field {place}",
                f"{values[0].dtype.name} {values[0].shape}, as sample {chosen[0]} has",
                f"{value.dtype.name} {value.shape} in sample {number}",
            )
    return op.tenon.stack(values)


def sample_seed(number=None):
    """A seed for generators that are not Tenon's, an integer from 0 to 2**64 - 1: inside a dataset
    written in Python it follows from the batches' seed, the epoch and the sample that is read, for
    any number of workers, as what Tenon's own functions draw there does.

    def __getitem__(self, number):
        generator = numpy.random.default_rng(tenon.data.sample_seed())

    number  another sample of this epoch, for `take(numbers)`, where the sample that is read is the
            batch's first one

    Outside of batches it is drawn, so that each call gives another one: with `number` it is that of
    epoch 0 and of this thread's seed.
    """
    place = _runtime.sample()
    if number is None and place:
        return _core.sample_seed(*place)
    if number is None:
        seed, stream, counter = _core.get_seed()
        _core.set_seed(seed, stream, counter + 1, False)
        return _core.sample_seed(seed ^ 1 << 63, stream, counter)
    if not hasattr(number, "__index__"):
        raise _refuse("sample_seed", "number", "an integer", type(number).__name__, "", "type")
    seed, epoch = place[:2] if place else (_core.get_seed()[0], 0)
    return _core.sample_seed(seed, epoch, number)


sample_seed.__module__ = "tenon.data"
