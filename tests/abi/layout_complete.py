#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/layout_complete.py: every struct and member of the public headers stands in layout.c.
# Usage: layout_complete.py <folder of the public headers> <layout.c>
import pathlib
import re
import sys


def members_of(body):
    body = re.sub(r"union \{.*?\} as;", "int as;", body, flags=re.S)
    for statement in filter(None, (part.strip() for part in body.split(";"))):
        function = re.search(r"\(\*(\w+)\)\s*\(", statement)
        plain = re.search(r"(\w+)\s*(\[[^\]]*\])?$", statement)
        yield (function or plain).group(1)


def main():
    folder, layout = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    missing, structs = [], 0
    for header in sorted(folder.rglob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        for match in re.finditer(r"struct (tenon_\w+) \{(.*?)\n\}\s*\w*;", text, re.S):
            name, body = match.groups()
            structs += 1
            if f"STRUCT({name}, " not in layout:
                missing.append(name)
            missing += [
                f"{name}.{member}"
                for member in members_of(body)
                if f"MEMBER({name}, {member}, " not in layout
            ]
    if missing or structs == 0:
        print("not in layout.c:", *(missing or ["every struct: no header was read"]), sep="\n  ")
        return 1
    print(f"{structs} structs, all in layout.c")
    return 0


sys.exit(main())
