# SPDX-License-Identifier: Apache-2.0
# tests/python/test_tutorials.py: the Python of docs/tutorials runs and prints what it says.
import linecache
import pathlib
import re
import unittest

import support  # noqa: F401 - finds the package

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/tutorials"
SHOWN = re.compile(r"(\S.*?)  # -> (.*)")


class Tutorials(unittest.TestCase):
    def run_block(self, name, block, names):
        """Runs a block's lines; those with `# ->` are expressions with that value."""
        pending = []
        for line in [*block.splitlines(), ""]:
            shown = SHOWN.fullmatch(line)
            if not shown:
                pending.append(line)
                continue
            self.execute(name, pending, names)
            pending = []
            self.assertEqual(repr(eval(shown.group(1), names)), shown.group(2), line)
        self.execute(name, pending, names)

    def execute(self, name, lines, names):
        source = "\n".join(lines) + "\n"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        exec(compile(source, name, "exec"), names)

    def test_every_block_runs(self):
        pages = sorted(FOLDER.glob("*.md"))
        self.assertTrue(pages)
        for page in pages:
            names = {"__name__": page.stem}
            blocks = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text())
            self.assertTrue(blocks)
            for number, block in enumerate(blocks):
                with self.subTest(page=page.name, block=number):
                    self.run_block(f"<{page.name}>", block, names)


if __name__ == "__main__":
    unittest.main()
