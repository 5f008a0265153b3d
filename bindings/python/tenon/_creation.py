# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_creation.py: tensors made of shapes and ranges, by the array API standard's
# names, NumPy's and PyTorch's.
from tenon import _core, _errors
from tenon._core import Tensor
from tenon._errors import refuse as _refuse
from tenon._operands import operands as _operands
from tenon._operands import together as _together
from tenon._ops import op
from tenon._shapes import _near
from tenon._tensor import _placed, asarray, tensor

_op = op.tenon


def _finished(made, device, requires_grad=False):
    made = made if device is None else _placed(made, device)
    if requires_grad:
        made.requires_grad = True
    return made


def _shape_of(sizes):
    """zeros(2, 3), zeros((2, 3)) and zeros(2)."""
    return list(sizes[0]) if len(sizes) == 1 and hasattr(sizes[0], "__iter__") else list(sizes)


def _filled(name, value):
    def make(shape, *more, dtype=None, device=None, requires_grad=False):
        if len(more) == 1 and isinstance(shape, (tuple, list)) and dtype is None:
            more, dtype = (), more[0]  # zeros((2, 3), "int64")
        shape = (shape, *more)
        made = _op.full(shape=_shape_of(shape), value=value, dtype=dtype)
        return _finished(made, device, requires_grad)

    make.__name__ = make.__qualname__ = name
    return make


zeros, ones, empty = _filled("zeros", 0), _filled("ones", 1), _filled("empty", 0)
zeros.__doc__ = "A tensor of zeros: zeros(2, 3) or zeros((2, 3)); float32 unless `dtype` is given."
ones.__doc__ = "A tensor of ones: ones(2, 3) or ones((2, 3)); float32 unless `dtype` is given."
empty.__doc__ = "As `zeros`: no tensor holds what was in the memory before."


@_operands("x")
def full_like(x, fill_value=None, dtype=None, *, device=None, requires_grad=False, value=0):
    """A tensor of one value, with the shape, and unless they are given the dtype and device, of
    `x`."""
    value = value if fill_value is None else fill_value
    if dtype is None:
        made = _op.full_like(x.detach(), value=value)
    else:
        made = _op.full(shape=list(x.shape), value=value, dtype=dtype)
        device = x.device if device is None else device
    return _finished(made, device, requires_grad)


def zeros_like(x, dtype=None, *, device=None, requires_grad=False):
    """Zeros like `x`."""
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad)


def ones_like(x, dtype=None, *, device=None, requires_grad=False):
    """Ones like `x`."""
    return full_like(x, 1, dtype, device=device, requires_grad=requires_grad)


empty_like = zeros_like


def arange(start=None, stop=None, step=1, dtype=None, *, end=None, device=None):
    """start, start + step, ... below `stop`; arange(5) begins with 0.

    dtype   int64 if all numbers are integers, else float32
    """
    stop = end if stop is None else stop
    if stop is None:
        start, stop = 0, start
    start = 0 if start is None else start
    if dtype is None:
        whole = all(hasattr(each, "__index__") for each in (start, stop, step))
        dtype = _core.int64 if whole else _core.float32
    return _finished(_op.arange(start=start, stop=stop, step=step, dtype=dtype), device)


def logspace(start, stop, num=50, base=10.0, *, dtype=None, device=None):
    """`base` to the powers of `linspace`."""
    exponents = _op.linspace(start=start, stop=stop, num=num, dtype=_core.float64)
    return _finished((base**exponents).astype(_core.float32 if dtype is None else dtype), device)


def eye(n_rows=None, n_cols=None, k=0, *, dtype=None, device=None, n=None, m=None):
    """Ones on diagonal `k` of a matrix of zeros."""
    n_rows, n_cols = n if n_rows is None else n_rows, m if n_cols is None else n_cols
    return _finished(_op.eye(n=n_rows, m=n_cols, k=_near(k), dtype=dtype), device)


def linspace(start, stop=None, num=None, *, dtype=None, device=None, endpoint=True, **named):
    """`num` numbers, 50 unless it is given, from `start` to `stop`, evenly spaced; without
    `endpoint` the last is left out, which would be `stop`."""
    stop, num = named.pop("end", stop), named.pop("steps", 50 if num is None else num)
    if named:
        name = next(iter(named))
        raise TypeError(f"linspace() got an unexpected keyword argument {name!r}")
    made = _op.linspace(start=start, stop=stop, num=num, endpoint=endpoint, dtype=dtype)
    return _finished(made, device)


