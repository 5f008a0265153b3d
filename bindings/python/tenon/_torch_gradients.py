# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_gradients.py: backward rules of Tenon's ops in PyTorch's autograd.
"""A call that requires a gradient is recorded by Tenon in the thread that makes it, and PyTorch's
node keeps what was recorded: backward walks it, nothing is computed twice.

If that cannot be, because the call is traced, the backward is to be differentiated again, or
another thread walks, the op `tenon_bridge::gradient` runs the call once more, recorded, and its
rule. It has a gradient by the same means: each order is the gradient of the one before.
"""

import functools
import json
import threading

import torch
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd.function import _SingleLevelFunction

from tenon import _autograd, _bridge, _core, _errors
from tenon._runtime import begin_grad_mode, end_grad_mode
from tenon._torch_batches import add_rule
from tenon._torch_exchange import give, take

_ENABLED = 0
# The key set of a call is cut down to what comes after gradients; PLAIN is what is left if nobody
# but Tenon has a say.
BELOW = torch._C._after_autograd_keyset.remove(torch._C.DispatchKey.BackendSelect)
PLAIN = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU).raw_repr()


# ---- calls as data ------------------------------------------------------------------------------


class Call:
    """What of a call is not tensors, so that a graph can hold it as a text.

    places      for each operand of the op: the number of its tensor, a list of them, or None
    attributes  {name: value}
    orders      [(how many results the order before has, which of its tensors are differentiated)]
    """

    def __init__(self, bridge, places, attributes, orders=()):
        self.bridge, self.places, self.attributes = bridge, places, attributes
        self.orders = orders

    @staticmethod
    def of(bridge, arguments, named):
        """The call, and its tensors."""
        names = bridge.names
        given = {**dict(zip(names, arguments, strict=False)), **named}
        tensors, places = _bridge.flatten(bridge.schema.inputs, given)
        attributes = {
            name: _attribute(each) for name, each in given.items() if each is not None
        }  # fmt: skip
        return Call(bridge, places, attributes), tensors

    def operands(self, tensors):
        return [
            None if each is None
            else [tensors[i] for i in each] if isinstance(each, list) else tensors[each]
            for each in self.places
        ]  # fmt: skip

    def run(self, tensors):
        """The op itself, of Tenon's tensors: a list."""
        results = self.bridge.op(*self.operands(tensors), **self.attributes)
        return list(results) if isinstance(results, tuple) else [results]

    def text(self, orders):
        said = [self.bridge.name, self.places, self.attributes, orders]
        return json.dumps(said)

    @staticmethod
    @functools.lru_cache(maxsize=4096)
    def parse(text):
        name, places, attributes, orders = json.loads(text)
        from tenon._torch_ops import find

        return Call(find(name), places, attributes, orders)


def _attribute(given):
    """As JSON has it."""
    if isinstance(given, torch.dtype):
        return str(given).removeprefix("torch.")
    if isinstance(given, (list, tuple)):
        return [int(each) for each in given]
    if isinstance(given, torch.SymInt):
        return int(given)
    return float(given) if isinstance(given, torch.SymFloat) else given


# ---- gradients of any order ---------------------------------------------------------------------


def _derivative(call, order, tensors):
    """The results of order `order`, recorded unless it is the last."""
    if order == 0:
        return call.run(tensors)
    count, wanted = call.orders[order - 1]
    seeds, inner = tensors[:count], tensors[count:]
    results = _derivative(call, order - 1, inner)
    pairs = [
        (result, seed) for result, seed in zip(results, seeds, strict=True)
        if seed is not None and result is not None and result.requires_grad
    ]  # fmt: skip
    found = [None] * len(wanted)
    if pairs:
        found = _autograd.grad(
            [result for result, _ in pairs], [inner[i] for i in wanted],
            [seed for _, seed in pairs], create_graph=order < len(call.orders),
        )  # fmt: skip
    return found


def _leaves(call, tensors):
    """Tenon's tensors, of which those require a gradient that any order asks for."""
    taken = [None if each is None else take(each) for each in tensors]
    differentiated, first = set(), 0
    for count, wanted in reversed(call.orders):
        first += count
        differentiated |= {first + i for i in wanted}
    for i in differentiated:
        taken[i].requires_grad = True
    return taken


