#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/15_digits_go/test.py: the program in Go, built from the installed tree alone.
"""Usage: test.py PREFIX PLUGINS BUILD [unittest options], see examples/common/digits.py."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import digits  # noqa: E402


class Go(digits.Digits):
    TOOLS = {"go": "golang-go", "pkg-config": "pkg-config", "cc": "gcc"}

    @classmethod
    def build(cls):
        program = cls.folder / "digits"
        caches = {"GOCACHE": digits.BUILD / "go-cache", "GOPATH": digits.BUILD / "go-path"}
        digits.run("go", "vet", "./...", cwd=FOLDER, GOPROXY="off", **caches)
        digits.run("go", "build", "-buildvcs=false", "-o", program, ".", cwd=FOLDER,
                   GOPROXY="off", **caches)  # fmt: skip
        return [program]

    def test_is_short(self):
        lines = (FOLDER / "main.go").read_text(encoding="utf-8").splitlines()
        code = [line for line in lines if line.strip() and not line.lstrip().startswith("//")]
        self.assertLessEqual(len(code), 80)

    def test_is_formatted(self):
        self.assertEqual(digits.run("gofmt", "-l", FOLDER).stdout, "")


digits.main(Go)
