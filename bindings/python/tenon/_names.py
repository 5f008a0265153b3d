# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_names.py: which names the package has beside ops: functions made of ops,
# with the module they are in, and other names of ops. Read when a name is asked for that is not
# there yet.
from importlib import import_module

_FUNCTIONS = {
    "_creation": (
        "arange array as_tensor astype empty empty_like eye from_numpy full_like identity "
        "linspace logspace manual_seed meshgrid normal ones ones_like rand rand_like randint "
        "randn randn_like randperm tri zeros zeros_like"
    ),
    "_shapes": (
        "append array_split broadcast_arrays broadcast_shapes broadcast_tensors cartesian_prod "
        "chunk column_stack concat delete diag diag_embed dstack expand_dims flip fliplr flipud "
        "hstack insert matrix_transpose moveaxis movedim narrow pad ravel repeat "
        "repeat_interleave reshape roll rot90 split squeeze swapaxes t tile transpose tril "
        "tril_indices triu triu_indices unbind unflatten unstack vstack"
    ),
    "_reductions": (
        "all any average corrcoef count_nonzero cov cumprod cumsum cumulative_prod cumulative_sum "
        "diff dist gradient max mean min nanmean nansum norm prod ptp std sum trapezoid var"
    ),
    "_statistics": (
        "allclose argwhere array_equal bincount bucketize digitize extract flatnonzero histc "
        "histogram isclose isin kthvalue median nonzero partition percentile quantile "
        "searchsorted sort take unique unique_all unique_consecutive unique_counts unique_inverse "
        "unique_values where"
    ),
    "_elementwise": (
        "addmm baddbmm can_cast cbrt cdist clip conj copysign cross deg2rad dot einsum fmax fmin "
        "fmod frac gather imag index_select inner interp is_tensor isdtype kron logaddexp "
        "nan_to_num promote_types rad2deg real result_type round scatter scatter_add signbit "
        "take_along_dim tensordot trace vecdot"
    ),
}
FUNCTIONS = {name: module for module, names in _FUNCTIONS.items() for name in names.split()}

# Other names of ops and of the functions above.
ALIASES = {
    "absolute": "abs", "amax": "op.max", "amin": "op.min", "arccos": "acos", "arccosh": "acosh",
    "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh",
    "bitwise_invert": "bitwise_not", "cat": "concat", "clamp_max": "minimum",
    "clamp_min": "maximum", "concatenate": "concat", "conjugate": "conj", "copy": "op.copy",
    "divide": "div", "equal": "eq", "fix": "trunc", "ger": "op.outer", "greater": "gt",
    "greater_equal": "ge", "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift", "less": "lt", "less_equal": "le", "mm": "matmul",
    "mod": "remainder", "multiply": "mul", "mv": "matmul", "negative": "neg", "not_equal": "ne",
    "permute_dims": "permute", "positive": "op.copy", "power": "pow",
    "right_shift": "bitwise_right_shift", "rint": "op.round", "row_stack": "vstack",
    "sgn": "sign", "subtract": "sub", "swapdims": "swapaxes", "tensor_split": "array_split",
    "true_divide": "div",
}  # fmt: skip

# Functions whose first argument is a tensor are methods, too.
_NO_METHODS = set(
    (
        "all any append arange array as_tensor astype broadcast_arrays broadcast_shapes "
        "broadcast_tensors cartesian_prod cat column_stack concat concatenate dstack einsum empty "
        "eye from_numpy hstack identity insert is_tensor isdtype linspace logspace manual_seed "
        "mean meshgrid normal ones prod promote_types rand randint randn randperm reshape "
        "result_type row_stack sort squeeze sum tri tril_indices triu_indices vstack where zeros"
    ).split()
)
_ONLY_METHODS = {
    "select": "_shapes",
    "view_as": "_shapes",
    "reshape_as": "_shapes",
    "expand_as": "_shapes",
}

