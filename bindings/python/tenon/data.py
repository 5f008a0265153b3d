# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/data.py: the datasets of the registry and batches of them; transforms
# and tokenizers are in files of their own.
"""`digits = tenon.data.idx(images="train-images-idx3-ubyte", labels=...)`, then
`for images, labels in tenon.data.batches(digits, 64, shuffle=True)`; `dir(tenon.data)` lists them.
Batches are also made of datasets that are written in Python."""

import operator

from tenon import _core, _errors
from tenon._entries import Entries
from tenon._errors import refuse as _refuse
from tenon._reading import ALL, Registered, Written, sample_seed, wrong_state  # noqa: F401
from tenon._tokenizers import Tokenizer, load_tokenizer, tokenizer  # noqa: F401
from tenon._transforms import (  # noqa: F401
    Transform,
    color_jitter,
    crop,
    flatten,
    flip,
    mask_tokens,
    normalise,
    pad,
    random_erasing,
    rotate,
    transform,
)


# ---- datasets ----------------------------------------------------------------------------------


class Dataset:
    """Samples of one or more fields, in host memory when asked for.

    fields   [(name, shape of one sample, dtype), ...]
    """

    def __init__(self, name, **options):
        self.name = name
        self._handle = _core.create_dataset(name, options)
        self.fields = _core.dataset_fields(self._handle)

    def __len__(self):
        return _core.dataset_length(self._handle)

    def lengths(self):
        """How long each sample is, a tensor int64[n]: what `batches` puts in buckets by. An error
        where the dataset does not say it."""
        return _core.dataset_lengths(self._handle)

    def take(self, indices):
        """Samples by number: a tuple of tensors [n, ...], one for each field."""
        return tuple(_core.get_samples(self._handle, list(indices), len(self.fields)))

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self.take(range(*key.indices(len(self))))
        length = len(self)
        if not -length <= key < length:
            raise _refuse(self.name, "index", f"-{length} to {length - 1}", str(key), kind="index")
        return tuple(field[0] for field in self.take([key % length]))

    def __repr__(self):
        fields = ", ".join(name for name, _, _ in self.fields)
        return f"<dataset {self.name}: {len(self)} samples of {fields}>"


class _Tensors:
    """Fields that are tensors already."""

    def __init__(self, fields):
        self._fields = fields

    def __len__(self):
        return len(self._fields[0])

    def take(self, indices):
        """Samples by number."""
        return tuple(field[indices] for field in self._fields)

    def __getitem__(self, key):
        return tuple(field[key] for field in self._fields)


def tensors(*fields):
    """A dataset of tensors [n, ...], whose first dimension counts the samples."""
    lengths = [len(field) for field in fields]
    if not fields or lengths != lengths[:1] * len(fields):
        raise _refuse("tensors", "fields", "tensors of one length", str(lengths))
    return _Tensors(fields)


# ---- batches ------------------------------------------------------------------------------------


