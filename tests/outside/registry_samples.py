# SPDX-License-Identifier: Apache-2.0
# tests/outside/registry_samples.py: the registry's own sample calls, and which ops have no
# gradient, for the tests of ops in PyTorch (torch_*_test.py), JAX (jax_*_test.py) and NumPy.

import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1]
sys.path[:0] = [str(BUILD / "python"), str(FOLDER.parent / "goldens")]
import tenon  # noqa: E402
from tenon import _core  # noqa: E402

SEED = int(os.environ.get("TENON_TEST_SEED", "20261127"))
OPS = {each["name"]: each for each in json.loads(_core.query("ops"))}
SAMPLES = {}
for _each in json.loads(_core.query("samples")):
    if _each["expect"] == 0:
        SAMPLES.setdefault(_each["op"], []).append(_each["text"])

# Ops without a gradient, one line each; others that write into operands or give no floats have none
# by their schema.
WITHOUT_GRADIENT = {
    "tenon.bernoulli": "its rule says that p has none",
    "tenon.full_like": "its values do not depend on the operand's",
    "tenon.one_hot": "its operand is integers",
}
WITHOUT_RULE = {
    "tenon.ctc_nll_grad": "called for a gradient that is not differentiated again",
    "tenon.filter_logits": "choosing tokens is not differentiated",
    "tenon.nextafter": "a step function",
    "tenon.repetition_penalty": "choosing tokens is not differentiated",
    "tenon.trigamma": "the end of the chain of lgamma and digamma",
}
# How many ops there are at least: a registry that lost some would pass otherwise.
OPS_WITH_SAMPLES, DIFFERENTIABLE = 270, 193


def mutates(op):
    return any(each["mutated"] for each in OPS[op]["inputs"])


def is_random(op):
    return "random" in OPS[op]["flags"]


def named(space, op):
    """An op of a namespace of vendors."""
    for name in op.split("."):
        space = getattr(space, name)
    return space


def in_tenon(op):
    return named(tenon.op, op)


def flat(given):
    """What lists and tuples hold, one by one."""
    if isinstance(given, (list, tuple)):
        return [x for each in given for x in flat(each)]
    return [given]


def results_of(call, *arguments, **named):
    found = call(*arguments, **named)
    return [] if found is None else flat(found)
