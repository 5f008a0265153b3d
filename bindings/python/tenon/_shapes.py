# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_shapes.py: joining, cutting and rearranging, by the array API standard's
# names, NumPy's and PyTorch's.
from tenon._core import Tensor
from tenon._errors import refuse as _refuse
from tenon._operands import operands as _operands
from tenon._operands import together as _together
from tenon._ops import op

_op = op.tenon


def _axis(function, axis, ndim):
    """An axis as a number from 0."""
    axis = axis.__index__()
    if not -ndim <= axis < ndim:
        raise _refuse(function, "axis", f"-{ndim} to {ndim - 1}", str(axis), kind="index")
    return axis % ndim


def _axes(function, axes, ndim):
    given = [axes] if isinstance(axes, int) else list(axes)
    return [_axis(function, each, ndim) for each in given]


def _one(axis, dim, *others, default=None):
    """The one of several words for an argument that is given: `axis`, `dim`, ..."""
    given = [each for each in (axis, dim, *others) if each is not None]
    if len(given) > 1:
        raise _refuse("arguments", "axis", "one of axis, axes and dim", "two", "", "type")
    return given[0] if given else default


# ---- joining ------------------------------------------------------------------------------------


def concat(tensors, axis=0, *, dim=None, out=None):
    """Tensors one after the other along `axis`; for None all of them as vectors."""
    tensors = list(tensors) if hasattr(tensors, "__iter__") else tensors
    if axis is None:
        tensors, axis = [ravel(each) for each in _together("concat", tensors)], 0
    return _op.concat(tensors, axis=axis if dim is None else dim, out=out)


def _at_least(function, tensors, ndim):
    """With axes of length 1 in front."""
    return [
        each
        if each.ndim >= ndim
        else _op.reshape(each, shape=[1] * (ndim - each.ndim) + [*each.shape])
        for each in _together(function, list(tensors))
    ]


def hstack(tensors):
    """Side by side: along axis 1, vectors along axis 0."""
    tensors = _at_least("hstack", tensors, 1)
    return _op.concat(tensors, axis=0 if tensors[0].ndim == 1 else 1)


def vstack(tensors):
    """One under the other: along axis 0, vectors as rows."""
    return _op.concat(_at_least("vstack", tensors, 2), axis=0)


def _columns(tensors):
    tensors = _together("column_stack", list(tensors))
    return [_op.reshape(each, shape=[-1, 1]) if each.ndim < 2 else each for each in tensors]


def column_stack(tensors):
    """Side by side: along axis 1, vectors as columns."""
    return _op.concat(_columns(tensors), axis=1)


def dstack(tensors):
    """Along axis 2: of [n] as [1, n, 1], of [m, n] as [m, n, 1]."""
    wide = _at_least("dstack", tensors, 2)
    return _op.concat([_op.unsqueeze(x, axes=[2]) if x.ndim < 3 else x for x in wide], axis=2)


@_operands("x values")
def append(x, values, axis=None):
    """`values` after `x` along `axis`; both as vectors without it."""
    if axis is None:
        x, values, axis = ravel(x), ravel(values), 0
    return _op.concat([x, values], axis=axis)


@_operands("x")
def insert(x, index, values, axis=None):
    """`values` in front of place `index` of `x` along `axis`; of `x` as a vector without it."""
    if axis is None:
        x, axis = ravel(x), 0
    axis = _axis("insert", axis, x.ndim)
    index = index + x.shape[axis] if index < 0 else index
    if not 0 <= index <= x.shape[axis]:
        raise _refuse("insert", "index", f"0 to {x.shape[axis]}", str(index), kind="index")
    from tenon._tensor import asarray

    values = asarray(values, x.dtype, device=x.device)
    if values.ndim <= x.ndim:  # as NumPy: what is put in comes along the first axis
        lead = [1] * (x.ndim - values.ndim)
        values = moveaxis(_op.reshape(values, shape=[*lead, *values.shape]), 0, axis)
    shape = [*x.shape[:axis], values.shape[axis], *x.shape[axis + 1 :]]
    new = _op.broadcast_to(values, shape=shape)
    return _op.concat([_cut(x, axis, 0, index), new, _cut(x, axis, index, None)], axis=axis)


