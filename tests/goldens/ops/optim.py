# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/optim.py: one step of an update rule, on whole parameters or some rows of them.

import mpmath

import exact
from ops import golden
from update_rules import RULES


def updated(rule, call, lr, t, param, grad, states):
    """Changes a parameter and its states in place; `grad` has their shape."""
    places = param.values.reshape(-1)
    state_places = [state.values.reshape(-1) for state in states]
    for i, g in enumerate(grad):
        before = [mpmath.mpf(place[i]) for place in state_places]
        p, after = rule(call.attrs, lr, t, mpmath.mpf(places[i]), mpmath.mpf(g), before)
        places[i] = exact.rounded(param.dtype, p)
        for state, place, value in zip(states, state_places, after, strict=True):
            place[i] = exact.rounded(state.dtype, value)


class Rows:
    """Row `row` of an array, as an array."""

    def __init__(self, array, row):
        self.dtype = array.dtype
        self.values = array.values[row : row + 1]


def step_op(rule, rows):
    def compute(call):
        params, *given, steps, lr = call.inputs
        indices = given.pop(0) if rows else None
        grads, *states = given
        rate = lr.elements()[0]
        for i, param in enumerate(params):
            steps[i].values[()] += 1
            t = steps[i].values[()]
            own = [state[i] for state in states]
            if not rows:
                updated(rule, call, rate, t, param, grads[i].elements(), own)
                continue
            for r, row in enumerate(indices[i].elements()):
                taken = [Rows(array, row) for array in (param, *own)]
                grad = grads[i].values[r : r + 1].reshape(-1)
                updated(rule, call, rate, t, taken[0], grad, taken[1:])
        return []

    return compute


for _name, (_rule, _) in RULES.items():
    golden(f"{_name}_step")(step_op(_rule, rows=False))
    golden(f"{_name}_rows")(step_op(_rule, rows=True))
