# SPDX-License-Identifier: Apache-2.0
# tests/goldens/update_rules.py: a step under each update rule, in mpmath, as the op files of
# plugins/optim write it: of one element, or of a whole parameter where its elements mix.

import math

import mpmath
import numpy

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


def lamb(hyper, lr, t, like, params, grads, states):
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


def muon(hyper, lr, t, like, params, grads, states):
    rows, columns = shape = like.shape
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


def factored_shape(name, shape):
    """Of a state with a number for each row, or for each column, of a parameter."""
    if len(shape) < 2:
        return shape if name == "row_var" else ()
    *lead, rows, columns = shape
    return (*lead, rows, 1) if name == "row_var" else (*lead, 1, columns)


def grid(elements, shape):
    values = numpy.empty(math.prod(shape), dtype=object)
    values[:] = elements
    return values.reshape(shape)


def part(elements, shape, own):
    """The elements of a state of shape `own` among those of all elements of its parameter."""
    if not own:
        return elements[:1]
    return grid(elements, shape)[tuple(slice(size) for size in own)].reshape(-1)


def mean(values, axis):
    return values.sum(axis=axis, keepdims=True) / max(values.shape[axis], 1)


def root_mean_square(values):
    return norm(values) / mpmath.sqrt(max(len(values), 1))


def adafactor(hyper, lr, t, like, params, grads, states):
    """Each element has the mean of its row and that of its column as states."""
    shape, lr = like.shape, mpf(lr)
    share = mpf(t) ** mpf(hyper["beta2_decay"])
    eps = mpf(hyper["eps1"]) or mpf(2) ** (1 - exact.FORMATS[like.dtype][0])
    size = max(mpf(hyper["eps2"]), root_mean_square(params)) * min(lr, 1 / mpmath.sqrt(t))
    squares = [g * g for g in grads]
    rows, columns = [r for r, _ in states], [c for _, c in states]
    if len(shape) < 2:
        rows = v = [(1 - share) * r + share * s for r, s in zip(rows, squares, strict=True)]
    else:
        squares = grid(squares, shape)
        r = (1 - share) * grid(rows, shape) + share * mean(squares, -1)
        c = (1 - share) * grid(columns, shape) + share * mean(squares, -2)
        v = (r * c / numpy.maximum(mean(r, -2), eps)).reshape(-1)
        rows, columns = r.reshape(-1), c.reshape(-1)
    way = [g / max(mpmath.sqrt(x), eps) for g, x in zip(grads, v, strict=True)]
    size /= max(mpf(1), root_mean_square(way) / mpf(hyper["clip_threshold"]))
    kept = 1 - lr * mpf(hyper["weight_decay"])
    now = [kept * p - size * u for p, u in zip(params, way, strict=True)]
    return now, [list(pair) for pair in zip(rows, columns, strict=True)]


# Rules of whole parameters: lists of elements and of their states in place of one, and the
# parameter itself for its shape and dtype.
WHOLE = {
    "tenon.adafactor": (adafactor, ["row_var", "col_var"]),
    "tenon.lamb": (lamb, ["exp_avg", "exp_avg_sq"]),
    "tenon.muon": (muon, ["momentum_buffer"]),
}


def whole_rule(name):
    """The rule of an optimizer for a whole parameter, and the names of its states."""
    if name in WHOLE:
        return WHOLE[name]
    rule, names = RULES[name]

    def each(hyper, lr, t, like, params, grads, states):
        steps = [rule(hyper, lr, t, *one) for one in zip(params, grads, states, strict=True)]
        return [p for p, _ in steps], [after for _, after in steps]

    return each, names


# States of one number for the whole parameter, in f64; a rule gives every element the same.
SCALARS = {"mu_product"}
# States of one number for each row or column; elements of one row, or column, have the same.
FACTORED = {"row_var", "col_var"}

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
