# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/__init__.py: the table of all ops, of which each file here holds a family.
"""A file has TABLE, WITHOUT or both, as opinfo_table.py describes them. A new family is a new
file."""

import importlib
import pathlib

TABLE, WITHOUT = {}, {}


def add(into, family, name):
    twice = sorted(into.keys() & family.keys())
    if twice:
        raise ValueError(f"tests/outside/tables/{name}.py: already in another file: {twice}")
    into.update(family)


for path in sorted(pathlib.Path(__file__).parent.glob("[a-z]*.py")):
    module = importlib.import_module(f"tables.{path.stem}")
    add(TABLE, getattr(module, "TABLE", {}), path.stem)
    add(WITHOUT, getattr(module, "WITHOUT", {}), path.stem)