def _gradient(tensors, text):
    """The kernel of tenon_bridge::gradient."""
    call = Call.parse(text)
    count, wanted = call.orders[-1]
    begin_grad_mode(_ENABLED)
    try:
        taken = _leaves(call, tensors)
        found = _derivative(call, len(call.orders), taken)
    finally:
        end_grad_mode()
    inner = tensors[count:]
    return [_returned(each, inner[i]) for i, each in zip(wanted, found, strict=True)]


def _returned(gradient, tensor):
    """A gradient in PyTorch: zeros for one that a rule leaves out; False: none is needed."""
    if gradient is None:
        return torch.zeros_like(tensor, memory_format=torch.contiguous_format)
    return None if gradient is False else give(gradient)


def _gradient_shapes(tensors, text):
    count, wanted = Call.parse(text).orders[-1]
    inner = tensors[count:]
    return [
        torch.empty(inner[i].shape, dtype=inner[i].dtype, device=inner[i].device) for i in wanted
    ]


class _Again(_SingleLevelFunction):
    """A gradient that is to be differentiated again."""

    @staticmethod
    def forward(ctx, keys, text, *tensors):
        ctx.text = text
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        return tuple(_redispatched(_overload, keys, (list(tensors), text), {}))

    @staticmethod
    def backward(ctx, *grads):
        tensors, call = list(ctx.saved_tensors), Call.parse(ctx.text)
        return (None, None, *differentiate(call, grads, tensors, ctx.needs_input_grad[2:]))


def _applied(node, *arguments):
    """One level of the node; torch.func's transforms are levels, each of which calls it again."""
    if torch._C._are_functorch_transforms_active():
        with enable_single_level_autograd_function():
            return node.apply(*arguments)
    return node.apply(*arguments)


def _call_gradient(keys, tensors, text):
    if torch.is_grad_enabled() and any(each is not None and each.requires_grad for each in tensors):
        return list(_applied(_Again, keys, text, *tensors))
    return _redispatched(_overload, keys, (tensors, text), {})


def _redispatched(overload, keys, arguments, named):
    with torch._C._AutoDispatchBelowAutograd():
        return overload.redispatch(
            keys & torch._C._after_autograd_keyset, *arguments, **named
        )  # fmt: skip


def differentiate(call, grads, tensors, needed):
    """The gradients of a call, of whatever order, for the tensors that need one, else None."""
    wanted = [i for i, need in enumerate(needed) if need]
    if all(each is None for each in grads):
        return [None] * len(needed)
    if call.bridge.random:
        raise _errors.make_refusal(
            "GRAD", call.bridge.name, "backward",
            "one backward in the thread of the call, outside torch.compile, without create_graph",
            "another", "an op that draws random numbers cannot be run again for its gradient",
        )  # fmt: skip
    text = call.text([*call.orders, (len(grads), wanted)])
    found = iter(_overload([*grads, *tensors], text))
    return [next(found) if need else None for need in needed]


_library = torch.library.Library("tenon_bridge", "FRAGMENT")
_library.define(
    "gradient(Tensor?[] tensors, str call) -> Tensor[]", tags=[torch.Tag.pt2_compliant_tag]
)
_library.impl("gradient", _gradient, "CPU")
_library.impl("gradient", _call_gradient, "Autograd", with_keyset=True)
torch.library.register_fake("tenon_bridge::gradient", _gradient_shapes, lib=_library)
_overload = torch.ops.tenon_bridge.gradient.default
add_rule(_library, "tenon_bridge::gradient", _overload)


# ---- calls that are recorded --------------------------------------------------------------------


