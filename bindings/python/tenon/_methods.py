# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_methods.py: methods of tensors that other libraries have and that are
# neither ops nor functions: in-place forms, dtypes by name, sizes.
from collections import namedtuple
from math import nan

from tenon import _core, _writes
from tenon._errors import refuse as _refuse
from tenon._names import METHODS, find_function
from tenon._operands import operands as _operands
from tenon._ops import op

_op = op.tenon
_int = int  # a method of this name follows
AminmaxResult = namedtuple("AminmaxResult", "min max")


# ---- in place -----------------------------------------------------------------------------------


def in_place(name, function):
    """The method `name`: what `function` gives is written into the tensor, which is returned."""

    def method(self, *arguments, **named):
        return function(self, *arguments, out=self, **named)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name[:-1]}`, written into the tensor itself."
    return method


def fill_(self, value):
    """Writes `value`, a number or a tensor of one element, everywhere."""
    self[...] = value
    return self


def zero_(self):
    """Writes 0 everywhere."""
    return fill_(self, 0)


def fill(self, value):
    """As `fill_`; returns nothing, as NumPy's."""
    fill_(self, value)


def copy_(self, source):
    """Takes the values of `source`, broadcast and cast."""
    self[...] = source
    return self


def requires_grad_(self, wanted=True):
    """Sets `requires_grad`."""
    self.requires_grad = wanted
    return self


def normal_(self, mean=0.0, std=1.0):
    """Draws normal numbers into the tensor."""
    return copy_(self, _op.normal(shape=list(self.shape), mean=mean, std=std))


def uniform_(self, low=0.0, high=1.0):
    """Draws uniform numbers into the tensor."""
    return copy_(self, _op.uniform(shape=list(self.shape), low=low, high=high))


def scatter_(self, dim, index, src):
    """Writes `src`, a tensor or a number, to the places of `index` along `dim`."""
    from tenon._elementwise import scatter

    return scatter(self, dim, index, src, out=self)


def scatter_add_(self, dim, index, src):
    """Adds `src` at the places of `index` along `dim`."""
    return _op.scatter_add(self, index, src, axis=dim, out=self)


def _along(self, dim, index):
    dim = dim % self.ndim
    return (slice(None),) * dim + (index,)


@_operands("self source", "index")
def index_add_(self, dim, index, source, *, alpha=1):
    """Adds the slices of `source` to those that `index` names along `dim`."""
    shape = [1] * self.ndim
    shape[dim % self.ndim] = index.size
    places = _op.broadcast_to(_op.reshape(index, shape=shape), shape=list(source.shape))
    source = source if alpha == 1 else source * alpha
    return _op.scatter_add(self, _op.copy(places), source, axis=dim, out=self)


def index_copy_(self, dim, index, source):
    """Writes the slices of `source` over those that `index` names along `dim`."""
    self[_along(self, dim, index)] = source
    return self


def index_put_(self, indices, values, accumulate=False):
    """self[indices] = values, or += with `accumulate`, which adds all that meet."""
    if accumulate:
        return _op.index_put(self, list(indices), values, accumulate=True, out=self)
    self[tuple(indices)] = values
    return self


def _elsewhere(name, function):
    """The method `name`, which `function` in place is for a copy."""

    def method(self, *arguments, **named):
        return function(self.clone(), *arguments, **named)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name}_` of a copy."
    return method


def index_fill_(self, dim, index, value):
    """Writes `value` to the slices that `index` names along `dim`."""
    self[_along(self, dim, index)] = value
    return self


index_add, index_copy, index_fill = (
    _elsewhere("index_add", index_add_), _elsewhere("index_copy", index_copy_),
    _elsewhere("index_fill", index_fill_),
)  # fmt: skip


def masked_fill_(self, mask, value):
    """Writes `value` where the mask is true."""
    return _op.masked_fill(self, mask, value, out=self)


def detach_(self):
    """Refused: `x = x.detach()`."""
    raise _refuse("detach_", "x", "x = x.detach()", "detach_", "", "UNSUPPORTED")


def sort(self, *arguments, **named):
    """Refused: NumPy's sorts in place, PyTorch's gives two tensors; `tenon.sort` gives one."""
    raise _refuse(
        "sort", "x", "tenon.sort(x)", "x.sort()",
        "NumPy's method sorts in place, PyTorch's gives (values, indices): tenon.sort(x, axis=...) "
        "is the values, x.argsort(axis=...) the indices", "UNSUPPORTED",
    )  # fmt: skip


# ---- dtypes, devices ----------------------------------------------------------------------------


def _cast(name, dtype):
    def method(self):
        return self.astype(dtype)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The values as {dtype.name}."
    return method


float, double, half = (
    _cast("float", _core.float32), _cast("double", _core.float64), _cast("half", _core.float16)
)  # fmt: skip
bfloat16, bool = _cast("bfloat16", _core.bfloat16), _cast("bool", _core.bool)
int, long, short = (
    _cast("int", _core.int32), _cast("long", _core.int64), _cast("short", _core.int16)
)  # fmt: skip


