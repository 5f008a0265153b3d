# SPDX-License-Identifier: Apache-2.0
# tests/outside/onnx_nodes.py: what tests by ONNX's published node tests share: finding the cases of
# some operators, and comparing each within its own tolerance.

import sys
import unittest
import warnings

try:
    import numpy
    import onnx
    from onnx.backend.test.case.node import collect_testcases
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)


def attributes_of(node):
    return {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}


class NodeTests(unittest.TestCase):
    OPS = {}  # how many cases each operator has
    EXCLUDED = {}  # case: why

    def results_of(self, node, operands):
        """Tenon's results, as arrays in the order of the node's outputs; those without a name are
        not looked at."""
        raise NotImplementedError

    def published(self):
        """Cases of one node; others are the same ones, with the node written as its parts."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            cases = collect_testcases(None)
        for case in cases:
            nodes = case.model.graph.node
            if len(nodes) == 1 and nodes[0].op_type in self.OPS:
                yield case, nodes[0]

    def compare(self, case, node):
        for operands, expected in case.data_sets:
            found = self.results_of(node, operands)
            pairs = [each for name, each in zip(node.output, found, strict=False) if name]
            for name, x, y in zip(filter(None, node.output), pairs, expected, strict=True):
                self.assertEqual(x.shape, y.shape, name)
                x, y = (each.astype(numpy.float64) for each in (x, y))
                numpy.testing.assert_allclose(
                    x, y, rtol=case.rtol, atol=case.atol, err_msg=f"{case.name} {name}"
                )

    def check_all(self):
        counts = dict.fromkeys(self.OPS, 0)
        passed, left = 0, set(self.EXCLUDED)
        for case, node in self.published():
            counts[node.op_type] += 1
            if case.name in self.EXCLUDED:
                left.discard(case.name)
                print(f"excluded: {case.name}: {self.EXCLUDED[case.name]}", file=sys.stderr)
                continue
            with self.subTest(case.name):
                self.compare(case, node)
                passed += 1
        excluded = len(self.EXCLUDED) - len(left)
        print(f"onnx {onnx.__version__}: {passed} passed, {excluded} excluded", file=sys.stderr)
        self.assertFalse(left, "no such cases")
        self.assertEqual(counts, self.OPS)
        self.assertEqual(passed + excluded, sum(counts.values()))
