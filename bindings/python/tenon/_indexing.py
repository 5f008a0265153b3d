# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_indexing.py: x[...] and x[...] = y by NumPy's rules, made of ops.
"""Integers, slices, None and Ellipsis give views. Tensors of integers and of bools gather: the
result has their common shape where they stand side by side, else in front. A truth alone is a mask
of an axis of length 1 that is put in at its place."""

from operator import index

from tenon import _core, _errors
from tenon._core import Tensor
from tenon._ops import op


def _refuse(kind, operand, expected, found, hint=""):
    return _errors.make_refusal(kind, "index", operand, expected, found, hint)


def _is_int(key):
    return not isinstance(key, (bool, Tensor)) and hasattr(key, "__index__") and not hasattr(
        key, "__len__"
    )


def _as_index(key):
    """A tensor for what stands for one: lists and arrays."""
    from tenon._tensor import tensor

    if isinstance(key, Tensor):
        return key
    if isinstance(key, (list, bool)) or hasattr(key, "__array__") or hasattr(key, "__dlpack__"):
        made = tensor(key)
        return made.astype(_core.int64) if made.size == 0 and isinstance(key, list) else made
    raise _refuse(
        "type",
        "key",
        "integers, slices, None, Ellipsis, and tensors of integers or bools",
        type(key).__name__,
    )


