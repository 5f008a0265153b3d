# SPDX-License-Identifier: Apache-2.0
# tests/outside/random123_test.py: uniform and normal against Random123 and its known answers.
"""Random123's kat_vectors has three vectors for philox4x32 of 10 rounds. Tenon takes the key as
seed, the first two counter words as counter and the last two as stream. An f32 shows the top 24
bits of its word, an f64 the top 53 bits of two. Longer runs are compared with philox_numpy.py,
which is held to the same three vectors with all of their bits."""

import math
import sys

import suite
import tenon_ctypes as tenon

try:
    import mpmath
    import numpy
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
import philox_numpy
import ulp

# Counter, key, answer, as in Random123's tests/kat_vectors.
VECTORS = """
00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
"""
WORDS = [[int(word, 16) for word in line.split()] for line in VECTORS.strip().splitlines()]
KNOWN_ANSWERS = [(words[:4], words[4:6], words[6:]) for words in WORDS]
# Seed, stream, counter. The last block of the second is the last there is: counting ends, and must
# not begin anew, before 2^64.
STATES = [(0, 0, 0), (2**64 - 1, 2**64 - 1, 2**64 - 2**20), (20261121, 7, 2**32 - 100)]
# No, one and several elements beside whole blocks of four words, and many chunks of work.
SHAPES = [(), (1,), (2, 3), (5, 7, 3), (1023,), (1025, 3), (250_001,)]
NORMAL_ULP = 2
MPMATH_VALUES = 4000


def joined(words):
    return words[1] << 32 | words[0]


