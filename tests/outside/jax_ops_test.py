# SPDX-License-Identifier: Apache-2.0
# tests/outside/jax_ops_test.py: every op of the registry in JAX, compiled: values, and gradients by
# jax.grad, have the bits of Tenon's. The calls are the ops' own samples.

import unittest

import numpy
from jax_samples import Sample, in_jax, is_float, jax, same_bits, samples, tenon, to_tenon
from registry_samples import (
    DIFFERENTIABLE,
    OPS,
    OPS_WITH_SAMPLES,
    WITHOUT_GRADIENT,
    WITHOUT_RULE,
    flat,
    in_tenon,
    is_random,
    mutates,
    results_of,
)

jax.config.update("jax_enable_x64", True)
# Ops that are not offered, one line each.
REFUSED = {
    "tenon.masked_select": "how many elements there are depends on their values",
    "tenon.nonzero": "how many rows there are depends on values",
    "tenon.unique": "how many values differ depends on them",
}
# Other processes wait for what is left out of a program: ops with effects.
EFFECTS = (
    "tenon.all_gather",
    "tenon.all_reduce",
    "tenon.all_reduce_list",
    "tenon.all_reduce_sum",
    "tenon.all_to_all",
    "tenon.broadcast",
    "tenon.reduce_scatter",
)
REFUSED |= dict.fromkeys(EFFECTS, "it has an effect")
REFUSALS = ("lengths that values decide", "one that must run even if none is used")
# Ops whose gradient has none, though they are made of ops that have one.
ONCE = {"tenon.ctc_loss": "the rule of tenon.ctc_nll is not differentiated again"}
TWICE = 113  # how many ops have a gradient of the second order in their first sample
SEED = 0x0123456789ABCDEF
KEY = jax.numpy.array([SEED >> 32, SEED & 0xFFFFFFFF], "uint32")


def call_tenon(sample, recorded=False):
    """Operands, and results; the numbers that it draws are those of KEY."""
    inputs, named = sample.for_tenon()
    for leaf in floats_of(inputs) if recorded else ():
        leaf.requires_grad = True
    tenon.seed(SEED)
    return inputs, results_of(in_tenon(sample.op), *inputs, **named)


def floats_of(inputs):
    return [x for x in flat(inputs) if isinstance(x, tenon.Tensor) and x.dtype.is_floating_point]


def call_jax(sample, floats):
    """The sample's call with other floats: a list of results."""
    drawn = {"key": KEY} if is_random(sample.op) else {}
    operands = sample.with_floats(floats)
    return results_of(in_jax(sample.op), *operands, **sample.attributes, **drawn)


def is_floating(x):
    return jax.numpy.issubdtype(x.dtype, jax.numpy.floating)


class Values(unittest.TestCase):
    def check_sample(self, sample, found):
        inputs, expected = call_tenon(sample)
        for said, operand in zip(OPS[sample.op]["inputs"], inputs, strict=False):
            expected += flat([operand]) if said["mutated"] and operand is not None else []
        found = [x for x in found if x is not None]
        self.assertEqual(len(found), len(expected))
        for place, (ours, theirs) in enumerate(zip(expected, found, strict=True)):
            self.assertTrue(same_bits(ours, theirs), f"result {place}")

    def test_every_sample_has_the_bits_of_tenon(self):
        seen = set()
        for op in OPS:
            chosen = samples(op) if op not in REFUSED else []
            with self.subTest(op=op):
                # All calls of an op are one program: compiling takes longest.
                program = jax.jit(
                    lambda given, chosen=chosen: list(map(call_jax, chosen, given))
                )  # fmt: skip
                results = program([each.floats() for each in chosen])
                for sample, found in zip(chosen, results, strict=True):
                    with self.subTest(op=op, sample=sample.text):
                        self.check_sample(sample, found)
                        seen.add(op)
        self.assertGreaterEqual(len(seen), OPS_WITH_SAMPLES - len(REFUSED))

    def test_what_is_refused_says_why(self):
        for op in REFUSED:
            with self.subTest(op=op), self.assertRaises(tenon.UnsupportedError) as caught:
                in_jax(op)
            found = REFUSALS[op in EFFECTS]
            self.assertEqual((caught.exception.op, caught.exception.found), (op, found))


class Recorded:
    """A sample's call in Tenon, recorded, and the seeds of its gradient."""

    def __init__(self, sample):
        self.sample = sample
        inputs, results = call_tenon(sample, recorded=True)
        self.leaves = floats_of(inputs)
        floats = [x for x in results if x.dtype.is_floating_point]
        self.seeds = [self.seed(place, x) for place, x in enumerate(floats)]
        self.pairs = [(x, to_tenon(seed))
                      for x, seed in zip(floats, self.seeds, strict=True)
                      if x.requires_grad]  # fmt: skip

    @staticmethod
    def seed(place, x):
        drawn = numpy.random.Generator(numpy.random.Philox(place)).random(x.shape)
        return jax.device_put(drawn.astype(x.dtype.name))

    def gradients(self):
        results, seeds = zip(*self.pairs, strict=True)
        return tenon.grad(list(results), self.leaves, list(seeds))

    def loss(self, floats):
        """Of JAX's results, so that its gradient begins with the seeds."""
        results = [x for x in call_jax(self.sample, floats) if is_floating(x)]
        return sum((x * seed).sum().astype("float64")
                   for x, seed in zip(results, self.seeds, strict=True))  # fmt: skip