@_operands("x")
def delete(x, index, axis=None):
    """`x` without place `index` along `axis`; as a vector without it."""
    if axis is None:
        x, axis = ravel(x), 0
    axis = _axis("delete", axis, x.ndim)
    index = _axis("delete", index, x.shape[axis])
    return _op.concat([_cut(x, axis, 0, index), _cut(x, axis, index + 1, None)], axis=axis)


# ---- cutting ------------------------------------------------------------------------------------


def _cut(x, axis, start, stop):
    return _op.slice(x, axis=axis, start=start, stop=stop)


def _pieces(x, axis, bounds):
    return [_cut(x, axis, start, stop) for start, stop in zip(bounds, bounds[1:], strict=False)]


@_operands("x")
def split(x, indices_or_sections=None, axis=0, *, dim=None, sizes=None):
    """Views of `x` cut along `axis`, a list, as NumPy does it: a number says how many equal pieces,
    a list before which places to cut. By name, `sizes` says how long each piece is."""
    if dim is not None:
        raise _refuse(
            "split", "dim", "axis", "dim",
            "PyTorch's split takes the size of the pieces: here that is sizes=[...] with axis=, "
            "and tenon.chunk(x, n, dim) cuts into n",
        )  # fmt: skip
    axis = _axis("split", axis, x.ndim)
    length = x.shape[axis]
    if (sizes is None) == (indices_or_sections is None):
        raise _refuse("split", "sizes", "a number of pieces, places or sizes", "none, or two", "")
    if sizes is not None:
        bounds = [0]
        for size in sizes:
            bounds.append(bounds[-1] + size)
        if bounds[-1] != length or min(sizes, default=0) < 0:
            raise _refuse("split", "sizes", f"sizes of 0 or more whose sum is {length}", str(sizes))
    elif isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or length % indices_or_sections:
            raise _refuse(
                "split", "sections", f"a divisor of {length}", str(indices_or_sections),
                "tenon.array_split makes pieces that are not equal",
            )  # fmt: skip
        return array_split(x, indices_or_sections, axis)
    else:
        return array_split(x, indices_or_sections, axis)
    return _pieces(x, axis, bounds)


