# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/data.py: the data sets of the registry, and batches of them.
"""`digits = tenon.data.idx(images="train-images-idx3-ubyte", labels=...)`, then
`for images, labels in tenon.data.batches(digits, 64, seed=0)`; `dir(tenon.data)` lists them."""

from tenon import _core
from tenon._entries import Entries


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

    def take(self, indices):
        """Samples by number: a tuple of tensors [n, ...], one for each field."""
        return tuple(_core.get_samples(self._handle, list(indices), len(self.fields)))

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self.take(range(*key.indices(len(self))))
        length = len(self)
        if not -length <= key < length:
            from tenon import _errors

            raise _errors.make_refusal(
                "index", self.name, "index", f"-{length} to {length - 1}", str(key), ""
            )
        return tuple(field[0] for field in self.take([key % length]))

    def __repr__(self):
        fields = ", ".join(name for name, _, _ in self.fields)
        return f"<dataset {self.name}: {len(self)} samples of {fields}>"


def batches(dataset, size, *, seed=None, drop_last=False):
    """Goes once through a data set, `size` samples at a time.

    seed       an order drawn by it; None: in order
    drop_last  leaves out a last batch that is smaller
    """
    import random

    order = list(range(len(dataset)))
    if seed is not None:
        random.Random(seed).shuffle(order)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        if drop_last and len(chosen) < size:
            return
        yield dataset.take(chosen)


_entries = Entries("datasets", Dataset)


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Dataset", "batches", *dir(_entries)]
