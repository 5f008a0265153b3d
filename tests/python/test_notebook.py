# SPDX-License-Identifier: Apache-2.0
# tests/python/test_notebook.py: what notebooks show: well-formed, and with what is to be seen.
import unittest
from xml.etree import ElementTree

from support import Case, tenon


def cells(html):
    """The table's caption, and its rows as lists of texts."""
    table = ElementTree.fromstring(html)
    rows = [[cell.text or "" for cell in row] for row in table.iter("tr")]
    return table.find("caption").text, rows


class Notebook(Case):
    def test_a_matrix_is_a_table(self):
        caption, rows = cells(tenon.tensor([[1.0, 0.5], [-2.0, 1e-9]])._repr_html_())
        self.assertEqual(caption, "float32 [2,2] cpu")
        self.assertEqual(rows, [["1", "0.5"], ["-2", "1e-09"]])
        x = tenon.arange(30 * 25).reshape(30, 25)
        _, rows = cells(x._repr_html_())
        self.assertEqual((len(rows), len(rows[0])), (11, 11))
        self.assertEqual(rows[-1][-1], "749")
        self.assertEqual(rows[5], ["..."] * 11)
        caption, rows = cells((tenon.ones(1, 1) > 0)._repr_html_())
        self.assertEqual((caption, rows), ("bool [1,1] cpu", [["True"]]))
        caption, _ = cells(tenon.zeros(1, 1, requires_grad=True)._repr_html_())
        self.assertEqual(caption, "float32 [1,1] cpu, requires_grad")

    def test_other_tensors_are_text(self):
        for x in (tenon.tensor(1.5), tenon.zeros(3), tenon.zeros(2, 0), tenon.zeros(2, 2, 2)):
            self.assertEqual(ElementTree.fromstring(x._repr_html_()).text, repr(x))

    def test_a_model_says_where_its_numbers_are(self):
        tied = tenon.nn.linear(inputs=4, outputs=4, bias=False)
        other = tenon.nn.linear(inputs=4, outputs=4, bias=False)
        other.weight = tied.weight

        class Network(tenon.nn.Module):
            def __init__(self):
                self.body = tenon.nn.sequential(tied, tenon.nn.batch_norm(features=4), other)
                self.scales = [tenon.ones(3, requires_grad=True)]

            def forward(self, x):
                return self.body(x)

        caption, rows = cells(Network()._repr_html_())
        self.assertEqual(caption, "27 parameters, 8 in buffers")
        found = {row[0]: row[2:] for row in rows[1:]}
        self.assertEqual(found["-"], ["scales.0 [3]", "3"])
        self.assertEqual(found["body.0"], ["weight [4, 4]", "16"])
        self.assertEqual(found["body.2"], ["", ""])  # body.0 has it
        self.assertIn("running_mean [4]", found["body.1"][0])
        self.assertEqual(found["body.1"][1], "16")
        self.assertIn("tenon.batch_norm(features=4)", [row[1] for row in rows])

    def test_graphs_and_plans(self):
        x = tenon.ones(2, requires_grad=True)
        picture = tenon.draw((x * 2).sum())
        self.assertEqual(picture._repr_svg_(), picture)
        self.assertTrue(ElementTree.fromstring(picture).tag.endswith("svg"))
        plan = tenon.capture(lambda x: x + 1, tenon.ones(2))
        self.assertEqual(ElementTree.fromstring(plan._repr_html_()).text, str(plan))


if __name__ == "__main__":
    unittest.main()
