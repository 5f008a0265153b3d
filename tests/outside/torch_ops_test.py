# SPDX-License-Identifier: Apache-2.0
# tests/outside/torch_ops_test.py: every op of the registry in PyTorch: values and gradients have
# the bits of Tenon's, gradcheck and opcheck pass. The calls are the ops' own samples.

import unittest
import warnings

from registry_samples import (
    DIFFERENTIABLE,
    OPS,
    OPS_WITH_SAMPLES,
    SAMPLES,
    WITHOUT_GRADIENT,
    WITHOUT_RULE,
    flat,
    in_tenon,
    is_random,
    mutates,
    results_of,
)
from torch_samples import Sample, in_torch, same_bits, samples, tenon, torch

# gradcheck and opcheck call an op again and expect the same.
DRAWS = {"tenon.dropout": "each call draws other numbers"}


def leaves_of(inputs):
    return [x for x in flat(inputs) if isinstance(x, tenon.Tensor) and x.dtype.is_floating_point]


def seeds_of(results):
    generator = torch.Generator().manual_seed(7)
    return [torch.rand(x.shape, generator=generator, dtype=torch.float64).to(x.dtype)
            for x in results]  # fmt: skip


def function_of(sample):
    """The sample's call as a function of its float operands; None for results without floats."""
    call = in_torch(sample.op)

    def function(*given):
        left = iter(given)

        def put(x):
            if isinstance(x, list):
                return [put(each) for each in x]
            return next(left) if x is not None and x.dtype.is_floating_point else x

        results = results_of(call, *map(put, sample.inputs), **sample.attributes)
        return tuple(x for x in results if x.dtype.is_floating_point)

    return function


def is_smooth(sample):
    floats = sample.floats()
    return sum(x.numel() for x in floats) and all(x.isfinite().all() for x in floats)


class Values(unittest.TestCase):
    def check_sample(self, sample):
        inputs, named = sample.for_tenon()
        before = tenon.get_rng_state()
        expected = results_of(in_tenon(sample.op), *inputs, **named)
        tenon.set_rng_state(before)
        found = results_of(in_torch(sample.op), *sample.inputs, **sample.attributes)
        self.assertEqual(len(found), len(expected))
        for place, (ours, theirs) in enumerate(zip(expected, found, strict=True)):
            self.assertTrue(same_bits(ours, theirs), f"output {place}")
        for ours, theirs in zip(flat(inputs), flat(sample.inputs), strict=True):
            self.assertTrue(ours is None or same_bits(ours, theirs), "an operand afterwards")

    def test_every_sample_has_the_bits_of_tenon(self):
        seen = set()
        for op in OPS:
            for sample in samples(op):
                with self.subTest(op=op, sample=sample.text):
                    self.check_sample(sample)
                    seen.add(op)
        self.assertGreaterEqual(len(seen), OPS_WITH_SAMPLES)


class Gradients(unittest.TestCase):
    def check_sample(self, sample):
        """Is there a gradient? It has the bits of Tenon's."""
        inputs, named = sample.for_tenon()
        mine, theirs = leaves_of(inputs), sample.floats()
        for leaf in [*mine, *theirs]:
            leaf.requires_grad = True
        before = tenon.get_rng_state()
        expected = results_of(in_tenon(sample.op), *inputs, **named)
        tenon.set_rng_state(before)
        found = results_of(in_torch(sample.op), *sample.inputs, **sample.attributes)
        pairs = [(a, b) for a, b in zip(expected, found, strict=True) if a.requires_grad]
        self.assertEqual([b.requires_grad for b in found], [a.requires_grad for a in expected])
        if not pairs:
            return False
        seeds = seeds_of([b for _, b in pairs])
        mine = tenon.grad([a for a, _ in pairs], mine, list(map(tenon.from_dlpack, seeds)))
        theirs = torch.autograd.grad([b for _, b in pairs], theirs, seeds, allow_unused=True)
        for place, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if a is None:
                self.assertFalse(b is not None and b.any(), f"operand {place}")
            else:
                self.assertTrue(same_bits(a, b), f"operand {place}")
        return True

    def test_every_sample_has_the_bits_of_tenon(self):
        differentiable = set()
        for op in OPS:
            if mutates(op) or op in WITHOUT_RULE:
                continue
            for sample in samples(op, double=True):
                if not sample.floats():
                    continue
                with self.subTest(op=op, sample=sample.text):
                    if self.check_sample(sample):
                        differentiable.add(op)
                        self.assertNotIn(op, WITHOUT_GRADIENT)
        self.assertGreaterEqual(len(differentiable), DIFFERENTIABLE)

    def test_an_op_without_a_rule_says_so_in_backward(self):
        for op in WITHOUT_RULE:
            with self.subTest(op=op):
                sample = samples(op, double=True)[0]
                for leaf in sample.floats():
                    leaf.requires_grad = True
                found = results_of(in_torch(op), *sample.inputs, **sample.attributes)
                with self.assertRaisesRegex(tenon.GradError, f"{op} has no backward rule"):
                    found[0].sum().backward()

    def test_gradients_are_those_of_differences(self):
        checked = set()
        for op in OPS:
            if mutates(op) or op in {**WITHOUT_RULE, **WITHOUT_GRADIENT, **DRAWS}:
                continue
            chosen = next((each for each in samples(op, double=True) if is_smooth(each)
                           and self.gives_floats(each)), None)  # fmt: skip
            if chosen is None:
                continue
            with self.subTest(op=op, sample=chosen.text), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.autograd.gradcheck(function_of(chosen), chosen.floats(), fast_mode=True)
                checked.add(op)
        self.assertGreaterEqual(len(checked), DIFFERENTIABLE - len(DRAWS))

    @staticmethod
    def gives_floats(sample):
        if sample.op == "tenon.unique" and "[2," in sample.text:
            return False  # how many values differ changes with the values
        for leaf in sample.floats():
            leaf.requires_grad = True
        return any(x.requires_grad and x.numel() for x in function_of(sample)(*sample.floats()))


class Registered(unittest.TestCase):
    def test_opcheck(self):
        """Schemas, shape rules, compiled with gradients: as PyTorch itself checks ops."""
        checked = 0
        for op in OPS:
            if op not in SAMPLES or is_random(op):
                continue
            sample = next((each for each in samples(op, double=True)), None)
            if sample is None:
                continue
            if not mutates(op) and op not in WITHOUT_RULE and op not in WITHOUT_GRADIENT:
                for leaf in sample.floats():
                    leaf.requires_grad = True
            with self.subTest(op=op, sample=sample.text), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.library.opcheck(in_torch(op), tuple(sample.inputs), sample.attributes)
                checked += 1
        self.assertGreaterEqual(checked, 250)

    def test_documentation_is_the_registry_s(self):
        self.assertIn("swish", in_torch("tenon.silu").__doc__.lower())
        self.assertEqual(in_torch("tenon.silu").__doc__, in_tenon("tenon.silu").__doc__)

    def test_samples_are_calls(self):
        self.assertEqual(Sample("tenon.add", "f32[2], f32[2]", False).inputs[0].shape, (2,))


if __name__ == "__main__":
    unittest.main()