def astype(x, dtype, *, copy=True, device=None):
    """The values in another dtype, in memory of their own unless `copy` is False."""
    made = x.astype(dtype)
    return _finished(_op.copy(made) if copy and made is x else made, device)


def identity(n, dtype=None):
    """Ones on the diagonal of a square matrix of zeros."""
    return _op.eye(n=n, dtype=dtype)


def tri(n_rows, n_cols=None, k=0, dtype=None):
    """Ones on diagonal `k` and below."""
    shape = (n_rows, n_rows if n_cols is None else n_cols)
    return _op.tril(ones(shape, dtype=dtype), diagonal=_near(k))


def array(data, dtype=None, *, device=None, copy=True):
    """NumPy's name of `tensor`."""
    return tensor(data, dtype, device=device) if copy else asarray(data, dtype, device=device)


def as_tensor(data, dtype=None, device=None):
    """PyTorch's name of `asarray`."""
    return asarray(data, dtype, device=device)


def from_numpy(array):
    """A tensor on the memory of a NumPy array."""
    return asarray(array, copy=False)


def meshgrid(*tensors, indexing="xy"):
    """One tensor for each of the vectors, all of the shape that they span.

    indexing   "xy", the first vector along axis 1, as NumPy and the standard; or "ij"
    """
    if indexing not in ("xy", "ij"):
        raise _refuse("meshgrid", "indexing", "'xy' or 'ij'", repr(indexing))
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tensors[0]
    tensors = [_together("meshgrid", [each])[0] for each in tensors]
    places = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        places[:2] = 1, 0
    shape = [1] * len(tensors)
    for place, each in zip(places, tensors, strict=True):
        shape[place] = each.size
    found = []
    for place, each in zip(places, tensors, strict=True):
        own = [1] * len(tensors)
        own[place] = each.size
        found.append(_op.copy(_op.broadcast_to(_op.reshape(each, shape=own), shape=shape)))
    return found


# ---- random numbers -----------------------------------------------------------------------------


def rand(*shape, dtype=None, device=None, requires_grad=False):
    """Uniform numbers, 0 <= x < 1."""
    made = _op.uniform(shape=_shape_of(shape), dtype=dtype)
    return _finished(made, device, requires_grad)


def randn(*shape, dtype=None, device=None, requires_grad=False):
    """Normal numbers of mean 0 and deviation 1."""
    made = _op.normal(shape=_shape_of(shape), dtype=dtype)
    return _finished(made, device, requires_grad)


def randint(low, high=None, size=None, dtype=None, *, device=None):
    """Whole numbers, low <= x < high; randint(high, size) begins with 0."""
    if high is None or hasattr(high, "__iter__"):
        low, high, size = 0, low, high if size is None else size
    size = [] if size is None else [size] if isinstance(size, int) else list(size)
    return _finished(_op.random_integers(shape=size, low=low, high=high, dtype=dtype), device)


def randperm(n, dtype=None, *, device=None):
    """0 to n - 1 in random order."""
    return _finished(_op.permutation(n=n, dtype=dtype), device)


@_operands("x")
def rand_like(x, dtype=None):
    """`rand` of the shape, and unless it is given the dtype, of `x`."""
    return rand(x.shape, dtype=x.dtype if dtype is None else dtype)


@_operands("x")
def randn_like(x, dtype=None):
    """`randn` of the shape, and unless it is given the dtype, of `x`."""
    return randn(x.shape, dtype=x.dtype if dtype is None else dtype)


def normal(mean=0.0, std=1.0, size=None, *, shape=None, dtype=None, device=None):
    """Normal numbers. `mean` and `std` are numbers, or tensors that broadcast together, and `size`,
    or `shape`, is then theirs."""
    size = shape if size is None else size
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if size is not None:
            raise _refuse("normal", "size", "none: it is that of the tensors", repr(size))
        like = _op.add(mean, std)
        return randn(like.shape, dtype=like.dtype if dtype is None else dtype) * std + mean
    for operand, given in (("mean", mean), ("std", std)):
        _errors.check_type("normal", operand, given, (int, float), "a number or a tensor")
    if size is None:
        raise _refuse("normal", "size", "a shape", "nothing", "tenon.normal(0.0, 1.0, (2, 3))")
    size = [size] if isinstance(size, int) else list(size)
    return _finished(_op.normal(shape=size, mean=mean, std=std, dtype=dtype), device)


def manual_seed(number):
    """PyTorch's name of `seed`."""
    from tenon._runtime import seed

    seed(number)
