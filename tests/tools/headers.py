#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/headers.py: what `./dev check` says of a public header that is too long or bare.
"""Usage: headers.py"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check

PUBLIC = check.ROOT / "c_api/include/tenon/planted.h"


def findings(lines, path=PUBLIC):
    report = check.Report()
    check.check_prose(report, path, lines)
    return report.findings


BARE = "typedef struct tenon_widget tenon_widget;"
TALK = "// A widget is what a program holds of it."

assert findings([TALK, BARE]) == [], findings([TALK, BARE])
assert findings([f"{BARE}  {TALK}"]) == []
assert "28 % of it is prose" in findings([TALK, BARE, BARE])[0], findings([TALK, BARE, BARE])
assert "401 lines; a public header has at most 400" in findings([TALK] * 401)[0]
assert findings([BARE] * 401, check.ROOT / "core/base/planted.h") == []
print("headers: 5 planted texts")
