# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_standard.py: what the array API standard 2024.12 asks a module about
# itself.
# https://data-apis.org/array-api/2024.12/API_specification/inspection.html
from tenon import _core, _errors

_KINDS = {
    "bool": "bool",
    "signed integer": "int8 int16 int32 int64",
    "unsigned integer": "uint8",
    "real floating": "float32 float64",
    "complex floating": "",
}
_KINDS["integral"] = f"{_KINDS['signed integer']} {_KINDS['unsigned integer']}"
_KINDS["numeric"] = f"{_KINDS['integral']} {_KINDS['real floating']}"


class Info:
    """What `__array_namespace_info__()` gives."""

    def capabilities(self):
        """What depends on data, and how large arrays may be."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        """Where arrays are made."""
        return "cpu"

    def default_dtypes(self, *, device=None):
        """Of arrays whose dtype is not said; there are no complex ones."""
        return {
            "real floating": _core.float32,
            "integral": _core.int64,
            "indexing": _core.int64,
            "complex floating": None,
        }

    def dtypes(self, *, device=None, kind=None):
        """{name: dtype} of a kind, or of several; those of the standard that there are."""
        if kind is None:
            kind = ("bool", "numeric")
        named = []
        for each in kind if isinstance(kind, tuple) else (kind,):
            if each not in _KINDS:
                raise _errors.make_refusal(
                    "value", "dtypes", "kind", " ".join(map(repr, _KINDS)), repr(each)
                )
            named += _KINDS[each].split()
        return {name: getattr(_core, name) for name in named}

    def devices(self):
        """Those that plugins offer."""
        from tenon import query

        names = []
        for each in query("devices"):
            names += [f"{each['kind']}:{number}" for number in range(each["count"])]
        return ["cpu" if name == "cpu:0" else name for name in names]


def __array_namespace_info__():  # noqa: N807
    """What there is here, as the standard asks for it."""
    return Info()
