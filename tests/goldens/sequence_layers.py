# SPDX-License-Identifier: Apache-2.0
# tests/goldens/sequence_layers.py: golden cases of multi_head_attention, from sums over the keys
# that each query sees. Python alone.

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
    ]