class Batches:
    """What `batches` gives: each `for` goes once through the dataset, as the next epoch.

    seed      of the order
    epoch     the epoch of this `for`, from 0
    position  samples of it already given; with a share to all processes, in whole rounds
    share     (first, count, of), as it was given, or None
    """

    def __init__(
        self, dataset, size, *, shuffle, seed, drop_last, workers, transforms, buckets, lengths,
        share,
    ):  # fmt: skip
        for name, number, least, most in (
            ("size", size, 1, 2**62),
            ("workers", workers, 0, 64),
            ("buckets", buckets, 0, 2**62),
        ):
            if not isinstance(number, int) or not least <= number <= most:
                raise _refuse("batches", name, f"{least} to {most}", repr(number))
        if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
            raise _refuse(
                "batches", "dataset", "an object with len() and [number]",
                type(dataset).__name__, "tenon.data.tensors(x, y) makes one of tensors", "type",
            )  # fmt: skip
        for each in transforms:
            if not isinstance(each, Transform):
                raise _refuse(
                    "batches", "transforms", "those of tenon.data", type(each).__name__, "", "type"
                )
        self._dataset, self._size, self._drop_last, self.seed = dataset, size, drop_last, seed
        self._shuffle, self._pool = bool(shuffle), buckets
        self.share = None if share is None else tuple(map(operator.index, share))
        if self.share and len(self.share) != 3:
            raise _refuse("batches", "share", "(first, count, of)", repr(share))
        whole = self.share or ALL
        parts = buckets, _lengths_of(dataset, lengths) if buckets else None, whole
        # Samples of a round of all processes' batches, and those that are ours.
        self._round, self._ours = size * whole[2], size * whole[1]
        self._begun, self._passes = False, 0
        source = Registered if isinstance(dataset, Dataset) else Written
        specs = [(each._handle, each.field) for each in transforms]
        self._source = source(dataset, size, seed, shuffle, drop_last, workers, specs, parts)
        self._process = _process() if workers else None

    def __len__(self):
        if self._is_shared():
            return len(self._dataset) // self._round * self._ours // self._size
        more = 0 if self._drop_last else self._size - 1
        return (len(self._dataset) + more) // self._size

    @property
    def epoch(self):
        """The epoch of this `for`, from 0."""
        return self._open().place()[0]

    @property
    def position(self):
        """Samples of the epoch that were given already; with a share to all processes, in whole
        rounds: where each of them goes on."""
        position = self._open().place()[1]
        return position // self._ours * self._round if self._is_shared() else position

    def begin(
        self, epoch, position=0, *, seed=None, buckets=None, size=None, length=None, shuffle=None
    ):  # fmt: skip
        """The next `for` is this epoch, from this sample of it on; with the others, those of a
        checkpoint, an error if these batches have others, and so another order. Nothing is changed
        then. With a share the position is that of all processes, however many they were."""
        here = len(self._dataset)
        for name, given in (("epoch", epoch), ("position", position)):
            if not hasattr(given, "__index__"):
                found = type(given).__name__
                raise _refuse("batches", name, "an integer", found, "", "type")
        if seed not in (None, self.seed):
            raise _refuse(
                "batches", "seed", f"{self.seed}, as the batches were made", str(seed),
                "tenon.data.batches(..., seed=...), or tenon.seed(...) before it",
            )  # fmt: skip
        for name, given, own in (
            ("buckets", buckets, self._pool),
            ("size", size, self._size),
            ("length", length, here),
            ("shuffle", shuffle, self._shuffle),
        ):
            if given not in (None, own):
                raise _refuse("batches", name, f"{own}, as the batches were made", str(given))
        if epoch < 0 or not 0 <= position <= here:
            raise _refuse("batches", "position", f"0 to {here}", f"{epoch}, {position}")
        self._open().begin(operator.index(epoch), self._own(operator.index(position)))
        self._begun, self._passes = False, self._passes + 1
        return self

    def _is_shared(self):
        """A share of one batch of one is all, with a last batch that may be smaller."""
        return self._round != self._size

    def _own(self, position):
        """How many of so many samples are this process's."""
        if not self._is_shared():
            return position
        rounds, rest = divmod(position, self._round)
        if rest:
            raise _refuse("batches", "position", f"a multiple of {self._round}", str(position))
        return rounds * self._ours

    def state_dict(self):
        """Where it is, for checkpoints: `begin(**state)` goes on from there."""
        epoch, position = self.epoch, self.position
        rest = len(self._dataset) - position
        least = self._round if self._is_shared() or self._drop_last else 1
        over = rest < least
        if self._begun and over:
            epoch, position = epoch + 1, 0
        state = {"epoch": epoch, "position": position, "seed": self.seed}
        if self._pool:
            state |= {"buckets": self._pool, "size": self._size}
        return state | {"length": len(self._dataset), "shuffle": self._shuffle}

    def __iter__(self):
        if self._begun:
            self.begin(self.epoch + 1)
        self._begun, self._passes = True, self._passes + 1
        return _Pass(self, self._passes)

    def _open(self):
        """The source, where it can be used."""
        if self._source is None:
            raise wrong_state("open batches", "closed ones", "make others")
        if self._process not in (None, _process()):
            raise wrong_state(
                "workers of this process", "those of the process that was forked", "make others"
            )
        return self._source

    def close(self):
        """Ends the workers. So does the end of the object, and of `with`."""
        if self._source and self._process in (None, _process()):
            self._source.close()
        self._source = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _lengths_of(dataset, lengths):
    """A list of as many lengths as there are samples; None where the loader asks a dataset of the
    registry itself."""
    if lengths is None:
        if isinstance(dataset, Dataset):
            return None
        if not hasattr(dataset, "lengths"):
            raise _refuse(
                "batches", "lengths", f"the lengths of {len(dataset)} samples", "none",
                f"lengths=[...], or a method `lengths` of {type(dataset).__name__}",
            )  # fmt: skip
        lengths = dataset.lengths()
    lengths = lengths.tolist() if hasattr(lengths, "tolist") else list(lengths)
    if len(lengths) != len(dataset):
        raise _refuse(
            "batches", "lengths", f"the lengths of {len(dataset)} samples", str(len(lengths))
        )
    return lengths


