# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/__init__.py: one function per op, in a file for each family.
"""A function takes a Call and returns the outputs, aux ones too, as Arrays. Operands marked `!` it
changes in place, in call.inputs."""

import importlib
import pathlib
from dataclasses import dataclass

FUNCTIONS = {}


@dataclass
class Call:
    inputs: list  # an Array each, promoted; a list of them; None if absent
    attrs: dict  # all of them, by name
    dtypes: dict  # of the type variables
    seed: int


def golden(*names):
    """Registers the function of one op, or of several that are one."""

    def register(function):
        for name in names:
            if name in FUNCTIONS:
                raise ValueError(f"{name} has two functions")
            FUNCTIONS[name] = function
        return function

    return register


def load():
    for path in sorted(pathlib.Path(__file__).parent.glob("[a-z]*.py")):
        importlib.import_module(f"ops.{path.stem}")
    return FUNCTIONS
