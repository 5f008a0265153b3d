# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_statistics.py: reductions, order, sets and comparisons, by the array API
# standard's names, NumPy's and PyTorch's. Where these mean different things by one name, the standard
# speaks first, then NumPy; what PyTorch's words would mean otherwise is an error that says so.
import math

from tenon import _core, _errors
from tenon._core import Tensor
from tenon._ops import op
from tenon._shapes import _axis, _cut, _one, moveaxis, ravel

_op = op.tenon


def _refuse(function, operand, expected, found, hint="", kind="value"):
    return _errors.make_refusal(kind, function, operand, expected, found, hint)


def _no_dim(function, named, words):
    """Where PyTorch's function has another result, its word for an axis is an error."""
    for name in named:
        if name in ("dim", "keepdim"):
            raise _refuse(function, name, "axis=" if name == "dim" else "keepdims=", name, words)
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


# ---- reductions ---------------------------------------------------------------------------------


def _extreme(name, place):
    def find(x, axis=None, keepdims=False, *, axes=None, out=None, **named):
        _no_dim(name, named, f"PyTorch's gives (values, indices): tenon.a{name}(x, dim) is the "
                f"values, tenon.{place}(x, dim) the indices")  # fmt: skip
        return getattr(_op, name)(x, axes=axes if axis is None else axis, keepdims=keepdims, out=out)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = f"The {name}imum over `axis`, or over all dimensions; tenon.{place} has its place."
    return find


max, min = _extreme("max", "argmax"), _extreme("min", "argmin")


def _spread(name, words):
    def find(x, axis=None, *, correction=None, keepdims=False, axes=None, ddof=None, **named):
        if "unbiased" in named:
            correction = float(named.pop("unbiased"))
        if correction is None:
            correction = ddof
        if correction is None:
            _no_dim(name, named, "PyTorch's divides by n - 1, NumPy's and the standard's by n: say "
                    "which with correction=1 or correction=0")  # fmt: skip
        axes = axes if axis is None else axis
        axes, keepdims = named.pop("dim", axes), named.pop("keepdim", keepdims)
        _no_dim(name, named, "")
        correction = float(correction or 0)
        return getattr(_op, name)(x, axes=axes, keepdims=keepdims, correction=correction)

    find.__name__ = find.__qualname__ = name
    find.__doc__ = (
        f"The {words} over `axis`, or over all dimensions, with a division by n - correction, which "
        "is n unless it is given."
    )
    return find


std, var = _spread("std", "standard deviation"), _spread("var", "variance")


def norm(x, ord=2.0, axis=None, keepdims=False, *, p=None, axes=None, dim=None, keepdim=False):
    """The vector norm (sum |x|^ord)^(1/ord) over `axis`, or of all elements; tenon.linalg.norm has
    those of matrices."""
    axis = _one(axis, dim, axes)
    ord = float(ord if p is None else p)
    return _op.norm(x, axes=axis, keepdims=keepdims or keepdim, ord=ord)


def dist(a, b, p=2.0):
    """The norm of a - b."""
    return norm(a - b, p)


def count_nonzero(x, axis=None, *, keepdims=False, dim=None):
    """How many elements are not zero."""
    return _op.sum((x != 0).astype(_core.int64), axes=_one(axis, dim, None), keepdims=keepdims)


def ptp(x, axis=None, *, keepdims=False):
    """The greatest less the least element."""
    return _op.max(x, axes=axis, keepdims=keepdims) - _op.min(x, axes=axis, keepdims=keepdims)


def nansum(x, axis=None, *, keepdims=False, dim=None):
    """The sum of what is not NaN."""
    return _op.sum(_op.where(_op.isnan(x), 0.0, x), axes=_one(axis, dim, None), keepdims=keepdims)


def nanmean(x, axis=None, *, keepdims=False, dim=None):
    """The mean of what is not NaN."""
    axis = _one(axis, dim, None)
    count = _op.sum((x == x).astype(x.dtype), axes=axis, keepdims=keepdims)
    return nansum(x, axis, keepdims=keepdims) / count


