# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_elementwise.py: functions of elements and products that are made of ops, by
# the array API standard's names, NumPy's and PyTorch's; dtypes of results.
import math

from tenon import _core, _errors
from tenon._core import Tensor
from tenon._errors import refuse as _refuse
from tenon._operands import met as _met
from tenon._operands import operands as _operands
from tenon._operands import real as _real
from tenon._operands import together as _together
from tenon._ops import op
from tenon._shapes import _one

_op = op.tenon


@_operands("a b")
def logaddexp(a, b):
    """log(exp(a) + exp(b)), without overflow."""
    a, b = _real(a, b)
    larger = _op.maximum(a, b)
    apart = _op.where(_op.eq(a, b), 0.0, -_op.abs(a - b))  # of two infinities 0, not NaN
    return larger + _op.log1p(_op.exp(apart))


@_operands("x")
def cbrt(x):
    """The third root."""
    return _op.sign(x) * _op.abs(x) ** (1 / 3)


@_operands("x")
def deg2rad(x):
    """Degrees as radians."""
    return x * (math.pi / 180)


@_operands("x")
def rad2deg(x):
    """Radians as degrees."""
    return x * (180 / math.pi)


@_operands("x")
def frac(x):
    """What follows the point, with the sign of `x`."""
    return x - _op.trunc(x)


@_operands("a b")
def fmod(a, b):
    """The rest of the division that is truncated: with the sign of `a`; tenon.remainder has that of
    `b`."""
    a, b = _met(a, b)
    if a.dtype.is_floating_point:
        rest = _op.remainder(_op.abs(a), _op.abs(b))
        return _op.where(_op.lt(a, 0), -rest, rest)
    rest = _op.remainder(a, b)  # |-128| is no int8
    other = _op.logical_and(_op.ne(rest, 0), _op.ne(_op.lt(a, 0), _op.lt(b, 0)))
    return _op.where(other, rest - b, rest)


@_operands("x")
def signbit(x):
    """Which are negative, -0 included. A NaN is not."""
    below = _op.lt(x, 0)
    if not x.dtype.is_floating_point:
        return below
    return _op.logical_or(below, _op.logical_and(_op.eq(x, 0), _op.lt(1 / x, 0)))


@_operands("a b")
def copysign(a, b):
    """|a| with the sign of `b`."""
    a, b = _real(a, b)
    size = _op.abs(a)
    return _op.where(signbit(b), -size, size)


@_operands("a b")
def fmax(a, b):
    """The larger of two, of a NaN and a number the number."""
    return _op.where(_op.isnan(a), b, _op.where(_op.isnan(b), a, _op.maximum(a, b)))


@_operands("a b")
def fmin(a, b):
    """The smaller of two, of a NaN and a number the number."""
    return _op.where(_op.isnan(a), b, _op.where(_op.isnan(b), a, _op.minimum(a, b)))


@_operands("x")
def conj(x):
    """`x`: there are no complex numbers."""
    return x


real = conj


@_operands("x")
def imag(x):
    """Zeros: there are no complex numbers."""
    return _op.full_like(x, value=0)


@_operands("x")
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of NaN and infinities: 0, and the greatest and least of the dtype."""
    if not x.dtype.is_floating_point:
        return _op.copy(x)
    from tenon._dtypes import finfo

    limits = finfo(x.dtype)
    posinf = limits.max if posinf is None else posinf
    neginf = limits.min if neginf is None else neginf
    found = _op.where(_op.isnan(x), nan, x)
    found = _op.where(_op.eq(found, math.inf), posinf, found)
    return _op.where(_op.eq(found, -math.inf), neginf, found)


@_operands("x")
def round(x, decimals=0, *, out=None):
    """To the nearest whole number, halves to the even one; or with so many decimals."""
    if decimals == 0 or (decimals > 0 and not x.dtype.is_floating_point):
        return _op.round(x, out=out)
    factor = 10.0 ** abs(decimals)
    scaled = x * factor if decimals > 0 else x / factor
    scaled = _op.round(scaled)
    return scaled / factor if decimals > 0 else scaled * factor


def clip(x, min=None, max=None, *, out=None):
    """Not below `min` and not above `max`; the op `clamp`."""
    return _op.clamp(x, min, max, out=out)


@_operands("x xp fp")
def interp(x, xp, fp):
    """The line through the points (xp, fp), xp ascending, at `x`; beside it its ends."""
    x, xp, fp = _real(x, xp, fp)
    if xp.size < 2:
        return _op.broadcast_to(fp, shape=list(x.shape)) if xp.size else fp
    at = _op.clamp(_op.searchsorted(xp, x, right=True) - 1, 0, xp.size - 2)
    low, high = _op.take(xp, at), _op.take(xp, at + 1)
    below, above = _op.take(fp, at), _op.take(fp, at + 1)
    share = _op.clamp((x - low) / (high - low), 0.0, 1.0)
    return _op.lerp(below, above, share)


# ---- products -----------------------------------------------------------------------------------


@_operands("a b")
def inner(a, b):
    """Sums of products over the last axis of both."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ([-1], [-1]))


