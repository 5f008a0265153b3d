# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_reductions.py: reductions and what runs along an axis, by the array API
# standard's names, NumPy's and PyTorch's. Where these mean different things by one name, the
# standard speaks first, then NumPy; what PyTorch's words would mean otherwise is an error that says
# so.
from tenon import _core
from tenon._core import Tensor
from tenon._errors import refuse as _refuse
from tenon._operands import operands as _operands
from tenon._operands import real as _real
from tenon._ops import op
from tenon._shapes import _axis, _cut, _one, ravel

_op = op.tenon


def _no_dim(function, named, words):
    """Where PyTorch's function has another result, its word for an axis is an error."""
    for name in named:
        if name in ("dim", "keepdim"):
            raise _refuse(function, name, "axis=" if name == "dim" else "keepdims=", name, words)
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def _in(x, dtype):
    from tenon._tensor import asarray

    return asarray(x, dtype)


def _reduction(name, words):
    """A function with the arguments of all three."""
    reduce = getattr(_op, name)

    def find(
        x, axis=None, dtype=None, keepdims=False, *, axes=None, dim=None, keepdim=False, out=None
    ):
        if isinstance(dtype, bool):  # sum(x, 1, True), as PyTorch's users write it
            dtype, keepdims = None, dtype
        x = x if dtype is None else _in(x, dtype)
        axis = _one(axis, dim, axes)
        found = reduce(x, axes=axis, keepdims=keepdims or keepdim, out=out)
        return found if dtype is None else found.astype(dtype)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = (
        f"{words} over `axis`, or over all dimensions; computed in `dtype` if it is given."
    )
    return find


sum, prod = _reduction("sum", "The sum"), _reduction("prod", "The product")
mean = _reduction("mean", "The mean")
all = _reduction("all", "Are all elements not 0,")
any = _reduction("any", "Is any element not 0,")


def _extreme(name, place):
    reduce = getattr(_op, name)

    def find(x, axis=None, keepdims=False, *, axes=None, out=None, **named):
        _no_dim(name, named, f"PyTorch's gives (values, indices): tenon.a{name}(x, dim) is the "
                f"values, tenon.{place}(x, dim) the indices")  # fmt: skip
        return reduce(x, axes=_one(axis, axes), keepdims=keepdims, out=out)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = (
        f"The {name}imum over `axis`, or over all dimensions; tenon.{place} has its place."
    )
    return find


max, min = _extreme("max", "argmax"), _extreme("min", "argmin")


def _spread(name, words):
    reduce = getattr(_op, name)

    def find(x, axis=None, *, correction=None, keepdims=False, axes=None, ddof=None, **named):
        if "unbiased" in named:
            correction = float(named.pop("unbiased"))
        if correction is None:
            correction = ddof
        if correction is None:
            _no_dim(name, named, "PyTorch's divides by n - 1, NumPy's and the standard's by n: say "
                    "which with correction=1 or correction=0")  # fmt: skip
        axes = _one(axis, named.pop("dim", None), axes)
        keepdims = named.pop("keepdim", keepdims)
        _no_dim(name, named, "")
        correction = float(correction or 0)
        return reduce(x, axes=axes, keepdims=keepdims, correction=correction)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = (
        f"The {words} over `axis`, or over all dimensions, with a division by n - correction, "
        "which is n unless it is given."
    )
    return find


std, var = _spread("std", "standard deviation"), _spread("var", "variance")


def norm(x, ord=2.0, axis=None, keepdims=False, *, p=None, axes=None, dim=None, keepdim=False):
    """The vector norm (sum |x|^ord)^(1/ord) over `axis`, or of all elements; tenon.linalg.norm has
    those of matrices."""
    axis = _one(axis, dim, axes)
    ord = float(ord if p is None else p)
    return _op.norm(x, axes=axis, keepdims=keepdims or keepdim, ord=ord)


@_operands("a b")
def dist(a, b, p=2.0):
    """The norm of a - b."""
    a, b = _real(a, b)
    return norm(a - b, p)


@_operands("x")
def count_nonzero(x, axis=None, *, keepdims=False, dim=None):
    """How many elements are not zero."""
    return _op.count_nonzero(x, axes=_one(axis, dim), keepdims=keepdims)


def ptp(x, axis=None, *, keepdims=False):
    """The greatest less the least element."""
    return _op.max(x, axes=axis, keepdims=keepdims) - _op.min(x, axes=axis, keepdims=keepdims)


def nansum(x, axis=None, *, keepdims=False, dim=None):
    """The sum of what is not NaN."""
    return _op.sum(_op.where(_op.isnan(x), 0.0, x), axes=_one(axis, dim), keepdims=keepdims)


@_operands("x")
def nanmean(x, axis=None, *, keepdims=False, dim=None):
    """The mean of what is not NaN."""
    axis = _one(axis, dim)
    count = _op.sum((x == x).astype(x.dtype), axes=axis, keepdims=keepdims)
    return nansum(x, axis, keepdims=keepdims) / count


