# SPDX-License-Identifier: Apache-2.0
# tests/goldens/update_rules.py: one element's step under each update rule, in mpmath, as the op
# files of plugins/optim write it.

import mpmath

import exact

mpf = mpmath.mpf


def root(value):
    return mpmath.nan if value < 0 else mpmath.sqrt(value)


def sgd(hyper, lr, t, p, g, states):
    """t counts the steps, this one too. Returns the parameter and its states."""
    (buffer,) = states
    momentum, dampening = mpf(hyper["momentum"]), mpf(hyper["dampening"])
    decay = mpf(hyper["weight_decay"])
    d = g + decay * p if decay else g
    if momentum:
        buffer = d if t == 1 else momentum * buffer + (1 - dampening) * d
        d = d + momentum * buffer if hyper["nesterov"] else buffer
    return p - mpf(lr) * d, [buffer]


def adam(hyper, lr, t, p, g, states, decoupled=False):
    m, v = states
    lr, decay = mpf(lr), mpf(hyper["weight_decay"])
    beta1, beta2 = mpf(hyper["beta1"]), mpf(hyper["beta2"])
    if decay and decoupled:
        p = (1 - lr * decay) * p
    elif decay:
        g = g + decay * p
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    slope = root(v) / root(1 - beta2**t) + mpf(hyper["eps"])
    return p - exact.precise_divided(lr / (1 - beta1**t) * m, slope), [m, v]


def adamw(hyper, lr, t, p, g, states):
    return adam(hyper, lr, t, p, g, states, decoupled=True)


# Each rule with its states, in the order of the step op's operands.
RULES = {
    "tenon.sgd": (sgd, ["momentum_buffer"]),
    "tenon.adam": (adam, ["exp_avg", "exp_avg_sq"]),
    "tenon.adamw": (adamw, ["exp_avg", "exp_avg_sq"]),
}
