# SPDX-License-Identifier: Apache-2.0
# tests/goldens/image_layers.py: golden cases of the layers of convolution networks, from formulas
# over places: each result is a sum over all places of all windows that asks for each whether it
# lies in the image.

import itertools
import math

from layer_case import layer_case, numbers, tensor


def text_of(shape):
    return ",".join(map(str, shape))


def places(shape):
    return itertools.product(*map(range, shape))


def at(found, shape, place):
    """The element at a place of a row-major tensor; None outside it."""
    index = 0
    for size, i in zip(shape, place, strict=True):
        if not 0 <= i < size:
            return None
        index = index * size + i
    return found[index]


# ---- Layers without an image --------------------------------------------------------------------


def same(sample, shape, dtype="f64", change=lambda x: x):
    return layer_case(sample, dtype, shape, [change(x) for x in numbers(shape)], shape)


def plain_layers():
    yield "dropout_channels", [
        same("f64[3,4,2]", [3, 4, 2]),
        same("f64[2,3,2,2] | p=0.25", [2, 3, 2, 2]),
        same("f64[4,3] | p=0.0", [4, 3]),
        same("f64[2,3,1,2,1] | p=1", [2, 3, 1, 2, 1]),
        same("bf16[3,2,4] | p=0.25", [3, 2, 4], "bf16"),
    ]
    yield "flatten", [
        layer_case(sample, dtype, shape, numbers(shape), flat)
        for sample, dtype, shape, flat in (
            ("f64[2,3,2]", "f64", [2, 3, 2], [2, 6]),
            ("f64[2,3]", "f64", [2, 3], [2, 3]),
            ("f64[2,1,3,2] | start_axis=-3, end_axis=2", "f64", [2, 1, 3, 2], [2, 3, 2]),
            ("f32[2,3,2] | start_axis=0", "f32", [2, 3, 2], [12]),
            ("i64[0,3,2]", "i64", [0, 3, 2], [0, 6]),
        )
    ]
    yield "residual", [
        same("f64[4,3]", [4, 3], change=lambda x: 2 * x),
        same('f64[2,3]{-2.0,-1.0,-0.5,0.5,1.0,2.0} | activation="relu"', [2, 3],
             change=lambda x: max(2 * x, 0)),
        same('f64[5] | activation="tenon.tanh"', [5], change=lambda x: math.tanh(2 * x)),
        same("bf16[2,3]", [2, 3], "bf16", lambda x: 2 * x),
    ]


# ---- Convolution and pools ----------------------------------------------------------------------


