#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bindings/rust/generate.py: writes the crates' raw layers from the public headers.
"""Usage: generate.py [--check]

Reads the public headers and the golden layout in tests/abi/layout.c. Writes what plugins need of
them (tenon-plugin/src/raw.rs, layout.rs), what programs need (tenon-sys/src/raw.rs, layout.rs,
functions.rs), the names of statuses (tenon/src/status.rs), and the version in each Cargo.toml.
--check writes nothing and fails if a checked-in file differs.
"""

import pathlib
import re
import sys

from declarations import (
    COLUMNS,
    EXPORTED,
    Unreadable,
    code_of,
    constant_lines,
    exported,
    header_lines,
    name_of,
    opaque,
    plain,
    shared,
    title,
    types,
    wrapped,
)

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUST = pathlib.Path(__file__).resolve().parent
CRATES = ("tenon-plugin", "tenon-sys", "tenon")
KINDS = ROOT / "c_api/include/tenon/kinds.h"
HEADERS = (
    "tenon/types.h",
    *(f"tenon/plugin/{name}.h" for name in ("call", "handshake", "ops", "kernels", "vjps")),
    *(f"tenon/plugin/{name}.h" for name in ("backend", "optimizers", "selftest", "host")),
    *re.findall(r"#include <(tenon/ext/draft/\w+\.h)>", KINDS.read_text(encoding="utf-8")),
    "tenon/ext/draft/bits.h",
    "tenon/ext/draft/dynamic.h",
    "tenon/ext/draft/narrow.h",
    "tenon/ext/draft/optimizers.h",
    "tenon/ext/draft/shapes.h",
    "tenon/kinds.h",
)



def opening(crate, path, what):
    return [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// bindings/rust/{crate}/src/{path}: {what}",
        "// Written by bindings/rust/generate.py; do not edit. The headers' comments are the"
        " reference.",
        "",
    ]


def read(header):
    return (ROOT / "c_api/include" / header).read_text(encoding="utf-8")


# --- tenon-plugin --------------------------------------------------------------------------------


def plugin_raw():
    structs = []
    lines = opening("tenon-plugin", "raw.rs", "the C ABI as the headers declare it, name by name.")
    lines += ["use std::os::raw::{c_char, c_void};", ""]
    for header in HEADERS:
        lines += header_lines(header, read(header), structs)
    lines += kinds_lines()
    return "\n".join(wrapped(lines)).rstrip() + "\n", structs


def kinds_lines():
    """TENON_KINDS of kinds.h as a macro: for each kind the table's id, its plural, the type."""
    code = plain(KINDS.read_text(encoding="utf-8"))
    listed = re.search(r"^#define TENON_KINDS\(X\)(.*)$", code, flags=re.MULTILINE)[1]
    yield from ["macro_rules! for_each_kind {", "    ($use:ident) => {", "        $use! {"]
    for noun, plural in re.findall(r"X\((\w+), (\w+)\)", listed):
        yield f'            b"tenon.{plural}/1" {plural}: tenon_{noun}_desc,'
    yield from ["        }", "    };", "}", "pub(crate) use for_each_kind;"]


def layout_text(crate, structs):
    golden = (ROOT / "tests/abi/layout.c").read_text(encoding="utf-8")
    sizes = dict(re.findall(r"^STRUCT\((\w+), (\d+)\);", golden, flags=re.MULTILINE))
    offsets = re.findall(r"^MEMBER\((\w+), (\w+), (\d+)\);", golden, flags=re.MULTILINE)
    missing = [name for name in structs if name not in sizes]
    if missing:
        raise Unreadable(f"tests/abi/layout.c has no size of {', '.join(missing)}")
    lines = opening(crate, "layout.rs", "sizes and offsets, as tests/abi/layout.c has them.")
    lines += ["use crate::raw::*;", "use std::mem::size_of;", ""]
    lines += [f"const _: () = assert!(size_of::<{name_of(name)}>() == {sizes[name]});"
              for name in structs]
    lines += [
        "",
        "#[cfg(test)]",
        "macro_rules! offset {",
        "    ($type:ty, $field:ident) => {{",
        "        let place = std::mem::MaybeUninit::<$type>::uninit();",
        "        let base = place.as_ptr();",
        "        let field = unsafe { std::ptr::addr_of!((*base).$field) };",
        "        field as usize - base as usize",
        "    }};",
        "}",
        "",
        "#[test]",
        "fn every_member_is_where_c_has_it() {",
    ]
    lines += [
        f"    assert_eq!(offset!({name_of(struct)}, {name_of(member)}), {at});"
        for struct, member, at in offsets
        if struct in structs
    ]
    return "\n".join([*lines, "}"]) + "\n"


# --- tenon-sys and tenon -------------------------------------------------------------------------


