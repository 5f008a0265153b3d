# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_table.py: which of PyTorch's OpInfos show what each op of Tenon means.
"""TABLE maps an op of Tenon to rows; WITHOUT names the ops that no OpInfo can show, and why. Every
registered op is in one of the two.

A row names an OpInfo ("div", or "div.no_rounding_mode" for one variant) and translates its samples:
a function with the parameters of PyTorch's op that gives a Call: Tenon's inputs and attributes.

lacks   {what: given}: where `given` is true the sample asks for what Tenon's op does not offer, and
        counts as uncovered under that name
finish  from PyTorch's result to Tenon's, where the two differ in form

A sample the function has no parameter for is an error, so nothing that PyTorch adds goes unseen.
"""

import dataclasses
from collections.abc import Callable

import torch

AXIS_OF_RANK_0 = "axis of a tensor of rank 0"
NEGATIVE_EPS = "a negative eps"
HOST = "host"  # an attribute that is the host device's kind


@dataclasses.dataclass
class Call:
    inputs: list
    attributes: dict
    lacks: dict
    finish: Callable


@dataclasses.dataclass
class Row:
    opinfo: str
    translate: Callable
    reference: Callable | None = None  # instead of PyTorch's op
    writes: bool = False  # the op's first input is its result
    outputs: int = 1  # that the op has
    output: int = 0  # which of them is compared


@dataclasses.dataclass
class Entry:
    """`slack`: how many units in the last place a result may be off; None: not at all, save that
    zeros of either sign are equal, and NaNs. With `sums` the units are those of the largest number
    among operands and results, because an order of adding shows where terms cancel. Units of a
    gradient (float64) are always those, and its slack is wide because broadcasting adds a hundred
    numbers and more. `why` says where a slack comes from.
    """

    rows: list
    slack: float | None = None
    gradient_slack: float = 32
    why: str = "every result is exact"
    sums: bool = False


def call(*inputs, lacks=None, finish=lambda y: y, **attributes):
    return Call(list(inputs), attributes, lacks or {}, finish)


def axes_of(dim):
    """PyTorch's dim as Tenon's axes; an empty tuple stands for all, as none does."""
    if dim is None or isinstance(dim, int):
        return None if dim is None else [dim]
    return list(dim) or None


def shape_of(given):
    """Sizes given as one tuple or one by one."""
    return list(given[0] if len(given) == 1 and not isinstance(given[0], int) else given)


def numbers(*values):
    return any(not isinstance(value, torch.Tensor) for value in values)


def on_cpu(device):
    return device is None or torch.device(device).type == "cpu"


# ---- translations that several rows share -------------------------------------------------------


def unary(input):
    return call(input)


def binary(input, other):
    return call(input, other)


def swapped(input, other):
    return call(other, input)


def scaled(input, other, *, alpha=1):
    return call(input, other, lacks={"alpha": alpha != 1})


def reduction(input, dim=None, keepdim=False, *, dtype=None):
    axes = axes_of(dim)
    lacks = {"dtype": dtype is not None, AXIS_OF_RANK_0: input.dim() == 0 and axes is not None}
    return call(input, axes=axes, keepdims=keepdim, lacks=lacks)


def in_dtype_of(input):
    """sum_to and einsum add integers in their own dtype, modulo 2^bits; PyTorch in int64."""
    return lambda y: y if y.dtype.is_floating_point else y.to(input.dtype)


def softmax(input, dim, *, dtype=None):
    lacks = {"dtype": dtype is not None, AXIS_OF_RANK_0: input.dim() == 0}
    return call(input, axis=dim, lacks=lacks)


def sizes(input, *size):
    return call(input, shape=shape_of(size))


def sum_to_size(input, *size):
    return call(input, shape=shape_of(size), finish=in_dtype_of(input))


def unflattened(input, dim, sizes):
    dim %= input.dim()
    return call(input, shape=[*input.shape[:dim], *sizes, *input.shape[dim + 1 :]])


def flattened(input, start_dim=0, end_dim=-1):
    return call(input, shape=list(torch.flatten(input, start_dim, end_dim).shape))


