#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/symbols.py: what a shared library exports, what it wants from others, and how it asks to
# be loaded.
# Usage: symbols.py [--sanitized] library <readelf> <file> <folder of the public headers>
#        symbols.py [--sanitized] plugin <readelf> <file>
# Exports: of the library the functions of the headers, of a plugin the query function; no more, no
# less. Wants: versioned symbols of the system's C and C++ libraries; a plugin also what its
# manifest names under requires.libraries. No unique symbols (they keep a library from being a
# second copy of itself), no executable stack, no text relocations, no run path but $ORIGIN.
import doctest
import json
import pathlib
import re
import subprocess
import sys

import witness

QUERY = "tenon_plugin_query_v0"
SYSTEM = re.compile(r"lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+)\.so\.\d+|ld-linux[-\w]*\.so\.\d+")
VERSIONED = re.compile(r"@(GLIBC|GLIBCXX|CXXABI|GCC)_")
SANITIZER = re.compile(r"lib(asan|ubsan|tsan)\.so\.\d+")
# Common system libraries that one plugin is made of, by plugin.
WANTED = {"tenon.data": {"libz.so.1"}, "tenon.formats": {"libz.so.1"}}


def read(readelf, what, path):
    command = [readelf, "--wide", what, path]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_symbols(text):
    """(name, binding, is it defined here) of every dynamic symbol."""
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 8 and re.fullmatch(r"\d+:", words[0]):
            yield words[7], words[4], words[6] != "UND"


def entries(dynamic, tag):
    return re.findall(rf"\({tag}\).*?\[(.*?)\]", dynamic)


def libraries_of(path):
    """The libraries that plugin `path` may link beside the system's."""
    manifest = path.parent / "plugin.json"
    listed = json.loads(manifest.read_text()) if manifest.exists() else {}
    return WANTED.get(path.stem, set()) | set(listed.get("requires", {}).get("libraries", []))


def wants_executable_stack(segments):
    """By `readelf --segments --wide`; a library that says nothing gets one.

    >>> line = "  GNU_STACK 0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 "
    >>> [wants_executable_stack(line + end) for end in ("RW  0x10", "RW  0", "RWE 0x10", "RWE 0")]
    [False, False, True, True]
    >>> wants_executable_stack("")
    True
    """
    stack = re.search(r"GNU_STACK(?:\s+0x\w+){5}\s+([RWE]+)\s", segments)
    return not stack or "E" in stack.group(1)


def problems(readelf, path, expected, allowed, sanitized):
    symbols = list(dynamic_symbols(read(readelf, "--dyn-syms", path)))
    dynamic = read(readelf, "--dynamic", path)
    exported = {name for name, _, defined in symbols if defined}
    yield from (f"exports {name}" for name in sorted(exported - expected))
    yield from (f"does not export {name}" for name in sorted(expected - exported))
    yield from (f"has the unique symbol {name}" for name, kind, _ in symbols if kind == "UNIQUE")

    needed = entries(dynamic, "NEEDED")
    for name in needed:
        if sanitized and SANITIZER.fullmatch(name):
            continue
        if not SYSTEM.fullmatch(name) and name not in allowed:
            yield f"needs {name}"
    # A sanitizer's and those other libraries' symbols have no version.
    if not sanitized and set(needed).isdisjoint(allowed):
        for name, kind, defined in symbols:
            if not defined and kind != "WEAK" and not VERSIONED.search(name):
                yield f"wants {name}, which no system library names with a version"
    for path_list in entries(dynamic, "RPATH") + entries(dynamic, "RUNPATH"):
        if path_list != "$ORIGIN":
            yield f"has the run path {path_list!r}"
    if "(TEXTREL)" in dynamic or re.search(r"\(FLAGS\).*\bTEXTREL\b", dynamic):
        yield "has text relocations"
    if wants_executable_stack(read(readelf, "--segments", path)):
        yield "asks for an executable stack"


def main():
    if doctest.testmod().failed:
        return 1
    arguments = sys.argv[1:]
    sanitized = arguments[0] == "--sanitized"
    kind, readelf, name, *headers = arguments[1:] if sanitized else arguments
    path = pathlib.Path(name)
    if kind == "library":
        expected = set(witness.declarations(pathlib.Path(headers[0]))["function"])
        allowed = set()
    else:
        expected, allowed = {QUERY}, libraries_of(path)
    found = list(problems(readelf, path, expected, allowed, sanitized))
    print(f"{path}:", *(found or [f"exports {len(expected)}, all in order"]), sep="\n  ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
