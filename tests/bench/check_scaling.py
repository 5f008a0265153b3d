# SPDX-License-Identifier: Apache-2.0
# tests/bench/check_scaling.py: the model of docs/scaling.md: its closed form against its
# simulation, what it says is sent against what was counted, the page's tables. It times nothing.

import json
import random
import subprocess
import sys
import unittest

import scaling
import scaling_tables as tables
from scaling_model import MIB, TOLD, Way, Wires, Work, buckets, fit, sent, simulate, step

WAYS = [Way(agree=agree, sums=sums) for agree in ("all", "tree") for sums in ("exchange", "ring")]
WAYS += [Way(sums="levels"), Way(bucket=4 * MIB)]


def even(seconds):
    """Ten layers of 1 MiB."""
    dense = tuple((MIB, (place + 1) / 10) for place in range(10))
    return Work("ten", seconds / 3, seconds / 2, seconds / 6, dense, shards=2)


class Model(unittest.TestCase):
    def test_a_fit_finds_what_was_there(self):
        points = [(size, 5e-5 + size / 2e9) for size in (1e3, 1e5, 1e7)]
        a, b, rms, worst = fit(points)
        self.assertAlmostEqual(a, 5e-5, delta=1e-10)
        self.assertAlmostEqual(b, 2e9, delta=1e3)
        self.assertLess(rms, 1e-9)
        points[1] = (points[1][0], 2 * points[1][1])
        rms, worst = fit(points)[2:]
        self.assertLess(worst, -0.2)
        self.assertGreater(rms, 0.1)

    def test_closed_form_and_simulation_agree(self):
        """Where wires are the limit, and where backward is."""
        for seconds in (1e-3, 0.02, 1.0):
            for wires in tables.NETWORKS:
                for n in (2, 4, 16):
                    for way in WAYS:
                        form = step(n, wires, even(seconds), way)
                        found = simulate(n, wires, even(seconds), way)
                        with self.subTest(seconds=seconds, wires=wires.name, n=n, way=way):
                            self.assertLess(abs(found / form - 1), 0.01)

    def test_simulated_messages_share_wires(self):
        """Two processes whose wires carry a bucket's two halves, one byte a second."""
        wires = Wires("slow", 0.0, 0.0, 1.0)
        work = Work("one", 0.0, 0.0, 0.0, ((8, 1.0),), added=1e30)
        self.assertAlmostEqual(simulate(2, wires, work), TOLD + 4 + 4)
        self.assertGreater(simulate(4, wires, even(1.0), uneven=0.5), step(4, wires, even(1.0)))

    def test_one_process_sends_nothing(self):
        work = even(1.0)
        self.assertAlmostEqual(step(1, tables.ETHERNET, work), 1.0)
        self.assertEqual(sent(1, work), (0, 0))

    def test_buckets(self):
        work = Work("odd", 1.0, 4.0, 0.0, ((MIB, 0.5), (8, 0.6), (8, 1.0)), shards=2)
        self.assertEqual(buckets(work), [(MIB, 4.0), (16, 5.0)])
        self.assertEqual(buckets(work, 2 * MIB), [(MIB + 16, 5.0)])

    def test_sums_in_levels_have_the_bits_of_the_tree(self):
        draw, others = random.Random(1), 0
        for _ in range(50):
            numbers = [draw.uniform(-1, 1) for _ in range(16)]
            near = [tree(numbers[i : i + 4]) for i in range(0, 16, 4)]
            self.assertEqual(tree(near), tree(numbers))
            others += sum(numbers) != tree(numbers)
        self.assertGreater(others, 10)


def tree(numbers):
    """Neighbours first, as core/processes/sums.cc."""
    while len(numbers) > 1:
        numbers = [sum(numbers[i : i + 2]) for i in range(0, len(numbers), 2)]
    return numbers[0]


class Page(unittest.TestCase):
    def setUp(self):
        self.figures = json.loads(scaling.FIGURES.read_text())

    def test_what_is_sent_was_counted(self):
        for name, ways in self.figures["steps"].items():
            work, counted = tables.work_of(self.figures, name), ways["together"]
            transfers = len(buckets(work)) + len(work.buffers) + 3 * len(work.rows)
            with self.subTest(network=name):
                self.assertEqual(transfers, counted["transfers"])
                self.assertLess(abs(sent(2, work)[0] / counted["bytes"] - 1), 1e-4)

    def test_the_tables_are_those_of_the_figures(self):
        program = [sys.executable, scaling.__file__, "--check"]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_tables_are_found(self):
        page, made = scaling.PAGE.read_text(), {"held": "| 1 |"}
        self.assertNotEqual(scaling.filled(page, made), page)
        with self.assertRaisesRegex(SystemExit, "no place for nothing"):
            scaling.filled(page, {"nothing": "| 1 |"})


if __name__ == "__main__":
    unittest.main()
