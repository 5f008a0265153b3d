# SPDX-License-Identifier: Apache-2.0
# tests/outside/tenon_tokenizer.py: a tokenizer of Tenon's, through ctypes.
"""For tests that compare it with a package's."""

import ctypes
from ctypes import byref, c_char_p, c_int64, c_uint32, c_uint64, c_void_p

import tenon_ctypes as tenon

ADD, READ, SKIP = 1, 2, 4  # TENON_TOKENIZER_ADD_SPECIAL, READ_SPECIAL, SKIP_SPECIAL


def runtime():
    made = tenon.Runtime()
    for name in ("tenon_tokenizer_release", "tenon_text_release", "tenon_tensor_release"):
        getattr(made.library, name).restype = None
        getattr(made.library, name).argtypes = [c_void_p]
    return made


class Ours:
    """A tokenizer of Tenon's."""

    def __init__(self, runtime, path, name=None, **options):
        self.runtime = runtime
        self.handle = c_void_p()
        text = str(path).encode()
        kind = (name or "").encode()
        names = (tenon.String * len(options))()
        values = (tenon.Value * len(options))()
        given = [tenon.value_of(value) for value in options.values()]  # with the texts they name
        for i, key in enumerate(options):
            names[i] = tenon.String(key.encode(), len(key))
            values[i] = given[i]
        runtime.call(
            "tenon_tokenizer_load",
            text,
            c_uint64(len(text)),
            kind,
            c_uint64(len(kind)),
            names,
            values,
            c_uint32(len(options)),
            byref(self.handle),
        )

    def close(self):
        self.runtime.library.tenon_tokenizer_release(self.handle)

    def encode(self, text, flags=READ, limit=0):
        made = c_void_p()
        data = text if isinstance(text, bytes) else text.encode()
        self.runtime.call(
            "tenon_tokenizer_call",
            self.handle,
            data,
            c_uint64(len(data)),
            c_uint32(flags),
            c_int64(limit),
            byref(made),
        )
        return made

    def tokens(self, text, flags=READ, limit=0):
        made = self.encode(text, flags, limit)
        found = self.numbers(made)
        self.runtime.library.tenon_tensor_release(made)
        return found

    def numbers(self, made):
        view = tenon.View()
        self.runtime.call("tenon_tensor_get_view", made, byref(view))
        n = view.shape[0]
        return list((c_int64 * n).from_address(view.data)) if n else []

    def decode(self, made, flags=0):
        text, data, length = c_void_p(), c_char_p(), c_uint64()
        self.runtime.call(
            "tenon_tokenizer_get_text", self.handle, made, c_uint32(flags), byref(text)
        )
        self.runtime.library.tenon_text_get(text, byref(data), byref(length))
        found = ctypes.string_at(data, length.value)
        self.runtime.library.tenon_text_release(text)
        return found.decode("utf-8", "replace")
