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
                check.check_floors(report, path, files[str(path.relative_to(root))], ORDER)
            check.check_circles(report, paths)
            return report.findings
        finally:
            check.ROOT = before


def expect(found, *words):
    assert len(found) == len(words), found
    for text, part in zip(found, words, strict=True):
        assert part in text, (text, part)


ORDER = check.floors()
assert ORDER[0] == "base" and ORDER[-1] == "api", ORDER
folders = {each.name for each in (check.ROOT / "core").iterdir() if each.is_dir()}
assert folders == set(ORDER), folders ^ set(ORDER)

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
print("floors: 4 planted trees")
