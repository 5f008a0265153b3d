# SPDX-License-Identifier: Apache-2.0
# tests/python/test_random_graphs.py: steps of random ops have the same bits eagerly and captured.
"""TENON_TEST_SEED is the first seed (1), TENON_TEST_GRAPHS how many graphs are drawn (150)."""
import os
import unittest

import random_graphs
from random_graphs_run import compare_captured
from random_graphs_shrink import program, shrink
from support import Case

SEED = int(os.environ.get("TENON_TEST_SEED", "1"))
GRAPHS = int(os.environ.get("TENON_TEST_GRAPHS", "150"))


class RandomGraphs(Case):
    def test_replays_have_the_bits_of_the_step(self):
        print(f"seeds {SEED} to {SEED + GRAPHS - 1}")
        for seed in range(SEED, SEED + GRAPHS):
            graph = random_graphs.draw(seed)
            try:
                words = compare_captured(graph)
            except Exception as error:
                raise AssertionError(f"seed {seed}:\n{program(graph)}") from error
            if words:
                self.fail(f"seed {seed}, {words}:\n{program(shrink(graph, compare_captured))}")

    def test_every_rule_is_drawn(self):
        """So that what the graphs show is what they are said to."""
        drawn = set()
        for seed in range(400):
            graph = random_graphs.draw(seed)
            drawn |= {node.op for nodes in graph.parts for node in nodes}
        tables = (
            random_graphs.UNARY,
            random_graphs.ACTIVATIONS,
            random_graphs.BINARY,
            random_graphs.REDUCTIONS,
        )
        missing = {op for table in tables for op in table} - drawn
        self.assertEqual(missing, set())
        self.assertLessEqual(
            {"embedding", "gather", "scatter_add", "averaged", "assigned", "into", "matmul"}, drawn
        )


if __name__ == "__main__":
    unittest.main()
