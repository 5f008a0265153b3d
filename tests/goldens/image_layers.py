# SPDX-License-Identifier: Apache-2.0
# tests/goldens/image_layers.py: golden cases of the layers of convolution networks.

import math

from layer_case import layer_case, numbers

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


def image_layers():
    yield from plain_layers()