# Methods that are no functions: those of _methods.py.
METHODS = (
    "fill_ zero_ fill copy_ requires_grad_ normal_ uniform_ scatter_ scatter_add_ index_add_ "
    "index_copy_ index_put_ masked_fill_ detach_ sort float double half bfloat16 bool int long "
    "short type type_as cpu is_floating_point dim numel stride element_size nbytes itemsize data "
    "mT new_tensor new_zeros new_ones new_full register_hook byte char cuda is_cpu is_cuda "
    "get_device is_complex is_signed is_same_size is_nonzero nelement ndimension new_empty H mH "
    "adjoint inverse pinverse logdet matrix_power aminmax index_add index_copy index_fill "
    "index_fill_ split_with_sizes"
).split()

CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045, "inf": float("inf")}
CONSTANTS |= {"nan": float("nan"), "newaxis": None}


# What other libraries have by a name that is not here, and what is in its place.
INSTEAD = {
    "Generator": "tenon.seed, get_rng_state and set_rng_state are those of this thread",
    "autograd": "tenon.grad, tenon.backward, tenon.custom_op for ops with a gradient of your own",
    "choose": "tenon.where",
    "compile": "tenon.captured",
    "complex64": "complex numbers are not offered",
    "complex128": "complex numbers are not offered",
    "cuda": 'tenon.query("devices"); devices are texts: x.to("cuda:0")',
    "device": 'devices are texts: "cpu", "cuda:0"',
    "fft": "complex numbers, and what needs them, are not offered",
    "func": "tenon.grad, tenon.value_and_grad",
    "logcumsumexp": "not offered yet",
    "mode": "tenon.unique(x, return_counts=True)",
    "put_along_axis": "tenon.scatter(x, axis, indices, values)",
    "random": "tenon.seed, rand, randn, randint, randperm, normal",
    "select": "tenon.where; x.select(axis, index)",
    "set_default_dtype": "numbers are float32: dtype= in each call",
    "set_grad_enabled": "with tenon.no_grad: or with tenon.enable_grad:",
    "set_printoptions": "x.numpy() prints as NumPy is told to",
    "torch": "import tenon.torch",
    "vmap": "ops work on batches: dimensions in front",
}

# The same for methods and attributes of tensors.
METHODS_INSTEAD = {
    "apply_": "x.numpy() is the same memory; a loop over it",
    "as_strided": "x.unfold, x.reshape, slices",
    "as_strided_": "x.unfold, x.reshape, slices",
    "base": "x.storage is equal for tensors that share memory",
    "flags": "x.is_contiguous, x.is_read_only",
    "flat": "x.ravel()",
    "grad_fn": "x.node; tenon.draw shows the graph",
    "map_": "x.copy_ of what an op gives",
    "mode": INSTEAD["mode"],
    "pin_memory": "loaders pin memory themselves",
    "record_stream": "nothing: memory in use is not given to others",
    "resize": "x.reshape, or a new tensor",
    "resize_": "x.reshape, or a new tensor",
    "set_": "x[...] = values",
    "share_memory_": "tensors are shared by threads as they are",
    "storage_offset": "x.data_ptr",
    "to_dense": "tensors are dense",
    "to_sparse": "sparse tensors are not offered",
    "tobytes": "x.numpy().tobytes()",
    "tofile": "tenon.save",
    "tostring": "x.numpy().tobytes()",
    "untyped_storage": "x.storage is equal for tensors that share memory",
}


def find_function(name):
    """The function or op of that name; None if there is none."""
    from tenon._ops import _look_up

    name = ALIASES.get(name, name)
    if name in FUNCTIONS:
        return getattr(import_module(f"tenon.{FUNCTIONS[name]}"), name)
    return _look_up(f"tenon.{name.removeprefix('op.')}")[0]


def find_method(name):
    """The method or property of that name, if it is no op; None if there is none."""
    if name in _ONLY_METHODS:
        return getattr(import_module(f"tenon.{_ONLY_METHODS[name]}"), name)
    if (name in FUNCTIONS or name in ALIASES) and name not in _NO_METHODS:
        return find_function(name)
    if name in METHODS or (name.endswith("_") and not name.endswith("__")):
        return import_module("tenon._methods").find(name)
    return None


def method_names():
    """All that `find_method` finds, but in-place forms."""
    named = set(FUNCTIONS) | set(ALIASES) | set(_ONLY_METHODS) | set(METHODS)
    return (named - _NO_METHODS) | {"sort"}
