# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_called.py: attributes of tensors that are methods in another library:
# numbers that may be called.
from tenon import _errors


class _Number(int):
    """A number; copied and pickled it is nothing more."""

    __slots__ = ()
    _plain = int

    def __reduce__(self):
        return self._plain, (int(self),)


class Size(_Number):
    """How many elements there are, as in NumPy and the array API standard; in PyTorch `x.size()` is
    the shape."""

    __slots__ = ()

    def __call__(self, dim=None):
        call = "x.shape" if dim is None else f"x.shape[{dim!r}]"
        hint = "x.size is how many elements there are, an attribute, as in NumPy; so is x.numel()"
        raise _errors.make_refusal("type", "size", "x", call, "x.size()", hint)


class Address(_Number):
    """Where the elements begin; `x.data_ptr()` is the same."""

    __slots__ = ()

    def __call__(self):
        return int(self)


class Truth(_Number):
    """True or False; `x.is_contiguous()` is the same."""

    __slots__ = ()
    _plain = bool

    def __call__(self):
        return bool(self)

    def __repr__(self):
        return repr(bool(self))

    def __format__(self, form):
        return format(bool(self), form)


_TRUTHS = (Truth(0), Truth(1))


def truth(number):
    return _TRUTHS[number]
