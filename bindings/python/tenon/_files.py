# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_files.py: files of named tensors.
"""tenon.save and tenon.load: safetensors, npz, npy, and what plugins add."""

import os

from tenon import _core


def save(path, tensors, metadata=None, *, format=""):
    """Writes a dict of tensors, all of it or nothing, by the ending of the file's name.

    path      "model.safetensors"
    metadata  a dict of texts, where the format has room for it
    format    "tenon.safetensors", where the ending does not say it
    """
    _core.save_archive(os.fspath(path), format, dict(tensors), dict(metadata or {}))


def load(path, *, format="", copy=False, in_memory=False, metadata=False):
    """A dict of the tensors in a file; with `metadata` also a dict of its texts.

    copy       tensors with memory of their own; else they are read-only windows on the file
    in_memory  reads all of the file instead of mapping it
    """
    tensors, texts = _core.load_archive(os.fspath(path), format, in_memory, copy)
    return (tensors, texts) if metadata else tensors