class Generator:
    def __init__(self, runtime, name):
        self.runtime = runtime
        self.op = tenon.Op(runtime, name)

    def draw(self, state, shape, dtype, **attributes):
        self.runtime.set_seed(*state)
        attributes |= {"shape": shape, "dtype": tenon.Dtype(tenon.DTYPES[dtype])}
        (y,) = self.op.call([], attributes)
        found = numpy.frombuffer(y.get_bytes(self.bytes_of(shape, dtype)), dtype).reshape(shape)
        y.release()
        return found

    def draw_strided(self, state, shape, dtype, **attributes):
        """Into memory with gaps whose axes run in reverse order; gaps must stay as they are."""
        memory = numpy.full([2 * size + 1 for size in reversed(shape)], -77.0, dtype)
        steps = [slice(1, 2 * size + 1, 2) for size in reversed(shape)]
        window = memory[(*steps, ...)].T
        strides = [stride // memory.itemsize for stride in window.strides]
        address = window.__array_interface__["data"][0]
        y = self.runtime.wrap(tenon.DTYPES[dtype], shape, strides, address)
        self.runtime.set_seed(*state)
        attributes |= {"shape": shape, "dtype": tenon.Dtype(tenon.DTYPES[dtype])}
        self.op.apply([], attributes, [y])
        y.release()
        found = window.copy()
        window[...] = -77.0
        return found, bool((memory == -77.0).all())

    @staticmethod
    def bytes_of(shape, dtype):
        return int(numpy.prod(shape, dtype=numpy.int64)) * numpy.dtype(dtype).itemsize


def record(tally, what, found, expected, allowed=0):
    """One case: every value within `allowed` ULP."""
    steps = ulp.distance(numpy.asarray(found), numpy.asarray(expected))
    if (steps <= allowed).all():
        tally.passed += 1
        return
    i = int(steps.argmax())
    tally.fail(
        f"{what}: {int((steps > allowed).sum())} of {steps.size} values differ, the worst is "
        f"number {i}: found {float(found.flat[i]).hex()}, expected "
        f"{float(expected.flat[i]).hex()}, off by {int(steps.flat[i])} ULP, {allowed} allowed"
    )


def check_generator():
    """philox_numpy itself, with every bit of the vectors."""
    tally = suite.Tally()
    for counter, key, answer in KNOWN_ANSWERS:
        found = philox_numpy.blocks(numpy.array([counter], numpy.uint32), key)[0].tolist()
        if found == answer:
            tally.passed += 1
        else:
            tally.fail(f"key {key}: found {found}, Random123 has {answer}")
    return tally


def check_known_answers(runtime):
    tally = suite.Tally()
    generator = Generator(runtime, "tenon.uniform")
    for counter, key, answer in KNOWN_ANSWERS:
        state = joined(key), joined(counter[2:]), joined(counter[:2])
        singles = numpy.array([word >> 8 for word in answer], numpy.float32) * numpy.float32(2**-24)
        pairs = [(answer[i] << 32 | answer[i + 1]) >> 11 for i in (0, 2)]
        doubles = numpy.array(pairs, numpy.float64) * 2.0**-53
        for dtype, expected in (("float32", singles), ("float64", doubles)):
            found = generator.draw(state, expected.shape, dtype)
            record(tally, f"{dtype}, key {key}", found, expected)
    return tally


def check_uniform(runtime):
    tally = suite.Tally()
    generator = Generator(runtime, "tenon.uniform")
    for state in STATES:
        for shape in SHAPES:
            for dtype in ("float32", "float64"):
                count = int(numpy.prod(shape, dtype=numpy.int64))
                unit = philox_numpy.uniforms(dtype, *state, count).reshape(shape)
                what = f"{dtype}{list(shape)}, seed, stream, counter {state}"
                record(tally, what, generator.draw(state, shape, dtype), unit)
                check_counter(tally, runtime, what, state, dtype, count)
                low, high = unit.dtype.type(-2.5), unit.dtype.type(3.1)
                found, kept = generator.draw_strided(state, shape, dtype, low=-2.5, high=3.1)
                record(tally, f"strided {what}", found, low + unit * (high - low))
                if not kept:
                    tally.fail(f"strided {what}: memory between the elements was written")
    return tally


def check_counter(tally, runtime, what, state, dtype, count):
    """A launch consumes ceil(words / 4) counters."""
    words = count * (2 if dtype == "float64" else 1)
    expected = state[2] + (words + 3) // 4
    found = runtime.get_seed()[2]
    if found == expected:
        tally.passed += 1
    else:
        tally.fail(f"{what}: the counter is {found} afterwards, {expected} expected")


def box_muller(unit, mean, deviation):
    """The formula of tenon.normal's documentation, in mpmath, rounded once. Its arithmetic is f64,
    so the angle is what f64 makes of it: near a zero of the cosine the rounding of 2 pi u alone
    moves the result by thousands of ULP."""
    smallest = 2.0 ** (-24 if unit.dtype == numpy.float32 else -53)
    values = []
    for first, second in unit.reshape(-1, 2).tolist():
        radius = mpmath.sqrt(-2 * mpmath.log(first + smallest))
        angle = 2.0 * math.pi * second
        values += [mean + deviation * radius * turn(angle) for turn in (mpmath.cos, mpmath.sin)]
    return numpy.array([float(value) for value in values]).astype(unit.dtype)


def check_normal(runtime):
    tally = suite.Tally()
    generator = Generator(runtime, "tenon.normal")
    mpmath.mp.prec = 200
    for state in STATES:
        for dtype in ("float32", "float64"):
            for mean, deviation in ((0.0, 1.0), (10.0, 0.25)):
                unit = philox_numpy.uniforms(dtype, *state, MPMATH_VALUES)
                expected = box_muller(unit, mean, deviation)
                for shape in ((MPMATH_VALUES,), (5, 7), (3,), (1,), ()):
                    count = int(numpy.prod(shape, dtype=numpy.int64))
                    wanted = expected[:count].reshape(shape)
                    what = f"{dtype}{list(shape)} mean {mean} std {deviation}, state {state}"
                    attributes = {"mean": mean, "std": deviation}
                    found = generator.draw(state, shape, dtype, **attributes)
                    record(tally, what, found, wanted, NORMAL_ULP)
                    found, kept = generator.draw_strided(state, shape, dtype, **attributes)
                    record(tally, f"strided {what}", found, wanted, NORMAL_ULP)
                    if not kept:
                        tally.fail(f"strided {what}: memory between the elements was written")
    return tally


def main():
    runtime = tenon.Runtime()
    cases = {
        "philox_numpy, all bits": check_generator,
        "tenon.uniform, known answers": lambda: check_known_answers(runtime),
        "tenon.uniform": lambda: check_uniform(runtime),
        "tenon.normal": lambda: check_normal(runtime),
    }
    # The cases are ours, so no release of NumPy or mpmath changes their number.
    status = suite.main("random123", {}, cases)
    runtime.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
