# SPDX-License-Identifier: Apache-2.0
# tests/languages/support.py: what the tests here share: where things lie, commands run as a user
# does who has set the paths of the installed Tenon, and languages that are not installed.
"""Arguments of each test: <source folder> <prefix> <build folder, for Go's cache> LANGUAGE. Exit
status 77: the language is not installed."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, PREFIX, BUILD = (pathlib.Path(each).absolute() for each in sys.argv[1:4])
LANGUAGE = sys.argv[4]
HERE, EXAMPLES = SOURCE / "tests/languages", SOURCE / "examples"
JNA = "/usr/share/java/jna.jar"
# What has to be there, and Debian's packages of it.
NEEDED = {
    "go": (["go", "cc", "pkg-config"], "golang-go, pkg-config"),
    "java": (["javac", JNA], "default-jdk-headless, libjna-java"),
    "lua": (["luajit", "pkg-config"], "luajit, pkg-config"),
    "ruby": (["ruby", "pkg-config"], "ruby, pkg-config"),
}
ENVIRONMENT = {
    **os.environ,
    "prefix": str(PREFIX),
    "PATH": os.pathsep.join([str(PREFIX / "bin"), os.environ["PATH"]]),
    "PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig"),
    "LD_LIBRARY_PATH": str(PREFIX / "lib"),
    "LUA_PATH": f"{EXAMPLES}/17_digits_luajit/?.lua;;",
    "GOCACHE": str(BUILD / "go-cache"),
    "GOPATH": str(BUILD / "go-path"),
    "GOFLAGS": "-buildvcs=false",
    "GOPROXY": "off",
}


def run(*command, status=0, cwd=None, without=()):
    """What a command prints, whose exit status is as stated."""
    environment = {key: ENVIRONMENT[key] for key in ENVIRONMENT if key not in without}
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=environment, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode != status:
        raise AssertionError(f"{command}: status {done.returncode}, not {status}\n{done.stdout}")
    return done.stdout


def build_go(folder, *programs):
    """Builds programs beside a copy of the example's client, and returns the folder of both."""
    shutil.copytree(EXAMPLES / "15_digits_go/tenon", folder / "tenon")
    shutil.copy(EXAMPLES / "15_digits_go/go.mod", folder)
    for program in programs:
        (folder / program.stem).mkdir()
        shutil.copy(program, folder / program.stem)
    run("go", "build", "-o", "bin/", "./...", cwd=folder)
    return folder / "bin"


def main():
    tools, packages = NEEDED[LANGUAGE]
    for tool in tools:
        if not shutil.which(tool) and not os.path.isfile(tool):
            print(f"skipped: there is no {tool} (Debian: {packages})")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v"])