def _process():
    import os

    return os.getpid()


class _Pass:
    """One epoch. A batch that fails is asked for again by the next `next`."""

    def __init__(self, owner, number):
        self._owner, self._number = owner, number

    def __iter__(self):
        return self

    def __next__(self):
        source = self._owner._open()
        if self._owner._passes != self._number:
            raise wrong_state("one pass at a time", "another one, begun since", "")
        _core.refuse_captured_batch()
        fields = source.next()
        if fields is None:
            raise StopIteration
        return tuple(fields)


def batches(
    dataset, size, *, shuffle=None, seed=None, drop_last=False, workers=0, transforms=(),
    buckets=0, lengths=None, share=None,
):  # fmt: skip
    """Batches of `size` samples: each `for` goes once through the dataset, as the next epoch.

    dataset     one of `tenon.data`, or any object with len() and [number], whose samples are
                tensors, arrays, numbers or tuples of these; one with `take(numbers)` is asked for
                whole batches
    shuffle     in an order that depends on length, seed and epoch alone; also where `seed` is given
    seed        of the order, and of what transforms and the dataset draw; without it that of
                `tenon.seed`, as it is when the batches are made
    drop_last   leaves out a last batch that is smaller
    workers     threads that read ahead; they change no batch and no order
    transforms  done with each batch, in this order: normalise(...), crop(...), flip(), ...,
                transform(...)
    buckets     with 2 or more, batches of samples of similar length: so many batches in a row of
                the order are sorted by length and cut anew, and shuffled batches change places
    lengths     of all samples, integers, for `buckets`; without them `dataset.lengths()`
    share       (first, count, of), for one of several processes that read the same epochs with the
                same seed: of each `of` batches in a row `count`, from number `first` on; such as
                `parallel.share` of a tenon.processes.DataParallel. An epoch ends with the last
                round of `of` full batches
    """
    shuffle = seed is not None if shuffle is None else shuffle
    return Batches(
        dataset, size, shuffle=shuffle, seed=_core.get_seed()[0] if seed is None else seed,
        drop_last=drop_last, workers=workers,
        transforms=list(transforms), buckets=buckets, lengths=lengths, share=share,
    )  # fmt: skip


class _Progress:
    """What `progress` gives; each `for` has a line of its own."""

    def __init__(self, iterable, label):
        self._iterable, self._label = iterable, label

    def __len__(self):
        return len(self._iterable)

    def __iter__(self):
        total = len(self) if hasattr(self._iterable, "__len__") else 0
        line = _core.create_progress(self._label, total)
        done = 0
        try:
            for each in self._iterable:
                yield each
                done += 1
                _core.run_progress(line, done)
        finally:
            del line  # clears it


def progress(iterable, label=""):
    """The same, with a line on standard error, if that is a terminal: how far it is, how many a
    second, and the time that is left."""
    _errors.check_type("progress", "label", label, str, "a text")
    if not hasattr(iterable, "__iter__") and not hasattr(iterable, "__getitem__"):
        raise _refuse(
            "progress", "iterable", "something to iterate over", type(iterable).__name__, "", "type"
        )
    return _Progress(iterable, label)


_entries = Entries("datasets", Dataset)


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    own = "Batches Dataset Tokenizer Transform batches color_jitter crop flatten flip"
    own += " load_tokenizer mask_tokens normalise pad progress random_erasing rotate sample_seed"
    own += " tensors tokenizer transform"
    return sorted([*own.split(), *dir(_entries)])
