#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/errors.py: docs/errors.md has a row for each status of tenon/types.h, with its number,
# a cause and a cure. Usage: errors.py <source folder>
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
header = (source / "c_api/include/tenon/types.h").read_text()
page = (source / "docs/errors.md").read_text()

define = r"#define (TENON_OK|TENON_E_\w+) \(\(tenon_status\)(\d+)\)"
stated = {name: int(number) for name, number in re.findall(define, header)}
rows = re.findall(r"^\| `(TENON_\w+)` (\d+) \| (.*?) \| (.*?) ?\|$", page, flags=re.MULTILINE)
wrong = [] if len(stated) > 1 else ["no statuses found in types.h"]
names = [name for name, *_ in rows]
wrong += [f"{name}: no row" for name in stated if name not in names]
wrong += [f"{name}: {names.count(name)} rows" for name in stated if names.count(name) > 1]
for name, number, cause, cure in rows:
    if name not in stated:
        wrong.append(f"{name}: no such status")
    elif int(number) != stated[name]:
        wrong.append(f"{name}: is {stated[name]}, not {number}")
    if name != "TENON_OK" and (not cause.strip() or not cure.strip()):
        wrong.append(f"{name}: needs a cause and a cure")
if wrong:
    sys.exit("docs/errors.md: " + "; ".join(wrong))
print(f"docs/errors.md tells {len(rows)} statuses")
