# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/__main__.py: the command `tenon`: the installed package's script, and
# `python -m tenon`.
"""Becomes the command that lies in the package."""

import os
import sys


def main():
    """Runs `tenon` with this process's arguments; does not return."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tenon")
    if not os.path.exists(command):
        sys.exit(f"tenon: the command is not in this package: {command} is missing")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
