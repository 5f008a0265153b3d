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


def load(path, *, format="", copy=False, in_memory=False, metadata=False):
    """A dict of the tensors in a file; with `metadata` also a dict of its texts.

    copy       tensors with memory of their own; else they are read-only windows on the file
    in_memory  reads all of the file instead of mapping it
    """
    _check_path("load", path)
    tensors, texts = _core.load_archive(os.fspath(path), format, in_memory, copy)
    return (tensors, texts) if metadata else tensors
