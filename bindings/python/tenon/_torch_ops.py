# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_ops.py: ops of the registry as ops of PyTorch.
"""A call of `torch.ops.<vendor>.<op>` comes here from PyTorch's dispatcher: in CPU memory to the op
itself, with gradients to _torch_gradients.py, without values to the op's own rule for shapes."""

import math
import threading

import torch

from tenon import _core, _errors, _schema
from tenon._torch_batches import add_rule
from tenon._torch_exchange import exchange, note_write
from tenon._torch_gradients import BELOW, PLAIN, Recorder
from tenon._torch_shapes import Shapes, tensors_of

# Libraries, one for each vendor: PyTorch forgets the ops of one that is gone.
_libraries = {}
_bridges = {}  # by full name
_making = set()  # full names
_lock = threading.RLock()

_TYPES = {
    _schema.INT: "int", _schema.FLOAT: "float", _schema.BOOL: "bool", _schema.TEXT: "str",
    _schema.NUMBER: "Scalar", _schema.DTYPE: "ScalarType", _schema.INTS: "int[]",
}  # fmt: skip
# Where Tenon computes on nothing of PyTorch's: a call says so.
_ELSEWHERE = ("CUDA", "XPU", "MPS", "HPU", "SparseCPU", "SparseCsrCPU", "MkldnnCPU", "QuantizedCPU")


def library(space):
    if space not in _libraries:
        _libraries[space] = torch.library.Library(space, "FRAGMENT")
    return _libraries[space]


# ---- schemas ------------------------------------------------------------------------------------


def _literal(kind, said):
    """A default as PyTorch's schemas write it; None: the op's own, for what they cannot."""
    value = said["default"]
    if kind == _schema.BOOL:
        return str(value)
    if kind == _schema.INT and isinstance(value, int):
        return str(value)
    if kind == _schema.FLOAT and isinstance(value, (int, float)) and math.isfinite(value):
        return repr(float(value))
    return None


def _parameter(said, kind):
    written, name = _TYPES[kind], said["name"]
    if kind == _schema.INTS and said["count"]:
        written = f"int[{said['count']}]"
    if said["required"]:
        return f"{written} {name}"
    literal = _literal(kind, said)
    return f"{written}? {name}=None" if literal is None else f"{written} {name}={literal}"


def _operand(said, letter):
    kind = f"Tensor({letter}!)" if said["mutated"] else "Tensor"
    if said["list"]:
        return f"{kind}[] {said['name']}"
    return f"{kind}? {said['name']}=None" if said["optional"] else f"{kind} {said['name']}"


def torch_schema(name, schema):
    """What PyTorch says of the op: `name(Tensor x, int axis=0) -> Tensor`."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    words = [_operand(each, next(letters, "z")) for each in schema.said["inputs"]]
    kinds = [kind for _, kind, *_ in schema.attributes]
    attributes = [
        _parameter(said, kind) for said, kind in zip(schema.said["attributes"], kinds, strict=True)
    ]
    positional = schema.positional()
    words += attributes[:positional]
    if attributes[positional:]:
        words += ["*", *attributes[positional:]]
    count = len(schema.outputs)
    outputs = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
    return f"{name}({', '.join(words)}) -> {outputs}"


# ---- one op -------------------------------------------------------------------------------------


class Bridge:
    """One op of the registry in PyTorch's.

    op        the op of Tenon
    overload  `torch.ops.<vendor>.<name>.default`
    """

    def __init__(self, full):
        self.op = _core.Op(full)
        self.name = full
        self.schema = schema = _schema.Schema(full, self.op.revision)
        vendor, _, name = full.rpartition(".")
        self.space, self.short = vendor.replace(".", "_"), name
        self.names = tuple(name for name, *_ in [*schema.inputs, *schema.attributes])
        self.exchanged = _core.ExchangedOp(self.op, exchange, self.names)
        self.mutated = [i for i, said in enumerate(schema.said["inputs"]) if said["mutated"]]
        self.random = "random" in schema.said["flags"]
        self.recorder = Recorder(self)
        self._define()

    def _define(self):
        into, name = library(self.space), self.short
        tags = [torch.Tag.pt2_compliant_tag]  # opcheck has seen every op of Tenon's own
        tags += [torch.Tag.nondeterministic_seeded] if self.random else []
        into.define(torch_schema(name, self.schema), tags=tags)
        self.overload = getattr(getattr(torch.ops, self.space), name).default
        kernel = self._mutate if self.mutated else self.exchanged
        into.impl(name, kernel, "CPU")
        torch.library.register_fake(
            f"{self.space}::{name}", Shapes(self.op, self.schema), lib=into
        )
        if self.schema.inputs:
            for key in _ELSEWHERE:
                into.impl(name, self._refuse_device, key)
            into.impl(name, self._gate(), "Autograd", with_keyset=True)
        if all(each["list"] or each["optional"] for each in self.schema.said["inputs"]):
            into.impl(name, kernel, "BackendSelect")  # of calls without any tensor, too
        if not self.mutated and self.schema.inputs:
            add_rule(into, f"{self.space}::{name}", self.overload, self.random)
        self.overload.__doc__ = self.op.__doc__

    def _gate(self):
        """The kernel of calls that may be recorded."""
        if self.mutated:
            return self.recorder.call_mutating
        return _core.GatedOp(
            self.exchanged, self.recorder.call, torch.is_grad_enabled,
            BELOW, PLAIN,
        )  # fmt: skip

    def _mutate(self, *arguments, **named):
        results = self.exchanged(*arguments, **named)
        given = {place: each for place, each in enumerate(arguments)}
        for place in self.mutated:
            each = given.get(place, named.get(self.schema.inputs[place][0]))
            for written in each if isinstance(each, (list, tuple)) else [each]:
                if written is not None:
                    note_write(written)
        return results

    def _refuse_device(self, *arguments, **named):
        found = next(
            (x for x in tensors_of(arguments, named) if x.device.type != "cpu"
             or x.layout is not torch.strided), None
        )  # fmt: skip
        words = "another device" if found is None else f"{found.device}, {found.layout}"
        raise _errors.make_refusal(
            "DEVICE", self.name, "operands", "dense tensors in host memory, cpu", words,
            "copy them there first: x.cpu(), x.to_dense()",
        )  # fmt: skip


def find(full):
    """The bridge of an op, made when it is first asked for."""
    found = _bridges.get(full)
    if found is None:
        with _lock:
            found = _bridges.get(full)
            if found is None:
                _making.add(full)
                try:
                    found = _bridges[full] = Bridge(full)
                finally:
                    _making.remove(full)
    return found


def register(full):
    """Makes an op's bridge; False if this thread is making it, and PyTorch looks for the op."""
    with _lock:
        if full in _making:
            return False
        find(full)
        return True
