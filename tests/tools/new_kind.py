#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/new_kind.py: a new kind of entry is a line in tenon/kinds.h, its header and a folder
# of plugins. Copies the tree, plants the kind "compiler" with one plugin, builds, and proves that
# git sees nothing else, and that manifest, list, doctor, query, verify and deactivation know it.
# Usage: new_kind.py <source folder> [<cmake> <generator> <make program>]; with the folder alone it
# only counts the places where a kind's name stands.
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted import Failed, configure, copy_tree, run

KINDS = "c_api/include/tenon/kinds.h"
HEADER = "c_api/include/tenon/ext/draft/compilers.h"
HEADER_TEXT = """// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/compilers.h: draft interface "tenon.compilers/1": kernels of a text.
#ifndef TENON_EXT_DRAFT_COMPILERS_H
#define TENON_EXT_DRAFT_COMPILERS_H

#include <tenon/plugin.h>

// How a text in some language becomes kernels.
typedef struct tenon_compiler_desc {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string name;
  tenon_string doc;
  // Counts the kernels of text[length]. state [data]
  tenon_status (*count)(tenon_call* call, const char* text, uint64_t length, int64_t* out_count);
} tenon_compiler_desc;

typedef struct tenon_compilers_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_compiler_desc* const* descs;
} tenon_compilers_table;

#endif  // TENON_EXT_DRAFT_COMPILERS_H
"""
CMAKE = "plugins/compilers/CMakeLists.txt"
CMAKE_TEXT = """# SPDX-License-Identifier: Apache-2.0
# plugins/compilers/CMakeLists.txt: the plugin tenon.compilers.
tenon_add_plugin(tenon.compilers SOURCES plain.cc)
"""
UNIT = "plugins/compilers/plain.cc"
UNIT_TEXT = """// SPDX-License-Identifier: Apache-2.0
// plugins/compilers/plain.cc: each byte is a kernel.
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

constexpr tenon_compiler_desc compilers[] = {
    {sizeof(tenon_compiler_desc), 0, tenon::sdk::str("tenon.plain"),
     tenon::sdk::str("Each byte is a kernel."),
     [](tenon_call*, const char*, uint64_t length, int64_t* out_count) -> tenon_status {
       *out_count = static_cast<int64_t>(length);
       return TENON_OK;
     }}};

}  // namespace

TENON_UNIT(plain) = {.compilers = compilers};
"""


def plant(tree):
    """Adds the kind; returns what git is to say of that."""
    for name, text in ((HEADER, HEADER_TEXT), (CMAKE, CMAKE_TEXT), (UNIT, UNIT_TEXT)):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kinds = tree / KINDS
    text = kinds.read_text(encoding="utf-8")
    last = re.findall(r"^  X\(\w+, \w+\)\n", text, flags=re.MULTILINE)[-1]
    include = "#include <tenon/ext/draft/schedules.h>\n"
    assert text.count(last) == 1 and text.count(include) == 1, text
    text = text.replace(last, last[:-1] + " \\\n  X(compiler, compilers)\n")
    text = text.replace(include, include + "#include <tenon/ext/draft/compilers.h>\n")
    kinds.write_text(text, encoding="utf-8")
    return [f" M {KINDS}", *(f"?? {name}" for name in (HEADER, CMAKE, UNIT))]


def check_places(source):
    """A kind's name stands where it is told, checked and shown to people, and nowhere else."""
    own = ("tests", "docs", "examples", "CHANGELOG.md", "plugins/schedules")
    own += ("sdk/templates/schedule", "bindings/rust/tenon-plugin/src/schedule.rs")
    own += ("bindings/cpp/include/tenon/cpp/schedule.hpp", "bindings/rust/tenon/src/schedule.rs")
    generated = ("bindings/rust/tenon-plugin/src/raw.rs", "bindings/python/tenon/*.pyi")
    generated += ("bindings/cpp/include/tenon/entries.hpp", "bindings/rust/tenon/src/entries.rs")
    generated += ("bindings/rust/tenon-sys/src/raw.rs",)
    left_out = (f":!{path}" for path in (*own, *generated))
    places = run("git", "-C", source, "grep", "-lw", "schedules", "--", ".", *left_out).splitlines()
    if len(places) > 8:
        raise Failed(f"\"schedules\" stands in {len(places)} files, 8 at most: {places}")


