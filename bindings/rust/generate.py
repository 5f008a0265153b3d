#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bindings/rust/generate.py: writes the crate's raw layer from the public headers.
"""Usage: generate.py [--check]

Reads types.h, the headers in plugin/, kinds.h with the drafts it names, and the golden layout in
tests/abi/layout.c; writes tenon-plugin/src/raw.rs, tenon-plugin/src/layout.rs and the version in
tenon-plugin/Cargo.toml.
--check writes nothing and fails if a checked-in file differs. The headers have one regular
style; what this script cannot read is an error, so nothing is left out silently.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATE = pathlib.Path(__file__).resolve().parent / "tenon-plugin"
COLUMNS = 100
KINDS = ROOT / "c_api/include/tenon/kinds.h"
HEADERS = (
    "tenon/types.h",
    *(f"tenon/plugin/{name}.h" for name in ("call", "handshake", "ops", "kernels", "vjps")),
    *(f"tenon/plugin/{name}.h" for name in ("backend", "optimizers", "selftest", "host")),
    *re.findall(r"#include <(tenon/ext/draft/\w+\.h)>", KINDS.read_text(encoding="utf-8")),
    "tenon/ext/draft/bits.h",
    "tenon/ext/draft/dynamic.h",
    "tenon/ext/draft/optimizers.h",
    "tenon/ext/draft/shapes.h",
    "tenon/kinds.h",
)

# Macros that are not values: visibility, what a compiler instruments, constructors of values.
NOT_VALUES = {
    "TENON_EXPORT",
    "TENON_SANITIZER_BUILT",
    "TENON_BYTE_ORDER_BUILT",
    "TENON_FINGERPRINT_BUILT",
    "TENON_DTYPE_MAKE",
    "TENON_KINDS",
}
SCALARS = {
    "void": "c_void",
    "char": "c_char",
    "double": "f64",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16, 32, 64)},
}
# With raw::* in scope a type of the crate's own name would make that ambiguous (E0659).
CRATE_NAME = "tenon_plugin"
RESERVED = {"as", "fn", "in", "mod", "move", "ref", "self", "type", "use", "where"}
# Constant data of a plugin, which any thread may read.
SHARED = re.compile(
    r"(_desc|_table)$"
    r"|^tenon_(string|tolerance|(\w+_)?sample|\w+_option)$"
)


class Unreadable(Exception):
    pass


def name_of(name):
    return name + "_" if name in RESERVED or name == CRATE_NAME else name


def plain(text):
    """The header without comments, and with continued lines joined."""
    text = re.sub(r"\\\n", " ", text)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


# --- types ---------------------------------------------------------------------------------------


def rust_type(text):
    """A C type without a name: base, then '*' and 'const' from left to right."""
    words = text.replace("*", " * ").replace("struct ", " ").split()
    constant = "const" in words[: words.index("*")] if "*" in words else "const" in words
    base = [word for word in words if word not in ("const", "*")]
    if len(base) != 1:
        raise Unreadable(f"type '{text}'")
    result = SCALARS.get(base[0], name_of(base[0]))
    if not re.match(r"tenon_", base[0]) and base[0] not in SCALARS:
        raise Unreadable(f"type '{text}'")
    rest = words[words.index("*") :] if "*" in words else []
    for position, word in enumerate(rest):
        if word == "*":
            result = ("*const " if constant else "*mut ") + result
            constant = rest[position + 1 : position + 2] == ["const"]
    return result


def declaration(text):
    """'const int64_t* shape' or 'char message[1016]' as (name, Rust type)."""
    match = re.fullmatch(r"(.*?[\s*])(\w+)(?:\[(\w+)\])?", text.strip(), flags=re.DOTALL)
    if not match:
        raise Unreadable(f"declaration '{text.strip()}'")
    kind = rust_type(match.group(1))
    if match.group(3):
        length = match.group(3)
        kind = f"[{kind}; {length}{'' if length.isdigit() else ' as usize'}]"
    return name_of(match.group(2)), kind


def function(result, parameters):
    inputs = [] if parameters.strip() == "void" else parameters.split(",")
    parts = [": ".join(declaration(each)) for each in inputs]
    gives = "" if result.strip() == "void" else f" -> {rust_type(result)}"
    return f'Option<unsafe extern "C" fn({", ".join(parts)}){gives}>'


def wrapped(lines):
    """Function types that are too wide, one parameter a line."""
    for line in lines:
        match = re.fullmatch(r"(( *).*fn\()(.*)(\).*)", line)
        if len(line) <= COLUMNS or not match:
            yield line
            continue
        head, indent, parameters, tail = match.groups()
        yield head
        yield from (f"{indent}    {each}," for each in parameters.split(", "))
        yield indent + tail


FUNCTION = re.compile(r"(.*?[\s*])\(\*(\w+)\)\((.*)\)", flags=re.DOTALL)


def members(body):
    """The members of a struct as (name, type), and the unions found in it as {name: members}."""
    found, unions = [], {}
    inner = re.search(r"union\s*\{([^}]*)\}\s*(\w+)\s*;", body)
    if inner:
        unions[inner.group(2)] = members(inner.group(1))[0]
        body = body.replace(inner.group(0), f"union_ {inner.group(2)};")
    for text in filter(None, (each.strip() for each in body.split(";"))):
        pointer = FUNCTION.fullmatch(text)
        if text.startswith("union_ "):
            found.append((name_of(text.split()[1]), None))
        elif pointer:
            result, name, parameters = pointer.groups()
            found.append((name_of(name), function(result, parameters)))
        else:
            found.append(declaration(text))
    return found, unions


# --- constants -----------------------------------------------------------------------------------


def constant(name, value):
    """A macro as (type, value)."""
    number = re.fullmatch(r"(\d+)u?", value)
    cast = re.fullmatch(r"\(\((\w+)\)(-?\d+)\)", value)
    dtype = re.fullmatch(r"TENON_DTYPE_MAKE\((\d+), (\d+)\)", value)
    if number:
        return "u32", number.group(1)
    if cast:
        return {"int64_t": "i64"}.get(cast.group(1), cast.group(1)), cast.group(2)
    if dtype:
        return "tenon_dtype", str(int(dtype.group(1)) | int(dtype.group(2)) << 8 | 1 << 16)
    if value == "UINT64_MAX":
        return "u64", "u64::MAX"
    if re.fullmatch(r'"[^"]*"', value):
        return "&str", value
    raise Unreadable(f"#define {name} {value}")


def constants(text):
    for name, parameters, value in re.findall(
        r"^#define (\w+)(\([^)]*\))?[ \t]*(.*?)[ \t]*$", text, flags=re.MULTILINE
    ):
        if name in NOT_VALUES or name.endswith("_H"):
            continue
        if parameters:
            raise Unreadable(f"#define {name}{parameters}")
        yield name, *constant(name, value)


# --- writing -------------------------------------------------------------------------------------


def struct_text(name, body, keyword="struct"):
    name = name_of(name)
    fields, unions = members(body)
    lines = []
    for union, inside in unions.items():
        lines += ["#[repr(C)]", "#[derive(Clone, Copy)]", f"pub union {name}_{union} {{"]
        lines += [f"    pub {field}: {kind}," for field, kind in inside]
        lines += ["}", ""]
    lines += ["#[repr(C)]", "#[derive(Clone, Copy)]", f"pub {keyword} {name} {{"]
    for field, kind in fields:
        lines.append(f"    pub {field}: {kind or name + '_' + field.rstrip('_')},")
    lines.append("}")
    if SHARED.search(name):
        lines += ["// Constant data of a plugin, which any thread may read.",
                  f"unsafe impl Sync for {name} {{}}"]
    return lines + [""]


TYPEDEF = re.compile(
    r"typedef struct (?P<opaque>\w+) (?P=opaque);"
    r"|(?:typedef )?struct (?P<struct>\w+) \{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}\s*\w*;"
    r"|typedef (?P<result>[\w* ]+?)\(\*(?P<function>\w+)\)\((?P<parameters>[^;]*)\);"
    r"|typedef (?P<scalar>\w+) (?P<alias>\w+);",
    flags=re.DOTALL,
)


def header_lines(header, text, structs):
    """One header as Rust; adds the structs it defines to `structs`."""
    text = plain(text)
    yield from [f"// ---- {header} " + "-" * (COLUMNS - 9 - len(header)), ""]
    for name, kind, value in constants(text):
        yield f"pub const {name}: {kind} = {value};"
    yield ""
    code = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    code = re.sub(r'extern "C" \{|^\}$', "", code, flags=re.MULTILINE)
    code = re.sub(r"^TENON_EXPORT [^;]*;", "", code, flags=re.MULTILINE)  # what programs call
    left = TYPEDEF.sub("", code).split()
    if left:
        raise Unreadable(f"{header}: {' '.join(left[:12])} ...")
    whole = set(re.findall(r"struct (\w+) \{", code))
    for match in TYPEDEF.finditer(code):
        if match["opaque"] and match["opaque"] not in whole:
            yield from ["#[repr(C)]", f"pub struct {match['opaque']} {{", "    _opaque: [u8; 0],",
                        "}", ""]
        elif match["struct"]:
            structs.append(match["struct"])
            yield from struct_text(match["struct"], match["body"])
        elif match["function"]:
            kind = function(match["result"], match["parameters"])
            yield from [f"pub type {match['function']} = {kind};", ""]
        elif match["alias"]:
            yield from [f"pub type {match['alias']} = {rust_type(match['scalar'])};", ""]


def opening(path, what):
    return [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// bindings/rust/tenon-plugin/src/{path}: {what}",
        "// Written by bindings/rust/generate.py; do not edit. The headers' comments are the"
        " reference.",
        "",
    ]


def raw_text():
    structs = []
    lines = opening("raw.rs", "the C ABI as the headers declare it, name by name.")
    lines += ["use std::os::raw::{c_char, c_void};", ""]
    for header in HEADERS:
        text = (ROOT / "c_api/include" / header).read_text(encoding="utf-8")
        lines += header_lines(header, text, structs)
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


def layout_text(structs):
    golden = (ROOT / "tests/abi/layout.c").read_text(encoding="utf-8")
    sizes = dict(re.findall(r"^STRUCT\((\w+), (\d+)\);", golden, flags=re.MULTILINE))
    offsets = re.findall(r"^MEMBER\((\w+), (\w+), (\d+)\);", golden, flags=re.MULTILINE)
    missing = [name for name in structs if name not in sizes]
    if missing:
        raise Unreadable(f"tests/abi/layout.c has no size of {', '.join(missing)}")
    lines = opening("layout.rs", "sizes and offsets, as tests/abi/layout.c has them.")
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


def manifest_text():
    """Cargo.toml with the version that stands in types.h."""
    header = (ROOT / "c_api/include/tenon/types.h").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^#define TENON_VERSION_(\w+) (\d+)", header, flags=re.MULTILINE))
    version = ".".join(parts[part] for part in ("MAJOR", "MINOR", "PATCH"))
    text = (CRATE / "Cargo.toml").read_text(encoding="utf-8")
    return re.sub(r'^version = ".*"$', f'version = "{version}"', text, count=1, flags=re.MULTILINE)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        raw, structs = raw_text()
        files = {
            CRATE / "src/raw.rs": raw,
            CRATE / "src/layout.rs": layout_text(structs),
            CRATE / "Cargo.toml": manifest_text(),
        }
    except Unreadable as error:
        print(f"generate.py: cannot read {error}", file=sys.stderr)
        return 1
    if not sys.argv[1:]:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [
        str(path.relative_to(ROOT))
        for path, text in files.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if stale:
        print(f"differs from the headers: {', '.join(stale)}\nrun bindings/rust/generate.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