class Axis:
    """The windows along one dimension of an image."""

    def __init__(self, size, taps, stride, dilation, pads, auto_pad, ceil_mode):
        self.size, self.taps, self.stride, self.dilation = size, taps, stride, dilation
        span = (taps - 1) * dilation + 1
        if auto_pad == "same":
            missing = max((math.ceil(size / stride) - 1) * stride + span - size, 0)
            pads = (missing // 2, missing - missing // 2)
        self.before, self.after = pads
        rest = size + sum(pads) - span
        self.count = rest // stride + 1
        if ceil_mode and rest % stride and self.count * stride < size + self.before:
            self.count += 1

    def place(self, window, tap):
        return window * self.stride - self.before + tap * self.dilation

    def is_padded(self, place):
        return -self.before <= place < self.size + self.after


def axes_of(image, kernel, stride=None, padding=(0,), dilation=(1,), auto_pad="none",
            ceil_mode=False):
    rank = len(image)

    def spread(numbers):
        return list(numbers) * rank if len(numbers) == 1 else list(numbers)

    pairs = list(zip(padding[::2], padding[1::2], strict=False)) if len(padding) == 2 * rank else [
        (pad, pad) for pad in spread(padding)]
    lists = zip(image, spread(kernel), spread(stride or kernel), spread(dilation), pairs,
                strict=True)
    return [Axis(*each, auto_pad, ceil_mode) for each in lists]


def windows(axes):
    """For each window the places of its taps."""
    for window in places([axis.count for axis in axes]):
        yield [
            [axis.place(i, j) for axis, i, j in zip(axes, window, tap, strict=True)]
            for tap in places([axis.taps for axis in axes])
        ]


def conv(sample, dtype, shape, kernel, groups=1, bias=True, stride=(1,), **options):
    batch, channels, image = shape[0], shape[1], shape[2:]
    out, inner = 4, channels // groups
    axes = axes_of(image, kernel, stride, **options)
    x = numbers(shape)
    weight_shape = [out, inner, *kernel]
    weight, offset = numbers(weight_shape, 1), numbers([out], 2) if bias else [0] * out
    taps = list(places(kernel))
    found = []
    for n, o in places([batch, out]):
        first = o // (out // groups) * inner
        for window in windows(axes):
            total = offset[o]
            for c, (tap, place) in itertools.product(range(inner), zip(taps, window, strict=True)):
                value = at(x, shape, [n, first + c, *place])
                if value is not None:
                    total += value * at(weight, weight_shape, [o, c, *tap])
            found.append(total)
    tensors = {"weight": tensor(dtype, weight_shape, weight)}
    if bias:
        tensors["bias"] = tensor(dtype, [out], offset)
    sample = f"{dtype}[{text_of(shape)}] | in_channels={channels}, out_channels={out}, {sample}"
    return layer_case(sample, dtype, shape, found,
                      [batch, out, *[axis.count for axis in axes]], tensors)


def pool(sample, shape, kernel, of_window, dtype="f64", **options):
    axes = axes_of(shape[2:], kernel, **options)
    x = numbers(shape)
    found = []
    for n, c in places(shape[:2]):
        for window in windows(axes):
            inside = [at(x, shape, [n, c, *place]) for place in window]
            padded = sum(all(axis.is_padded(i) for axis, i in zip(axes, place, strict=True))
                         for place in window)
            found.append(of_window([each for each in inside if each is not None], padded))
    return layer_case(f"{dtype}[{text_of(shape)}] | {sample}", dtype, shape, found,
                      [*shape[:2], *[axis.count for axis in axes]])


def greatest(inside, padded):
    return max(inside)


def mean_of_all(inside, padded):
    return sum(inside) / padded


def mean_of_inside(inside, padded):
    return sum(inside) / len(inside)


def adaptive(sample, shape, sizes, dtype="f64"):
    sizes = sizes * (len(shape) - 2) if len(sizes) == 1 else sizes
    x = numbers(shape)
    found = []
    for n, c, *window in places([*shape[:2], *sizes]):
        ends = [
            range(i * size // count, -(-(i + 1) * size // count))
            for i, size, count in zip(window, shape[2:], sizes, strict=True)
        ]
        inside = [at(x, shape, [n, c, *place]) for place in itertools.product(*ends)]
        found.append(sum(inside) / len(inside))
    return layer_case(f"{dtype}[{text_of(shape)}] | {sample}", dtype, shape, found,
                      [*shape[:2], *sizes])


def windowed_layers():
    yield "conv", [
        conv("kernel_size=[3,2], dtype=f64", "f64", [2, 2, 4, 3], [3, 2]),
        conv("kernel_size=[3], padding=[1], dtype=f64", "f64", [2, 2, 5], [3], padding=[1]),
        conv("kernel_size=[2,1,2], stride=[1,2,1], dtype=f64", "f64", [1, 2, 3, 2, 3], [2, 1, 2],
             stride=[1, 2, 1]),
        conv("kernel_size=[2,2], stride=[2], padding=[1,0], dilation=[2,1], bias=false, dtype=f64",
             "f64", [1, 2, 5, 4], [2, 2], bias=False, stride=[2], padding=[1, 0],
             dilation=[2, 1]),
        conv("kernel_size=[2,2], padding=[0,1,1,0], groups=2, dtype=f64", "f64", [1, 2, 3, 3],
             [2, 2], groups=2, padding=[0, 1, 1, 0]),
        conv('kernel_size=[2,3], auto_pad="same", init="xavier_normal", dtype=f64', "f64",
             [1, 2, 4, 3], [2, 3], auto_pad="same"),
        conv('kernel_size=[3,3], init="kaiming_uniform", gain=1.414', "f32", [1, 2, 3, 3], [3, 3]),
        conv('kernel_size=[1,1], init="orthogonal"', "f32", [1, 2, 3, 3], [1, 1]),
        conv("kernel_size=[2], dtype=bf16", "bf16", [1, 2, 3], [2]),
    ]
    for name, of_window in (("max_pool", greatest), ("avg_pool", mean_of_all)):
        own = [pool("kernel_size=[2], stride=[2], dilation=[2,1]", [1, 1, 5, 4], [2], of_window,
                    stride=[2], dilation=[2, 1])]
        if name == "avg_pool":
            own = [pool("kernel_size=[2,3], padding=[1], count_include_pad=false", [1, 1, 5, 4],
                        [2, 3], mean_of_inside, padding=[1])]
        yield name, [
            pool("kernel_size=[2]", [1, 2, 4, 3], [2], of_window),
            pool("kernel_size=[3], stride=[2], padding=[1]", [2, 1, 7], [3], of_window, stride=[2],
                 padding=[1]),
            pool("kernel_size=[2,3,1], stride=[1]", [1, 1, 3, 4, 2], [2, 3, 1], of_window,
                 stride=[1]),
            *own,
            pool("kernel_size=[2,3], ceil_mode=true", [1, 1, 5, 4], [2, 3], of_window,
                 ceil_mode=True),
            pool('kernel_size=[2], auto_pad="same"', [1, 2, 5], [2], of_window, auto_pad="same"),
            pool("kernel_size=[2], padding=[0,1]", [1, 2, 4], [2], of_window, "bf16",
                 padding=[0, 1]),
        ]
    yield "adaptive_avg_pool", [
        adaptive("output_size=[1]", [2, 3, 4, 5], [1]),
        adaptive("output_size=[3,2]", [1, 2, 5, 3], [3, 2]),
        adaptive("output_size=[3]", [1, 2, 7], [3]),
        adaptive("output_size=[2,3,1]", [1, 1, 3, 4, 2], [2, 3, 1]),
        adaptive("output_size=[2]", [1, 2, 4, 4], [2], "bf16"),
    ]


# ---- Norms --------------------------------------------------------------------------------------


def group_norm(sample, dtype, shape, groups, affine=True, eps=1e-5):
    channels, inner = shape[1], math.prod(shape[2:])
    length = channels // groups * inner
    x, weight, bias = numbers(shape), numbers([channels], 1), numbers([channels], 2)
    found = []
    for start in range(0, len(x), length):
        row = x[start:start + length]
        mean = sum(row) / length
        scale = math.sqrt(sum((each - mean) ** 2 for each in row) / length + eps)
        for i, each in enumerate(row):
            c = (start + i) // inner % channels
            y = (each - mean) / scale
            found.append(y * weight[c] + bias[c] if affine else y)
    tensors = {"weight": tensor(dtype, [channels], weight),
               "bias": tensor(dtype, [channels], bias)} if affine else {}
    return layer_case(f"{dtype}[{text_of(shape)}] | {sample}", dtype, shape, found, shape, tensors)


def norm_layers():
    yield "group_norm", [
        group_norm("groups=2, channels=4, dtype=f64", "f64", [2, 4, 3], 2),
        group_norm("groups=1, channels=3, dtype=f64", "f64", [2, 3, 2, 2], 1),
        group_norm("groups=2, channels=2, affine=false, eps=0.1, dtype=f64", "f64",
                   [1, 2, 2, 1, 3], 2, False, 0.1),
        group_norm("groups=2, channels=4, dtype=f64", "f64", [3, 4], 2),
        group_norm("groups=2, channels=4, dtype=bf16", "bf16", [2, 4, 3], 2),
    ]
    yield "instance_norm", [
        group_norm("channels=3", "f64", [2, 3, 4], 3, False),
        group_norm("channels=3, affine=true, dtype=f64", "f64", [2, 3, 2, 2], 3),
        group_norm("channels=2, eps=0.1", "f64", [1, 2, 2, 1, 3], 2, False, 0.1),
        group_norm("channels=2, affine=true, dtype=bf16", "bf16", [2, 2, 5], 2),
    ]


def image_layers():
    yield from plain_layers()
    yield from windowed_layers()
    yield from norm_layers()
