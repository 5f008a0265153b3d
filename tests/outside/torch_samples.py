# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_samples.py: the registry's own sample calls with tensors of PyTorch, and where
# the package is that the torch_*_test.py files try.

import sys

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
import registry_samples as registry  # which says where the package is
import tenon.torch
from registry_samples import BUILD, FOLDER, flat
from sample_text import Dtype, TensorText, parse
from tenon import _schema

__all__ = ["BUILD", "FOLDER", "Sample", "in_torch", "same_bits", "samples", "tenon", "torch"]


def torch_dtype(name):
    return getattr(torch, _schema._DTYPES[name])


class Drawing:
    """Tensors of sample texts; all f64 in place of other floats if `double`."""

    def __init__(self, double):
        self.generator = torch.Generator().manual_seed(registry.SEED)
        self.double = double

    def tensor(self, text):
        dtype = torch_dtype(text.dtype)
        if self.double and dtype.is_floating_point:
            dtype = torch.float64
        if text.given is not None:
            return torch.tensor(text.given, dtype=torch.float64).to(dtype).reshape(text.shape)
        drawn = torch.rand(text.shape, generator=self.generator, dtype=torch.float64)
        if dtype is torch.bool:
            return drawn < 0.5
        drawn = text.low + drawn * (text.high - text.low)
        return (drawn if dtype.is_floating_point else drawn.floor()).to(dtype)

    def operand(self, given):
        if isinstance(given, TensorText):
            return self.tensor(given)
        return [self.tensor(each) for each in given] if isinstance(given, list) else given


class Sample:
    """One call: operands by position, attributes by name."""

    def __init__(self, op, text, double):
        self.op, self.text = op, text
        inputs, attributes = parse(text)
        drawing = Drawing(double)
        self.inputs = [drawing.operand(each) for each in inputs]
        self.has_numbers = any(isinstance(each, (bool, int, float)) for each in inputs)
        self.attributes = {
            name: torch_dtype(value.name) if isinstance(value, Dtype) else value
            for name, value in attributes.items()
        }

    def floats(self):
        return [x for x in flat(self.inputs) if x is not None and x.dtype.is_floating_point]

    def for_tenon(self):
        """The same call, of tensors on Tenon's own memory."""
        def ours(given):
            if isinstance(given, torch.Tensor):
                return tenon.from_dlpack(given.detach()).clone()
            return [ours(each) for each in given] if isinstance(given, list) else given

        attributes = {
            name: str(each).removeprefix("torch.") if isinstance(each, torch.dtype) else each
            for name, each in self.attributes.items()
        }  # fmt: skip
        return [ours(each) for each in self.inputs], attributes


def samples(op, double=False):
    """The calls that must work. A number in place of a tensor is not an operand in PyTorch."""
    made = [Sample(op, text, double) for text in registry.SAMPLES.get(op, [])]
    return [each for each in made if not each.has_numbers]


def in_torch(op):
    return registry.named(tenon.torch.ops, op)


def same_bits(ours, theirs):
    ours = torch.from_dlpack(ours.detach().contiguous())
    if ours.dtype is not theirs.dtype or ours.shape != theirs.shape:
        return False
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    bits = bits[theirs.element_size()]
    return torch.equal(ours.view(bits), theirs.detach().view(bits))
