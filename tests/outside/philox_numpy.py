# SPDX-License-Identifier: Apache-2.0
# tests/outside/philox_numpy.py: Philox4x32-10 in NumPy, written from the paper and not from Tenon.
"""Source: J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011."""

import numpy

MULTIPLIERS = numpy.uint64(0xD2511F53), numpy.uint64(0xCD9E8D57)
WEYL = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
LOW = numpy.uint64(0xFFFFFFFF)
HALF = numpy.uint64(32)


def blocks(counters, key):
    """counters: uint32[n,4], key: two integers below 2^32. Gives uint32[n,4]."""
    words = [counters[:, i].astype(numpy.uint64) for i in range(4)]
    for number in range(ROUNDS):
        round_key = [numpy.uint64((key[i] + number * WEYL[i]) & 0xFFFFFFFF) for i in range(2)]
        products = MULTIPLIERS[0] * words[0], MULTIPLIERS[1] * words[2]
        words = [
            (products[1] >> HALF) ^ words[1] ^ round_key[0],
            products[1] & LOW,
            (products[0] >> HALF) ^ words[3] ^ round_key[1],
            products[0] & LOW,
        ]
    return numpy.stack(words, axis=1).astype(numpy.uint32)


def words(seed, stream, counter, count):
    """The first `count` words of a launch: seed is the key, counter and stream the counter."""
    n = (count + 3) // 4
    steps = numpy.uint64(counter) + numpy.arange(n, dtype=numpy.uint64)  # modulo 2^64
    counters = numpy.empty((n, 4), numpy.uint32)
    counters[:, 0] = steps & LOW
    counters[:, 1] = steps >> HALF
    counters[:, 2] = stream & 0xFFFFFFFF
    counters[:, 3] = stream >> 32
    return blocks(counters, (seed & 0xFFFFFFFF, seed >> 32)).reshape(-1)[:count]


def uniforms(dtype, seed, stream, counter, count):
    """In [0,1): f32 the top 24 bits of a word, f64 the top 53 bits of two, the high one first."""
    if dtype == "float32":
        bits = words(seed, stream, counter, count) >> numpy.uint32(8)
        return bits.astype(numpy.float32) * numpy.float32(2.0**-24)
    pairs = words(seed, stream, counter, 2 * count).astype(numpy.uint64).reshape(-1, 2)
    bits = (pairs[:, 0] << HALF | pairs[:, 1]) >> numpy.uint64(11)
    return bits.astype(numpy.float64) * 2.0**-53
