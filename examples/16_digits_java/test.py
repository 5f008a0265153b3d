#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/16_digits_java/test.py: the program in Java, on the installed tree alone and JNA.
"""Usage: test.py PREFIX PLUGINS BUILD [unittest options], see examples/common/digits.py."""

import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "common"))
import digits  # noqa: E402

JNA = "/usr/share/java/jna.jar"


class Java(digits.Digits):
    TOOLS = {"javac": "default-jdk-headless", JNA: "libjna-java"}

    @classmethod
    def build(cls):
        sources = sorted(FOLDER.glob("*.java"))
        digits.run("javac", "-Xlint:all,-try", "-Werror", "-cp", JNA, "-d", cls.folder, *sources)
        return ["java", "-Xshare:auto", "-cp", os.pathsep.join([JNA, str(cls.folder)]), "Digits"]


digits.main(Java)
