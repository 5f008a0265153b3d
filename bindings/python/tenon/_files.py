# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_files.py: files of named tensors.
"""tenon.save and tenon.load: safetensors, npz, npy, and what plugins add."""

import os

from tenon import _core
from tenon._core import Tensor
from tenon._errors import check_type


def _check_path(what, path):
    check_type(what, "path", path, (str, bytes, os.PathLike), "a file's name")


def save(path, tensors, metadata=None, *, format=""):
    """Writes a dict of tensors, all of it or nothing, by the ending of the file's name.

    path      "model.safetensors"
    metadata  a dict of texts, where the format has room for it
    format    "tenon.safetensors", where the ending does not say it
    """
    _check_path("save", path)
    check_type("save", "tensors", tensors, dict, "a dict of tensors")
    for name, tensor in tensors.items():
        check_type("save", "names", name, str, "texts")
        check_type("save", name, tensor, Tensor, "a tensor")
    metadata = {} if metadata is None else metadata
    check_type("save", "metadata", metadata, dict, "a dict of texts")
    for key, text in metadata.items():
        check_type("save", "metadata", key, str, "texts as keys")
        check_type("save", f"metadata {key!r}", text, str, "a text")
    _core.save_archive(os.fspath(path), format, tensors, metadata)


class ForeignTensor:
    """What a file holds and Tenon cannot: another dtype, more dimensions, or no tensor at all.

    name
    dtype    what it is, in the file's own words: "F8_E4M3", "'<c8'", "a file that is not an array"
    shape    () if the file says none, or one of more than 8 dimensions
    bytes()  its bytes as they lie in the file, unpacked: a tensor of uint8
    """

    def __init__(self, name, dtype, shape, archive, index):
        self.name, self.dtype, self.shape = name, dtype, shape
        self._at = (archive, index)

    def bytes(self, *, copy=False):
        return _core.archive_bytes(*self._at, copy)

    def _words(self):  # in messages
        return repr(self)

    def __copy__(self):
        return self  # it does not change

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError(f"{self!r} belongs to its file and cannot be pickled: keep its bytes()")

    def __repr__(self):
        return f"ForeignTensor({self.name!r}, {self.dtype!r}, shape={self.shape})"

    def __getattr__(self, attribute):
        if attribute.startswith("__") or "name" not in self.__dict__:  # asked by copy
            raise AttributeError(attribute)
        raise AttributeError(
            f"{self!r} is not a tensor that Tenon can hold and has no {attribute!r}: "
            "its bytes() are a tensor of uint8"
        )


def load(path, *, format="", copy=False, in_memory=False, metadata=False):
    """A dict of the tensors in a file; with `metadata` also a dict of its texts.

    What Tenon cannot hold, such as float8, is a `ForeignTensor`, which has its bytes.

    copy       tensors with memory of their own; else they are read-only windows on the file
    in_memory  reads all of the file instead of mapping it
    """
    _check_path("load", path)
    tensors, texts = _core.load_archive(os.fspath(path), format, in_memory, copy)
    for name, found in tensors.items():
        if isinstance(found, tuple):
            tensors[name] = ForeignTensor(name, *found)
    return (tensors, texts) if metadata else tensors
