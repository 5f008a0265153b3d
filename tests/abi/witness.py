#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/witness.py: writes a C file that uses everything the public headers promise, so that
# the debug information of the library made of it holds all of the ABI: one function for each
# struct and interface table, each callback type and each function of libtenon, and one for an
# enumeration of the constants. abidiff compares that library with an earlier one.
# Usage: witness.py <folder of the public headers> <file.c>
import pathlib
import re
import sys

# What may change with every version, depends on the compiler, or is no 32-bit number.
UNSTABLE = re.compile(r"TENON_(VERSION|ABI)_\w+|TENON_\w+_BUILT|TENON_EXPORT|TENON_NUL|\w+_H")


def declarations(folder):
    """The names in the headers, by kind, in the order they stand there."""
    found = {"struct": [], "callback": [], "function": [], "constant": []}
    for header in sorted(folder.rglob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text()).replace("\\\n", " ")
        found["struct"] += re.findall(r"\bstruct (tenon_\w+) \{", text)
        found["callback"] += re.findall(r"\btypedef [^;{]*\(\*(tenon_\w+)\)\(", text)
        found["function"] += re.findall(r"\bTENON_EXPORT [^;(]*?(tenon_\w+)\(", text)
        for name, value in re.findall(r"^#define (TENON_\w+) +(\S[^\n]*)$", text, re.M):
            if not UNSTABLE.fullmatch(name) and '"' not in value:
                found["constant"].append(name)
    return found


def source(folder):
    names = declarations(folder)
    lines = [f"#include <{header.relative_to(folder)}>" for header in sorted(folder.rglob("*.h"))]
    lines += ["enum witness_constants {"]
    lines += [f"  witness_{name} = {name}," for name in names["constant"]]
    lines += ["};", "void witness_constants(enum witness_constants* value) { (void)value; }"]
    for kind, pattern in (
        ("struct", "{0}* value"),
        ("callback", "{0} value"),
        ("function", "__typeof__(&{0}) value"),
    ):
        for name in names[kind]:
            parameter = pattern.format(name)
            lines.append(f"void witness_{kind}_{name}({parameter}) {{ (void)value; }}")
    return "\n".join(lines) + "\n"


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = source(folder)
    if not out.exists() or out.read_text() != text:
        out.write_text(text)


if __name__ == "__main__":
    main()
