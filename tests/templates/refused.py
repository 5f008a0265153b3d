#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/templates/refused.py: what tenon_add_plugin() refuses, and in which words.
# Usage: refused.py <TenonPlugin.cmake> <cmake>
import pathlib
import subprocess
import sys
import tempfile

C = "// SPDX-License-Identifier: MIT\nTN_UNIT({}) = {{0}};\n"
CPP = "// SPDX-License-Identifier: MIT\nTENON_UNIT({}) = {{}};\n"

# Files with what they say, the arguments, what is answered.
CASES = (
    ({}, "square SOURCES a.c", "the id 'square' must be vendor.name"),
    ({}, "acme.square", "SOURCES names no file"),
    ({}, "acme.square BOGUS SOURCES a.c", "unknown arguments: BOGUS"),
    ({"a.c": C.format("b")}, "acme.a SOURCES a.c", "a.c must say TN_UNIT(a), once; it says TN_UN"),
    ({"a.cc": CPP.format("b")}, "acme.a SOURCES a.cc", "a.cc must say TENON_UNIT(a), once; it sa"),
    ({"a.c": C.format("a"), "x/a.c": C.format("a")}, "acme.a SOURCES a.c x/a.c",
     "two files are named a; rename"),
    ({"a.c": C.format("a"), "b.cc": CPP.format("b")}, "acme.a SOURCES a.c b.cc",
     "some files say TENON_UNIT and some TN_UNIT"),
    ({"a.c": C.format("a")}, "acme.a SOURCES a.c QUERY own.hpp own::query",
     "QUERY is for units of C++"),
    ({"a.c": "TN_UNIT(a) = {0};\n"}, "acme.a SOURCES a.c", "give LICENSE <SPDX expression>"),
)  # fmt: skip


def answer(module, cmake, files, arguments):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        script = pathlib.Path(folder) / "script.cmake"
        script.write_text(f"include({module})\ntenon_add_plugin({arguments})\n", encoding="utf-8")
        done = subprocess.run([cmake, "-P", script], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
    return done.returncode, " ".join(done.stdout.split())


def main():
    module, cmake = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    wrong = []
    for files, arguments, words in CASES:
        status, text = answer(module, cmake, files, arguments)
        if status == 0 or words not in text:
            wrong.append(f"tenon_add_plugin({arguments}): expected {words!r}, found {text}")
    return "\n".join(wrong)


sys.exit(main() or 0)
