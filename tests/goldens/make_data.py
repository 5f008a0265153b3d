#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/goldens/make_data.py: makes the golden files of layers, datasets and schedules
# (docs/goldens.md) from formulas and from bytes that are put together here, or with --check
# compares them. Python alone, no library.

import json
import math
import pathlib
import struct
import sys

from image_layers import image_layers
from layer_case import LAYER_TOLERANCES, layer_case, numbers, rows, tensor
from recurrent_layers import recurrent_layers
from sequence_layers import sequence_layers

FOLDER = pathlib.Path(__file__).parent

# ---- Schedules ----------------------------------------------------------------------------------


def values(count, value):
    return [value(step) for step in range(count)]


def along_cosine(start, end, share):
    return end + (start - end) * 0.5 * (1 + math.cos(math.pi * share))


def along_line(start, end, share):
    return start + (end - start) * share


def restarted(step, period, growth):
    """How far into its period a step is, where each is `growth` times as long as the last."""
    while step >= period:
        step, period = step - period, period * growth
    return step / period


def cycle(base, steps, warm_share, three=False, along=along_cosine):
    """The phases of a cycle, each with its first and last step and the values there."""
    low, end = base / 25, base / 25 / 1e4
    top = warm_share * steps - 1
    phases = [(0, top, low, base)]
    if three:
        phases += [(top, 2 * top, base, low), (2 * top, steps - 1, low, end)]
    else:
        phases += [(top, steps - 1, base, end)]

    def value(step):
        first, last, start, stop = next(each for each in phases if step <= each[1])
        return along(start, stop, (step - first) / (last - first))

    return values(steps, value)


def plateau(metrics, base, factor, patience, cooldown, better, minimum=0.0):
    value, best, bad, cooling, found = base, None, 0, 0, []
    for metric in metrics:
        if best is None or better(metric, best):
            best, bad = metric, 0
        else:
            bad += 1
        if cooling > 0:
            cooling, bad = cooling - 1, 0
        if bad > patience:
            value, cooling, bad = max(value * factor, minimum), cooldown, 0
        found.append(value)
    return found


def refused(fragment, **hypers):
    return {"hypers": hypers, "expect": "TENON_E_ATTRIBUTE", "fragment": fragment}


def case(base, found, metrics=None, **hypers):
    more = {"metrics": metrics} if metrics else {}
    return {"base": base, "hypers": hypers, **more, "values": found}


