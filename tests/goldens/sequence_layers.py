# SPDX-License-Identifier: Apache-2.0
# tests/goldens/sequence_layers.py: golden cases of multi_head_attention and transformer_block, from
# sums over the keys that each query sees. Python alone.

import math

from layer_case import layer_case, numbers, rows, tensor


def projected(x, weight, bias):
    """Rows x times a matrix of rows, and a bias."""
    return [[sum(a * b for a, b in zip(row, line, strict=True)) + offset
             for line, offset in zip(weight, bias, strict=True)] for row in x]


def attended(q, k, v, seen):
    """One head of one sequence."""
    found = []
    for i, row in enumerate(q):
        keys = [j for j in range(len(k)) if seen(i, j)]
        scores = [sum(a * b for a, b in zip(row, k[j], strict=True)) / math.sqrt(len(row))
                  for j in keys]
        powers = [math.exp(score - max(scores)) for score in scores]
        found.append([sum(p * v[j][e] for p, j in zip(powers, keys, strict=True)) / sum(powers)
                      for e in range(len(v[0]))])
    return found


def heads(x, count):
    width = len(x[0]) // count
    return [[row[h * width:(h + 1) * width] for row in x] for h in range(count)]


def attention(sample, shape, count, memory=None, bias=True, seen=lambda i, j: True, extra=()):
    """Of one sequence, with the packed matrix."""
    width = shape[-1]
    weight, out = numbers([3 * width, width], 1), numbers([width, width], 2)
    shift = numbers([3 * width], 3) if bias else [0] * 3 * width
    end = numbers([width], 4) if bias else [0] * width
    lines = rows(weight, width)
    x = rows(numbers(shape), width)
    m = rows(numbers(memory), width) if memory else x
    q, k, v = (
        heads(projected(each, lines[part * width:][:width], shift[part * width:][:width]), count)
        for part, each in enumerate((x, m, m))
    )
    found = [attended(*each, seen) for each in zip(q, k, v, strict=True)]
    joined = [sum((head[i] for head in found), []) for i in range(len(x))]
    y = sum(projected(joined, rows(out, width), end), [])
    tensors = {"in_proj_weight": tensor("f64", [3 * width, width], weight)}
    if bias:
        tensors["in_proj_bias"] = tensor("f64", [3 * width], shift)
    tensors["out_proj.weight"] = tensor("f64", [width, width], out)
    if bias:
        tensors["out_proj.bias"] = tensor("f64", [width], end)
    case = layer_case(sample, "f64", shape, y, shape, tensors)
    if memory:
        case["operands"].append(tensor("f64", memory, numbers(memory)))
    case["operands"].extend(extra)
    return case


def normed(row, weight, bias):
    mean = sum(row) / len(row)
    scale = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
    return [(x - mean) / scale * w + b for x, w, b in zip(row, weight, bias, strict=True)]


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def block(sample, shape, count, hidden, norm_first, activation, seen=lambda i, j: True):
    """Of sequences without a gate, with the packed matrix and layer norms."""
    width, length = shape[-1], shape[-2]
    sizes = {
        "self_attn.in_proj_weight": [3 * width, width], "self_attn.in_proj_bias": [3 * width],
        "self_attn.out_proj.weight": [width, width], "self_attn.out_proj.bias": [width],
        "linear1.weight": [hidden, width], "linear1.bias": [hidden],
        "linear2.weight": [width, hidden], "linear2.bias": [width],
        "norm1.weight": [width], "norm1.bias": [width],
        "norm2.weight": [width], "norm2.bias": [width],
    }  # fmt: skip
    own = {name: numbers(size, i + 1) for i, (name, size) in enumerate(sizes.items())}

    def matrix(x, name, joint="."):
        weight = own[f"{name}{joint}weight"]
        return projected(x, rows(weight, len(x[0])), own[f"{name}{joint}bias"])

    def norm(x, name):
        return [normed(row, own[f"{name}.weight"], own[f"{name}.bias"]) for row in x]

    def attention_of(x):
        parts = rows(sum(zip(*matrix(x, "self_attn.in_proj", "_"), strict=True), ()), len(x))
        q, k, v = (heads([list(row) for row in zip(*parts[i * width:][:width], strict=True)], count)
                   for i in range(3))
        found = [attended(*each, seen) for each in zip(q, k, v, strict=True)]
        joined = [sum((head[i] for head in found), []) for i in range(len(x))]
        return matrix(joined, "self_attn.out_proj")

    def fed(x):
        return matrix([[activation(h) for h in row] for row in matrix(x, "linear1")], "linear2")

    def add(x, y):
        return [[a + b for a, b in zip(*each, strict=True)] for each in zip(x, y, strict=True)]

    y = []
    for x in rows(rows(numbers(shape), width), length):
        if norm_first:
            x = add(x, attention_of(norm(x, "norm1")))
            x = add(x, fed(norm(x, "norm2")))
        else:
            x = norm(add(x, attention_of(x)), "norm1")
            x = norm(add(x, fed(x)), "norm2")
        y += sum(x, [])
    tensors = {name: tensor("f64", size, own[name]) for name, size in sizes.items()}
    return layer_case(sample, "f64", shape, y, shape, tensors)


def as_f32(case):
    for each in [*case["operands"], *case["tensors"].values(), *case["results"]]:
        each["dtype"] = "f32"
    return case


def masked_block(sample, mask):
    seen = {"dtype": "bool", "shape": [2, 2], "values": mask}
    case = block(sample, [1, 2, 4], 1, 2, True, math.tanh, lambda i, j: mask[2 * i + j])
    case["operands"].append(seen)
    return case


def sequence_layers():
    mask = [True, False, True, True, True, False, True, True, True]
    yield "multi_head_attention", [
        attention("f64[1,3,4] | width=4, heads=2, dtype=f64", [1, 3, 4], 2),
        attention("f64[3,4] | width=4, heads=2, causal=true, bias=false, dtype=f64", [3, 4], 2,
                  bias=False, seen=lambda i, j: j <= i),
        attention("f64[1,2,4], f64[1,3,4] | width=4, heads=2, dtype=f64", [1, 2, 4], 2, [1, 3, 4]),
        attention("f64[1,3,4], f64[1,3,4], bool[3,3]{true,false,true,true,true,false,true,true,"
                  "true} | width=4, heads=1, dtype=f64", [1, 3, 4], 1, [1, 3, 4],
                  seen=lambda i, j: mask[3 * i + j],
                  extra=[{"dtype": "bool", "shape": [3, 3], "values": mask}]),
        as_f32(attention("f32[1,3,4] | width=4, heads=2, dropout=0.5", [1, 3, 4], 2)),
    ]
    yield "transformer_block", [
        block("f64[1,3,4] | width=4, heads=2, hidden=5, dtype=f64", [1, 3, 4], 2, 5, True, gelu),
        block('f64[2,2,4] | width=4, heads=2, hidden=3, norm_first=false, activation="tanh", '
              "dtype=f64", [2, 2, 4], 2, 3, False, math.tanh),
        masked_block("f64[1,2,4], bool[2,2]{true,false,true,true} | width=4, heads=1, hidden=2, "
                     'activation="tanh", dtype=f64', [True, False, True, True]),
        as_f32(block("f32[1,3,4] | width=4, heads=2, hidden=5, dropout=0.5", [1, 3, 4], 2, 5, True,
                     gelu)),
    ]
