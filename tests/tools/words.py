#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/words.py: what `./dev check` says of a word that the glossary has another one for.
"""Usage: words.py"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check

BANNED = check.banned_words()


def findings(line, name="core/base/planted.cc"):
    report = check.Report()
    check.check_words(report, check.ROOT / name, ["// in order", line], BANNED)
    return report.findings


assert findings("// the dataset is a leaf; it is not a number") == []
found = findings('throw Error{"it is no number"};')
assert len(found) == 1 and ":2: 'is no number': docs/architecture.md" in found[0], found
assert "'kMostBytes'" in findings("constexpr int kMostBytes = 3;")[0]
assert "'reckoned'" in findings("// reckoned in f64")[0]
found = findings("// the length of a data\n// set")
assert len(found) == 1 and ":2: 'data set':" in found[0], found
assert findings("| `is no number` |", "docs/architecture.md") == []
assert findings("the data set", "CHANGELOG.md") == []
assert findings("the data set", "docs/data.md") != []
print("words: 8 planted lines")
