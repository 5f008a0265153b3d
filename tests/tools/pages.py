#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/op_pages.py: docs/ops is what `tenon ops --pages` writes.
"""Usage: op_pages.py [--check] COMMAND [FOLDER]

Writes docs/ops (or FOLDER) with the built command, and takes away the pages of ops that are gone;
--check only compares, and exits with 1 where they differ, with 77 where a plugin of the pages is
not built. Plugins that depend on the machine have no part in the pages.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = {"tenon.cpu", "tenon.ops", "tenon.optim", "tenon.ref"}


def answer(command, *arguments):
    # Nobody's own plugins.
    environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)


def texts(folder):
    return {path.name: path.read_text() for path in sorted(folder.glob("*.md"))}


def main():
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    check = "--check" in sys.argv[1:]
    folder = pathlib.Path(arguments[1]) if len(arguments) > 1 else ROOT / "docs/ops"
    command = [str(pathlib.Path(arguments[0]).resolve())]
    ids = {plugin["id"] for plugin in answer(command, "list", "--json")["plugins"]}
    if NEEDED - ids:
        print(f"not built: {', '.join(sorted(NEEDED - ids))}")
        sys.exit(77)
    for other in sorted(ids - NEEDED):
        command += ["--exclude", other]
    with tempfile.TemporaryDirectory() as temporary:
        answer(command, "ops", "--json", "--pages", temporary)
        fresh = texts(pathlib.Path(temporary))
    present = texts(folder)
    differ = [name for name in sorted({*fresh, *present}) if fresh.get(name) != present.get(name)]
    if not check:
        folder.mkdir(parents=True, exist_ok=True)
        for name in differ:
            if name in fresh:
                (folder / name).write_text(fresh[name])
            else:
                (folder / name).unlink()
    elif differ:
        sys.exit(
            f"{folder} is not what the registry says: {', '.join(differ)}\n"
            "write it again: python3 tests/tools/op_pages.py build/release/bin/tenon"
        )
    print(f"{len(fresh)} pages, {len(differ)} {'differ' if check else 'written'}")


if __name__ == "__main__":
    main()