def average(x, axis=None, weights=None, *, keepdims=False):
    """The mean, of which each element is as much as its weight."""
    if weights is None:
        return _op.mean(x, axes=axis, keepdims=keepdims)
    if not isinstance(weights, Tensor):
        weights = _op.full(shape=[], value=0.0, dtype=x.dtype) + weights
    if axis is not None and weights.ndim == 1 != x.ndim:
        shape = [1] * x.ndim
        shape[_axis("average", axis, x.ndim)] = weights.size
        weights = _op.reshape(weights, shape=shape)
    weights = _op.broadcast_to(weights, shape=list(x.shape))
    total = _op.sum(weights, axes=axis, keepdims=keepdims)
    return _op.sum(x * weights, axes=axis, keepdims=keepdims) / total


def cov(x, rowvar=True, *, correction=None, ddof=None):
    """The covariances of the rows of a matrix, each a variable; of its columns without `rowvar`."""
    correction = _one(correction, ddof, 1)
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


def diff(x, n=1, axis=-1, *, dim=None):
    """Differences of neighbours along `axis`, n times."""
    axis = _axis("diff", axis if dim is None else dim, x.ndim)
    for _ in range(n):
        later, earlier = _cut(x, axis, 1, None), _cut(x, axis, 0, -1)
        x = later != earlier if x.dtype is _core.bool else later - earlier
    return x


def trapezoid(y, x=None, dx=1.0, axis=-1, *, dim=None):
    """The area under the line through (x, y), or with steps of dx."""
    axis = _axis("trapezoid", axis if dim is None else dim, y.ndim)
    means = (_cut(y, axis, 1, None) + _cut(y, axis, 0, -1)) / 2
    if x is None:
        return _op.sum(means * dx, axes=[axis])
    widths = diff(x, axis=-1 if x.ndim == 1 else axis)
    if x.ndim == 1:
        widths = _op.reshape(widths, shape=[-1] + [1] * (y.ndim - 1 - axis))
    return _op.sum(means * widths, axes=[axis])


def gradient(x, spacing=1.0, axis=None):
    """Half the difference of both neighbours, at the ends that to the one there is; a list for
    several axes."""
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
    x, axis = _line(x, _one(axis, dim, None))
    return _op.cumsum(x, axis=axis, reverse=reverse, exclusive=exclusive, out=out)


def cumprod(x, axis=None, *, dim=None, reverse=False, exclusive=False, out=None):
    """Products up to and with each element along `axis`; without it of `x` as a vector."""
    x, axis = _line(x, _one(axis, dim, None))
    return _op.cumprod(x, axis=axis, reverse=reverse, exclusive=exclusive, out=out)


def _line(x, axis):
    """The op says what is wrong with an axis."""
    return (ravel(x), 0) if axis is None else (x, axis)


# ---- order --------------------------------------------------------------------------------------


def sort(x, axis=-1, *, descending=False, stable=True, **named):
    """The elements of each line along `axis` in ascending order; tenon.argsort has their places."""
    _no_dim("sort", named, "PyTorch's gives (values, indices): here sort(x, axis=...) is the values, "
            "argsort(x, dim) the indices, and tenon.op.tenon.sort(x, dim) both")  # fmt: skip
    return _op.sort(x, axis=axis, descending=descending, stable=stable)[0]


def kthvalue(x, k, axis=-1, *, dim=None, keepdim=False):
    """(values, indices) of the k-th smallest element of each line along `axis`, k from 1."""
    axis = _axis("kthvalue", axis if dim is None else dim, x.ndim)
    if not 1 <= k <= x.shape[axis]:
        raise _refuse("kthvalue", "k", f"1 to {x.shape[axis]}", str(k))
    found = [_cut(each, axis, k - 1, k) for each in _op.sort(x, axis=axis)]
    return tuple(each if keepdim else _op.squeeze(each, axes=[axis]) for each in found)


def partition(x, kth, axis=-1):
    """With element `kth` of each line where it is in order: all of them are."""
    axis = _axis("partition", axis, x.ndim)
    for each in [kth] if isinstance(kth, int) else kth:
        _axis("partition", each, x.shape[axis])
    return sort(x, axis)


