# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_files_test.py: files of other libraries, languages and hands: Tenon reads
# what the reference reads, equal, or refuses it for a documented reason, and never gives a part of
# it in silence.
"""Every file is made here. NumPy reads npy and npz, safetensors its own, pandas the tables; then
Tenon does, and names, dtypes, shapes and bits are compared. Of each file the writer says what
becomes of it; any other outcome is a failure. Needs NumPy, SciPy, pandas, PyTorch, safetensors and
ml_dtypes, and the programs `go` and `java`."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import ml_dtypes  # noqa: F401
    import numpy
    import pandas
    import safetensors
    import scipy
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
import written_by_hand
import written_by_numpy
import written_by_torch
import written_tables
from written import EQUAL, NEITHER, Foreign, Held, Maker, Refused, difference, entry_of_array
from written_rules import FOREIGN, NAMED, PART, READ, REFUSED, RULES, is_documented, judge

for program in ("go", "java"):
    if shutil.which(program) is None:
        print(f"skipped: the program {program} is not installed")
        sys.exit(77)

FOLDER = pathlib.Path(__file__).resolve().parent
LABEL = {"label": "id"}
GO = {
    "stored.npz": {}, "deflated.npz": {}, "deflated_best.npz": {}, "deflated_fastest.npz": {},
    "deflated_huffman.npz": {}, "deflated_uncompressed.npz": {}, "commented.npz": {}, "raw.npz": {},
    "commented_with_mark.npz": {"expected": "mark in a comment", "twin": "commented.npz"},
    "nothing.npz": {}, "behind_4_GiB.npz": {"begins_otherwise": True}, "of_66000_members.npz": {},
    "plain.safetensors": {}, "indented.safetensors": {}, "lf.csv": LABEL, "crlf.csv": LABEL,
    "packed.csv.gz": LABEL,
}  # fmt: skip
JAVA = {
    "deflated.npz": {}, "stored.npz": {}, "deflated_0.npz": {}, "deflated_1.npz": {},
    "deflated_9.npz": {}, "IBM437.npz": {}, "ISO-8859-1.npz": {}, "commented.npz": {},
    "jar.npz": {}, "nothing.npz": {}, "file_system.npz": {}, "of_66000_members.npz": {},
    "lf.csv": LABEL, "crlf.csv": LABEL, "packed.csv.gz": LABEL,
}  # fmt: skip


def program_of(files, *command):
    """A writer that runs `command`, which makes `files` in the folder that it is given."""

    def write(make):
        for name, options in files.items():
            options = dict(options)
            twin = options.pop("twin", None)
            content = make.folder / twin if twin else None
            make(name, options.pop("expected", EQUAL), content=content, **options)
        caches = {"GOCACHE": str(make.folder.parent / "go"), "GOPROXY": "off", "GOFLAGS": ""}
        done = subprocess.run(
            [*command, make.folder], env={**os.environ, **caches},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if done.returncode:
            raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}")

    return write


def write_numpy(make):
    written_by_numpy.write_numpy(make)
    written_tables.write_savetxt(make)


def write_by_hand(make):
    written_by_hand.write_by_hand(make)
    written_tables.write_by_hand(make)


# The writer, and how many files it makes at least.
WRITERS = {
    "NumPy": (write_numpy, 240),
    "SciPy": (written_by_numpy.write_scipy, 30),
    "PyTorch": (written_by_torch.write_torch, 70),
    "safetensors": (written_by_torch.write_package, 40),
    "pandas": (written_tables.write_pandas, 90),
    "Go": (program_of(GO, "go", "run", FOLDER / "write_files.go"), 17),
    "Java": (program_of(JAVA, "java", "-XX:TieredStopAtLevel=1", FOLDER / "WriteFiles.java"), 15),
    "by hand": (write_by_hand, 170),
}
LEAST_FILES = 300
WRONG = "WRONG"
OUTCOMES = [EQUAL, FOREIGN, REFUSED, PART, READ, NAMED, NEITHER, WRONG]


def shown(counts):
    """The table, writer by format."""
    head = ["writer", "format", "files", *OUTCOMES]
    lines = [head]
    for (writer, form), found in counts.items():
        lines.append([writer, form, found.total(), *(found[each] for each in OUTCOMES)])
    every = sum(counts.values(), collections.Counter())
    lines.append(["all", "", every.total(), *(every[each] for each in OUTCOMES)])
    widths = [max(len(str(line[i])) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(str(cell).ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


class WrittenFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.makers = [Maker(name, pathlib.Path(folder.name)) for name in WRITERS]
        torch.manual_seed(20261129)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NumPy's, on versions that others may not read
            for make in cls.makers:
                WRITERS[make.writer][0](make)

    def test_what_the_reference_reads_is_read(self):
        counts, used = collections.defaultdict(collections.Counter), collections.Counter()
        for make in self.makers:
            for file in make.files:
                with self.subTest(file=file.words):
                    outcome, wrong = judge(file)
                    counts[file.writer, file.format][WRONG if wrong else outcome] += 1
                    used[file.expected] += 1
                    self.assertEqual(wrong, "")
        print(shown(counts))
        for name, rule in RULES.items():
            print(f"{used[name]:3} {rule.kind} by rule: {name}")
            self.assertGreater(used[name], 0, f"no file needs the rule {name!r}")
        versions = [numpy, scipy, torch, safetensors, pandas]
        print(", ".join(f"{each.__name__} {each.__version__}" for each in versions))
        self.assertGreaterEqual(sum(each.total() for each in counts.values()), LEAST_FILES)

    def test_differences_are_seen(self):
        """Of the comparison itself: whatever is changed is found."""
        array = numpy.arange(6, dtype="f4").reshape(2, 3)
        whole = {
            "a": entry_of_array(array), "b": Foreign("F8_E4M3", (2,), b"ab"),
            "c": Foreign(numpy.dtype("c8"), (1,), bytes(8)),
            ("metadata", "k"): Foreign("", (), "v"),
        }  # fmt: skip
        found = whole | {"c": whole["c"]._replace(dtype="'<c8'")}
        self.assertEqual(difference(whole, found), "")
        for name, changed in {
            "a": whole["a"]._replace(data=whole["a"].data[:-1] + b"\0"),
            " a": whole["a"]._replace(dtype="int32"),
            "  a": whole["a"]._replace(shape=(3, 2)),
            "b": whole["b"]._replace(data=b"aB"),
            " b": whole["b"]._replace(dtype="F8_E5M2"),
            "  b": whole["b"]._replace(shape=(1, 2)),
            "   b": Held("uint8", (2,), b"ab"),
            "    b": Refused("words"),
            "c": found["c"]._replace(dtype="'>c8'"),
            "more": whole["a"],
        }.items():
            with self.subTest(changed=name):
                self.assertNotEqual(difference(whole, found | {name.strip(): changed}), "")
        for name in whole:
            with self.subTest(missing=name):
                rest = {other: entry for other, entry in found.items() if other != name}
                self.assertNotEqual(difference(whole, rest), "")

    def test_every_file_is_judged(self):
        for make in self.makers:
            with self.subTest(writer=make.writer):
                there = {path for path in make.folder.rglob("*") if path.is_file()}
                self.assertEqual(there, {file.path for file in make.files})
                self.assertGreaterEqual(len(make.files), WRITERS[make.writer][1])

    def test_every_rule_is_documented(self):
        for name, rule in RULES.items():
            with self.subTest(rule=name):
                self.assertTrue(is_documented(rule), f"{rule.page} does not say {rule.phrase!r}")


if __name__ == "__main__":
    unittest.main()