@_operands("x")
def array_split(x, indices_or_sections, axis=0, *, dim=None):
    """As `split`; pieces need not be equal: the first ones are longer by one."""
    axis = _axis("array_split", axis if dim is None else dim, x.ndim)
    length = x.shape[axis]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count < 1:
            raise _refuse("array_split", "sections", "1 or more", str(count))
        places = [(length // count) * i + min(i, length % count) for i in range(count + 1)]
    else:
        inner = [min(max(i + length if i < 0 else i, 0), length) for i in indices_or_sections]
        places = [0, *inner, length]
    return [_cut(x, axis, start, max(start, stop)) for start, stop in zip(places, places[1:])]


@_operands("x")
def chunk(x, chunks, axis=None, *, dim=None):
    """Views of `x` cut along `axis` into at most `chunks` pieces of one size, the last one perhaps
    smaller: a tuple, as PyTorch's."""
    axis = _axis("chunk", _one(axis, dim, default=0), x.ndim)
    if not isinstance(chunks, int) or chunks < 1:
        raise _refuse("chunk", "chunks", "1 or more", repr(chunks))
    length = x.shape[axis]
    size = max(1, -(-length // chunks))
    return tuple(_cut(x, axis, at, min(at + size, length)) for at in range(0, max(length, 1), size))


@_operands("x")
def unbind(x, axis=None, *, dim=None):
    """A view for each place along `axis`, without that axis: a tuple."""
    axis = _axis("unbind", _one(axis, dim, default=0), x.ndim)
    return tuple(select(x, axis, place) for place in range(x.shape[axis]))


unstack = unbind


@_operands("x")
def select(x, axis, index):
    """A view of one place along `axis`, without that axis."""
    axis = _axis("select", axis, x.ndim)
    index = _axis("select", index, x.shape[axis])
    return _op.squeeze(_cut(x, axis, index, index + 1), axes=[axis])


@_operands("x")
def narrow(x, axis, start, length):
    """A view of `length` places along `axis` from `start` on."""
    axis = _axis("narrow", axis, x.ndim)
    if start < 0 or length < 0 or start + length > x.shape[axis]:
        raise _refuse("narrow", "length", f"places of 0 to {x.shape[axis]}", f"{start}, {length}")
    return _cut(x, axis, start, start + length)


# ---- rearranging --------------------------------------------------------------------------------


def ravel(x):
    """As a vector."""
    return _op.reshape(x, shape=[-1])


def expand_dims(x, axis=0):
    """With a new axis of length 1 at place `axis`; with several for a tuple."""
    return _op.unsqueeze(x, axes=[axis] if isinstance(axis, int) else list(axis))


@_operands("x")
def moveaxis(x, source, destination):
    """Axes moved to other places, the others in their order."""
    come = _axes("moveaxis", source, x.ndim)
    go = _axes("moveaxis", destination, x.ndim)
    if len(come) != len(go) or len(set(come)) != len(come) or len(set(go)) != len(go):
        raise _refuse("moveaxis", "destination", "as many axes as sources, each once", str(go))
    order = [axis for axis in range(x.ndim) if axis not in come]
    for place, axis in sorted(zip(go, come, strict=True)):
        order.insert(place, axis)
    return _op.permute(x, axes=order)


movedim = moveaxis


def swapaxes(x, axis0, axis1):
    """Two axes exchanged; a view."""
    return _op.transpose(x, axis0=axis0, axis1=axis1)


@_operands("x")
def transpose(x, *axes, axis0=None, axis1=None, dim0=None, dim1=None):
    """Axes in reverse order; transpose(x, 0, 1): two axes exchanged; transpose(x, (2, 0, 1)): in
    that order. A view."""
    pair = (_one(axis0, dim0), _one(axis1, dim1))
    if pair != (None, None):
        axes = (*axes, *(each for each in pair if each is not None))
    if len(axes) == 1 and hasattr(axes[0], "__iter__"):
        return _op.permute(x, axes=list(axes[0]))
    if not axes or axes == (None,):
        return _op.permute(x, axes=list(range(x.ndim))[::-1])
    if len(axes) == 2:
        return _op.transpose(x, axis0=axes[0], axis1=axes[1])
    if len(axes) == x.ndim:
        return _op.permute(x, axes=list(axes))
    raise _refuse("transpose", "axes", "two axes, or all of them", str(axes))


@_operands("x")
def matrix_transpose(x):
    """The last two axes exchanged; a view."""
    if x.ndim < 2:
        raise _refuse("matrix_transpose", "x", "two or more dimensions", str(x.ndim))
    return _op.transpose(x, axis0=-2, axis1=-1)


@_operands("x")
def t(x):
    """A matrix with its axes exchanged; a vector as it is."""
    if x.ndim > 2:
        raise _refuse("t", "x", "at most two dimensions", str(x.ndim), "x.mT, x.T")
    return x if x.ndim < 2 else matrix_transpose(x)


@_operands("x")
def rot90(x, k=1, axes=(0, 1), *, dims=None):
    """Turned by k quarters, from the first of the two axes towards the second."""
    first, second = _axes("rot90", axes if dims is None else dims, x.ndim)
    k %= 4
    if k == 2:
        return _op.flip(x, axes=[first, second])
    if k == 1:
        return _op.transpose(_op.flip(x, axes=[second]), axis0=first, axis1=second)
    if k == 3:
        return _op.flip(_op.transpose(x, axis0=first, axis1=second), axes=[second])
    return _op.copy(x)


def fliplr(x):
    """In reverse order along axis 1."""
    return _op.flip(x, axes=[1])


def flipud(x):
    """In reverse order along axis 0."""
    return _op.flip(x, axes=[0])


@_operands("x")
def repeat(x, repeats, *more, axis=None):
    """Each element `repeats` times one after another along `axis`; of `x` as a vector without it.
    `repeats` may be a vector with a number for each of its places. That is NumPy's and the
    standard's; PyTorch's method of this name is `tenon.tile`."""
    if isinstance(repeats, (list, Tensor)) and not more:
        return _repeat_each(x, repeats, axis)
    if not isinstance(repeats, int) or more:
        raise _refuse(
            "repeat", "repeats", "one number", str((repeats, *more)),
            "tenon.tile(x, repetitions) repeats the whole, as PyTorch's x.repeat(2, 1) does",
            "type",
        )  # fmt: skip
    return _op.repeat(x, repeats=repeats, axis=axis)


def _repeat_each(x, repeats, axis):
    from tenon._tensor import asarray

    if axis is None:
        x, axis = ravel(x), 0
    axis = _axis("repeat", axis, x.ndim)
    counts = ravel(asarray(repeats).astype("int64"))
    if counts.size == 1:
        counts = _op.broadcast_to(counts, shape=[x.shape[axis]])
    if counts.size != x.shape[axis] or (counts.size and _op.min(counts).item() < 0):
        expected = f"one number, or {x.shape[axis]} of 0 or more"
        raise _refuse("repeat", "repeats", expected, str(counts.tolist()))
    ends = _op.cumsum(counts, axis=0)
    total = ends[-1].item() if counts.size else 0
    places = _op.arange(start=0, stop=total, step=1, dtype="int64")
    return _op.take(x, _op.searchsorted(ends, places, right=True), axis=axis)


def repeat_interleave(x, repeats, axis=None, *, dim=None):
    """PyTorch's name of `repeat`."""
    return repeat(x, repeats, axis=_one(axis, dim))


def tile(x, *times, repetitions=None, reps=None, dims=None):
    """The whole, one after another along each axis: tile(x, 2, 1) or tile(x, (2, 1))."""
    given = times or (_one(repetitions, reps, dims),)
    if len(given) == 1 and hasattr(given[0], "__iter__"):
        given = given[0]
    return _op.tile(x, repetitions=list(given))


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes have together."""
    from tenon._rules import _broadcast

    shapes = [(each,) if isinstance(each, int) else tuple(each) for each in shapes]
    found = _broadcast(shapes)
    if found is None:
        raise _refuse("broadcast_shapes", "shapes", "shapes that broadcast together", str(shapes))
    return found


def broadcast_arrays(*tensors):
    """Views of all of them in the shape that they have together."""
    tensors = _together("broadcast_arrays", tensors)
    shape = list(broadcast_shapes(*(each.shape for each in tensors)))
    return [_op.broadcast_to(each, shape=shape) for each in tensors]


broadcast_tensors = broadcast_arrays


@_operands("x")
def diag(x, k=0, *, diagonal=None):
    """The diagonal of a matrix; of a vector a matrix with it on the diagonal, and zeros."""
    k = k if diagonal is None else diagonal
    if x.ndim == 1:
        return diag_embed(x, k)
    if x.ndim != 2:
        raise _refuse("diag", "x", "a vector or a matrix", f"{x.ndim} dimensions", "x.diagonal()")
    return _op.diagonal(x, offset=k)


@_operands("x")
def diag_embed(x, offset=0):
    """Matrices [..., n, n] with the vectors [..., n] on the diagonal `offset`, and zeros."""
    n = x.shape[-1] + abs(offset)
    wide = _op.pad(x, pads=[max(offset, 0), max(-offset, 0)], axes=[-1])
    wide = _op.broadcast_to(_op.unsqueeze(wide, axes=[-2]), shape=[*x.shape[:-1], n, n])
    return _op.where(_op.eye(n=n, k=offset, dtype="bool"), wide, 0)


def tril_indices(row, col=None, offset=0, *, k=None):
    """Rows and columns of the places on diagonal `offset` and below: [2, n]."""
    ones = _op.full(shape=[row, row if col is None else col], value=True, dtype="bool")
    return _op.permute(
        _op.nonzero(_op.tril(ones, diagonal=offset if k is None else k)), axes=[1, 0]
    )


def triu_indices(row, col=None, offset=0, *, k=None):
    """Rows and columns of the places on diagonal `offset` and above: [2, n]."""
    ones = _op.full(shape=[row, row if col is None else col], value=True, dtype="bool")
    return _op.permute(
        _op.nonzero(_op.triu(ones, diagonal=offset if k is None else k)), axes=[1, 0]
    )


def cartesian_prod(*tensors):
    """All combinations of elements of vectors, one a row."""
    from tenon._creation import meshgrid

    return _op.stack([ravel(each) for each in meshgrid(*tensors, indexing="ij")], axis=-1)


@_operands("x")
def pad(x, pads, *, axes=None, mode="constant", value=0, constant_values=None):
    """More elements on each side.

    pads   one number for all sides; (before, after) for all axes; ((before, after), ...) for each
           axis, as NumPy takes it, or the same as one list, as the op "tenon.pad" does
    """
    value = value if constant_values is None else constant_values
    count = x.ndim if axes is None else len(axes)
    if isinstance(pads, int):
        pads = [pads] * (2 * count)
    pads = list(pads)
    if pads and not isinstance(pads[0], int):
        if len(pads) == 1:
            pads *= count
        pads = [number for each in pads for number in each]
    elif len(pads) == 2:
        pads *= count
    return _op.pad(x, pads=pads, axes=axes, mode=mode, value=value)


@_operands("x")
def unflatten(x, axis, sizes):
    """Axis `axis` as several axes of these lengths."""
    axis = _axis("unflatten", axis, x.ndim)
    return _op.reshape(x, shape=[*x.shape[:axis], *sizes, *x.shape[axis + 1 :]])


def view_as(x, other):
    """As `view`, in the shape of `other`."""
    return _op.view(x, shape=list(other.shape))


def reshape_as(x, other):
    """In the shape of `other`."""
    return _op.reshape(x, shape=list(other.shape))


def expand_as(x, other):
    """As `expand`, to the shape of `other`."""
    return _op.expand(x, shape=list(other.shape))


def reshape(x, shape, *more, copy=None):
    """The same elements in another shape, of which one length may be -1.

    copy   True: always a copy; False: never, but an error where one would be needed
    """
    shape = [shape, *more] if isinstance(shape, int) else list(shape)
    if copy is False:
        return _op.view(x, shape=shape)
    return _op.reshape(_op.copy(x) if copy else x, shape=shape)


def squeeze(x, axis=None, *, axes=None, dim=None):
    """Without the given axes, or all, of length 1; a view."""
    return _op.squeeze(x, axes=_one(axis, dim, axes))


def flip(x, axis=None, *, axes=None, dims=None, dim=None, out=None):
    """In reverse order along each of the axes, or along all."""
    axis = _one(axis, dim, dims, axes)
    return _op.flip(x, axes=axis, out=out)


def roll(x, shift=None, axis=None, *, shifts=None, axes=None, dims=None, out=None):
    """Moved on by `shift` places along `axis`, the last ones to the front; without an axis as a
    vector."""
    shift, axis = _one(shift, shifts), _one(axis, dims, axes)
    if axis is not None and not isinstance(axis, int) and isinstance(shift, int):
        shift = [shift] * len(axis)
    return _op.roll(x, shifts=shift, axes=axis, out=out)


def _near(diagonal):
    """The same diagonal as a number of 64 bits: none of a matrix is further away."""
    return max(-(2**62), min(diagonal, 2**62)) if isinstance(diagonal, int) else diagonal


def tril(x, k=0, *, diagonal=None):
    """With zeros above diagonal `k` of the matrices in the last two axes."""
    return _op.tril(x, diagonal=_near(k if diagonal is None else diagonal))


def triu(x, k=0, *, diagonal=None):
    """With zeros below diagonal `k` of the matrices in the last two axes."""
    return _op.triu(x, diagonal=_near(k if diagonal is None else diagonal))
