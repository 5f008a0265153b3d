# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/optim.py: one step of an update rule, on whole parameters or some rows of them.

import mpmath
import numpy

import exact
from ops import golden
from update_rules import RULES, SCALARS, WHOLE, part


def updated(rule, call, lr, t, param, grad, states):
    """Changes a parameter and its states in place; `grad` has their shape. A number among the
    states is one that all elements share."""
    places = param.values.reshape(-1)
    state_places = [
        None if isinstance(state, mpmath.mpf) else state.values.reshape(-1) for state in states
    ]
    for i, g in enumerate(grad):
        before = [
            state if place is None else mpmath.mpf(place[i])
            for state, place in zip(states, state_places, strict=True)
        ]
        p, after = rule(call.attrs, lr, t, mpmath.mpf(places[i]), mpmath.mpf(g), before)
        places[i] = exact.rounded(param.dtype, p)
        for state, place, value in zip(states, state_places, after, strict=True):
            if place is not None:
                place[i] = exact.rounded(state.dtype, value)


def scalars_out(rule, call, lr, t, states, names):
    """The states with numbers in place of shared ones, whose arrays are already those after
    the step."""
    out = list(states)
    for k, name in enumerate(names):
        if name in SCALARS:
            out[k] = mpmath.mpf(states[k].elements()[0])
    some = [state if isinstance(state, mpmath.mpf) else mpmath.mpf(1) for state in out]
    after = rule(call.attrs, lr, t, mpmath.mpf(1), mpmath.mpf(1), some)[1]
    for k, name in enumerate(names):
        if name in SCALARS:
            states[k].values[()] = exact.rounded(states[k].dtype, after[k])
    return out


class Rows:
    """Row `row` of an array, as an array."""

    def __init__(self, array, row):
        self.dtype = array.dtype
        self.values = array.values[row : row + 1]


def step_op(rule, names, rows):
    def compute(call):
        params, *given, steps, lr = call.inputs
        indices = given.pop(0) if rows else None
        grads, *states = given
        rate = lr.elements()[0]
        for i, param in enumerate(params):
            steps[i].values[()] += 1
            t = steps[i].values[()]
            own = scalars_out(rule, call, rate, t, [state[i] for state in states], names)
            if not rows:
                updated(rule, call, rate, t, param, grads[i].elements(), own)
                continue
            for r, row in enumerate(indices[i].elements()):
                taken = [
                    array if isinstance(array, mpmath.mpf) else Rows(array, row)
                    for array in (param, *own)
                ]
                grad = grads[i].values[r : r + 1].reshape(-1)
                updated(rule, call, rate, t, taken[0], grad, taken[1:])
        return []

    return compute


for _name, (_rule, _names) in RULES.items():
    golden(f"{_name}_step")(step_op(_rule, _names, rows=False))
    golden(f"{_name}_rows")(step_op(_rule, _names, rows=True))


def whole_op(rule):
    def compute(call):
        params, grads, *states, steps, lr = call.inputs
        for i, param in enumerate(params):
            steps[i].values[()] += 1
            arrays = [param, *(state[i] for state in states)]
            # A state of fewer elements is that of each element it is broadcast to.
            spread = [numpy.broadcast_to(a.values, param.shape).reshape(-1) for a in arrays]
            elements = [[mpmath.mpf(x) for x in values] for values in spread]
            given = [mpmath.mpf(g) for g in grads[i].elements()]
            before = [list(each) for each in zip(*elements[1:], strict=True)]
            t, rate = steps[i].values[()], lr.elements()[0]
            now, after = rule(call.attrs, rate, t, param, elements[0], given, before)
            if not now:
                continue
            for array, results in zip(arrays, (now, *zip(*after, strict=True)), strict=True):
                values = part(results, param.shape, array.shape)
                array.values.reshape(-1)[:] = [exact.rounded(array.dtype, x) for x in values]
        return []

    return compute


for _name, (_rule, _) in WHOLE.items():
    golden(f"{_name}_step")(whole_op(_rule))