def in_format(input, *, memory_format=None):
    """A memory format says where the result lies, not what it is."""
    return call(input)


def cast_to(dtype):
    def translate(input, *, memory_format=None):
        return cast(input, dtype)

    return translate


def cast(input, dtype):
    undefined = False
    if input.is_floating_point() and not (dtype.is_floating_point or dtype == torch.bool):
        limits = torch.iinfo(dtype)
        value = input.detach().double()
        undefined = not bool(((value > limits.min - 1.0) & (value < limits.max + 1.0)).all())
    lacks = {"NaN or a float outside the integer's range, undefined in PyTorch": undefined}
    return call(input, dtype=dtype, lacks=lacks)


def rounded_once(dtype):
    """A cast to 16 bits. PyTorch rounds float64 to float32 first and so, now and then, twice. Here
    the first rounding is to odd, which leaves the second all it needs."""

    def reference(input, *, memory_format=None):
        out = input.to(dtype)
        if input.dtype == torch.float64:
            exact = input.detach()
            near = exact.float()
            bits = near.view(torch.int32) - (near.double().abs() > exact.abs()).int()
            odd = torch.where(near.double() == exact, near.view(torch.int32), bits | 1)
            with torch.no_grad():
                out.copy_(odd.view(torch.float32))
        return out

    return reference


def in_float64(function):
    """Of 16 bits by way of float64: near 0 PyTorch's own are several units off."""

    def reference(input):
        narrow = input.dtype in (torch.float16, torch.bfloat16)
        return function(input.double()).to(input.dtype) if narrow else function(input)

    return reference


def target(input, arguments, dtype):
    """The dtype that Tensor.to is asked for."""
    for argument in (*arguments, dtype):
        if isinstance(argument, torch.Tensor):
            return argument.dtype
        if isinstance(argument, torch.dtype):
            return argument
    return input.dtype


def to_cast(input, *arguments, dtype=None, memory_format=None):
    return cast(input, target(input, arguments, dtype))


def to_device(input, *arguments, dtype=None, memory_format=None):
    lacks = {"dtype": target(input, arguments, dtype) != input.dtype}
    return call(input, kind=HOST, index=0, lacks=lacks)


def filled(value):
    def translate(size, *, dtype, device):
        lacks = {"device": not on_cpu(device)}
        return call(shape=list(size), value=value, dtype=dtype, lacks=lacks)

    return translate


def full(size, fill_value, *, dtype, device):
    return call(shape=list(size), value=fill_value, dtype=dtype)


def full_like(input, fill_value, *, dtype=None, device=None):
    return new_full(input, input.shape, fill_value, dtype=dtype, device=device)


def new_full(input, size, fill_value, *, dtype=None, device=None):
    lacks = {"device": not on_cpu(device)}
    return call(shape=list(size), value=fill_value, dtype=dtype or input.dtype, lacks=lacks)


def concatenated(tensors, dim=0):
    # PyTorch skips an operand of shape (0,) among others of higher rank.
    ranks = {tensor.dim() for tensor in tensors}
    return call(list(tensors), axis=dim, lacks={"operands of different rank": len(ranks) > 1})


def select(input, dim, index):
    index %= input.shape[dim]
    return call(input, axis=dim, start=index, stop=index + 1, finish=lambda y: y.unsqueeze(dim))


def narrow(input, dim, start, length):
    start = int(start) % max(input.shape[dim], 1) if int(start) < 0 else int(start)
    return call(input, axis=dim, start=start, stop=start + length)


def get_item(input, index):
    lone = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if not isinstance(lone, slice):
        return call(input, lacks={"an index that is not one slice": True})
    return call(input, axis=0, start=lone.start, stop=lone.stop, step=lone.step or 1)


def slice_put(input, source, dim=0, start=None, end=None, step=1):
    return call(source, shape=list(input.shape), axis=dim, start=start or 0, step=step)


def slice_into_zeros(input, source, *arguments):
    return torch.slice_scatter(torch.zeros_like(input), source, *arguments)