def type(self, dtype=None):
    """The values in that dtype; without one the name of the tensor's."""
    return self.dtype.name if dtype is None else self.astype(dtype)


def type_as(self, other):
    """The values in the dtype of `other`."""
    return self.astype(other.dtype)


byte, char = _cast("byte", _core.uint8), _cast("char", _core.int8)


def cuda(self, device=None):
    """On a CUDA device, the first unless `device` says which."""
    return self.to("cuda" if device is None else f"cuda:{device}")


def get_device(self):
    """The number of the device among those of its kind; -1 in host memory."""
    return -1 if is_cpu.fget(self) else self._device_numbers[1]


is_cpu = property(lambda self: self.device.startswith("cpu"), doc="Is it in host memory?")
is_cuda = property(lambda self: self.device.startswith("cuda"), doc="Is it on a CUDA device?")


def is_complex(self):
    """Are the elements complex? There are none."""
    return False


def is_signed(self):
    """Does the dtype have numbers below 0?"""
    return self.dtype not in (_core.bool, _core.uint8)


def is_same_size(self, other):
    """Have both the same shape?"""
    return self.shape == other.shape


def is_nonzero(self):
    """Is the only element not 0?"""
    return self.item() != 0


def cpu(self):
    """In host memory."""
    return self.to("cpu")


def is_floating_point(self):
    """Is the dtype one?"""
    return self.dtype.is_floating_point


# ---- sizes --------------------------------------------------------------------------------------


def dim(self):
    """How many dimensions there are."""
    return self.ndim


def numel(self):
    """How many elements there are."""
    return _int(self.size)


nelement, ndimension = numel, dim


def stride(self, axis=None):
    """Steps between neighbours, in elements."""
    return self.strides if axis is None else self.strides[axis]


def element_size(self):
    """The bytes of an element."""
    return self.dtype.itemsize


nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="The bytes of all elements.")
itemsize = property(element_size, doc="The bytes of an element.")
data = property(lambda self: self.detach(), doc="The same memory without history.")


def _matrix_transpose(self):
    from tenon._shapes import matrix_transpose

    return matrix_transpose(self)


mT = property(_matrix_transpose, doc="The last two dimensions exchanged; a view.")
mH = H = mT  # of numbers that are not complex


def adjoint(self):
    """The last two dimensions exchanged; a view."""
    return _matrix_transpose(self)


def split_with_sizes(self, split_sizes, dim=0):
    """Pieces of these sizes along `dim`."""
    from tenon._shapes import split

    return split(self, sizes=list(split_sizes), axis=dim)


# ---- matrices, extremes -------------------------------------------------------------------------


def inverse(self):
    """The inverse of square matrices."""
    from tenon.linalg import inv

    return inv(self)


def pinverse(self, rcond=None):
    """The pseudo-inverse."""
    from tenon.linalg import pinv

    return pinv(self, rcond)


def matrix_power(self, n):
    """The n-th power of square matrices; of the inverse for n below 0."""
    from tenon.linalg import matrix_power as power

    return power(self, n)


def logdet(self):
    """The logarithm of determinants: NaN below 0, -inf of 0."""
    sign, logarithm = _op.slogdet(self)
    return _op.where(_op.lt(sign, 0), nan, logarithm)


def aminmax(self, *, dim=None, keepdim=False):
    """(min, max) over `dim`, or of all elements."""
    axes = None if dim is None else [dim]
    return AminmaxResult(
        _op.min(self, axes=axes, keepdims=keepdim), _op.max(self, axes=axes, keepdims=keepdim)
    )


# ---- new ones -----------------------------------------------------------------------------------


def new_tensor(self, data):
    """A tensor with a copy of `data`, of this one's dtype and device."""
    from tenon._tensor import tensor

    return tensor(data, self.dtype, device=self.device)


def _new(name, value):
    def method(self, *shape, dtype=None):
        from tenon._creation import _shape_of

        return _op.full(shape=_shape_of(shape), value=value, dtype=dtype or self.dtype)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"A tensor of {value} everywhere, of this one's dtype."
    return method


new_zeros, new_ones = _new("new_zeros", 0), _new("new_ones", 1)
new_empty = _new("new_empty", 0)


def new_full(self, shape, value, dtype=None):
    """A tensor of one value, of this one's dtype."""
    return _op.full(shape=list(shape), value=value, dtype=dtype or self.dtype)


class _HookHandle:
    """What ends a hook."""

    def __init__(self, end):
        self.remove = end


def register_hook(self, function):
    """As `add_hook`; what it returns has remove()."""
    return _HookHandle(self.add_hook(function))


def find(name):
    """The method or property of that name, or None."""
    if name in METHODS:
        method = globals()[name]
        return _writes.named(name, method) if name.endswith("_") or name == "fill" else method
    function = find_function(name[:-1])
    return function and _writes.named(name, in_place(name, function))