@_operands("a b")
def dot(a, b, *, out=None):
    """Of vectors the sum of products; of matrices the matrix product; of more dimensions sums over
    the last axis of `a` and the last but one of `b`, as NumPy's."""
    if a.ndim == 1 and b.ndim == 1:
        return _op.dot(a, b, out=out)
    if a.ndim == 0 or b.ndim == 0:
        return _op.mul(a, b, out=out)
    if a.ndim <= 2 and b.ndim <= 2:
        return _op.matmul(a, b, out=out)
    return tensordot(a, b, ([-1], [-2 if b.ndim > 1 else -1]))


@_operands("a b")
def cdist(a, b, p=2.0):
    """The distances of the rows of `a` and of `b`."""
    a, b = _real(a, b)
    apart = _op.unsqueeze(a, axes=[-2]) - _op.unsqueeze(b, axes=[-3])
    return _op.norm(apart, axes=[-1], ord=float(p))


@_operands("a b")
def tensordot(a, b, axes=2, *, dims=None):
    """Sums of products over the last `axes` axes of `a` and the first ones of `b`, or over the axes
    of a pair of lists."""
    axes = axes if dims is None else dims
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = ([each] if isinstance(each, int) else list(each) for each in axes)
    left, right = [each % a.ndim for each in left], [each % b.ndim for each in right]
    if [a.shape[each] for each in left] != [b.shape[each] for each in right]:
        found = f"{[a.shape[i] for i in left]} and {[b.shape[i] for i in right]}"
        raise _refuse("tensordot", "axes", "axes of the same lengths", found)
    keep = [each for each in range(a.ndim) if each not in left]
    stay = [each for each in range(b.ndim) if each not in right]
    inner_size = math.prod(a.shape[each] for each in left)
    rows, columns = [a.shape[each] for each in keep], [b.shape[each] for each in stay]
    first = _op.reshape(_op.permute(a, axes=keep + left), shape=[math.prod(rows), inner_size])
    second = _op.reshape(_op.permute(b, axes=right + stay), shape=[inner_size, math.prod(columns)])
    return _op.reshape(_op.matmul(first, second), shape=rows + columns)


@_operands("a b")
def vecdot(a, b, axis=None, *, dim=None):
    """Sums of products along `axis`, the last unless it is given; the others are broadcast."""
    axis = _one(axis, dim, default=-1)
    if a.ndim == 0 or b.ndim == 0 or a.shape[axis] != b.shape[axis]:
        raise _refuse("vecdot", "axis", "an axis of one length", f"{a.shape} and {b.shape}")
    product = a * b
    return _op.sum(product, axes=[axis]).astype(product.dtype)


@_operands("a b")
def kron(a, b):
    """Each element of `a` times all of `b`."""
    ndim = max(a.ndim, b.ndim)
    left = [1] * (ndim - a.ndim) + list(a.shape)
    right = [1] * (ndim - b.ndim) + list(b.shape)
    first = _op.reshape(a, shape=[each for length in left for each in (length, 1)])
    second = _op.reshape(b, shape=[each for length in right for each in (1, length)])
    return _op.reshape(first * second, shape=[m * n for m, n in zip(left, right, strict=True)])


@_operands("a b")
def cross(a, b, axis=None, *, dim=None):
    """The vector product of vectors of three along `axis`, the last unless it is given."""
    axis = _one(axis, dim, default=-1)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        found = f"{a.shape[axis]} and {b.shape[axis]}"
        raise _refuse("cross", "axis", "an axis of length 3", found)
    turned = [_op.roll(each, shifts=[shift], axes=[axis]) for shift in (-1, -2) for each in (a, b)]
    return turned[0] * turned[3] - turned[2] * turned[1]


def einsum(*arguments, equation=None, xs=None, out=None):
    """einsum("ij,jk->ik", a, b): the op "tenon.einsum"."""
    given = list(arguments)
    if given and isinstance(given[0], str):
        equation = given.pop(0)
    if xs is not None:
        given.append(xs)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
    return _op.einsum(given, equation=equation, out=out)


