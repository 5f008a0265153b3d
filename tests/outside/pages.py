# SPDX-License-Identifier: Apache-2.0
# tests/outside/pages.py: the Python blocks of a page, run in order; a line that ends with `# -> x`
# is a value that prints as x.

import re


def run_page(test, page):
    """How many blocks there are."""
    names = {"__name__": "__main__"}
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text())
    for block in blocks:
        pending = []
        for line in [*block.splitlines(), ""]:
            shown = re.fullmatch(r"(\S.*?)  # -> (.*)", line)
            if not shown:
                pending.append(line)
                continue
            exec("\n".join(pending), names)
            pending = []
            test.assertEqual(repr(eval(shown.group(1), names)), shown.group(2), line)
        exec("\n".join(pending), names)
    return len(blocks)
