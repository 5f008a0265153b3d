#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/mutants/project/goldens/make.py: writes the right results for the ops and optimizers that
# cases bring along, in the form of tests/goldens; CMake puts the plugin's id in place of @id@.
# Sums and products of fractions: nothing is rounded but at the end.
import fractions
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent
SEED = 20261121
MASK = 2**64 - 1


def drawn(tensor, element, low=-1, high=1):
    """As tenon/sdk/plugin/draw.hpp says."""
    z = (SEED + 0x9E3779B97F4A7C15 * ((tensor << 32) + element + 1)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return low + (z >> 11) * 2.0**-53 * (high - low)


def packed(values, dtype):
    """Row-major bytes; a bf16 is the upper half of an f32."""
    if dtype == "bf16":
        return b"".join(struct.pack("<f", each)[2:] for each in values)
    return struct.pack(f"<{len(values)}{ {'f16': 'e', 'f32': 'f', 'f64': 'd'}[dtype]}", *values)


def checksum(tensors, dtype="f64"):
    """FNV-1a over the bytes of all tensors."""
    value = 0xCBF29CE484222325
    for byte in b"".join(packed(each, dtype) for each in tensors):
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return f"{value:016x}"


def array(shape, values, dtype="f64"):
    return {"dtype": dtype, "shape": shape, "values": [float(each) for each in values]}


def write(name, content):
    text = json.dumps(content, indent=1) + "\n"
    (FOLDER / f"{name}.json.in").write_text(text, encoding="utf-8")


def flat():
    values = [1.0, 2.0, 3.0, 4.0]
    cases = []
    for dtype in ("f64", "f16", "bf16", "f32"):
        written = dtype == "f64"
        cases.append({"sample": "f64[2,2]{1.0,2.0,3.0,4.0}",
                      "from": "" if written else "f64", "to": "" if written else dtype,
                      "inputs": checksum([values], dtype),
                      "results": [array([4], values, dtype)]})
    write("flat", {"op": "@id@.flat", "revision": 1, "seed": SEED, "cases": cases})


def descent():
    shapes, counts, steps = [[2, 3], [4]], [6, 4], 4
    lr, momentum = fractions.Fraction(1, 4), fractions.Fraction(1, 2)
    first = [[drawn(t, i) for i in range(n)] for t, n in enumerate(counts)]
    grads = [[[drawn(2 * (s + 1) + p, i) for i in range(n)] for p, n in enumerate(counts)]
             for s in range(steps)]
    params = [[fractions.Fraction(x) for x in each] for each in first]
    velocity = [[fractions.Fraction(0)] * n for n in counts]
    trace = []
    for step in grads:
        for p, grad in enumerate(step):
            pairs = zip(velocity[p], grad)
            velocity[p] = [momentum * v + fractions.Fraction(g) for v, g in pairs]
            params[p] = [x - lr * v for x, v in zip(params[p], velocity[p])]
        trace.append({"params": [array(*each) for each in zip(shapes, params)],
                      "states": {"velocity": [array(*each) for each in zip(shapes, velocity)]}})
    case = {"sample": "f64[2,3], f64[4] | lr=0.25", "steps": steps,
            "inputs": checksum(first + [grad for step in grads for grad in step]), "trace": trace}
    reason = "two roundings a step against none"
    write("optimizers/descent", {
        "optimizer": "@id@.descent", "seed": SEED,
        "tolerances": [{"dtype": "f64", "ulp": 0, "relative": 1e-14, "reason": reason}],
        "cases": [case]})


flat()
descent()