@_operands("x weights")
def average(x, axis=None, weights=None, *, keepdims=False):
    """The mean, of which each element is as much as its weight."""
    if weights is None:
        return _op.mean(x, axes=axis, keepdims=keepdims)
    x, weights = _real(x, weights)
    if axis is not None and weights.ndim == 1 != x.ndim:
        shape = [1] * x.ndim
        shape[_axis("average", axis, x.ndim)] = weights.size
        weights = _op.reshape(weights, shape=shape)
    weights = _op.broadcast_to(weights, shape=list(x.shape))
    total = _op.sum(weights, axes=axis, keepdims=keepdims)
    return _op.sum(x * weights, axes=axis, keepdims=keepdims) / total


@_operands("x")
def cov(x, rowvar=True, *, correction=None, ddof=None):
    """The covariances of the rows of a matrix, each a variable; of its columns without `rowvar`."""
    correction = _one(correction, ddof, default=1)
    x = _op.reshape(x, shape=[1, -1]) if x.ndim == 1 else x if rowvar else x.T
    centred = x - _op.mean(x, axes=[1], keepdims=True)
    found = _op.matmul(centred, centred.T) / (x.shape[1] - correction)
    return _op.squeeze(found) if found.size == 1 else found


def corrcoef(x, rowvar=True):
    """The correlations of the rows of a matrix."""
    found = cov(x, rowvar)
    if found.ndim == 0:
        return found / found
    deviations = _op.sqrt(_op.diagonal(found))
    scaled = found / _op.unsqueeze(deviations, axes=[1]) / deviations
    return _op.clamp(scaled, -1.0, 1.0)


@_operands("x prepend append")
def diff(x, n=1, axis=None, *, dim=None, prepend=None, append=None):
    """Differences of neighbours along `axis`, n times, of `x` with what comes before and after."""
    axis = _axis("diff", _one(axis, dim, default=-1), x.ndim)
    parts = [each for each in (prepend, x, append) if each is not None]
    x = _op.concat(parts, axis=axis) if len(parts) > 1 else x
    for _ in range(n):
        later, earlier = _cut(x, axis, 1, None), _cut(x, axis, 0, -1)
        x = later != earlier if x.dtype is _core.bool else later - earlier
    return x


@_operands("y x")
def trapezoid(y, x=None, dx=1.0, axis=None, *, dim=None):
    """The area under the line through (x, y), or with steps of dx."""
    axis = _axis("trapezoid", _one(axis, dim, default=-1), y.ndim)
    y, x = _real(y, x) if x is not None else (*_real(y), None)
    means = (_cut(y, axis, 1, None) + _cut(y, axis, 0, -1)) / 2
    if x is None:
        return _op.sum(means * dx, axes=[axis])
    widths = diff(x, axis=-1 if x.ndim == 1 else axis)
    if x.ndim == 1:
        widths = _op.reshape(widths, shape=[-1] + [1] * (y.ndim - 1 - axis))
    return _op.sum(means * widths, axes=[axis])


@_operands("x")
def gradient(x, spacing=1.0, axis=None):
    """Half the difference of both neighbours, at the ends that to the one there is; a list for
    several axes."""
    (x,) = _real(x)
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    found = []
    for each in axes:
        at = _axis("gradient", each, x.ndim)
        if x.shape[at] < 2:
            raise _refuse("gradient", "x", "two or more elements along each axis", str(x.shape))
        middle = (_cut(x, at, 2, None) - _cut(x, at, 0, -2)) / 2
        first = _cut(x, at, 1, 2) - _cut(x, at, 0, 1)
        last = _cut(x, at, -1, None) - _cut(x, at, -2, -1)
        found.append(_op.concat([first, middle, last], axis=at) / spacing)
    return found[0] if len(found) == 1 else found


def cumsum(x, axis=None, *, dim=None, reverse=False, exclusive=False, out=None):
    """Sums up to and with each element along `axis`; without it of `x` as a vector."""
    x, axis = _line(x, _one(axis, dim))
    return _op.cumsum(x, axis=axis, reverse=reverse, exclusive=exclusive, out=out)


def cumprod(x, axis=None, *, dim=None, reverse=False, exclusive=False, out=None):
    """Products up to and with each element along `axis`; without it of `x` as a vector."""
    x, axis = _line(x, _one(axis, dim))
    return _op.cumprod(x, axis=axis, reverse=reverse, exclusive=exclusive, out=out)


def _cumulated(name, words):
    cumulate = getattr(_op, f"cum{name[11:]}")

    def find(x, *, axis=None, dtype=None, include_initial=False):
        if dtype is not None or not isinstance(x, Tensor):
            x = _in(x, dtype)
        if axis is None:
            if x.ndim != 1:
                raise _refuse(name, "axis", "an axis, unless there is one", f"{x.ndim} dimensions")
            axis = 0
        found = cumulate(x, axis=axis)
        found = found if dtype is None else found.astype(dtype)
        if not include_initial:
            return found
        axis = _axis(name, axis, x.ndim)
        shape = [1 if each == axis else length for each, length in enumerate(x.shape)]
        first = _op.full(shape=shape, value=name == "cumulative_prod", dtype=found.dtype)
        return _op.concat([first, found], axis=axis)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = (
        f"{words} up to and with each element; with `include_initial` that of none first."
    )
    return find


cumulative_sum = _cumulated("cumulative_sum", "Sums")
cumulative_prod = _cumulated("cumulative_prod", "Products")


def _line(x, axis):
    """The op says what is wrong with an axis."""
    return (ravel(x), 0) if axis is None else (x, axis)
