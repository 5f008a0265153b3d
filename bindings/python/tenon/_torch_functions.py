# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_functions.py: functions of PyTorch's tensors as ops of Tenon.

import inspect

import torch

from tenon import _custom, _errors
from tenon._torch_exchange import share, take


def function(schema, f):
    """Makes a function of PyTorch an op of Tenon, with its gradient by PyTorch's autograd.

        gelu = tenon.torch.function("mine.gelu", torch.nn.functional.gelu)
        y = gelu(tenon.tensor([1.0, 2.0]))           # also tenon.op.mine.gelu

    schema   "vendor.name" for a function of float tensors of one dtype that gives one such tensor;
             anything else as docs/schema.md says, with the op's full name
    f        gets operands by position and attributes by name

    It computes in host memory, is differentiable once, and cannot be captured.
    """
    _errors.check_type("tenon.torch.function", "f", f, None, "a function of PyTorch's tensors")
    _errors.check_type("tenon.torch.function", "schema", schema, str, "a text")
    if "(" not in schema:
        schema = _plain_schema(schema, f)

    def forward(*operands, **attributes):
        with torch.no_grad():
            return _ours(f(*map(_theirs, operands), **attributes))

    forward.__doc__ = inspect.getdoc(f) or f"The function {getattr(f, '__name__', f)} of PyTorch."
    op = _custom.CustomOp(schema, forward, False)
    op.shape(_shapes(f))
    op.backward(_rule(op, f), twice=False)
    return op


def _plain_schema(name, f):
    """Of a function whose parameters without a default are tensors."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # a built-in one
        parameters = None
    names = ["x"]
    if parameters is not None:
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [each.name for each in parameters
                 if each.kind in plain and each.default is inspect.Parameter.empty]  # fmt: skip
    return f"{name}({', '.join(f'{each}: T[...]' for each in names)}) -> T[...] where T: float"


def _shared(x):
    """On the memory of `x`; a copy of what PyTorch has no strides for."""
    return share(x.detach().contiguous() if min(x.strides, default=0) < 0 else x)


def _theirs(given):
    if isinstance(given, (list, tuple)):
        return [_shared(each) for each in given]
    return None if given is None else _shared(given)


def _ours(results):
    if isinstance(results, (list, tuple)):
        return tuple(take(each.detach().contiguous()) for each in results)
    return take(results.detach().contiguous())


def _shapes(f):
    """Its results' shapes: what it says of tensors without values."""

    def empty(shape):
        if shape is None:
            return None
        if shape and isinstance(shape[0], tuple):
            return [empty(each) for each in shape]
        return torch.empty(shape, device="meta")

    def rule(*shapes, **attributes):
        results = f(*map(empty, shapes), **attributes)
        several = isinstance(results, (list, tuple))
        return [tuple(x.shape) for x in results] if several else tuple(results.shape)

    return rule


def _flat(given):
    return [x for each in given for x in (each if isinstance(each, list) else [each])]


def _rule(op, f):
    """The backward rule: PyTorch runs the function once more, recorded."""
    inputs, outputs, attributes = op._input_names, op._output_names, op._rule.attributes
    count = len(outputs)

    def rule(*given):
        grads = given[:count]
        operands = [_theirs(each) for each in given[count : count + len(inputs)]]
        named = dict(zip(attributes, given[count + len(inputs) :], strict=True))
        leaves = [x for x in _flat(operands) if x is not None and x.dtype.is_floating_point]
        with torch.enable_grad():
            for leaf in leaves:
                leaf.requires_grad_()
            results = f(*operands, **named)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        pairs = [(x, _shared(grad)) for x, grad in zip(results, grads, strict=True)
                 if grad is not None and x.requires_grad]  # fmt: skip
        found = torch.autograd.grad(
            [x for x, _ in pairs], leaves, [seed for _, seed in pairs], allow_unused=True
        )
        of = {id(leaf): each for leaf, each in zip(leaves, found, strict=True)}

        def gradient(theirs):
            each = of.get(id(theirs))
            return None if each is None else take(each.contiguous())

        made = [tuple(map(gradient, each)) if isinstance(each, list) else gradient(each)
                for each in operands]  # fmt: skip
        return tuple(made) if len(made) > 1 else made[0]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [f"grad{i}" for i in range(count)] + [*inputs, *attributes]
    rule.__signature__ = inspect.Signature([inspect.Parameter(each, kind) for each in names])
    return rule
