# SPDX-License-Identifier: Apache-2.0
# tests/python/operands_calls.py: a call of each function of the package that takes several
# operands, for tenon and for NumPy alike, and the names that are none; a name without an entry
# fails test_operands.py.
"""A call is f(m, x, o): `m` has the functions by Tenon's names, `x` is a tensor or an array, `o`
what stands beside it: a number, a list, a NumPy scalar or array."""

import operator

from support import tenon

# ---- functions of two operands, in either order -------------------------------------------------

# Tenon's name: NumPy's. Elements with elements: of every kind.
ELEMENTS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "true_divide",
    "floor_divide": "floor_divide", "remainder": "remainder", "pow": "power",
    "maximum": "maximum", "minimum": "minimum", "fmax": "fmax", "fmin": "fmin",
    "atan2": "arctan2", "hypot": "hypot", "nextafter": "nextafter", "logaddexp": "logaddexp",
    "fmod": "fmod", "copysign": "copysign",
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
    "logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
    "isclose": "isclose", "allclose": "allclose", "array_equal": "array_equal",
    "append": "append", "isin": "isin", "inner": "inner", "dot": "dot", "kron": "kron",
}  # fmt: skip

# Vectors, or matrices, with such.
VECTORS = {
    "outer": "outer", "matmul": "matmul", "vecdot": "vecdot", "cross": "cross",
    "linalg.matmul": "matmul", "linalg.outer": "outer", "linalg.vecdot": "vecdot",
    "linalg.cross": "cross",
}  # fmt: skip

OPERATORS = {
    name: getattr(operator, name)
    for name in (
        "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge"
    ).split()
}


def _method(name):
    return lambda m, x, o: getattr(m, name)(x, o)


def _swapped(name):
    return lambda m, x, o: getattr(m, name)(o, x)


# ---- others: a name, and what is called ---------------------------------------------------------


def _operator(function):
    return lambda m, x, o: function(x, o)


def _reflected(function):
    return lambda m, x, o: function(o, x)


def _set(key):
    def call(m, x, o):
        x = m.copy(x)
        x[key] = o
        return x

    return call


def _in_place(function):
    def call(m, x, o):
        return function(m.copy(x), o)

    return call


ANY = {
    "clamp": lambda m, x, o: m.clamp(x, o, None),
    "clamp max": lambda m, x, o: m.clamp(x, None, o),
    "where": lambda m, x, o: m.where(x > 1, x, o),
    "where swapped": lambda m, x, o: m.where(x > 1, o, x),
    "insert": lambda m, x, o: m.insert(x, 1, o),
    "concat": lambda m, x, o: m.concat([x, o], axis=None),
    "hstack": lambda m, x, o: m.hstack([x, o]),
    "x[...] = o": _set(...),
    "x[1:] = o": lambda m, x, o: _set(slice(0, 3))(m, x, o),
    "x[[0, 1, 2]] = o": _set([0, 1, 2]),
    "x[mask] = o": _set([True, True, True]),
}
ANY |= {f"x {name} o": _operator(function) for name, function in OPERATORS.items()}
ANY |= {f"o {name} x": _reflected(function) for name, function in OPERATORS.items()}
ANY |= {
    f"x {name[1:]}= o": _in_place(getattr(operator, name))
    for name in "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()
}
ANY |= {name: _method(name) for name in ELEMENTS}
ANY |= {f"{name} swapped": _swapped(name) for name in ELEMENTS}
VECTOR = {name: _method(name) for name in VECTORS}
VECTOR |= {f"{name} swapped": _swapped(name) for name in VECTORS}
VECTOR |= {
    "x @ o": lambda m, x, o: x @ o,
    "o @ x": lambda m, x, o: o @ x,
    "tensordot": lambda m, x, o: m.tensordot(x, o, 1),
    "linalg.tensordot": lambda m, x, o: m.tensordot(x, o, 1),
    "einsum": lambda m, x, o: m.einsum("i,i->", x, o),
    "einsum outer": lambda m, x, o: m.einsum("i,j->ij", o, x),
    "interp": lambda m, x, o: m.interp(x, o, [1, 2, 4]),
    "interp x": lambda m, x, o: m.interp(o, m.sort(x), [1, 2, 4]),
    "interp fp": lambda m, x, o: m.interp(x, [1, 2, 4], o),
    "trapezoid": lambda m, x, o: m.trapezoid(x, o),
    "trapezoid y": lambda m, x, o: m.trapezoid(o, x),
    "average": lambda m, x, o: m.average(x, weights=o),
    "diff": lambda m, x, o: m.diff(x, append=o),
    "diff prepend": lambda m, x, o: m.diff(x, prepend=o),
    "searchsorted": lambda m, x, o: m.searchsorted(m.sort(x), o),
    "searchsorted sorted": lambda m, x, o: m.searchsorted(o, x),
    "digitize": lambda m, x, o: m.digitize(x, o),
    "digitize values": lambda m, x, o: m.digitize(o, m.sort(x)),
    "vstack": lambda m, x, o: m.vstack([x, o]),
    "dstack": lambda m, x, o: m.dstack([o, x]),
    "column_stack": lambda m, x, o: m.column_stack([x, o]),
    "stack": lambda m, x, o: m.stack([x, o]),
    "concat of vectors": lambda m, x, o: m.concat([o, x]),
    "extract": lambda m, x, o: m.extract(o, x),
    "extract x": lambda m, x, o: m.extract(x, o),
    "meshgrid": lambda m, x, o: m.meshgrid(x, o)[1],
    "x[i:j] = o": _set(slice(0, 3)),
    "take": lambda m, x, o: m.take(m.concat([x, x]), o),
    "take_along_axis": lambda m, x, o: m.take_along_axis(m.concat([x, x]), m.asarray(o), axis=-1),
}