def schedules():
    metrics = [1.0, 0.9, 0.95, 0.93, 0.94, 0.96, 0.97, 0.98, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]
    yield "constant", [
        case(0.5, values(8, lambda t: 0.5), factor=1.0),
        case(2.0, values(8, lambda t: 0.5 if t < 3 else 2.0), factor=0.25, steps=3),
        refused('"steps" is out of range', steps=-1),
    ]
    yield "cosine", [
        case(0.1, values(12, lambda t: along_cosine(0.1, 0.02, min(t / 8, 1))), period=8,
             minimum=0.02),
        case(1.0, values(12, lambda t: along_cosine(1.0, 0.0, t % 5 / 5)), period=5,
             restarts=True),
        case(1.0, values(24, lambda t: along_cosine(1.0, 0.0, restarted(t, 3, 2))), period=3,
             restarts=True, growth=2),
        refused('"period" is out of range', period=0),
    ]
    yield "exponential", [
        case(0.3, values(20, lambda t: 0.3 * 0.9**t), factor=0.9),
        refused('"factor" is required'),
    ]
    yield "linear_warmup", [
        case(0.6, values(9, lambda t: 0.6 * (1 / 3 + 2 / 3 * min(t, 6) / 6)), steps=6),
        case(1.0, values(9, lambda t: 0.5 - 0.25 * min(t, 4) / 4), steps=4, start_factor=0.5,
             end_factor=0.25),
        refused('"steps" is out of range', steps=0),
    ]
    yield "multi_step", [
        case(1.0, values(10, lambda t: 0.1 ** ((t >= 3) + 2 * (t >= 7))), milestones=[7, 3, 7]),
        case(8.0, values(6, lambda t: 8.0 if t < 4 else 4.0), milestones=[4], factor=0.5),
        refused('"milestones" is required'),
    ]
    yield "one_cycle", [
        case(1.0, cycle(1.0, 20, 0.3), steps=20),
        case(0.5, cycle(0.5, 20, 0.25, along=along_line), steps=20, warm_share=0.25, linear=True),
        case(1.0, cycle(1.0, 24, 0.25, three=True), steps=24, warm_share=0.25, three_phases=True),
        refused("three phases need a warm_share of at most 0.5", steps=10, warm_share=0.6,
                three_phases=True),
    ]
    yield "plateau", [
        case(1.0, plateau(metrics, 1.0, 0.5, 1, 2, lambda m, b: m < b * (1 - 1e-4)), metrics,
             factor=0.5, patience=1, cooldown=2),
        case(1.0, plateau(metrics, 1.0, 0.1, 2, 0, lambda m, b: m > b + 0.25, 0.05), metrics,
             patience=2, threshold=0.25, relative=False, maximize=True, minimum=0.05),
        refused('"factor" is out of range', factor=1.5),
    ]
    yield "step", [
        case(1.0, values(9, lambda t: 0.1 ** (t // 3)), period=3),
        case(3.0, values(9, lambda t: 3.0 * 0.5 ** (t // 2)), period=2, factor=0.5),
        refused('"period" is out of range', period=0),
    ]


# ---- Layers -------------------------------------------------------------------------------------

def linear(options, dtype, shape, outputs, bias=True):
    inputs = shape[-1]
    weight, offset = numbers([outputs, inputs], 1), numbers([outputs], 2) if bias else [0] * outputs
    found = [
        sum(x * w for x, w in zip(row, line, strict=True)) + offset[k]
        for row in rows(numbers(shape), inputs)
        for k, line in enumerate(rows(weight, inputs))
    ]
    tensors = {"weight": tensor(dtype, [outputs, inputs], weight)}
    if bias:
        tensors["bias"] = tensor(dtype, [outputs], offset)
    sizes = ",".join(map(str, shape))
    sample = f"{dtype}[{sizes}] | inputs={inputs}, outputs={outputs}{options}"
    return layer_case(sample, dtype, shape, found, [*shape[:-1], outputs], tensors)


def softmax(row):
    powers = [math.exp(x) for x in row]
    return [x / sum(powers) for x in powers]


def normed(row, eps, centred):
    mean = sum(row) / len(row) if centred else 0
    spread = sum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(spread + eps) for x in row]


def norm(sample, dtype, shape, sizes, eps, centred, affine=True, bias=True):
    width = math.prod(sizes)
    weight = numbers(sizes, 1) if affine else [1] * width
    offset = numbers(sizes, 2) if affine and bias else [0] * width
    found = [
        x * weight[i] + offset[i]
        for row in rows(numbers(shape), width)
        for i, x in enumerate(normed(row, eps, centred))
    ]
    tensors = {}
    if affine:
        tensors["weight"] = tensor(dtype, sizes, weight)
    if affine and bias:
        tensors["bias"] = tensor(dtype, sizes, offset)
    return layer_case(sample, dtype, shape, found, shape, tensors)


def batch_norm(sample, dtype, shape, eps=1e-5, affine=True):
    channels, inner = shape[1], math.prod(shape[2:])
    wide = dtype if dtype == "f64" else "f32"
    mean, var = numbers([channels], 3), numbers([channels], 4, least=1)
    weight, bias = numbers([channels], 1), numbers([channels], 2)
    found = []
    for i, x in enumerate(numbers(shape)):
        c = i // inner % channels
        y = (x - mean[c]) / math.sqrt(var[c] + eps)
        found.append(y * weight[c] + bias[c] if affine else y)
    tensors = {"running_mean": tensor(wide, [channels], mean),
               "running_var": tensor(wide, [channels], var)}
    if affine:
        tensors["weight"] = tensor(dtype, [channels], weight)
        tensors["bias"] = tensor(dtype, [channels], bias)
    return layer_case(sample, dtype, shape, found, shape, tensors)


def embedding(sample, index_dtype, shape, indices, dtype, count, width):
    table = numbers([count, width], 1)
    found = [x for index in indices for x in rows(table, width)[index]]
    operand = {"dtype": index_dtype, "shape": list(shape), "values": indices}
    return layer_case(sample, dtype, shape, found, [*shape, width],
                      {"weight": tensor(dtype, [count, width], table)}, operand)


def activation(sample, shape, found):
    return layer_case(sample, "f64", shape, found, shape)


def layers():
    two, five = numbers([2, 3]), numbers([5])
    yield "activation", [
        activation('f64[2,3] | op="tanh"', [2, 3], map(math.tanh, two)),
        activation('f64[2,3]{-2.0,-1.0,-0.5,0.5,1.0,2.0} | op="relu"', [2, 3],
                   [max(x, 0) for x in two]),
        activation('f64[2,3] | op="gelu"', [2, 3],
                   [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in two]),
        activation('f64[5] | op="sigmoid"', [5], [1 / (1 + math.exp(-x)) for x in five]),
        activation('f64[5] | op="silu"', [5], [x / (1 + math.exp(-x)) for x in five]),
        activation('f64[2,3] | op="tenon.softmax"', [2, 3], softmax(two[:3]) + softmax(two[3:])),
    ]
    for name, group in (("batch_norm", ""), ("sync_batch_norm", "group=0, ")):
        yield name, [
            batch_norm("f64[4,3] | features=3, dtype=f64", "f64", [4, 3]),
            batch_norm("f64[2,3,4] | features=3, momentum=0.5, dtype=f64", "f64", [2, 3, 4]),
            batch_norm(f"f64[2,2,2,3] | features=2, affine=false, eps=0.1, {group}dtype=f64", "f64",
                       [2, 2, 2, 3], 0.1, False),
            batch_norm("bf16[3,2] | features=2, dtype=bf16", "bf16", [3, 2]),
        ]
    yield "dropout", [
        layer_case(sample, "f64", shape, numbers(shape), shape)
        for sample, shape in (("f64[4,3]", [4, 3]), ("f64[7] | p=0.25", [7]),
                              ("f64[7] | p=0.0", [7]), ("f64[7] | p=1", [7]))
    ]
    yield "embedding", [
        embedding("i64[3]{4,0,4} | rows=5, width=2, dtype=f64", "i64", [3], [4, 0, 4], "f64", 5, 2),
        embedding('i32[2,2]{0,1,2,1} | rows=3, width=4, init="uniform", dtype=f64', "i32", [2, 2],
                  [0, 1, 2, 1], "f64", 3, 4),
        embedding("i64[0] | rows=1, width=1, dtype=f64", "i64", [0], [], "f64", 1, 1),
        embedding("i64[2]{1,0} | rows=2, width=3, dtype=f16", "i64", [2], [1, 0], "f16", 2, 3),
    ]
    yield "layer_norm", [
        norm("f64[4,3] | sizes=[3], dtype=f64", "f64", [4, 3], [3], 1e-5, True),
        norm("f64[2,3,4] | sizes=[3,4], bias=false, dtype=f64", "f64", [2, 3, 4], [3, 4], 1e-5,
             True, bias=False),
        norm("f64[2,5] | sizes=[5], affine=false, eps=0.1", "f64", [2, 5], [5], 0.1, True, False),
        norm("bf16[2,5] | sizes=[5], dtype=bf16", "bf16", [2, 5], [5], 1e-5, True),
    ]
    yield "linear", [
        linear(", dtype=f64", "f64", [4, 3], 2),
        linear(", bias=false, dtype=f64", "f64", [2, 3, 5], 1, False),
        linear(', init="xavier_normal", dtype=f64', "f64", [3], 4),
        linear(', init="kaiming_uniform", dtype=f64', "f64", [0, 3], 4),
        linear(', init="xavier_uniform", gain=2.0', "f32", [2, 3], 2),
        linear(', init="kaiming_normal"', "f32", [2, 3], 2),
        linear(', init="uniform", gain=0.1', "f32", [2, 3], 2),
        linear(', init="normal", gain=0.02', "f32", [2, 3], 2),
        linear(', init="constant", gain=0.5', "f32", [2, 3], 2),
        linear(', init="orthogonal", dtype=f64', "f64", [2, 3], 2),
        linear(', init="orthogonal", dtype=bf16', "bf16", [2, 3], 5),
        linear(', init="truncated_normal", gain=0.02', "f32", [2, 3], 2),
        linear(", dtype=bf16", "bf16", [2, 3], 2),
    ]
    yield "rms_norm", [
        norm("f64[4,3] | sizes=[3], dtype=f64", "f64", [4, 3], [3], 1e-5, False, bias=False),
        norm("f64[2,3,4] | sizes=[3,4], dtype=f64", "f64", [2, 3, 4], [3, 4], 1e-5, False,
             bias=False),
        norm("f64[2,5] | sizes=[5], affine=false, eps=0.1", "f64", [2, 5], [5], 0.1, False, False),
        norm("f16[2,5] | sizes=[5], dtype=f16", "f16", [2, 5], [5], 1e-5, False, bias=False),
    ]
    yield "sequential", [layer_case("f64[4,3]", "f64", [4, 3], numbers([4, 3]), [4, 3])]
    yield from image_layers()
    yield from sequence_layers()
    yield from recurrent_layers()


# ---- Datasets ----------------------------------------------------------------------------------


def field(name, dtype, *shape):
    return {"name": name, "dtype": dtype, "shape": list(shape)}


def opened(options, fields, rows):
    """A case of samples, each the flat values of every field."""
    samples = [{"index": index, "values": row} for index, row in enumerate(rows)]
    return {"options": options, "length": len(rows), "fields": fields, "samples": samples}


def damaged(options, fragment, status="TENON_E_DATA"):
    return {"options": options, "expect": status, "fragment": fragment}


def idx(code, shape, packed):
    return {"hex": (bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
                    + packed).hex()}


def npy(descr, shape, packed):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return {"hex": (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                    + packed).hex()}


def data_sets():
    pixels = list(range(0, 240, 20))
    images = idx(8, [3, 2, 2], bytes(pixels))
    labels = idx(8, [3], bytes([7, 0, 9]))
    rows = [pixels[4 * i:4 * i + 4] for i in range(3)]
    image = field("image", "u8", 2, 2)
    yield "idx", [
        opened({"images": images, "labels": labels}, [image, field("label", "i64")],
               [[row, [label]] for row, label in zip(rows, [7, 0, 9], strict=True)]),
        opened({"images": images}, [image], [[row] for row in rows]),
        opened({"images": idx(13, [2, 1], struct.pack(">2f", 0.5, -2.25))},
               [field("image", "f32", 1)], [[[0.5]], [[-2.25]]]),
        damaged({"images": {"hex": images["hex"][:-2]}}, "idx file"),
        damaged({"images": images, "labels": idx(8, [2], bytes(2))}, ""),
    ]
    picture = [[(7 * i + 31 * n) % 256 for i in range(3072)] for n in range(2)]
    wide = field("image", "u8", 3, 32, 32)
    yield "cifar", [
        opened({"paths": {"hex": (bytes([3]) + bytes(picture[0]) + bytes([9])
                                  + bytes(picture[1])).hex()}},
               [wide, field("label", "i64")], [[picture[0], [3]], [picture[1], [9]]]),
        opened({"paths": {"hex": (bytes([19, 99]) + bytes(picture[1])).hex()}, "classes": 100},
               [wide, field("label", "i64"), field("coarse_label", "i64")],
               [[picture[1], [99], [19]]]),
        damaged({"paths": {"hex": (bytes([10]) + bytes(picture[0])).hex()}}, "out of range"),
        damaged({"paths": {"text": ""}, "classes": 20}, "10 or 100", "TENON_E_ATTRIBUTE"),
    ]
    x = npy("<f4", "(3, 2)", struct.pack("<6f", 0, 0.5, 1, -1.5, 2, 2.5))
    x_rows = [[0, 0.5], [1, -1.5], [2, 2.5]]
    yield "npy", [
        opened({"x": x, "y": npy("<i8", "(3,)", struct.pack("<3q", 5, -6, 2**40))},
               [field("x", "f32", 2), field("y", "i64")],
               [[row, [y]] for row, y in zip(x_rows, [5, -6, 2**40], strict=True)]),
        opened({"x": npy(">i2", "(2,)", struct.pack(">2h", -300, 7))}, [field("x", "i16")],
               [[[-300]], [[7]]]),
        damaged({"x": {"hex": x["hex"][:-2]}}, "npy file"),
    ]
    text = "a,b,class\n1,2.5,0\n-3,4e2,2\n0.25,-0,1\n"
    two = field("features", "f32", 2)
    yield "csv", [
        opened({"path": {"text": text}, "label": "class"}, [two, field("label", "i64")],
               [[[1, 2.5], [0]], [[-3, 400], [2]], [[0.25, -0.0], [1]]]),
        opened({"path": {"text": "1;2;3\n4;5;6\n"}, "target": "-1", "delimiter": ";",
                "header": False},
               [two, field("target", "f32")], [[[1, 2], [3]], [[4, 5], [6]]]),
        damaged({"path": {"text": text + "1,2\n"}}, "line 5"),
    ]
    tokens = [field("tokens", "i64", 3), field("targets", "i64", 3)]
    two_documents = {"hex": struct.pack("<9H", 5, 6, 7, 0, 8, 9, 65535, 4, 0).hex()}
    u16 = {"paths": two_documents, "dtype": "u16"}
    pair = [field("tokens", "i64", 3), field("targets", "i64", 3)]
    padded = [*pair, field("length", "i64")]
    yield "tokens", [
        opened(u16 | {"window": 3}, pair, [[[5, 6, 7], [6, 7, 0]], [[0, 8, 9], [8, 9, 65535]]]),
        opened(u16 | {"window": 3, "stride": 5}, pair,
               [[[5, 6, 7], [6, 7, 0]], [[9, 65535, 4], [65535, 4, 0]]]),
        opened(u16 | {"window": 3, "pad": 1}, padded,
               [[[5, 6, 7], [6, 7, 0], [3]], [[0, 8, 9], [8, 9, 65535], [3]],
                [[65535, 4, 1], [4, 0, -100], [2]]]),
        opened(u16 | {"window": 3, "separator": 0, "stride": 1}, pair,
               [[[5, 6, 7], [6, 7, 0]], [[8, 9, 65535], [9, 65535, 4]],
                [[9, 65535, 4], [65535, 4, 0]]]),
        opened(u16 | {"window": 3, "separator": 0, "pad": 2}, padded,
               [[[5, 6, 7], [6, 7, 0], [3]], [[8, 9, 65535], [9, 65535, 4], [3]],
                [[4, 2, 2], [0, -100, -100], [1]]]),
        opened(u16 | {"window": 3, "stride": 4, "ahead": 0}, pair,
               [[[5, 6, 7], [5, 6, 7]], [[8, 9, 65535], [8, 9, 65535]]]),
        opened(u16 | {"window": 3, "separator": 0, "pad": 1, "ahead": 2}, padded,
               [[[5, 6, 1], [7, 0, -100], [2]], [[8, 9, 65535], [65535, 4, 0], [3]]]),
        damaged(u16 | {"window": 3, "ahead": -1}, "ahead", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 3, "ahead": 7}, "10 tokens", "TENON_E_ATTRIBUTE"),
        opened({"paths": {"hex": struct.pack("<3I", 1, 4000000000, 2).hex()}, "dtype": "u32",
                "window": 2}, [field("tokens", "i64", 2), field("targets", "i64", 2)],
               [[[1, 4000000000], [4000000000, 2]]]),
        opened({"paths": {"hex": struct.pack("<2i", 7, -1).hex()}, "dtype": "i32", "window": 1},
               [field("tokens", "i64", 1), field("targets", "i64", 1)], [[[7], [-1]]]),
        opened({"paths": {"hex": struct.pack("<2q", 7, 2**40).hex()}, "dtype": "i64", "window": 1,
                "vocabulary": 2**40 + 1},
               [field("tokens", "i64", 1), field("targets", "i64", 1)], [[[7], [2**40]]]),
        opened({"paths": npy("<u2", "(4,)", struct.pack("<4H", 1, 2, 65535, 3)), "window": 3},
               pair, [[[1, 2, 65535], [2, 65535, 3]]]),
        opened({"paths": npy(">i4", "(4,)", struct.pack(">4i", 1, 2, 70000, 3)), "window": 3},
               pair, [[[1, 2, 70000], [2, 70000, 3]]]),
        damaged({"paths": {"hex": "010203"}, "dtype": "u16", "window": 1}, "multiple of 2 bytes"),
        damaged(u16 | {"window": 3, "vocabulary": 65535}, "token 6 is not in the vocabulary"),
        damaged(u16 | {"window": 9}, "window", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 5, "separator": 0}, "the longest has 5", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 0}, "window", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 3, "stride": 0}, "stride", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 3, "stride": -1}, "stride", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 3, "pad": -1}, "pad", "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"window": 3, "pad": 5, "vocabulary": 5}, "pad", "TENON_E_ATTRIBUTE"),
        damaged({"paths": two_documents, "window": 3}, "u16, u32, i32 or i64",
                "TENON_E_ATTRIBUTE"),
        damaged(u16 | {"dtype": "f32", "window": 3}, "'f32'", "TENON_E_ATTRIBUTE"),
        damaged({"paths": npy("<i2", "(2,)", bytes(4)), "window": 1}, "not tokens"),
        damaged({"paths": npy("<u2", "(2, 1)", bytes(4)), "window": 1}, "dimensions"),
        damaged({"paths": npy("<u2", "(3,)", bytes(4)), "window": 1}, "6 bytes of tokens"),
        damaged({"paths": "nowhere.bin", "dtype": "u16", "window": 1}, "nowhere.bin",
                "TENON_E_IO"),
    ]
    yield "text", [
        opened({"path": {"text": "abcdefgh"}, "tokenizer": "byte", "window": 3},
               tokens, [[list(b"abc"), list(b"bcd")], [list(b"def"), list(b"efg")]]),
        opened({"path": {"text": "cabac"}, "tokenizer": "char", "window": 3, "stride": 1},
               tokens, [[[2, 0, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 2]]]),
        damaged({"path": {"text": "abc"}, "tokenizer": "byte", "window": 0}, "window",
                "TENON_E_ATTRIBUTE"),
    ]


# ---- Files --------------------------------------------------------------------------------------


def made():
    files = {}
    tolerances = f' "tolerances": {json.dumps(LAYER_TOLERANCES)},\n'
    for kind, entries, more in (("schedule", schedules(), ""), ("dataset", data_sets(), ""),
                                ("layer", layers(), tolerances)):
        for name, cases in entries:
            lines = ",\n  ".join(json.dumps(each) for each in cases)
            files[FOLDER / f"{kind}s" / f"tenon.{name}.json"] = (
                f'{{"{kind}": "tenon.{name}",\n{more} "cases": [\n  {lines}]}}\n')
    return files


def check(files):
    wrong = []
    for folder in ("layers", "schedules", "datasets"):
        wrong += [f"{path}: make_data.py makes no such file"
                  for path in (FOLDER / folder).glob("*") if path not in files]
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path} differs from what make_data.py makes")
    return wrong


def main():
    files = made()
    if sys.argv[1:] == ["--check"]:
        return "\n".join(check(files)) or 0
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


sys.exit(main())
