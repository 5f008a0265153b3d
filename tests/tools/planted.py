# SPDX-License-Identifier: Apache-2.0
# tests/tools/planted.py: what tests share that plant something in a copy of the tree and build it.
import pathlib
import shutil
import subprocess


class Failed(Exception):
    pass


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


def copy_tree(source, tree):
    """All that git knows of, or would; committed, so that `git status` tells what comes after."""
    listed = run("git", "-C", source, "ls-files", "-co", "--exclude-standard").splitlines()
    for name in listed:
        origin = pathlib.Path(source, name)
        if origin.is_file():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, target)
    git = ("git", "-C", str(tree), "-c", "user.name=test", "-c", "user.email=test@example.invalid")
    run(*git, "init", "-q")
    run(*git, "add", "-A")
    run(*git, "commit", "-qm", "before")


def configure(cmake, generator, make, tree, build, quickly=False):
    """As the presets do, without tests and examples: to a compiler cache it is any other clone.

    quickly  compiled without optimising, for a change that no cache knows"""
    kind, flags = ("DEBUG", "-O0") if quickly else ("RELEASE", "-O2 -g1 -DNDEBUG")
    run(cmake, "-S", str(tree), "-B", str(build), "-G", generator,
        f"-DCMAKE_MAKE_PROGRAM={make}", f"-DCMAKE_BUILD_TYPE={kind.capitalize()}",
        f"-DCMAKE_CXX_FLAGS_{kind}={flags}", f"-DCMAKE_C_FLAGS_{kind}={flags}",
        "-DTENON_BUILD_TESTS=OFF", "-DTENON_BUILD_EXAMPLES=OFF")