def squeeze(input, dim=None):
    """PyTorch leaves an axis that is longer than 1; Tenon refuses it."""
    if dim is None:
        return call(input, axes=None)
    axes = [dim] if isinstance(dim, int) else list(dim)
    scalar = input.dim() == 0 and bool(axes)
    longer = not scalar and any(input.shape[axis] != 1 for axis in axes)
    return call(input, axes=axes, lacks={"axis longer than 1": longer, AXIS_OF_RANK_0: scalar})


def transposed(input):
    return call(input, axis0=0, axis1=-1, lacks={"rank below 2": input.dim() < 2})


def transpose(input, dim0, dim1):
    return call(input, axis0=dim0, axis1=dim1, lacks={AXIS_OF_RANK_0: input.dim() == 0})


def movedim(input, source, destination):
    # Sizes that tell the axes apart; without memory, for eight axes would fill much of it.
    marked = torch.empty([axis + 1 for axis in range(input.dim())], device="meta")
    moved = torch.movedim(marked, source, destination)
    return call(input, axes=[size - 1 for size in moved.shape])


def embedding(
    weight,
    indices,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    sparse=False,
):
    lacks = {
        "padding_idx": padding_idx is not None,
        "max_norm": max_norm is not None,
        "scale_grad_by_freq": scale_grad_by_freq,
    }
    return call(weight, indices, lacks=lacks)


def index_add(input, dim, index, source, *, alpha=1):
    """Alpha is multiplied in before."""
    return index_copy(input, dim, index, alpha * source)


def index_copy(input, dim, index, source):
    """Rows are those of axis 0."""
    lacks = {"rank 0": input.dim() == 0}
    if input.dim() == 0:
        return call(input, lacks=lacks)
    moved = input.movedim(dim, 0), index.long(), source.movedim(dim, 0)
    return call(*moved, finish=lambda y: y.movedim(dim, 0))


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    lacks = {
        "rank other than 2": input.dim() != 2,
        "probabilities as target": target.is_floating_point(),
    }
    return call(
        input,
        target,
        weight,
        ignore_index=ignore_index,
        label_smoothing=float(label_smoothing),
        reduction=reduction,
        lacks=lacks,
    )


def gelu(input, *, approximate="none"):
    return call(input, approximate=approximate)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return call(
        input,
        weight,
        bias,
        dims=len(normalized_shape),
        eps=eps,
        lacks={NEGATIVE_EPS: eps < 0},
    )


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    plain = layer_norm(input, normalized_shape, weight, bias, eps)
    return dataclasses.replace(plain, finish=lambda outputs: outputs[0])


def rms_norm(input, normalized_shape, weight=None, eps=None):
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    return call(input, weight, dims=len(normalized_shape), eps=eps, lacks={NEGATIVE_EPS: eps < 0})


def maximum_along(input, dim, keepdim=False):
    plain = reduction(input, dim, keepdim)
    return dataclasses.replace(plain, finish=lambda y: y.values)


def argmax_along(input, dim, keepdim=False):
    return dataclasses.replace(argmax(input, dim, keepdim), finish=lambda y: y.indices)


def argmax(input, dim=None, keepdim=False):
    lacks = {AXIS_OF_RANK_0: input.dim() == 0 and dim is not None}
    return call(input, axis=dim, keepdims=keepdim, lacks=lacks)


def scaled_onto(input, tensor1, tensor2, *, value=1):
    """Of integers PyTorch cuts off what their dtype does not hold of the value."""
    dtype = torch.promote_types(torch.promote_types(input.dtype, tensor1.dtype), tensor2.dtype)
    cut = False
    if not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool):
        limits = torch.iinfo(dtype)
        cut = isinstance(value, float) or not limits.min <= value <= limits.max
    lacks = {"a value that is no integer of the operands' dtype": cut}
    return call(input, tensor1, tensor2, value=value, lacks=lacks)


def quotient_onto(input, tensor1, tensor2, *, value=1):
    return call(input, tensor1, tensor2, value=float(value))