def quantile(x, q, axis=None, *, keepdims=False, dim=None, keepdim=False):
    """Where a share `q` of the elements lies below, linear between two of them; NaN if one is NaN.

    q   a number from 0 to 1, or a vector of them, which is then the first axis of the result
    """
    axis, keepdims = _one(axis, dim, None), keepdims or keepdim
    shape = [1] * x.ndim
    if axis is None:
        line = ravel(x)
    else:
        axes = sorted(_axis("quantile", each, x.ndim) for each in
                      ([axis] if isinstance(axis, int) else axis))  # fmt: skip
        line = moveaxis(x, axes, range(-len(axes), 0))
        shape = [1 if at in axes else length for at, length in enumerate(x.shape)]
        line = _op.reshape(line, shape=[*line.shape[: x.ndim - len(axes)], -1])
    n = line.shape[-1]
    if n == 0:
        raise _refuse("quantile", "x", "one element or more", "none")
    several = isinstance(q, (list, tuple, Tensor)) and not (isinstance(q, Tensor) and q.ndim == 0)
    shares = (q.tolist() if isinstance(q, Tensor) else list(q)) if several else [float(q)]
    ordered = _op.sort(line, axis=-1)[0]
    wrong = _op.isnan(_cut(ordered, ordered.ndim - 1, n - 1, n))  # NaN is the last
    found = [_between(ordered, share, n, wrong) for share in shares]
    found = [_op.squeeze(each, axes=[-1]) for each in found]
    if keepdims:
        found = [_op.reshape(each, shape=shape) for each in found]
    return _op.stack(found) if several else found[0]


def _between(ordered, share, n, wrong):
    if not 0 <= share <= 1:
        raise _refuse("quantile", "q", "0 to 1", str(share))
    place = share * (n - 1)
    low = int(math.floor(place))
    axis = ordered.ndim - 1
    below = _cut(ordered, axis, low, low + 1)
    above = _cut(ordered, axis, low + 1, low + 2) if low + 1 < n else below
    return _op.where(wrong, math.nan, _op.lerp(below, above, place - low))


def percentile(x, q, axis=None, *, keepdims=False):
    """`quantile` of hundredths."""
    shares = [each / 100 for each in q] if isinstance(q, (list, tuple)) else q / 100
    return quantile(x, shares, axis, keepdims=keepdims)


def median(x, axis=None, *, keepdims=False, **named):
    """The middle element, of an even number the mean of both, as NumPy's."""
    _no_dim("median", named, "PyTorch's gives (values, indices), of an even number the lower: "
            "median(x, axis=...) is the mean of both, kthvalue(x, (n + 1) // 2, dim) that")  # fmt: skip
    return quantile(x, 0.5, axis, keepdims=keepdims)


def searchsorted(sorted, values, *, side=None, right=False):
    """Where each of `values` has to be put into the vector `sorted` so that it stays in order: in
    front of equal elements, with side="right" after them."""
    if side not in (None, "left", "right"):
        raise _refuse("searchsorted", "side", "'left' or 'right'", repr(side))
    return _op.searchsorted(sorted, values, right=right or side == "right")


def bucketize(values, boundaries, *, right=False):
    """`searchsorted` with its arguments exchanged."""
    return _op.searchsorted(boundaries, values, right=right)


def digitize(values, bins, right=False):
    """In which bin each of `values` is, with its lower end, or with `right` its upper one."""
    return _op.searchsorted(bins, values, right=not right)


# ---- sets, places -------------------------------------------------------------------------------


def unique(x, *, return_index=False, return_inverse=False, return_counts=False):
    """The different elements in ascending order, and what is asked for: where each is found first,
    which one every element is, how often each is there."""
    values, indices, inverse, counts = _op.unique(x)
    asked = [(indices, return_index), (inverse, return_inverse), (counts, return_counts)]
    more = [each for each, wanted in asked if wanted]
    return (values, *more) if more else values


def unique_values(x):
    """The different elements in ascending order."""
    return _op.unique(x)[0]


def unique_all(x):
    """(values, indices, inverse_indices, counts) of the different elements."""
    return _op.unique(x)


def unique_counts(x):
    """(values, counts) of the different elements."""
    found = _op.unique(x)
    return found[0], found[3]


def unique_inverse(x):
    """(values, inverse_indices) of the different elements."""
    found = _op.unique(x)
    return found[0], found[2]


def unique_consecutive(x):
    """The first of equal elements that follow one another, of `x` as a vector."""
    x = ravel(x)
    if x.size == 0:
        return x
    first = _op.full(shape=[1], value=True, dtype="bool")
    new = _op.concat([first, _cut(x, 0, 1, None) != _cut(x, 0, 0, -1)], axis=0)
    return _op.masked_select(x, new)


def nonzero(x):
    """A vector of indices for each axis of the elements that are not zero; tenon.argwhere has them
    as rows, which is what PyTorch's nonzero gives."""
    if x.ndim == 0:
        raise _refuse("nonzero", "x", "one dimension or more", "rank 0", "x.reshape(1)")
    found = _op.nonzero(x)
    return tuple(_op.squeeze(_cut(found, 1, axis, axis + 1), axes=[1]) for axis in range(x.ndim))


