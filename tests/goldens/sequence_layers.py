# SPDX-License-Identifier: Apache-2.0
# tests/goldens/sequence_layers.py: golden cases of multi_head_attention and transformer_block, from
# sums over the keys that each query sees. Python alone.

import math

from layer_case import layer_case, numbers, rows, tensor

EPS = 1e-5


def projected(x, weight, bias):
    """Rows x times a matrix of rows, and a bias."""
    return [[sum(a * b for a, b in zip(row, line, strict=True)) + offset
             for line, offset in zip(weight, bias, strict=True)] for row in x]


def add(x, y):
    return [[a + b for a, b in zip(*each, strict=True)] for each in zip(x, y, strict=True)]


def rms_normed(row, weight):
    scale = 1 / math.sqrt(sum(x * x for x in row) / len(row) + EPS)
    return [x * scale * w for x, w in zip(row, weight, strict=True)]


def layer_normed(row, weight, bias):
    mean = sum(row) / len(row)
    scale = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + EPS)
    return [(x - mean) / scale * w + b for x, w, b in zip(row, weight, bias, strict=True)]


def rotated(row, position, layout):
    """All pairs of a head, with base 10000."""
    pairs = len(row) // 2
    y = list(row)
    for i in range(pairs):
        a, b = (2 * i, 2 * i + 1) if layout == "pairs" else (i, i + pairs)
        angle = position * 10000 ** (-i / pairs)
        y[a] = row[a] * math.cos(angle) - row[b] * math.sin(angle)
        y[b] = row[b] * math.cos(angle) + row[a] * math.sin(angle)
    return y


class Tensors:
    """A layer's tensors by name, each of numbers of its own."""

    def __init__(self, zero=()):
        self.made, self.sizes, self.zero = {}, {}, zero

    def __call__(self, name, *size):
        if name not in self.made:
            found = numbers(size, len(self.made) + 1)
            self.made[name] = [0.0] * len(found) if name in self.zero else found
            self.sizes[name] = size
        return self.made[name]

    def linear(self, x, name, outputs, bias=True):
        weight = rows(self(f"{name}.weight", outputs, len(x[0])), len(x[0]))
        return projected(x, weight, self(f"{name}.bias", outputs) if bias else [0] * outputs)

    def cases(self, dtype):
        return {name: tensor(dtype, self.sizes[name], found) for name, found in self.made.items()}


