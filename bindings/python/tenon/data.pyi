# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/data.pyi: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tenon import Dtype, Tensor

class Batches:
    """What `batches` gives: each `for` goes once through the dataset, as the next epoch."""

    def __init__(
        self,
        dataset: Any,
        size: Any,
        *,
        shuffle: Any,
        seed: Any,
        drop_last: Any,
        workers: Any,
        transforms: Any,
        buckets: Any,
        lengths: Any,
        share: Any,
    ) -> None: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> Any: ...
    def begin(
        self,
        epoch: Any,
        position: Any = ...,
        *,
        seed: Any = ...,
        buckets: Any = ...,
        size: Any = ...,
        length: Any = ...,
        shuffle: Any = ...,
    ) -> Any:
        """The next `for` is this epoch, from this sample of it on; with the others, those of a checkpoint, an error if these batches have others, and so another order."""
        ...
    def close(self) -> Any:
        """Ends the workers."""
        ...
    def state_dict(self) -> Any:
        """Where it is, for checkpoints: `begin(**state)` goes on from there."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Dataset:
    """Samples of one or more fields, in host memory when asked for."""

    def __getitem__(self, key: Any) -> Any: ...
    def __init__(self, name: Any, **options: Any) -> None: ...
    def __len__(self) -> Any: ...
    def lengths(self) -> Any:
        """How long each sample is, a tensor int64[n]: what `batches` puts in buckets by."""
        ...
    def take(self, indices: Any) -> Any:
        """Samples by number: a tuple of tensors [n, ...], one for each field."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Tokenizer:
    """Text as tokens, numbers from 0 to len() - 1, and back."""

    def __init__(self, handle: Any) -> None: ...
    def __len__(self) -> Any: ...
    def decode(self, tokens: Any, *, skip_special: Any = ..., errors: Any = ...) -> Any:
        """The text of tokens, a str."""
        ...
    def decode_bytes(self, tokens: Any, *, skip_special: Any = ...) -> Any:
        """The same as bytes, which need not be UTF-8: a token may be a part of a character."""
        ...
    def encode(
        self,
        text: Any,
        *,
        special: Any = ...,
        read_special: Any = ...,
        limit: Any = ...,
    ) -> Any:
        """The tokens of a text, a tensor int64[n]."""
        ...
    def encode_batch(
        self,
        texts: Any,
        *,
        special: Any = ...,
        read_special: Any = ...,
        limit: Any = ...,
        pad: Any = ...,
        side: Any = ...,
        to_limit: Any = ...,
    ) -> Any:
        """(tokens, mask) of texts: int64[n, length] and bool[n, length], true where a token is the text's."""
        ...
    def find(self, spelling: Any) -> Any:
        """The token that is spelt so, a str or bytes; a LookupError if there is none."""
        ...
    def is_special(self, number: Any) -> Any:
        """Does the token stand for no text?"""
        ...
    def save(self, path: Any) -> Any:
        """Writes the tokenizer's file, all at once, for `load_tokenizer`."""
        ...
    def token(self, number: Any) -> Any:
        """How the vocabulary spells a token: a str, or bytes that are not UTF-8."""
        ...
    def __getattr__(self, name: _b.str) -> Any: ...


class Transform:
    """What is done with one field of each batch: `tenon.data.transform('acme.blur', radius=2)`, and for those that come with Tenon `normalise`, `flatten`, `crop`, `pad`, `flip`, `rotate`, `color_jitter`, `random_erasing`, `mask_tokens`."""

    def __init__(self, name: Any, field: Any = ..., **options: Any) -> None: ...
    def __getattr__(self, name: _b.str) -> Any: ...


def batches(
    dataset: Any,
    size: Any,
    *,
    shuffle: Any = ...,
    seed: Any = ...,
    drop_last: Any = ...,
    workers: Any = ...,
    transforms: Any = ...,
    buckets: Any = ...,
    lengths: Any = ...,
    share: Any = ...,
) -> Batches:
    """Batches of `size` samples: each `for` goes once through the dataset, as the next epoch."""
    ...

def color_jitter(
    brightness: Any = ...,
    contrast: Any = ...,
    saturation: Any = ...,
    hue: Any = ...,
    *,
    field: Any = ...,
) -> Transform:
    """Each changed by a random factor, in random order, of images [n, 3, H, W], or grey ones, [n, 1, H, W] or [n, H, W]; uint8, or float32 from 0 to 1."""
    ...

