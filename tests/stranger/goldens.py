# SPDX-License-Identifier: Apache-2.0
# tests/stranger/goldens.py: fills in the golden files that `tenon golden new` has begun for the
# plugin acme.kinds, by its documented formulas: see docs/goldens.md.
import json
import struct

MASK = 2**64 - 1


def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def rounding(dtype):
    """Of an intermediate result where that is in the parameter's dtype, f32 for 16 bits."""
    return float if dtype == "f64" else f32


def like(operand, values):
    return {"dtype": operand["dtype"], "shape": operand["shape"], "values": values}


# ---- Ops ----------------------------------------------------------------------------------------


def kinds(operands, attributes):
    """y = scale * x * |x|, in f64, rounded once."""
    (x,) = operands
    scale = attributes.get("scale", 1.0)
    return [like(x, [scale * (each * abs(each)) for each in x["values"]])]


def moments(operands, _):
    """The mean of each row, and of its squares, summed in f64 from the first column on."""
    (x,) = operands
    rows, columns = x["shape"]
    means, squares = [], []
    for row in range(rows):
        total = total_of_squares = 0.0
        for value in x["values"][row * columns : (row + 1) * columns]:
            total += value
            total_of_squares += value * value
        means.append(total / columns)
        squares.append(total_of_squares / columns)
    return [
        {"dtype": x["dtype"], "shape": [rows], "values": values} for values in (means, squares)
    ]


def descended(param, grad, velocity, lr, momentum):
    """v = momentum v + g, p = p - lr v; each operation rounded by itself."""
    at = rounding(param["dtype"])
    lr, momentum = at(lr), at(momentum)
    pairs = zip(velocity["values"], grad["values"], strict=True)
    faster = [at(at(momentum * v) + g) for v, g in pairs]
    moved = [at(p - at(lr * v)) for p, v in zip(param["values"], faster, strict=True)]
    return like(param, moved), like(velocity, faster)


def descent_step(operands, attributes):
    params, grads, velocity, lr = operands
    momentum = attributes.get("momentum", 0.9)
    done = [
        descended(*each, lr["values"][0], momentum)
        for each in zip(params, grads, velocity, strict=True)
    ]
    return [p for p, _ in done] + [v for _, v in done]


OPS = {"acme.kinds": kinds, "acme.moments": moments, "acme.descent_step": descent_step}


# ---- What is not an op
# ------------------------------------------------------------------------------


def fill_optimizer(content):
    for case in content["cases"]:
        lr = case["attributes"].get("lr", 0.01)
        momentum = case["attributes"].get("momentum", 0.9)
        params = case["params"]
        velocity = [like(p, [0.0] * len(p["values"])) for p in params]
        for grads in case["gradients"]:
            steps = zip(params, grads, velocity, strict=True)
            done = [descended(*each, lr, momentum) for each in steps]
            params, velocity = [p for p, _ in done], [v for _, v in done]
            case["trace"].append({"params": params, "states": {"velocity": velocity}})


def mixed(number):
    """SplitMix64."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def point(seed, index):
    """Values of the fields of one sample of acme.points."""
    x, y = ((mixed((mixed(seed) + 2 * index + axis) & MASK) >> 40) / 2**23 - 1 for axis in (0, 1))
    return [[x, y], [int((x < 0) != (y < 0))]]


def fill_dataset(content):
    fields = [
        {"name": "point", "dtype": "f32", "shape": [2]},
        {"name": "label", "dtype": "i64", "shape": []},
    ]
    content["cases"] = [
        {
            "options": {"count": count, "seed": seed},
            "length": count,
            "fields": fields,
            "samples": [{"index": i, "values": point(seed, i)} for i in range(0, count, 7)],
        }
        for count, seed in ((100, 0), (5, 3), (0, 1))
    ]
    content["cases"].append(
        {"options": {"count": -1}, "expect": "TENON_E_ATTRIBUTE", "fragment": "count"}
    )


def fill_schedule(content):
    content["cases"] = [
        {"base": base, "hypers": {"every": every},
         "values": [base * 0.5 ** (step // every) for step in range(25)]}
        for base, every in ((1.0, 10), (0.3, 3))
    ]  # fmt: skip
    content["cases"].append(
        {"hypers": {"every": 0}, "expect": "TENON_E_ATTRIBUTE", "fragment": "every"}
    )


def fill_layer(content):
    """y = x * weight, for each feature, the last dimension. Weights are not all alike."""
    for case in content["cases"]:
        (x,) = case["operands"]
        weight = case["tensors"]["weight"]
        features = len(weight["values"])
        weight["values"] = [0.5 * (i + 1) for i in range(features)]
        at = float if x["dtype"] == "f64" else f32
        scaled = [at(v * weight["values"][i % features]) for i, v in enumerate(x["values"])]
        case["results"] = [like(x, scaled)]


OTHERS = {
    "optimizer": fill_optimizer,
    "dataset": fill_dataset,
    "schedule": fill_schedule,
    "layer": fill_layer,
}


def fill(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    for kind, function in OTHERS.items():
        if kind in content:
            function(content)
    if "op" in content:
        for case in content["cases"]:
            case["results"] = OPS[content["op"]](case["operands"], case["attributes"])
    file.write_text(json.dumps(content), encoding="utf-8")