def program_headers():
    """Those with functions that programs call, types.h first."""
    folder = ROOT / "c_api/include"
    found = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.h"))]
    return ["tenon/types.h", *(each for each in found if EXPORTED.search(code_of(read(each))))]


def program_raw():
    """raw.rs, the structs in it, and the functions of all headers."""
    functions, listed, structs = [], [], {}
    for header in program_headers():
        own = []
        code = code_of(read(header))
        functions += exported(code)
        listed.append((header, list(types(header, code, own))))
        structs.update({name: True for name in own})
    items = {name: lines for _, found in listed for name, lines in found}
    needed = closure("\n".join(map(str, functions)), items)
    lines = opening("tenon-sys", "raw.rs", "constants and types of the C API, name by name.")
    lines += ["use std::os::raw::{c_char, c_void};", ""]
    for header, found in listed:
        lines += title(header) + constant_lines(read(header))
        for name, text in found:
            lines += [each for each in text if each not in shared(name)] if name in needed else []
    for name in sorted(needed - set(items)):
        lines += opaque(name)
    text = "\n".join(wrapped(lines)).rstrip() + "\n"
    return text, [name for name in structs if name in needed], functions


def closure(text, items):
    """The types that `text` names, and those that these name."""
    needed, left = set(), [text]
    while left:
        for name in re.findall(r"\b_?(tenon_\w+)\b", left.pop()):
            known = name in items or re.search(rf"\*(const|mut) {name}\b", text)
            if known and name not in needed:
                needed.add(name)
                left.append("\n".join(items.get(name, [])))
    return needed


def functions_text(functions):
    lines = opening("tenon-sys", "functions.rs", "the functions of the C API, name by name.")
    lines += ["use crate::raw::*;", "use std::os::raw::{c_char, c_void};", "", "functions! {"]
    for name, parameters, result in functions:
        inputs = [": ".join(each) for each in parameters]
        end = (f" -> {result}" if result else "") + ";"
        line = f"    fn {name}({', '.join(inputs)}){end}"
        if len(line) > COLUMNS:
            line = "\n".join([f"    fn {name}(", *(f"        {each}," for each in inputs),
                              f"    ){end}"])  # fmt: skip
        lines.append(line)
    return "\n".join(wrapped("\n".join([*lines, "}"]).splitlines())) + "\n"


def status_text():
    text = plain(read("tenon/types.h"))
    codes = re.findall(r"#define TENON_E_(\w+) \(\(tenon_status\)(\d+)\)", text)
    lines = opening("tenon", "status.rs", "what a failure is, as a number with a name.")
    lines += [
        "/// What kind of failure it is.",
        "#[derive(Clone, Copy, PartialEq, Eq, Hash)]",
        "pub struct Status(pub i32);",
        "",
        "impl Status {",
        *(f"    pub const {name}: Status = Status({code});" for name, code in codes),
        "",
        '    /// "TENON_E_SHAPE"; nothing for one of a newer library.',
        "    pub(crate) fn name(self) -> Option<&'static str> {",
        "        Some(match self.0 {",
        *(f'            {code} => "TENON_E_{name}",' for name, code in codes),
        "            _ => return None,",
        "        })",
        "    }",
        "}",
    ]
    return "\n".join(lines) + "\n"


def manifest_text(crate):
    """Cargo.toml with the version that stands in types.h."""
    header = read("tenon/types.h")
    parts = dict(re.findall(r"^#define TENON_VERSION_(\w+) (\d+)", header, flags=re.MULTILINE))
    version = ".".join(parts[part] for part in ("MAJOR", "MINOR", "PATCH"))
    text = (RUST / crate / "Cargo.toml").read_text(encoding="utf-8")
    return re.sub(r'^version = ".*"$', f'version = "{version}"', text, count=1, flags=re.MULTILINE)


def files():
    """The text of each file that is written here."""
    raw, structs = plugin_raw()
    program, own, functions = program_raw()
    return {
        RUST / "tenon-plugin/src/raw.rs": raw,
        RUST / "tenon-plugin/src/layout.rs": layout_text("tenon-plugin", structs),
        RUST / "tenon-sys/src/raw.rs": program,
        RUST / "tenon-sys/src/layout.rs": layout_text("tenon-sys", own),
        RUST / "tenon-sys/src/functions.rs": functions_text(functions),
        RUST / "tenon/src/status.rs": status_text(),
        **{RUST / crate / "Cargo.toml": manifest_text(crate) for crate in CRATES},
    }


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        written = files()
    except Unreadable as error:
        print(f"generate.py: cannot read {error}", file=sys.stderr)
        return 1
    if not sys.argv[1:]:
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [
        str(path.relative_to(ROOT))
        for path, text in written.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if stale:
        print(f"differs from the headers: {', '.join(stale)}\nrun bindings/rust/generate.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
