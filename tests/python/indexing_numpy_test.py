# SPDX-License-Identifier: Apache-2.0
# tests/python/indexing_numpy_test.py: thousands of drawn keys: x[key] and x[key] = y as NumPy does.
import random
import unittest

from support import Case, skip, tenon

try:
    import numpy as np
except ImportError:
    skip("NumPy is not installed")


def draw_array(rng, length):
    shape = rng.choice([(), (2,), (3,), (1, 3), (2, 1)])
    return np.array([rng.randrange(-length, length) for _ in range(int(np.prod(shape)))]).reshape(
        shape
    )


def draw_slice(rng, length):
    def bound():
        return rng.choice([None, rng.randrange(-length - 2, length + 3)])

    return slice(bound(), bound(), rng.choice([None, 1, 2, -1, -2]))


def draw_key(rng, shape):
    """A key for an array of this shape; all its dimensions are longer than 0."""
    parts, axis, dots = [], 0, False
    while axis < len(shape) and rng.random() < 0.85:
        kind = rng.choice(["int", "slice", "slice", "array", "mask", "none", "truth", "dots"])
        if kind in ("none", "truth"):
            # No tensor on the way has more than 8 dimensions.
            if sum(part is None or part is True or part is False for part in parts) < 2:
                parts.append(None if kind == "none" else rng.random() < 0.8)
            continue
        if kind == "dots":
            if not dots:
                parts.append(Ellipsis)
                dots = True
            continue
        if dots:
            break  # what follows an Ellipsis stands for the last dimensions: keep it simple
        length = shape[axis]
        if kind == "int":
            parts.append(rng.randrange(-length, length))
        elif kind == "slice":
            parts.append(draw_slice(rng, length))
        elif kind == "array":
            parts.append(draw_array(rng, length))
        else:
            parts.append(np.array([rng.random() < 0.5 for _ in range(length)]))
        axis += 1
    if dots and axis < len(shape) and rng.random() < 0.5:
        parts.append(rng.choice([draw_array(rng, shape[-1]), draw_slice(rng, shape[-1])]))
    return tuple(parts)


def ours(key):
    return tuple(tenon.tensor(part) if isinstance(part, np.ndarray) else part for part in key)


class NumpyAgrees(Case):
    def test_drawn_keys(self):
        seed = random.randrange(2**32)
        rng = random.Random(seed)
        written = 0
        for round_number in range(3000):
            shape = tuple(rng.randrange(1, 5) for _ in range(rng.randrange(1, 5)))
            array = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
            key = draw_key(rng, shape)
            words = f"seed {seed}, round {round_number}: {shape} {key}"
            try:
                expected = array[key]
            except (IndexError, ValueError):
                with self.assertRaises((IndexError, ValueError)):
                    _ = tenon.tensor(array)[ours(key)]
                continue
            x = tenon.tensor(array)
            found = x[ours(key)]
            self.assertEqual(found.shape, expected.shape, words)
            self.assertEqual(found.tolist(), expected.tolist(), words)
            value = -np.arange(1, expected.size + 1).reshape(expected.shape)
            if rng.random() < 0.3 and expected.ndim:
                value = value[-1:] if expected.shape[0] else value
            array[key] = value
            x[ours(key)] = tenon.tensor(value)
            self.assertEqual(x.tolist(), array.tolist(), words)
            written += 1
        self.assertGreater(written, 2000)


if __name__ == "__main__":
    unittest.main()
