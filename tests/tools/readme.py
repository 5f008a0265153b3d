#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/readme.py: the README's code is the examples' code. Usage: readme.py <source folder>
import pathlib
import sys
import textwrap


def shown(path):
    text = path.read_text()
    begin = text.index("README: begin\n") + len("README: begin\n")
    block = text[begin : text.index("README: end")]
    return textwrap.dedent(block[: block.rindex("\n") + 1]).strip()


source = pathlib.Path(sys.argv[1])
readme = (source / "README.md").read_text()
examples = ("examples/03_gradient/main.c", "examples/python/gradient.py")
wrong = [name for name in examples if shown(source / name) not in readme]
if wrong:
    sys.exit(f"README.md does not show what these examples hold: {', '.join(wrong)}")
print("README.md shows the examples' code")