CASTS = {
    "bool": torch.bool,
    "byte": torch.uint8,
    "char": torch.int8,
    "short": torch.int16,
    "int": torch.int32,
    "long": torch.int64,
    "float": torch.float32,
    "double": torch.float64,
}
NARROW_CASTS = {"half": torch.float16, "bfloat16": torch.bfloat16}

PRODUCTS = "matmul", "mm", "bmm", "mv", "dot"

# ---- the table ----------------------------------------------------------------------------------

LIBRARY = "one call of a mathematical function on either side, and products in the gradient"
SUMS = "PyTorch adds in another order"

TABLE = {
    "tenon.add": Entry([Row("add", scaled)]),
    "tenon.addcmul": Entry(
        [Row("addcmul", scaled_onto)], 4, 32, "two products and a sum", sums=True
    ),
    "tenon.addcdiv": Entry(
        [Row("addcdiv", quotient_onto)], 4, 32, "quotient, product and sum", sums=True
    ),
    "tenon.argmax": Entry([Row("argmax", argmax), Row("max.reduction_with_dim", argmax_along)]),
    "tenon.atan2": Entry([Row("atan2", binary)], 2, 32, LIBRARY),
    "tenon.cast": Entry(
        [
            Row("to", to_cast),
            *[Row(name, cast_to(dtype)) for name, dtype in CASTS.items()],
            *[
                Row(name, cast_to(dtype), rounded_once(dtype))
                for name, dtype in NARROW_CASTS.items()
            ],
        ]
    ),
    "tenon.concat": Entry([Row("cat", concatenated)]),
    "tenon.copy": Entry([Row("clone", in_format), Row("contiguous", in_format)]),
    "tenon.cos": Entry([Row("cos", unary)], 2, 8, LIBRARY),
    "tenon.div": Entry(
        [Row("div.no_rounding_mode", binary), Row("true_divide", binary)],
        None,
        8,
        "x",
    ),
    "tenon.embedding": Entry([Row("nn.functional.embedding", embedding)]),
    "tenon.eq": Entry([Row("eq", binary)]),
    "tenon.erf": Entry([Row("erf", unary, in_float64(torch.erf))], 2, 8, LIBRARY),
    "tenon.exp": Entry([Row("exp", unary)], 2, 8, LIBRARY),
    "tenon.expand": Entry(
        [
            Row("expand", sizes),
            Row("broadcast_to", sizes),
            Row("expand_as", lambda input, other: call(input, shape=list(other.shape))),
        ]
    ),
    "tenon.expm1": Entry([Row("expm1", unary)], 2, 8, LIBRARY),
    "tenon.full": Entry(
        [
            Row("full", full),
            Row("zeros", filled(0)),
            Row("ones", filled(1)),
            Row("full_like", full_like),
            Row("new_full", new_full),
        ]
    ),
    "tenon.gelu": Entry([Row("nn.functional.gelu", gelu)], 4, 8, LIBRARY, sums=True),
    "tenon.hypot": Entry([Row("hypot", binary)], 2, 32, LIBRARY),
    "tenon.isfinite": Entry([Row("isfinite", unary)]),
    "tenon.layer_norm": Entry(
        [Row("nn.functional.layer_norm", layer_norm), Row("native_layer_norm", native_layer_norm)],
        4,
        8192,
        "PyTorch adds in another order; its gradient of a row of one element is no exact 0, but a "
        "rounding times 1 / sqrt(eps)",
        sums=True,
    ),
    "tenon.log": Entry([Row("log", unary)], 2, 8, LIBRARY),
    "tenon.log1p": Entry([Row("log1p", unary)], 2, 8, LIBRARY),
    "tenon.log_softmax": Entry([Row("log_softmax", softmax)], 4, 32, SUMS, sums=True),
    "tenon.lt": Entry([Row("lt", binary)]),
    "tenon.matmul": Entry([Row(name, binary) for name in PRODUCTS], 4, 32, SUMS, sums=True),
    "tenon.max": Entry(
        [
            Row("amax", reduction),
            Row("max.reduction_no_dim", unary),
            Row("max.reduction_with_dim", maximum_along),
        ]
    ),
    "tenon.maximum": Entry([Row("maximum", binary), Row("max.binary", binary)]),
    "tenon.mean": Entry([Row("mean", reduction)], 4, 32, SUMS, sums=True),
    "tenon.mul": Entry([Row("mul", binary)], None, 32, "broadcast gradients add products"),
    "tenon.neg": Entry([Row("neg", unary)]),
    "tenon.permute": Entry(
        [Row("permute", lambda input, dims: call(input, axes=list(dims))), Row("movedim", movedim)]
    ),
    "tenon.pow": Entry(
        [Row("pow", binary), Row("__rpow__", swapped)],
        2,
        32,
        LIBRARY,
    ),
    "tenon.relu": Entry([Row("nn.functional.relu", unary)]),
    "tenon.reshape": Entry(
        [
            Row("reshape", sizes),
            Row("view", sizes),
            Row("flatten", flattened),
            Row("ravel", flattened),
            Row("unflatten", unflattened),
        ]
    ),
    "tenon.rms_norm": Entry([Row("nn.functional.rms_norm", rms_norm)], 4, 32, SUMS, sums=True),
    "tenon.rows_add": Entry([Row("index_add", index_add, writes=True)]),
    "tenon.rows_put": Entry([Row("index_copy", index_copy, writes=True)]),
    "tenon.sigmoid": Entry([Row("sigmoid", unary)], 2, 8, LIBRARY),
    "tenon.sin": Entry([Row("sin", unary)], 2, 8, LIBRARY),
    "tenon.slice": Entry(
        [Row("narrow", narrow), Row("select", select), Row("__getitem__", get_item)]
    ),
    "tenon.slice_put": Entry([Row("slice_scatter", slice_put, reference=slice_into_zeros)]),
    "tenon.softmax": Entry([Row("softmax", softmax)], 4, 32, SUMS, sums=True),
    "tenon.softmax_cross_entropy": Entry(
        [Row("nn.functional.cross_entropy", cross_entropy)], 4, 32, SUMS, sums=True
    ),
    "tenon.sqrt": Entry([Row("sqrt", unary)], 1, 8, "PyTorch's is not correctly rounded"),
    "tenon.squeeze": Entry([Row("squeeze", squeeze)]),
    "tenon.sub": Entry([Row("sub", scaled)]),
    "tenon.sum": Entry([Row("sum", reduction)], 4, 32, SUMS, sums=True),
    "tenon.sum_to": Entry([Row("sum_to_size", sum_to_size)], 4, 32, SUMS, sums=True),
    "tenon.tanh": Entry([Row("tanh", unary)], 2, 8, LIBRARY),
    "tenon.to": Entry([Row("to", to_device)]),
    "tenon.transpose": Entry([Row("transpose", transpose), Row("t", transposed)]),
    "tenon.where": Entry(
        [Row("where", lambda input, condition, other: call(condition, input, other))]
    ),
}

OPTIMIZER = "no OpInfo: a step of an optimizer; optimizer_info_test.py compares it"
ROWS = "no OpInfo, and no sparse optimizer of PyTorch's with the same rule"
GENERATOR = "no OpInfo of the same numbers: another generator; random123_test.py has the proof"
CALLED_FOR_GRADIENT = "no OpInfo: what {} calls for its gradient, which is compared"

WITHOUT = {
    "tenon.adam_rows": OPTIMIZER,
    "tenon.adam_step": OPTIMIZER,
    "tenon.adamw_rows": ROWS,
    "tenon.adamw_step": OPTIMIZER,
    "tenon.gelu_grad": CALLED_FOR_GRADIENT.format("gelu"),
    "tenon.layer_norm_grad": CALLED_FOR_GRADIENT.format("layer_norm"),
    "tenon.normal": GENERATOR,
    "tenon.rms_norm_grad": CALLED_FOR_GRADIENT.format("rms_norm"),
    "tenon.sgd_rows": ROWS,
    "tenon.sgd_step": OPTIMIZER,
    "tenon.softmax_cross_entropy_grad": CALLED_FOR_GRADIENT.format("softmax_cross_entropy"),
    "tenon.uniform": GENERATOR,
}
