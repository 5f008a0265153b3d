# SPDX-License-Identifier: Apache-2.0
# tests/tools/floors.py: what `./dev check` says of an include that runs up, or in a circle.
"""Usage: floors.py"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check


def findings(files):
    """What the checks find in a tree of these files: {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        before, check.ROOT = check.ROOT, root
        try:
            report = check.Report()
            paths = [root / name for name in files]
            for path in paths:
                check.check_floors(report, path, files[str(path.relative_to(root))], TREES)
            check.check_circles(report, paths)
            return report.findings
        finally:
            check.ROOT = before


def expect(found, *words):
    assert len(found) == len(words), found
    for text, part in zip(found, words, strict=True):
        assert part in text, (text, part)


TREES = check.floors()
assert TREES["core"][0] == "base" and TREES["core"][-1] == "api", TREES
assert TREES["sdk/verify"][0] == "case" and TREES["sdk/verify"][-1] == "report", TREES
for tree, order in TREES.items():
    folders = {each.name for each in (check.ROOT / tree).iterdir() if each.is_dir()}
    assert folders == set(order), folders ^ set(order)

DOWN = '#include "core/tensor/tensor.h"\n'
UP = '#include "core/tape/graph.h"\n'
expect(findings({"core/tape/graph.h": DOWN, "core/tensor/tensor.h": ""}))
expect(
    findings({"core/tensor/tensor.cc": UP, "core/tape/graph.h": ""}),
    "core/tensor/tensor.cc:1: core/tensor may not include core/tape",
)
expect(findings({"core/cellar/coal.h": ""}), "core/cellar has no floor")
expect(
    findings(
        {
            "core/tape/graph.cc": '#include "core/tape/recording.h"\n',
            "core/tape/recording.h": UP,
        }
    ),
    "a circle: core/tape/graph -> core/tape/recording -> core/tape/graph",
)
CASE = '#include "case/array.h"\n'
FILES = {"sdk/verify/case/array.h": "", "sdk/verify/report/table.h": CASE}
expect(findings(FILES))
expect(
    findings(FILES | {"sdk/verify/case/array.h": '#include "report/table.h"\n'}),
    "sdk/verify/case/array.h:1: sdk/verify/case may not include sdk/verify/report",
)
TOP = {"sdk/verify/verify.h": ""}
expect(
    findings(FILES | TOP | {"sdk/verify/case/case.h": '#include "verify.h"\n'}),
    "sdk/verify/case/case.h:1: sdk/verify/case may not include sdk/verify/verify.h",
)
print("floors: 7 planted trees")