def argwhere(x):
    """The indices of the elements that are not zero, one row for each."""
    return _op.nonzero(x)


def flatnonzero(x):
    """The places of the elements that are not zero, of `x` as a vector."""
    return nonzero(ravel(x))[0]


def where(condition, a=None, b=None, *, out=None):
    """`a` where the condition holds, `b` elsewhere; `nonzero` of the condition alone."""
    if a is None and b is None:
        return nonzero(condition)
    return _op.where(condition, a, b, out=out)


def extract(condition, x):
    """The elements where the condition is not zero, a vector."""
    return _op.masked_select(x, condition if condition.dtype is _core.bool else condition != 0)


def isin(x, elements):
    """Which elements are among `elements`."""
    if not isinstance(elements, Tensor):
        from tenon._tensor import tensor

        elements = tensor(elements)
    found = _op.unsqueeze(x, axes=[-1]) == ravel(elements)
    return _op.any(found, axes=[-1])


def bincount(x, weights=None, minlength=0):
    """How often each of 0, 1, ... is among the integers, or the sum of its weights."""
    if x.ndim != 1 or x.dtype.is_floating_point or x.dtype is _core.bool:
        raise _refuse("bincount", "x", "a vector of integers", f"{x.dtype.name} {x.shape}")
    least = int(_op.min(x).item()) if x.size else 0
    if least < 0:
        raise _refuse("bincount", "x", "integers of 0 or more", str(least))
    size = int(_op.max(x).item()) + 1 if x.size else 0
    size = size if size > minlength else minlength
    dtype = _core.int64 if weights is None else weights.dtype
    zeros = _op.full(shape=[size], value=0, dtype=dtype)
    ones = _op.full(shape=list(x.shape), value=1, dtype=dtype) if weights is None else weights
    return _op.scatter_add(zeros, x.astype(_core.int64), ones, axis=0)


def histogram(x, bins=10, range=None):
    """(counts, edges) of `bins` parts of one width, from the least to the greatest element or over
    `range`; the last one has its upper end, too. For a list, its numbers are the edges."""
    flat = ravel(x)
    if not isinstance(bins, int):
        from tenon._tensor import asarray

        edges = asarray(bins).astype(_core.float64)
    else:
        low, high = range or (_op.min(flat).item(), _op.max(flat).item()) if flat.size else (0, 1)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = _op.linspace(start=low, stop=high, num=bins + 1, dtype=_core.float64)
    wide, n = flat.astype(_core.float64), edges.size - 1
    place = _op.searchsorted(edges, wide, right=True) - 1
    place = _op.where(wide == edges[n], n - 1, place)
    inside = _op.logical_and(place >= 0, place < n)
    counts = bincount(_op.masked_select(place, inside), minlength=n)
    return counts, edges.astype(flat.dtype if flat.dtype.is_floating_point else _core.float32)


def histc(x, bins=100, min=0, max=0):
    """The counts of `histogram`, over min to max unless both are 0, in the dtype of `x`."""
    return histogram(x, bins, None if min == max == 0 else (min, max))[0].astype(x.dtype)


def take(x, indices, axis=None, *, dim=None, out=None):
    """The slices of `x` that `indices` names along `axis`; without it elements of `x` as a
    vector."""
    x, axis = _line(x, _one(axis, dim, None))
    return _op.take(x, indices, axis=axis, out=out)


# ---- comparisons --------------------------------------------------------------------------------


def isclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    """Where |a - b| <= atol + rtol |b|, or both are the same infinity; NaN to NaN if asked."""
    near = _op.abs(a - b) <= atol + rtol * _op.abs(b)
    found = _op.logical_or(_op.eq(a, b), _op.logical_and(near, _op.isfinite(b)))
    if equal_nan:
        found = _op.logical_or(found, _op.logical_and(_op.isnan(a), _op.isnan(b)))
    return found


def allclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    """Is everything close, as `isclose` says? True or False."""
    return bool(_op.all(isclose(a, b, rtol, atol, equal_nan=equal_nan)))


def array_equal(a, b):
    """Have both the same shape and elements? True or False."""
    return a.shape == b.shape and bool(_op.all(_op.eq(a, b)))
