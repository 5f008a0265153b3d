#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/pages.py: docs/ops is what `tenon ops --pages` writes, docs/kinds what `tenon explain
# --pages` does.
"""Usage: pages.py [--check] COMMAND [FOLDER]

Writes docs/ops and docs/kinds (or ops and kinds in FOLDER) with the built command, and takes away
the pages of what is gone; --check only compares, and exits with 1 where they differ, with 77 where
a plugin of the pages is not built. Plugins that depend on the machine have no part in the pages.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/cpp/tools"))
from headers import plugins_of_tree  # noqa: E402

BACKENDS = {"tenon.cpu", "tenon.ref"}


def answer(command, *arguments):
    # Nobody's own plugins.
    environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)


def texts(folder):
    return {path.name: path.read_text() for path in sorted(folder.glob("*.md"))}


def compare(command, arguments, folder, check):
    """Writes the pages unless `check`; returns how many there are and the names that differ."""
    with tempfile.TemporaryDirectory() as temporary:
        answer(command, *arguments, "--json", "--pages", temporary)
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
    return len(fresh), differ


def main():
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    check = "--check" in sys.argv[1:]
    docs = pathlib.Path(arguments[1]) if len(arguments) > 1 else ROOT / "docs"
    command = [str(pathlib.Path(arguments[0]).resolve())]
    ids = {plugin["id"] for plugin in answer(command, "list", "--json")["plugins"]}
    needed = BACKENDS | plugins_of_tree()
    if needed - ids:
        print(f"not built: {', '.join(sorted(needed - ids))}")
        sys.exit(77)
    for other in sorted(ids - needed):
        command += ["--exclude", other]
    wrong = []
    for name, words in (("ops", ["ops"]), ("kinds", ["explain"])):
        count, differ = compare(command, words, docs / name, check)
        print(f"{name}: {count} pages, {len(differ)} {'differ' if check else 'written'}")
        if check and differ:
            wrong.append(f"{docs / name} is not what the registry says: {', '.join(differ)}")
    if wrong:
        wrong.append("write it again: python3 tests/tools/pages.py build/release/bin/tenon")
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