class Attention:
    """Options of the layer, under their names, and its tensors under `prefix`."""

    def __init__(self, own, width, heads, prefix="", **options):
        self.own, self.width, self.heads, self.prefix = own, width, heads, prefix
        self.kv_heads = options.get("kv_heads", heads)
        self.head = options.get("head_width", width // heads)
        self.packed, self.bias = options.get("packed", True), options.get("bias", True)
        self.causal, self.window = options.get("causal", False), options.get("window", 0)
        self.cap, self.layout = options.get("soft_cap", 0), options.get("rope_layout", "halves")
        self.qk_norm, self.positions = options.get("qk_norm"), options.get("positions", 0)

    def project(self, x, memory):
        sizes = [count * self.head for count in (self.heads, self.kv_heads, self.kv_heads)]
        sources = (x, memory, memory)
        if not self.packed:
            return [self.own.linear(source, f"{self.prefix}{name}_proj", size, self.bias)
                    for source, name, size in zip(sources, "qkv", sizes, strict=True)]
        weight = rows(self.own(f"{self.prefix}in_proj_weight", sum(sizes), self.width), self.width)
        bias = [0] * sum(sizes)
        if self.bias:
            bias = self.own(f"{self.prefix}in_proj_bias", sum(sizes))
        found, begin = [], 0
        for source, size in zip(sources, sizes, strict=True):
            part = slice(begin, begin + size)
            found.append(projected(source, weight[part], bias[part]))
            begin += size
        return found

    def heads_of(self, x, count, norm=None):
        """By head: rows, normed and rotated as q and k are."""
        found = []
        for h in range(count):
            part = [row[h * self.head:(h + 1) * self.head] for row in x]
            if norm and self.qk_norm:
                weight = self.own(f"{self.prefix}{norm}.weight", self.head)
                part = [rms_normed(row, weight) for row in part]
            if norm and self.positions:
                part = [rotated(row, i, self.layout) for i, row in enumerate(part)]
            found.append(part)
        return found

    def sees(self, i, j, mask, length):
        near = not self.window or abs(i - j) < self.window
        return near and (j <= i or not self.causal) and j < length and mask(i, j)

    def attended(self, q, k, v, mask, length):
        found = []
        for i, row in enumerate(q):
            keys = [j for j in range(len(k)) if self.sees(i, j, mask, length)]
            scores = [sum(a * b for a, b in zip(row, k[j], strict=True)) / math.sqrt(self.head)
                      for j in keys]
            if self.cap:
                scores = [self.cap * math.tanh(score / self.cap) for score in scores]
            powers = [math.exp(score - max(scores)) for score in scores]
            found.append([sum(p * v[j][e] for p, j in zip(powers, keys, strict=True)) / sum(powers)
                          for e in range(self.head)])
        return found

    def __call__(self, x, memory=None, mask=lambda i, j: True, length=None):
        """Of one sequence."""
        memory = memory or x
        q, k, v = self.project(x, memory)
        q, k = self.heads_of(q, self.heads, "q_norm"), self.heads_of(k, self.kv_heads, "k_norm")
        v = self.heads_of(v, self.kv_heads)
        group = self.heads // self.kv_heads
        found = [self.attended(q[h], k[h // group], v[h // group], mask,
                               len(memory) if length is None else length)
                 for h in range(self.heads)]
        joined = [sum((head[i] for head in found), []) for i in range(len(x))]
        return self.own.linear(joined, f"{self.prefix}out_proj", self.width, self.bias)


def silu(x):
    return x / (1 + math.exp(-x))


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


ACTIVATIONS = {"gelu": gelu, "tanh": math.tanh, "swiglu": silu, "geglu": gelu}


class Block:
    def __init__(self, own, width, heads, hidden, **options):
        self.own, self.width, self.hidden = own, width, hidden
        self.attention = Attention(own, width, heads, "self_attn.", **options)
        self.activation = options.get("activation", "gelu")
        self.norm_first, self.rms = options.get("norm_first", True), options.get("norm") == "rms"
        self.bias = options.get("bias", True)

    def norm(self, x, name):
        weight = self.own(f"{name}.weight", self.width)
        if self.rms:
            return [rms_normed(row, weight) for row in x]
        bias = self.own(f"{name}.bias", self.width) if self.bias else [0] * self.width
        return [layer_normed(row, weight, bias) for row in x]

    def fed(self, x):
        f, gated = ACTIVATIONS[self.activation], self.activation.endswith("glu")
        units = self.own.linear(x, "linear1", (1 + gated) * self.hidden, self.bias)
        if gated:
            units = [[f(a) * b for a, b in zip(row[:self.hidden], row[self.hidden:], strict=True)]
                     for row in units]
        else:
            units = [[f(a) for a in row] for row in units]
        return self.own.linear(units, "linear2", self.width, self.bias)

    def __call__(self, x, **how):
        if self.norm_first:
            x = add(x, self.attention(self.norm(x, "norm1"), **how))
            return add(x, self.fed(self.norm(x, "norm2")))
        x = self.norm(add(x, self.attention(x, **how)), "norm1")
        return self.norm(add(x, self.fed(x)), "norm2")


def option(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text.strip('"')


def case(layer, sample, shape, memory=None, mask=None, mask_shape=None, lengths=None, zero=()):
    """A sample's case: its options are read from its text, `zero` names tensors of zeros."""
    options = dict(part.split("=") for part in sample.partition(" | ")[2].split(", "))
    options = {name: option(text) for name, text in options.items()}
    dtype, own = options.pop("dtype", "f32"), Tensors(zero)
    run = layer(own, **options)
    queries, keys = shape[-2], (memory or shape)[-2]
    y = []
    memories = rows(rows(numbers(memory), memory[-1]), keys) if memory else None
    for b, x in enumerate(rows(rows(numbers(shape), shape[-1]), queries)):
        how = {"length": lengths[b]} if lengths else {}
        if memories:
            how["memory"] = memories[b]
        if mask:
            how["mask"] = lambda i, j: mask[keys * i + j]
        y += sum(run(x, **how), [])
    made = layer_case(sample, dtype, shape, y, shape, own.cases(dtype))
    if memory:
        made["operands"].append(tensor(dtype, memory, numbers(memory)))
    if mask:
        made["operands"].append({"dtype": "bool", "shape": mask_shape, "values": mask})
    if lengths:
        made["operands"].append({"dtype": "i64", "shape": [len(lengths)], "values": lengths})
    return made


def attention(sample, *given, **how):
    return case(Attention, sample, *given, **how)


def block(sample, *given, **how):
    return case(Block, sample, *given, **how)


def sinusoid(position, column, width, base):
    wave = math.cos if column % 2 else math.sin
    return wave(position * base ** (-2 * (column // 2) / width))


def positions(sample, shape, count, base=None, dtype="f64"):
    """A learned table is given; a sinusoidal one, of a `base`, is the layer's own."""
    width, steps = shape[-1], shape[-2]
    table, tensors = rows(numbers([count, width], 1), width), {}
    if base:
        table = [[sinusoid(p, c, width, base) for c in range(width)] for p in range(count)]
    else:
        tensors = {"weight": tensor(dtype, [count, width], sum(table, []))}
    found = [add(x, table[:steps]) for x in rows(rows(numbers(shape), width), steps)]
    return layer_case(sample, dtype, shape, sum(sum(found, []), []), shape, tensors)


def sequence_layers():
    square = [True, False, True, True, True, False, True, True, True]
    wide = [True, True, False, False, True, True]
    yield "multi_head_attention", [
        attention("f64[1,3,4] | width=4, heads=2, dtype=f64", [1, 3, 4]),
        attention("f64[3,4] | width=4, heads=2, causal=true, bias=false, dtype=f64", [3, 4]),
        attention("f64[2,3,4] | width=4, heads=2, kv_heads=1, packed=false, qk_norm=true, "
                  "positions=5, causal=true, dtype=f64", [2, 3, 4]),
        attention("f64[1,2,4], f64[1,3,4] | width=4, heads=2, dtype=f64", [1, 2, 4], [1, 3, 4]),
        attention("f64[1,2,4], f64[1,3,5] | width=4, heads=2, memory_width=5, packed=false, "
                  "dtype=f64", [1, 2, 4], [1, 3, 5]),
        attention("f64[1,3,4], f64[1,3,4], bool[3,3]{true,false,true,true,true,false,true,true,"
                  "true} | width=4, heads=1, dtype=f64", [1, 3, 4], [1, 3, 4], square, [3, 3]),
        attention("f64[2,2,4], f64[2,3,4], bool[1,1,2,3], i64[2]{2,3} | width=4, heads=1, "
                  "head_width=3, soft_cap=2.0, dtype=f64", [2, 2, 4], [2, 3, 4], wide,
                  [1, 1, 2, 3], [2, 3]),
        attention('f64[1,4,4] | width=4, heads=1, window=2, rope_layout="pairs", positions=4, '
                  "dtype=f64", [1, 4, 4]),
        attention("f32[1,3,4] | width=4, heads=2, dropout=0.5", [1, 3, 4]),
        attention("bf16[1,3,4] | width=4, heads=2, dtype=bf16", [1, 3, 4],
                  zero=["out_proj.weight"]),
    ]
    yield "positions", [
        positions("f64[2,3,4] | rows=5, width=4, dtype=f64", [2, 3, 4], 5),
        positions('f64[3,2] | rows=3, width=2, init="uniform", gain=0.02, dtype=f64', [3, 2], 3),
        positions('f64[2,3,6] | rows=4, width=6, kind="sinusoidal", dtype=f64', [2, 3, 6], 4,
                  10000),
        positions('f64[1,2,5] | rows=4, width=5, kind="sinusoidal", base=100.0, dtype=f64',
                  [1, 2, 5], 4, 100),
        positions("f64[2,0,4] | rows=5, width=4, dtype=f64", [2, 0, 4], 5),
        positions("f16[2,3,4] | rows=5, width=4, dtype=f16", [2, 3, 4], 5, dtype="f16"),
    ]
    yield "transformer_block", [
        block("f64[1,3,4] | width=4, heads=2, hidden=5, dtype=f64", [1, 3, 4]),
        block('f64[2,2,4] | width=4, heads=2, hidden=3, norm_first=false, activation="tanh", '
              "dtype=f64", [2, 2, 4]),
        block('f64[1,3,4] | width=4, heads=2, kv_heads=1, hidden=3, norm="rms", '
              'activation="swiglu", packed=false, qk_norm=true, positions=4, causal=true, '
              "dtype=f64", [1, 3, 4]),
        block('f64[3,4] | width=4, heads=1, hidden=2, activation="geglu", bias=false, window=2, '
              "dtype=f64", [3, 4]),
        block("f64[2,3,4], bool[3,3], i64[2]{3,1} | width=4, heads=1, hidden=2, dtype=f64",
              [2, 3, 4], mask=square, mask_shape=[3, 3], lengths=[3, 1]),
        block("f64[1,2,4], bool[2,2]{true,false,true,true} | width=4, heads=1, hidden=2, "
              'activation="tanh", dtype=f64', [1, 2, 4], mask=[True, False, True, True],
              mask_shape=[2, 2]),
        block("f32[1,3,4] | width=4, heads=2, hidden=5, dropout=0.5", [1, 3, 4]),
        block("bf16[1,2,4] | width=4, heads=2, hidden=5, dtype=bf16", [1, 2, 4],
              zero=["self_attn.out_proj.weight", "linear2.weight"]),
    ]
