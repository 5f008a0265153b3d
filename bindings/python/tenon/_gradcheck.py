# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_gradcheck.py: gradients beside finite differences.
"""tenon.gradcheck."""

import random

from tenon import _core, _errors
from tenon._autograd import _listed, grad
from tenon._tensor import asarray, astype, tensor


def gradcheck(function, *inputs, step=1e-5, rtol=1e-4, atol=1e-6, twice=False):
    """True where the gradients of `function` are those of central differences; else a CheckError
    that names the input and the element where they differ most.

    function  of tensors, which gives a tensor or several
    inputs    floats are differentiated for, in float64; others are given as they are. Away from
              places where the function is not smooth
    step      distance of the differences; rtol, atol: how far the two may lie apart
    twice     the gradients' own gradients, too
    """
    _errors.check_type("gradcheck", "function", function, None, "a function of tensors")
    function = _Weighed(function)
    inputs = [asarray(each) for each in inputs]
    places = [i for i, each in enumerate(inputs) if each.dtype.is_floating_point]
    inputs = [
        tensor(each, _core.float64, requires_grad=True) if i in places else each
        for i, each in enumerate(inputs)
    ]
    total = function(*inputs)
    found = [None] * len(places)
    if total.requires_grad:
        found = grad(total, [inputs[i] for i in places])
    for place, gradient in zip(places, found, strict=True):
        _compare(function, inputs, place, gradient, step, rtol, atol)
    if twice:

        def slopes(*given):
            chosen = [given[i] for i in places]
            return [g for g in grad(function(*given), chosen, create_graph=True) if g is not None]

        gradcheck(slopes, *inputs, step=step, rtol=rtol, atol=atol)
    return True


class _Weighed:
    """A function of tensors as one of one number: the sum of all it gives, each with a weight."""

    def __init__(self, function):
        self._function = function
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, *inputs):
        weights = random.Random(0)
        total = tensor(0.0, _core.float64)
        for each in _listed(self._function(*inputs)):
            weight = [weights.uniform(0.5, 1.5) for _ in range(each.size)]
            weight = tensor(weight, _core.float64).reshape(each.shape)
            total = total + (astype(each, _core.float64) * weight).sum()
        return total


def _compare(function, inputs, place, gradient, step, rtol, atol):
    values = inputs[place].detach().reshape(-1).tolist()
    slopes = [0.0] * len(values) if gradient is None else gradient.reshape(-1).tolist()
    worst, record = 0.0, None

    def at(index, value):
        moved = list(values)
        moved[index] = value
        moved = tensor(moved, _core.float64).reshape(inputs[place].shape)
        moved.requires_grad = True
        return function(*inputs[:place], moved, *inputs[place + 1 :]).item()

    for index, value in enumerate(values):
        distance = step * max(1.0, abs(value))
        upper, lower = value + distance, value - distance
        expected = (at(index, upper) - at(index, lower)) / (upper - lower)
        excess = abs(slopes[index] - expected) / (atol + rtol * abs(expected))
        if not excess <= max(worst, 1.0):  # a NaN is none
            worst, record = excess, (index, expected, slopes[index])
    if record is not None:
        index, expected, found = record
        raise _errors.make_refusal(
            "CHECK",
            "gradcheck",
            f"input {place} of {function.__name__}",
            f"a slope of {expected:g} at element {index}, by differences",
            f"{found:g}",
            "the backward rule is wrong, or the function is not smooth there",
        )