def _parts(x, key):
    """The parts of a key, Ellipsis filled up: integers, slices, None, tensors."""
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [
        part if part is None or part is Ellipsis or isinstance(part, slice) or _is_int(part)
        else _as_index(part)
        for part in parts
    ]
    used = sum(
        part.ndim if isinstance(part, Tensor) and part.dtype is _core.bool else 1
        for part in parts
        if part is not None and part is not Ellipsis
    )
    dots = [at for at, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise _refuse("index", "key", "one Ellipsis", f"{len(dots)}")
    if used > x.ndim:
        raise _refuse("index", "key", f"at most {x.ndim} indices", f"{used}")
    at = dots[0] if dots else len(parts)
    # One that stands for nothing stays: it still keeps its neighbours apart.
    parts[at : at + len(dots)] = [slice(None)] * (x.ndim - used) or dots and [Ellipsis]
    return parts


def _place(index, length, axis):
    """An integer as a place counted from 0."""
    index = index.__index__()
    if not -length <= index < length:
        raise _refuse(
            "index", f"axis {axis}", f"-{length} to {length - 1}" if length else "no place",
            str(index),
        )
    return index % length


def _mask_indices(x, mask, axis):
    """Where a mask over dimensions of `x` from `axis` on is true: one index tensor for each."""
    covered = x.shape[axis : axis + mask.ndim]
    # One of length 0 has nothing that is true, and fits everywhere, as the standard says.
    if not all(mine in (there, 0) for mine, there in zip(mask.shape, covered, strict=True)):
        raise _refuse("index", "mask", f"shape {covered}", f"shape {mask.shape}")
    places = op.tenon.nonzero(mask)
    return [places[:, i] for i in range(mask.ndim)]


def _wrapped(index, length):
    """Index tensors may count from the end."""
    if index.dtype is not _core.int64 and index.dtype is not _core.int32:
        if index.dtype.is_floating_point:
            raise _refuse("type", "key", "a tensor of integers or bools", index.dtype.name)
        index = index.astype(_core.int64)
    return op.tenon.where(index < 0, index + length, index)


class _Plan:
    """What a key asks for: a view, then index tensors for its first dimensions.

    target   the view, with the dimensions that are indexed by tensors first
    indices  a tensor for each of these
    order    how to permute the gathered result, None: not at all
    """

    def __init__(self, x, key):
        parts = _parts(x, key)
        gathers = any(isinstance(part, Tensor) for part in parts)
        view, axis, gathered = x, 0, []  # gathered: (axis of view, index)
        groups = []  # places of index tensors among the parts, to see whether they are neighbours
        for at, part in enumerate(parts):
            if part is Ellipsis:
                continue
            if part is None:
                view = op.tenon.unsqueeze(view, axes=[axis])
                axis += 1
            elif isinstance(part, slice):
                view = self._sliced(view, part, axis)
                axis += 1
            elif isinstance(part, Tensor):
                found = [part]
                if part.dtype is _core.bool and part.ndim == 0:
                    view = op.tenon.unsqueeze(view, axes=[axis])
                    part = op.tenon.reshape(part, shape=[1])
                if part.dtype is _core.bool:
                    found = _mask_indices(view, part, axis)
                for index in found:
                    gathered.append((axis, _wrapped(index, view.shape[axis])))
                    axis += 1
                groups.append(at)
            elif gathers:  # an integer beside index tensors is one of them
                place = _place(part, view.shape[axis], axis)
                gathered.append((axis, op.tenon.full(shape=[], value=place, dtype=_core.int64)))
                groups.append(at)
                axis += 1
            else:
                place = _place(part, view.shape[axis], axis)
                view = op.tenon.slice(view, axis=axis, start=place, stop=place + 1)
                view = op.tenon.squeeze(view, axes=[axis])
        self.indices = [index for _, index in gathered]
        self.order = None
        if gathered:
            self._move_to_front(view, [axis for axis, _ in gathered], groups)
        else:
            self.target = view

    @staticmethod
    def _sliced(view, part, axis):
        if part.start is None and part.stop is None and part.step is None:
            return view
        start, stop, step = (
            None if each is None else index(each) for each in (part.start, part.stop, part.step)
        )
        if step == 0:
            raise _refuse("value", "slice", "a step that is not 0", "0")
        return op.tenon.slice(
            view, axis=axis, start=start, stop=stop, step=1 if step is None else step
        )

    def _move_to_front(self, view, axes, groups):
        rest = [axis for axis in range(view.ndim) if axis not in axes]
        if axes == list(range(len(axes))):
            self.target = view
        else:
            self.target = op.tenon.permute(view, axes=axes + rest)
        dtypes = {index.dtype for index in self.indices}
        if len(dtypes) > 1:
            self.indices = [index.astype(_core.int64) for index in self.indices]
        neighbours = groups == list(range(groups[0], groups[-1] + 1))
        if neighbours and axes[0] > 0:
            common = max(index.ndim for index in self.indices)
            front = list(range(common, common + axes[0]))
            self.order = front + list(range(common)) + list(
                range(common + axes[0], common + len(rest))
            )

    def gather(self):
        found = op.tenon.index(self.target, self.indices)
        return found if self.order is None else op.tenon.permute(found, axes=self.order)

    def put(self, value):
        """Writes `value`, a tensor or a number, at the places of the key."""
        if isinstance(value, Tensor) and self.order is not None:
            lead = [1] * (len(self.order) - value.ndim)
            value = op.tenon.reshape(value, shape=[*lead, *value.shape])
            back = sorted(range(len(self.order)), key=self.order.__getitem__)
            value = op.tenon.permute(value, axes=back)
        op.tenon.index_put(self.target, self.indices, value, out=self.target)


def get_item(x, key):
    """x[key]"""
    plan = _Plan(x, key)
    return plan.gather() if plan.indices else plan.target


def set_item(x, key, value):
    """x[key] = value: broadcast to the place, cast to x's dtype, written in place."""
    from tenon._tensor import tensor

    if getattr(value, "ndim", None) == 0 and not isinstance(value, Tensor):
        value = value.item()  # a number of NumPy's
    if isinstance(value, (list, tuple)):
        value = tensor(value, x.dtype, device=x.device)
    elif not isinstance(value, (Tensor, bool, int, float)):
        value = tensor(value)
    if isinstance(value, Tensor):
        value = value.astype(x.dtype)
    else:
        value = op.tenon.full(shape=[], value=value, dtype=x.dtype)
    plan = _Plan(x, key)
    if plan.indices:
        plan.put(value)
        return
    target = plan.target
    if value.shape != target.shape:
        lead = value.ndim - target.ndim
        if lead > 0 and all(length == 1 for length in value.shape[:lead]):
            value = op.tenon.reshape(value, shape=value.shape[lead:])
        value = op.tenon.broadcast_to(value, shape=target.shape)
    op.tenon.copy(value, out=target)