class Runtime:
    """A runtime of the planted tree's library, through the C API."""

    def __init__(self, build):
        self.lib = ctypes.CDLL(str(build / "lib/libtenon.so"))
        runtime, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.lib.tenon_runtime_create(None, None, ctypes.byref(runtime)) == 0
        assert self.lib.tenon_context_create(runtime, None, ctypes.byref(self.context)) == 0

    def query(self, topic):
        text, data, length = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_uint64()
        nul = ctypes.c_uint64(2**64 - 1)
        status = self.lib.tenon_runtime_query(self.context, topic.encode(), nul, ctypes.byref(text))
        assert status == 0, (topic, status)
        self.lib.tenon_text_get(text, ctypes.byref(data), ctypes.byref(length))
        return json.loads(data.value)

    def deactivate(self, plugin):
        nul = ctypes.c_uint64(2**64 - 1)
        assert self.lib.tenon_plugin_deactivate(self.context, plugin.encode(), nul) == 0


def expect(what, found, expected):
    if found != expected:
        raise Failed(f"{what}: expected {expected}, found {found}")


def look(build):
    """Looks at the kind from every side."""
    tenon, plugin = str(build / "bin/tenon"), "tenon.compilers"
    manifest = json.loads((build / "plugins" / plugin / "plugin.json").read_text(encoding="utf-8"))
    expect("manifest", manifest["compilers"], ["tenon.plain"])
    if "1 compiler" not in run(tenon, "list"):
        raise Failed("`tenon list` does not count the compiler")
    said = subprocess.run([tenon, "doctor", "--json"], text=True, capture_output=True, check=False)
    listed = {each["id"]: each for each in json.loads(said.stdout)["plugins"]}
    expect("doctor", listed[plugin]["compilers"], ["tenon.plain"])
    report = build / "verify.json"
    run(tenon, "verify", plugin, "--json", str(report))
    verdict = json.loads(report.read_text(encoding="utf-8"))["plugins"][0]
    expect("verify", (verdict["cases"], verdict["failed"]), (1, 0))
    runtime = Runtime(build)
    kinds = {kind["topic"]: kind for kind in runtime.query("kinds")}
    expect("query kinds", kinds["compilers"]["interface"], "tenon.compilers/1")
    entry = {"name": "tenon.plain", "doc": "Each byte is a kernel.", "plugin": plugin}
    expect("query", runtime.query("compilers"), [entry])
    runtime.deactivate(plugin)
    expect("query after deactivation", runtime.query("compilers"), [])


def main():
    source = sys.argv[1]
    check_places(source)
    if len(sys.argv) == 2:
        return 0
    cmake, generator, make = sys.argv[2:5]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        build = tree / "build/release"
        copy_tree(source, tree)
        expected = plant(tree)
        changed = run("git", "-C", str(tree), "status", "--porcelain", "-uall").splitlines()
        expect("changed files", sorted(changed), sorted(expected))
        configure(cmake, generator, make, tree, build, quickly=True)
        run(cmake, "--build", str(build), "--target", "tenon", "tenon.compilers", "tenon_command",
            "tenon_verify")
        look(build)
    print("a header, a line and a folder: the kind is in the manifest, the list, doctor, verify, "
          "the query, and goes with its plugin")
    return 0


try:
    sys.exit(main())
except Failed as failure:
    sys.exit(str(failure))
except subprocess.CalledProcessError as error:
    sys.exit(f"{' '.join(map(str, error.cmd))}\n{error.stdout}\n{error.stderr}")
