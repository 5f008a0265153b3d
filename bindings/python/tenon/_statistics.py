# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_statistics.py: order, sets, places and comparisons, by the array API
# standard's names, NumPy's and PyTorch's. Where these mean different things by one name, the
# standard speaks first, then NumPy; what PyTorch's words would mean otherwise is an error that says
# so.
import math
from collections import namedtuple

from tenon import _core
from tenon._errors import refuse as _refuse
from tenon._operands import operands as _operands
from tenon._ops import op
from tenon._reductions import _line, _no_dim
from tenon._shapes import _axis, _cut, _one, moveaxis, ravel

_op = op.tenon


# ---- order --------------------------------------------------------------------------------------


def sort(x, axis=-1, *, descending=False, stable=True, **named):
    """The elements of each line along `axis` in ascending order; tenon.argsort has their places."""
    _no_dim(
        "sort",
        named,
        "PyTorch's gives (values, indices): here sort(x, axis=...) is the values, argsort(x, dim) "
        "the indices, and tenon.op.tenon.sort(x, dim) both",
    )
    return _op.sort(x, axis=axis, descending=descending, stable=stable)[0]


@_operands("x")
def kthvalue(x, k, axis=None, *, dim=None, keepdim=False):
    """(values, indices) of the k-th smallest element of each line along `axis`, k from 1."""
    axis = _axis("kthvalue", _one(axis, dim, default=-1), x.ndim)
    if not 1 <= k <= x.shape[axis]:
        raise _refuse("kthvalue", "k", f"1 to {x.shape[axis]}", str(k))
    found = [_cut(each, axis, k - 1, k) for each in _op.sort(x, axis=axis)]
    return tuple(each if keepdim else _op.squeeze(each, axes=[axis]) for each in found)


@_operands("x")
def partition(x, kth, axis=-1):
    """With element `kth` of each line where it is in order: all of them are."""
    axis = _axis("partition", axis, x.ndim)
    for each in [kth] if isinstance(kth, int) else kth:
        _axis("partition", each, x.shape[axis])
    return sort(x, axis)


@_operands("x")
def quantile(x, q, axis=None, *, keepdims=False, dim=None, keepdim=False):
    """Where a share `q` of the elements lies below, linear between two of them; NaN if one is NaN.

    q   a number from 0 to 1, or a vector of them, which is then the first axis of the result
    """
    axis, keepdims = _one(axis, dim), keepdims or keepdim
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
    several = isinstance(q, (list, tuple)) or getattr(q, "ndim", 0) > 0
    shares = (q.tolist() if hasattr(q, "tolist") else list(q)) if several else [float(q)]
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
    _no_dim(
        "median",
        named,
        "PyTorch's gives (values, indices), of an even number the lower: median(x, axis=...) is "
        "the mean of both, kthvalue(x, (n + 1) // 2, dim) that",
    )
    return quantile(x, 0.5, axis, keepdims=keepdims)


@_operands("sorted values")
def searchsorted(sorted, values, *, side=None, sorter=None, right=False):
    """Where each of `values` has to be put into the vector `sorted` so that it stays in order: in
    front of equal elements, with side="right" after them. `sorter` are the places of `sorted` in
    order, if it is not."""
    sorted = sorted if sorter is None else _op.take(sorted, sorter)
    if side not in (None, "left", "right"):
        raise _refuse("searchsorted", "side", "'left' or 'right'", repr(side))
    return _places(sorted, values, right or side == "right")


def _places(sorted, values, right):
    """In the dtype that both have together; integers and numbers with a point meet in float64,
    which is exact up to 2^53."""
    if sorted.dtype is not values.dtype:
        floats = [each.dtype.is_floating_point for each in (sorted, values)]
        common = _core.common(sorted, values) if floats[0] == floats[1] else "float64"
        sorted, values = sorted.astype(common), values.astype(common)
    return _op.searchsorted(sorted, values, right=right)


@_operands("values boundaries")
def bucketize(values, boundaries, *, right=False):
    """`searchsorted` with its arguments exchanged."""
    return _places(boundaries, values, right)


@_operands("values bins")
def digitize(values, bins, right=False):
    """In which bin each of `values` is, with its lower end, or with `right` its upper one."""
    return _places(bins, values, not right)


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


UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def unique_all(x):
    """(values, indices, inverse_indices, counts) of the different elements."""
    return UniqueAll(*_op.unique(x))


def unique_counts(x):
    """(values, counts) of the different elements."""
    found = _op.unique(x)
    return UniqueCounts(found[0], found[3])


def unique_inverse(x):
    """(values, inverse_indices) of the different elements."""
    found = _op.unique(x)
    return UniqueInverse(found[0], found[2])


def unique_consecutive(x):
    """The first of equal elements that follow one another, of `x` as a vector."""
    x = ravel(x)
    if x.size == 0:
        return x
    first = _op.full(shape=[1], value=True, dtype="bool")
    new = _op.concat([first, _cut(x, 0, 1, None) != _cut(x, 0, 0, -1)], axis=0)
    return _op.masked_select(x, new)


@_operands("x")
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


@_operands("condition", "x")
def extract(condition, x):
    """The elements where the condition is not zero, a vector."""
    return _op.masked_select(x, condition if condition.dtype is _core.bool else condition != 0)


@_operands("x elements")
def isin(x, elements, *, invert=False):
    """Which elements are among `elements`; with `invert` which are not."""
    found = _op.unsqueeze(x, axes=[-1]) == ravel(elements)
    found = _op.any(found, axes=[-1])
    return _op.logical_not(found) if invert else found


@_operands("x", "weights")
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

        edges = asarray(bins, _core.float64)
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


@_operands("x")
def histc(x, bins=100, min=0, max=0):
    """The counts of `histogram`, over min to max unless both are 0, in the dtype of `x`."""
    return histogram(x, bins, None if min == max == 0 else (min, max))[0].astype(x.dtype)


def take(x, indices, axis=None, *, dim=None, out=None):
    """The slices of `x` that `indices` names along `axis`; without it elements of `x` as a
    vector."""
    x, axis = _line(x, _one(axis, dim))
    return _op.take(x, indices, axis=axis, out=out)


# ---- comparisons --------------------------------------------------------------------------------


@_operands("a b")
def isclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    """Where |a - b| <= atol + rtol |b|, or both are the same infinity; NaN to NaN if asked."""
    a = a if a.dtype.is_floating_point else a.astype(_core.float64)
    b = b if b.dtype.is_floating_point else b.astype(_core.float64)
    near = _op.abs(a - b) <= atol + rtol * _op.abs(b)
    found = _op.logical_or(_op.eq(a, b), _op.logical_and(near, _op.isfinite(b)))
    if equal_nan:
        found = _op.logical_or(found, _op.logical_and(_op.isnan(a), _op.isnan(b)))
    return found


def allclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    """Is everything close, as `isclose` says? True or False."""
    return bool(_op.all(isclose(a, b, rtol, atol, equal_nan=equal_nan)))


@_operands("a b")
def array_equal(a, b):
    """Have both the same shape and elements? True or False."""
    return a.shape == b.shape and bool(_op.all(_op.eq(a, b)))
