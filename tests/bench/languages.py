# SPDX-License-Identifier: Apache-2.0
"""tests/bench/languages.py: what a call costs from each language: add of 64 f32 on the processor,
one thread, its output made by the call and released; writes a table in Markdown.

usage    python3 languages.py [--rounds N] BUILD

Installs what BUILD holds in a folder of its own and runs languages/add.* against it, in turn. The
least time of all rounds counts, since what disturbs a call only adds to it. A language that is not
installed is left out. "functions" are tenon_op_call and tenon_tensor_release with operands that are
ready; "client" is the call as a program writes it, by name, with its regions or owners.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/bench/languages"
EXAMPLES = ROOT / "examples"
JNA = "/usr/share/java/jna.jar"


def programs(folder, flags):
    """Language, its tool, how its program is built, how it is run."""
    java = os.pathsep.join([JNA, str(folder / "java")])
    yield "C", "cc", ["cc", "-O2", HERE / "add.c", *flags, "-o", folder / "c"], [folder / "c"]
    yield (
        "C++", "c++",
        ["c++", "-std=c++20", "-O2", HERE / "add.cc", *flags, "-o", folder / "cc"],
        [folder / "cc"],
    )  # fmt: skip
    made_by = ["go", "build", "-buildvcs=false", "-o", folder / "go", "./add"]
    yield "Go", "go", made_by, [folder / "go"]
    sources = [*sorted((EXAMPLES / "16_digits_java").glob("*.java")), HERE / "Add.java"]
    yield (
        "Java", "javac", ["javac", "-cp", JNA, "-d", folder / "java", *sources],
        ["java", "-cp", java, "Add"],
    )  # fmt: skip
    yield "LuaJIT", "luajit", None, ["luajit", HERE / "add.lua"]
    yield "Ruby", "ruby", None, ["ruby", "-I", EXAMPLES / "18_digits_ruby", HERE / "add.rb"]
    yield "Python", "python3", None, [sys.executable, HERE / "add.py"]


def run(command, folder, prefix, build):
    environment = {
        **os.environ,
        "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "LUA_PATH": f"{EXAMPLES}/17_digits_luajit/?.lua;;",
        "PYTHONPATH": str(build / "python"),
        "GOCACHE": str(folder / "go-cache"),
        "GOPROXY": "off",
    }
    done = subprocess.run(
        [str(each) for each in command], cwd=folder / "module", env=environment, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def measure(build, rounds, folder):
    prefix = folder / "prefix"
    subprocess.run(
        ["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True
    )
    shutil.copytree(EXAMPLES / "15_digits_go", folder / "module")
    (folder / "module/add").mkdir()
    shutil.copy(HERE / "add.go", folder / "module/add")
    flags = run(["pkg-config", "--cflags", "--libs", "tenon"], folder, prefix, build).split()
    found = {}
    for language, tool, made_by, _ in programs(folder, flags):
        if not shutil.which(tool):
            print(f"{language} is left out: there is no {tool}", file=sys.stderr)
            continue
        found[language] = []
        if made_by:
            run(made_by, folder, prefix, build)
    for _ in range(rounds):
        for language, _, _, command in programs(folder, flags):
            if language in found:
                found[language].append(run(command, folder, prefix, build).split())
    return found


def least(times):
    return "" if "-" in times else f"{min(map(float, times)):,.0f}"


def main():
    parser = argparse.ArgumentParser(description="a call from each language")
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(args.build.resolve(), args.rounds, pathlib.Path(folder))
    print("| language | functions, ns | client, ns |\n|---|---:|---:|")
    for language, times in found.items():
        functions, client = ([each[column] for each in times] for column in (0, 1))
        print(f"| {language} | {least(functions)} | {least(client)} |")


if __name__ == "__main__":
    main()