class Gradients(unittest.TestCase):
    def check_sample(self, recorded, theirs):
        for place, (a, b) in enumerate(zip(recorded.gradients(), theirs, strict=True)):
            if a is None:
                self.assertFalse(b.any(), f"operand {place}")
            else:
                self.assertTrue(same_bits(a, b), f"operand {place}")

    def check_op(self, op):
        """Is there a gradient? In each sample it has the bits of Tenon's."""
        chosen = [Recorded(each) for each in samples(op, double=True) if each.floats()]
        chosen = [each for each in chosen if each.pairs]
        loss = jax.grad(lambda given: sum(
            each.loss(x) for each, x in zip(chosen, given, strict=True)
        ))  # fmt: skip
        found = jax.jit(loss)([each.sample.floats() for each in chosen]) if chosen else []
        for recorded, theirs in zip(chosen, found, strict=True):
            with self.subTest(op=op, sample=recorded.sample.text):
                self.check_sample(recorded, theirs)
        return bool(chosen)

    def test_every_sample_has_the_bits_of_tenon(self):
        differentiable = set()
        for op in OPS:
            if mutates(op) or op in WITHOUT_RULE or op in REFUSED:
                continue
            with self.subTest(op=op):
                if self.check_op(op):
                    differentiable.add(op)
                    self.assertNotIn(op, WITHOUT_GRADIENT)
        self.assertGreaterEqual(len(differentiable), DIFFERENTIABLE - 2)  # masked_select, unique
        print(f"{len(differentiable)} ops are differentiable")

    def check_second_order(self, sample):
        """Is there a gradient of the gradient? It has the bits of Tenon's."""
        recorded = Recorded(sample)
        results, seeds = zip(*recorded.pairs, strict=True)
        first = tenon.grad(list(results), recorded.leaves, list(seeds), create_graph=True)
        chosen = [(i, x) for i, x in enumerate(first) if x is not None and x.requires_grad]
        if not chosen:
            return False
        others = {i: recorded.seed(7 + i, x) for i, x in chosen}

        def slope(floats):
            found = jax.grad(recorded.loss)(floats)
            return sum((found[i] * seed).sum() for i, seed in others.items())

        ours = tenon.grad([x for _, x in chosen], recorded.leaves,
                          list(map(to_tenon, others.values())))  # fmt: skip
        for a, b in zip(ours, jax.jit(jax.grad(slope))(sample.floats()), strict=True):
            self.assertTrue(not b.any() if a is None else same_bits(a, b))
        return True

    def test_gradients_of_gradients_have_the_bits_of_tenon(self):
        """Of the first sample of each op that has one."""
        checked = 0
        for op, said in OPS.items():
            if mutates(op) or op in {**REFUSED, **ONCE}:
                continue
            if not said["vjp_twice"] and not said["compose"]:
                continue
            chosen = [x for x in samples(op, double=True) if x.floats() and Recorded(x).pairs]
            for sample in chosen[:1]:
                with self.subTest(op=op, sample=sample.text):
                    checked += self.check_second_order(sample)
        self.assertGreaterEqual(checked, TWICE)

    def test_an_op_without_a_second_gradient_says_so(self):
        for op in ONCE:
            recorded = Recorded(samples(op, double=True)[0])
            twice = jax.grad(lambda x, loss=recorded.loss: jax.grad(loss)(x)[0].sum())
            with self.subTest(op=op), self.assertRaisesRegex(
                jax.errors.JaxRuntimeError, "TENON_E_GRAD: .*cannot itself be differentiated"
            ):
                jax.block_until_ready(twice(recorded.sample.floats()))

    def test_an_op_without_a_rule_says_so(self):
        for op in WITHOUT_RULE:
            sample = samples(op, double=True)[0]
            with self.subTest(op=op), self.assertRaises(tenon.GradError) as caught:
                jax.grad(lambda x, sample=sample: call_jax(sample, x)[0].sum())(sample.floats())
            self.assertEqual((caught.exception.op, caught.exception.expected),
                             (op, "an op with a backward rule"))  # fmt: skip


class Registered(unittest.TestCase):
    def test_documentation_is_the_registry_s(self):
        self.assertIn("swish", in_jax("tenon.silu").__doc__.lower())
        self.assertEqual(in_jax("tenon.silu").__doc__, in_tenon("tenon.silu").__doc__)

    def test_samples_are_calls(self):
        self.assertEqual(Sample("tenon.add", "f32[2], f32[2]", False).inputs[0].shape, (2,))
        self.assertTrue(is_float(Sample("tenon.add", "f32[2], f32[2]", False).inputs[0]))


if __name__ == "__main__":
    unittest.main()