@_operands("x a b")
def addmm(x, a, b, *, beta=1, alpha=1):
    """beta x + alpha (a b)"""
    return beta * x + alpha * _op.matmul(a, b)


baddbmm = addmm


def trace(x, *, offset=0, dtype=None):
    """The sum of the diagonal of the matrices in the last two axes."""
    if not isinstance(x, Tensor):
        raise _refuse(
            "trace", "x", "a tensor", type(x).__name__,
            "tenon.profile(path) records what runs in a `with` block", "type",
        )  # fmt: skip
    x = x if dtype is None else x.astype(dtype)
    return _op.trace(x) if offset == 0 else _op.sum(_op.diagonal(x, offset=offset), axes=[-1])


# ---- places by an axis that is named first ------------------------------------------------------


def _axis_first(name, operands):
    """gather(x, dim, index), as PyTorch has it, or gather(x, indices, axis=...), as the op."""

    def call(x, *arguments, axis=None, dim=None, **named):
        arguments = list(arguments)
        axis = _one(axis, dim)
        if arguments and isinstance(arguments[0], int) and not isinstance(arguments[0], bool):
            axis = arguments.pop(0)
        elif len(arguments) > operands:
            axis = arguments.pop()
        if axis is not None:
            named["axis"] = axis
        for place, each in enumerate(arguments):
            if place == 1 and isinstance(each, (int, float)):
                (like,) = _together(name, arguments[:1])
                arguments[1] = _op.full(shape=list(like.shape), value=each, dtype=x.dtype)
        return getattr(_op, name)(x, *arguments, **named)

    call.__name__ = call.__qualname__ = name
    words = "gather(x, axis, indices) or gather(x, indices, axis=...)".replace("gather", name)
    call.__doc__ = f"{words}: the op tenon.{name}."
    return call


gather = _axis_first("gather", 1)
index_select = _axis_first("index_select", 1)
scatter = _axis_first("scatter", 2)
scatter_add = _axis_first("scatter_add", 2)


@_operands("x", "indices")
def take_along_dim(x, indices, axis=None, *, dim=None):
    """PyTorch's name of `take_along_axis`; without an axis of `x` as a vector."""
    axis = _one(axis, dim)
    if axis is None:
        x, indices, axis = x.reshape(-1), indices.reshape(-1), 0
    return _op.take_along_axis(x, indices, axis=axis)


# ---- dtypes -------------------------------------------------------------------------------------


def _dtype_of(given):
    return given.dtype if isinstance(given, Tensor) else _core.as_dtype(given)


def result_type(*given):
    """The dtype that ops compute in with these tensors, dtypes and numbers."""
    if not given:
        raise _refuse("result_type", "arguments", "one or more", "none")
    numbers = [each for each in given if isinstance(each, (bool, int, float))]
    dtypes = [_dtype_of(each) for each in given if not isinstance(each, (bool, int, float))]
    if not dtypes:
        raise _refuse("result_type", "arguments", "a tensor or a dtype", "numbers alone")
    found = _op.full(shape=[0], value=0, dtype=dtypes[0])
    empty = _op.full(shape=[0], value=True, dtype="bool")
    for each in dtypes[1:]:
        found = _op.where(empty, found, _op.full(shape=[0], value=0, dtype=each))
    for number in numbers:
        found = _op.where(empty, found, number)
    return found.dtype


def promote_types(a, b):
    """The dtype that two dtypes have together."""
    return _core.common(*(_op.full(shape=[0], value=0, dtype=_dtype_of(each)) for each in (a, b)))


def can_cast(given, to):
    """Does promotion lead from the first dtype to the second?"""
    try:
        return result_type(_dtype_of(given), to) is _core.as_dtype(to)
    except _errors.Error:
        return False


def isdtype(dtype, kind):
    """Is the dtype of a kind: "bool", "integral", "real floating", "numeric" and others of the
    standard, or a dtype, or one of a tuple of them?"""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if not isinstance(kind, str):
        return dtype is _core.as_dtype(kind)
    kinds = {
        "bool": lambda: dtype is _core.bool,
        "signed integer": lambda: dtype.name.startswith("int"),
        "unsigned integer": lambda: dtype.name.startswith("uint"),
        "integral": lambda: dtype.name.lstrip("u").startswith("int"),
        "real floating": lambda: dtype.is_floating_point,
        "complex floating": lambda: False,
        "numeric": lambda: dtype is not _core.bool,
    }
    if kind not in kinds:
        raise _refuse("isdtype", "kind", " ".join(map(repr, kinds)), repr(kind))
    return kinds[kind]()


def is_tensor(x):
    """Is it one?"""
    return isinstance(x, Tensor)