class Recorder:
    """What PyTorch's autograd calls for one op."""

    def __init__(self, bridge):
        self.bridge = bridge
        needs = bridge.schema.said["vjp_needs"]
        # What the backward rule reads: of which operands, and whether of results. Without a rule of
        # its own, that is of all.
        self.reads_results = needs is None or any(each["outputs"] for each in needs)
        read = None if needs is None else {name for each in needs for name in each["inputs"]}
        self.reads = [read is None or name in read for name, *_ in bridge.schema.inputs]
        self.differentiable = needs is None or any(each["differentiable"] for each in needs)
        names = {"forward": staticmethod(self._forward), "backward": staticmethod(self._backward)}
        self.node = type(f"{bridge.short}_", (_SingleLevelFunction,), names)

    def call(self, keys, *arguments, **named):
        """The kernel for all calls that are not plain ones without gradient."""
        bridge = self.bridge
        if self.differentiable and torch.is_grad_enabled():
            call, tensors = Call.of(bridge, arguments, named)
            if any(each.requires_grad for each in tensors):
                results = _applied(self.node, keys, call, arguments, named, *tensors)
                return results[0] if len(results) == 1 else results
        return _redispatched(bridge.overload, keys, arguments, named)

    def call_mutating(self, keys, *arguments, **named):
        """Of an op that writes into operands, which has no gradient."""
        if torch.is_grad_enabled():
            call, tensors = Call.of(self.bridge, arguments, named)
            found = next((i for i, each in enumerate(tensors) if each.requires_grad), None)
            if found is not None:
                name = next(
                    name for (name, *_), place in
                    zip(self.bridge.schema.inputs, call.places, strict=True)
                    if place == found or isinstance(place, list) and found in place
                )  # fmt: skip
                raise _errors.make_refusal(
                    "GRAD", self.bridge.name, name, "tensors that require no gradient",
                    "one that requires a gradient, in an op that writes into its operands",
                    "call it in torch.no_grad()",
                )  # fmt: skip
        return _redispatched(self.bridge.overload, keys, arguments, named)

    # ---- PyTorch's node

    def _forward(self, ctx, keys, call, arguments, named, *tensors):
        ctx.call, ctx.graph = call, None
        ctx.set_materialize_grads(False)
        if (keys & BELOW).raw_repr() == PLAIN and (self.bridge.random or not _is_hooked()):
            results = self._record(ctx, call, tensors, ctx.needs_input_grad[4:])
        else:
            results = _redispatched(self.bridge.overload, keys, arguments, named)
            results = results if isinstance(results, tuple) else (results,)
            ctx.mark_non_differentiable(*(x for x in results if not x.dtype.is_floating_point))
        self._save(ctx, call, tensors, results)
        return tuple(results)

    @staticmethod
    def _record(ctx, call, tensors, needed):
        leaves = [take(each) for each in tensors]
        for leaf, need in zip(leaves, needed, strict=True):
            if need:
                leaf.requires_grad = True
        _core.begin_grad_mode(_ENABLED)
        try:
            results = call.run(leaves)
        finally:
            _core.end_grad_mode()
        ctx.graph, ctx.thread = (leaves, results), threading.get_ident()
        given = [give(each) for each in results]
        flat = [x for x, each in zip(given, results, strict=True) if not each.requires_grad]
        ctx.mark_non_differentiable(*flat)
        return given

    def _save(self, ctx, call, tensors, results):
        """What backward reads is saved, so that PyTorch sees if it changes. Of other operands the
        shape counts, if the call is run again; so it is if hooks look after what is saved."""
        others = list(tensors)
        for place, reads in zip(call.places, self.reads, strict=True):
            if reads or ctx.graph is None:
                for i in place if isinstance(place, list) else () if place is None else (place,):
                    others[i] = None
        saved = [x for x, other in zip(tensors, others, strict=True) if other is None]
        ctx.others = others
        if self.reads_results and ctx.graph is not None:
            saved += results
        ctx.save_for_backward(*saved)

    @staticmethod
    def _backward(ctx, *grads):
        saved = iter(ctx.saved_tensors)
        tensors = [next(saved) if each is None else each for each in ctx.others]
        needed = ctx.needs_input_grad[4:]
        here = ctx.graph is not None and ctx.thread == threading.get_ident()
        if here and not torch.is_grad_enabled():
            found = _walk(ctx, grads, tensors, needed)
        else:
            found = differentiate(ctx.call, grads, tensors, needed)
        return (None, None, None, None, *found)


def _is_hooked():
    """Do hooks, as those of torch.utils.checkpoint, look after what is saved for backward?"""
    return torch._C._autograd._top_saved_tensors_default_hooks(True) is not None


def _walk(ctx, grads, tensors, needed):
    """Through what Tenon recorded when the call was made."""
    leaves, results = ctx.graph
    pairs = [
        (result, take(grad)) for result, grad in zip(results, grads, strict=True)
        if grad is not None
    ]  # fmt: skip
    wanted = [leaf for leaf, need in zip(leaves, needed, strict=True) if need]
    if not pairs:
        return [None] * len(needed)
    found = _core.gradient(
        [result for result, _ in pairs], [seed for _, seed in pairs], wanted, _autograd._RETAIN
    )
    given = iter(found)
    found = [next(given) if need else False for need in needed]
    return [_returned(each, tensor) for each, tensor in zip(found, tensors, strict=True)]
