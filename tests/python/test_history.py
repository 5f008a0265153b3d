# SPDX-License-Identifier: Apache-2.0
# tests/python/test_history.py: the history of a run: its points, picture and event files.
import math
import pathlib
import tempfile
import threading
import unittest
import xml.dom.minidom

from support import Case, tenon


class History(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.history = tenon.History()

    def test_points(self):
        self.history.add("loss", 1, 0.5)
        self.history.add("loss", -(2**63), math.inf)
        self.history.add("größe", 3, 7)
        self.assertEqual(self.history.series("loss"), [(1, 0.5), (-(2**63), math.inf)])
        self.assertEqual(self.history.series("größe"), [(3, 7.0)])

    def test_values_are_numbers_or_tensors_of_one_element(self):
        self.history.add("loss", 1, tenon.tensor([2.5]).sum())
        self.history.add("loss", True, True)
        self.assertEqual(self.history.series("loss"), [(1, 2.5), (1, 1.0)])
        with self.assertRaises(Exception):
            self.history.add("loss", 2, tenon.tensor([1.0, 2.0]))
        self.assertEqual(len(self.history.series("loss")), 2)

    def test_picture(self):
        for step in range(10):
            self.history.add("loss", step, 1 / (step + 1))
        self.history.save(self.folder / "loss.svg", "Digits", axis="epoch")
        self.history.save(str(self.folder / "ß.svg"))
        self.assertEqual(len(list(self.folder.iterdir())), 2)
        text = (self.folder / "loss.svg").read_text(encoding="utf-8")
        self.assertIn(">Digits</text>", text)
        self.assertIn(">epoch</text>", text)
        shown = self.history._repr_svg_()
        self.assertEqual(shown, (self.folder / "ß.svg").read_text(encoding="utf-8"))
        self.assertEqual(xml.dom.minidom.parseString(shown).documentElement.tagName, "svg")

    def test_events(self):
        self.history.add("loss", 0, 9)
        self.history.events(self.folder)
        self.history.add("loss", 1, 0.75)
        (file,) = self.folder.glob("*tfevents*")
        self.assertTrue(file.read_bytes().find(b"\x0a\x04loss\x15\x00\x00\x40\x3f") > 0)
        self.refused(OSError, lambda: self.history.events(file / "no"), "Not a directory", "no")
        self.history.add("loss", 2, 0.75)
        self.assertEqual(file.read_bytes().count(b"loss"), 2)
        self.history.events(self.folder / "runs" / "second")  # makes both
        self.history.add("loss", 3, 0.75)
        (other,) = (self.folder / "runs" / "second").iterdir()
        self.assertEqual(other.read_bytes().count(b"loss"), 1)

    def test_wrong_arguments(self):
        history = self.history
        self.refused(LookupError, lambda: history.series("loss"), "loss", "nothing was added")
        self.refused(ValueError, lambda: history.add("", 1, 1), "the name of the series is empty")
        self.refused(TypeError, lambda: history.add(1, 1, 1), "name", "found int")
        self.refused(TypeError, lambda: history.add("loss", 1.5, 1), "step", "an integer", "float")
        self.refused(OverflowError, lambda: history.add("loss", 2**63, 1), "step", "64 bits")
        self.refused(TypeError, lambda: history.add("loss", 1, "x"), "value", "a number", "str")
        self.refused(TypeError, lambda: history.series(None), "name")
        self.refused(TypeError, lambda: history.save(3), "path", "a file's name")
        self.refused(TypeError, lambda: history.save("x", 3), "title")
        self.refused(TypeError, lambda: history.save("x", "t", None), "axis")
        self.refused(TypeError, lambda: history.events(3), "folder")
        self.refused(OSError, lambda: history.save(self.folder), "it is a folder")
        self.refused(ValueError, lambda: history.save(""), "the path is empty")
        self.refused(LookupError, lambda: history.series("loss"), "nothing was added")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_threads_share_one(self):
        def add(name):
            for step in range(1000):
                self.history.add(name, step, step)

        threads = [threading.Thread(target=add, args=(str(i),)) for i in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for i in range(4):
            self.assertEqual([step for step, _ in self.history.series(str(i))], [*range(1000)])


if __name__ == "__main__":
    unittest.main()
