# SPDX-License-Identifier: Apache-2.0
# tests/goldens/update_rules.py: a step under each update rule, in mpmath, as the op files of
# plugins/optim write it: of one element, or of a whole parameter where its elements mix.

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


def decayed(hyper, p, g):
    decay = mpf(hyper["weight_decay"])
    return g + decay * p if decay else g


def nadam(hyper, lr, t, p, g, states):
    m, v, product = states
    lr, decay, beta1, beta2 = mpf(lr), *(mpf(hyper[n]) for n in ("weight_decay", "beta1", "beta2"))
    if decay and hyper["decoupled"]:
        p = (1 - lr * decay) * p
    else:
        g = decayed(hyper, p, g)

    def share(number):
        return beta1 * (1 - mpf(0.96) ** (number * mpf(hyper["momentum_decay"])) / 2)

    product *= share(t)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    slope = root(v / (1 - beta2**t)) + mpf(hyper["eps"])
    p -= exact.precise_divided(lr * (1 - share(t)) / (1 - product) * g, slope)
    ahead = lr * share(t + 1) / (1 - product * share(t + 1))
    return p - exact.precise_divided(ahead * m, slope), [m, v, product]


def rmsprop(hyper, lr, t, p, g, states):
    v, mean, buffer = states
    alpha, momentum = mpf(hyper["alpha"]), mpf(hyper["momentum"])
    g = decayed(hyper, p, g)
    v = square = alpha * v + (1 - alpha) * g * g
    if hyper["centered"]:
        mean = alpha * mean + (1 - alpha) * g
        square = v - mean * mean
    d = exact.precise_divided(g, root(square) + mpf(hyper["eps"]))
    if momentum:
        d = buffer = momentum * buffer + d
    return p - mpf(lr) * d, [v, mean, buffer]


def adagrad(hyper, lr, t, p, g, states):
    g = decayed(hyper, p, g)
    total = states[0] + g * g
    rate = mpf(lr) / (1 + (t - 1) * mpf(hyper["lr_decay"]))
    return p - exact.precise_divided(rate * g, root(total) + mpf(hyper["eps"])), [total]


def adadelta(hyper, lr, t, p, g, states):
    v, moved = states
    rho, eps = mpf(hyper["rho"]), mpf(hyper["eps"])
    g = decayed(hyper, p, g)
    v = rho * v + (1 - rho) * g * g
    d = exact.precise_divided(root(moved + eps), root(v + eps)) * g
    return p - mpf(lr) * d, [v, rho * moved + (1 - rho) * d * d]


def lion(hyper, lr, t, p, g, states):
    (m,) = states
    lr, beta1, beta2 = mpf(lr), mpf(hyper["beta1"]), mpf(hyper["beta2"])
    mixed = beta1 * m + (1 - beta1) * g
    direction = mixed if mpmath.isnan(mixed) else mpmath.sign(mixed)
    decay = mpf(hyper["weight_decay"])
    if decay:
        p = (1 - lr * decay) * p
    return p - lr * direction, [beta2 * m + (1 - beta2) * g]


def norm(values):
    return mpmath.sqrt(mpmath.fsum(value * value for value in values))


def lamb(hyper, lr, t, shape, params, grads, states):
    beta1, beta2 = mpf(hyper["beta1"]), mpf(hyper["beta2"])
    way, after = [], []
    for p, g, (m, v) in zip(params, grads, states, strict=True):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        slope = root(v / (1 - beta2**t)) + mpf(hyper["eps"])
        direction = exact.precise_divided(m / (1 - beta1**t), slope)
        way.append(direction + mpf(hyper["weight_decay"]) * p)
        after.append([m, v])
    length, step = norm(params), norm(way)
    ratio = mpf(1) if length == 0 or step == 0 else length / step
    return [p - mpf(lr) * ratio * u for p, u in zip(params, way, strict=True)], after


def product(a, b):
    return [[mpmath.fdot(zip(row, column)) for column in zip(*b)] for row in a]


def combined(x, a, y, b):
    """a * x + b * y of two matrices."""
    rows = zip(x, y, strict=True)
    return [[a * p + b * q for p, q in zip(*pair, strict=True)] for pair in rows]


def orthogonal(x, iterations):
    a, b, c = mpf(3.4445), mpf(-4.7750), mpf(2.0315)
    for _ in range(iterations):
        gram = product(x, list(zip(*x)))
        x = combined(x, a, product(combined(gram, b, product(gram, gram), c), x), mpf(1))
    return x


def muon(hyper, lr, t, shape, params, grads, states):
    rows, columns = shape
    lr, momentum = mpf(lr), mpf(hyper["momentum"])
    buffer = [momentum * b + (1 - momentum) * g for g, (b,) in zip(grads, states, strict=True)]
    way = buffer
    if hyper["nesterov"]:
        pairs = zip(buffer, grads, strict=True)
        way = [momentum * b + (1 - momentum) * g for b, g in pairs]
    length = max(norm(way), mpf(hyper["eps"]))
    x = [[way[i * columns + j] / length for j in range(columns)] for i in range(rows)]
    tall = rows > columns
    x = orthogonal(list(zip(*x)) if tall else x, int(hyper["iterations"]))
    flat = [value for row in (zip(*x) if tall else x) for value in row]
    if hyper["match_adamw"]:
        size = mpf(0.2) * mpmath.sqrt(max(shape))
    else:
        size = mpmath.sqrt(max(mpf(1), mpf(rows) / max(columns, 1)))
    kept = 1 - lr * mpf(hyper["weight_decay"])
    now = [kept * p - lr * size * u for p, u in zip(params, flat, strict=True)]
    return now, [[b] for b in buffer]


# Rules of whole parameters: lists of elements and of their states in the place of one.
WHOLE = {
    "tenon.lamb": (lamb, ["exp_avg", "exp_avg_sq"]),
    "tenon.muon": (muon, ["momentum_buffer"]),
}


def whole_rule(name):
    """The rule of an optimizer for a whole parameter, and the names of its states."""
    if name in WHOLE:
        return WHOLE[name]
    rule, names = RULES[name]

    def each(hyper, lr, t, shape, params, grads, states):
        steps = [rule(hyper, lr, t, *one) for one in zip(params, grads, states, strict=True)]
        return [p for p, _ in steps], [after for _, after in steps]

    return each, names


# States of one number for the whole parameter, in f64; a rule gives every element the same.
SCALARS = {"mu_product"}

# Each rule with its states, in the order of the step op's operands.
RULES = {
    "tenon.sgd": (sgd, ["momentum_buffer"]),
    "tenon.adam": (adam, ["exp_avg", "exp_avg_sq"]),
    "tenon.adamw": (adamw, ["exp_avg", "exp_avg_sq"]),
    "tenon.nadam": (nadam, ["exp_avg", "exp_avg_sq", "mu_product"]),
    "tenon.rmsprop": (rmsprop, ["square_avg", "grad_avg", "momentum_buffer"]),
    "tenon.adagrad": (adagrad, ["sum"]),
    "tenon.adadelta": (adadelta, ["square_avg", "acc_delta"]),
    "tenon.lion": (lion, ["exp_avg"]),
}