def crop(
    height: Any,
    width: Any,
    *,
    padding: Any = ...,
    random: Any = ...,
    field: Any = ...,
) -> Transform:
    """A window of each image [n, ..., H, W] with `padding` zeros on each side: the middle, or a random place, which depends on seed, epoch and sample alone."""
    ...

def flatten(*, field: Any = ...) -> Transform:
    """[n, ...] as [n, the rest]."""
    ...

def flip(probability: Any = ..., *, vertical: Any = ..., field: Any = ...) -> Transform:
    """Some of the images [n, ..., H, W], by chance, with their columns from right to left, or their rows from bottom to top."""
    ...

def load_tokenizer(path: Any, name: Any = ..., **options: Any) -> Tokenizer:
    """The tokenizer of a file."""
    ...

def mask_tokens(
    mask: Any,
    vocabulary: Any,
    *,
    probability: Any = ...,
    special: Any = ...,
    targets: Any = ...,
    field: Any = ...,
) -> Any:
    """Some tokens of each row hidden, or with `targets` what was hidden, and -100 for the others."""
    ...

def normalise(
    mean: Any = ...,
    deviation: Any = ...,
    *,
    scale: Any = ...,
    field: Any = ...,
) -> Transform:
    """(value / scale - mean) / deviation as float32, of uint8 and float32."""
    ...

def pad(padding: Any, *, mode: Any = ..., value: Any = ..., field: Any = ...) -> Transform:
    """More rows and columns around each image [n, ..., H, W]."""
    ...

def progress(iterable: Any, label: Any = ...) -> Any:
    """The same, with a line on standard error, if that is a terminal: how far it is, how many a second, and the time that is left."""
    ...

def random_erasing(
    probability: Any = ...,
    *,
    scale: Any = ...,
    ratio: Any = ...,
    value: Any = ...,
    field: Any = ...,
) -> Transform:
    """A random rectangle of each image [n, ..., H, W] overwritten, by chance."""
    ...

def rotate(degrees: Any, *, fill: Any = ..., nearest: Any = ..., field: Any = ...) -> Transform:
    """Each image [n, ..., H, W] turned about its middle by a random angle, counter-clockwise."""
    ...

def sample_seed(number: Any = ...) -> Any:
    """A seed for generators that are not Tenon's, an integer from 0 to 2**64 - 1: inside a dataset written in Python it follows from the batches' seed, the epoch and the sample that is read, for any number of workers, as what Tenon's own functions draw there does."""
    ...

def tensors(*fields: Any) -> Any:
    """A dataset of tensors [n, ...], whose first dimension counts the samples."""
    ...

def tokenizer(name: Any, file: Any = ..., **options: Any) -> Tokenizer:
    """The tokenizer of that name in the registry: `tokenizer('tenon.pairs', text=text)`."""
    ...

def transform(name: Any, *, field: Any = ..., **options: Any) -> Transform:
    """The transform of that name in the registry, with its options."""
    ...
def cifar(*, paths: _b.str, classes: _b.int | None = ...) -> Dataset:
    """Colour pictures in the binary files of CIFAR-10 and CIFAR-100."""
    ...
def csv(
    *,
    path: _b.str,
    label: _b.str | None = ...,
    target: _b.str | None = ...,
    delimiter: _b.str | None = ...,
    header: _b.bool | None = ...,
) -> Dataset:
    """Rows of numbers in a text file."""
    ...
def idx(*, images: _b.str, labels: _b.str | None = ...) -> Dataset:
    """Samples and labels in idx files, the format of MNIST."""
    ...
def npy(*, x: _b.str, y: _b.str | None = ...) -> Dataset:
    """Arrays that NumPy saved."""
    ...
def text(
    *,
    path: _b.str,
    tokenizer: _b.str,
    window: _b.int,
    stride: _b.int | None = ...,
) -> Dataset:
    """Windows of tokens of one text."""
    ...
def tokens(
    *,
    paths: _b.str,
    window: _b.int,
    stride: _b.int | None = ...,
    ahead: _b.int | None = ...,
    dtype: _b.str | None = ...,
    separator: _b.int | None = ...,
    pad: _b.int | None = ...,
    vocabulary: _b.int | None = ...,
) -> Dataset:
    """Windows of tokens in files of token numbers, which are read as samples are."""
    ...