def calls():
    """{name: (call, does it take numbers?)}"""
    return {
        **{name: (call, True) for name, call in ANY.items()},
        **{name: (call, False) for name, call in VECTOR.items()},
    }


# ---- functions of one operand -------------------------------------------------------------------


def _plain(name):
    module = tenon if hasattr(tenon, name) else tenon.linalg
    return lambda x: getattr(module, name)(x)


ONE = {
    name: _plain(name)
    for name in (
        "all any count_nonzero cov corrcoef cumprod cumsum gradient max mean min nanmean nansum "
        "norm prod ptp std sum var argwhere flatnonzero histc histogram median nonzero sort unique "
        "unique_all unique_consecutive unique_counts unique_inverse unique_values cbrt clip conj "
        "deg2rad frac imag nan_to_num rad2deg real round signbit trace diag diag_embed fliplr "
        "flipud matrix_transpose ravel rot90 squeeze t transpose tril triu unbind unstack "
        "expand_dims flip full_like zeros_like ones_like empty_like "
        "cholesky det diagonal eigh eigvalsh inv matrix_norm matrix_rank pinv qr slogdet svd "
        "svdvals vector_norm"
    ).split()
}
ONE["trace"] = lambda x: tenon.trace(tenon.asarray(x))  # refuses a list, and says why
ONE |= {
    "bincount": lambda x: tenon.bincount([0, 1], x[0]),
    "chunk": lambda x: tenon.chunk(x, 2),
    "cumulative_sum": lambda x: tenon.cumulative_sum(x, axis=0),
    "cumulative_prod": lambda x: tenon.cumulative_prod(x, axis=0, dtype="float64"),
    "delete": lambda x: tenon.delete(x, 0, axis=1),
    "split": lambda x: tenon.split(x, 2),
    "array_split": lambda x: tenon.array_split(x, 2),
    "kthvalue": lambda x: tenon.kthvalue(x, 1),
    "partition": lambda x: tenon.partition(x, 1),
    "percentile": lambda x: tenon.percentile(x, 10),
    "quantile": lambda x: tenon.quantile(x, [0.1, 0.2]),
    "moveaxis": lambda x: tenon.moveaxis(x, 0, 1),
    "movedim": lambda x: tenon.movedim(x, 0, 1),
    "swapaxes": lambda x: tenon.swapaxes(x, 0, 1),
    "narrow": lambda x: tenon.narrow(x, 0, 0, 1),
    "pad": lambda x: tenon.pad(x, 1),
    "repeat": lambda x: tenon.repeat(x, [1, 2], axis=0),
    "repeat_interleave": lambda x: tenon.repeat_interleave(x, 2),
    "reshape": lambda x: tenon.reshape(x, [4]),
    "roll": lambda x: tenon.roll(x, 1),
    "tile": lambda x: tenon.tile(x, 2),
    "unflatten": lambda x: tenon.unflatten(x, 0, [2, 1]),
    "select": lambda x: tenon.asarray(x).select(0, 1),
    "view_as": lambda x: tenon.asarray(x).view_as(tenon.zeros(4)),
    "reshape_as": lambda x: tenon.asarray(x).reshape_as(tenon.zeros(4)),
    "expand_as": lambda x: tenon.asarray(x).expand_as(tenon.zeros(1, 2, 2)),
    "take": lambda x: tenon.take(x, [0, 3]),
    "gather": lambda x: tenon.gather(x, 1, [[0], [1]]),
    "index_select": lambda x: tenon.index_select(x, 1, [0]),
    "take_along_dim": lambda x: tenon.take_along_dim(x, [[0, 1]], 0),
    "matrix_power": lambda x: tenon.linalg.matrix_power(x, 2),
    "astype": lambda x: tenon.astype(tenon.asarray(x), "float64"),
    "broadcast_arrays": lambda x: tenon.broadcast_arrays(x, [1.0]),
    "broadcast_tensors": lambda x: tenon.broadcast_tensors(x, [1.0]),
    # Of several operands, without a counterpart in NumPy.
    "addmm": lambda x: tenon.addmm(x, x, [[1.0, 2.0], [3.0, 4.0]]),
    "baddbmm": lambda x: tenon.baddbmm(x, x, x),
    "bucketize": lambda x: tenon.bucketize(x, [1.5, 2.0]),
    "cartesian_prod": lambda x: tenon.cartesian_prod(x[0], [1.0, 2.0]),
    "cdist": lambda x: tenon.cdist(x, [[1.0, 2.0]]),
    "dist": lambda x: tenon.dist(x, 0.5),
    "scatter": lambda x: tenon.scatter(x, 1, [[0], [1]], [[7.0], [8.0]]),
    "scatter_add": lambda x: tenon.scatter_add(x, 1, [[0], [1]], [[7.0], [8.0]]),
    "lstsq": lambda x: tenon.linalg.lstsq(x, [1.0, 2.0])[0],
    "solve": lambda x: tenon.linalg.solve(x, [[1.0], [2.0]]),
    "solve_triangular": lambda x: tenon.linalg.solve_triangular(x, [[1.0], [2.0]]),
}
# Without operands, or with none that is a number.
OTHERS = dict.fromkeys(
    "arange array as_tensor empty eye from_numpy identity linspace logspace manual_seed normal "
    "ones rand randint randn randperm tri zeros tril_indices triu_indices broadcast_shapes".split(),
    "makes tensors",
)
OTHERS |= dict.fromkeys("rand_like randn_like".split(), "random")
OTHERS |= dict.fromkeys(
    "can_cast is_tensor isdtype promote_types result_type".split(), "speaks of dtypes"
)
