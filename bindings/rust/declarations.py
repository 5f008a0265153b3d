# SPDX-License-Identifier: Apache-2.0
# bindings/rust/declarations.py: reads C declarations as the public headers write them, and writes
# them as Rust.
"""Used by generate.py. The headers have one regular style; what cannot be read is an error, so that
nothing is left out silently."""

import re

COLUMNS = 100

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


def split(parameters):
    """Parameters, parted by the commas that are in no brackets."""
    if parameters.strip() in ("", "void"):
        return []
    return [each.strip() for each in re.split(r",(?![^()]*\))", parameters)]


def parameter(text):
    pointer = FUNCTION.fullmatch(text)
    if pointer:
        return name_of(pointer.group(2)), function(pointer.group(1), pointer.group(3))
    return declaration(text)


def function(result, parameters):
    parts = [": ".join(parameter(each)) for each in split(parameters)]
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
    return lines + (shared(name) if SHARED.search(name) else []) + [""]


def shared(name):
    return ["// Constant data of a plugin, which any thread may read.",
            f"unsafe impl Sync for {name} {{}}"]  # fmt: skip


TYPEDEF = re.compile(
    r"typedef struct (?P<opaque>\w+) (?P=opaque);"
    r"|(?:typedef )?struct (?P<struct>\w+) \{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}\s*\w*;"
    r"|typedef (?P<result>[\w* ]+?)\(\*(?P<function>\w+)\)\((?P<parameters>[^;]*)\);"
    r"|typedef (?P<scalar>\w+) (?P<alias>\w+);",
    flags=re.DOTALL,
)


EXPORTED = re.compile(r"^TENON_EXPORT ([^;]*);", flags=re.MULTILINE)
FORWARD = re.compile(r"^struct (\w+);$", flags=re.MULTILINE)


def code_of(text):
    """A header without comments, macros and the brackets of extern "C"."""
    code = re.sub(r"^#.*$", "", plain(text), flags=re.MULTILINE)
    return re.sub(r'extern "C" \{|^\}$', "", code, flags=re.MULTILINE)


def types(header, code, structs):
    """(name, lines) of each type of one header; adds the structs it defines to `structs`."""
    code = FORWARD.sub("", EXPORTED.sub("", code))
    left = TYPEDEF.sub("", code).split()
    if left:
        raise Unreadable(f"{header}: {' '.join(left[:12])} ...")
    whole = set(re.findall(r"struct (\w+) \{", code))
    for match in TYPEDEF.finditer(code):
        if match["opaque"] and match["opaque"] not in whole:
            yield match["opaque"], opaque(match["opaque"])
        elif match["struct"]:
            structs.append(match["struct"])
            yield match["struct"], struct_text(match["struct"], match["body"])
        elif match["function"]:
            kind = function(match["result"], match["parameters"])
            yield match["function"], [f"pub type {match['function']} = {kind};", ""]
        elif match["alias"]:
            kind = rust_type(match["scalar"])
            yield match["alias"], [f"pub type {match['alias']} = {kind};", ""]


def opaque(name):
    return ["#[repr(C)]", f"pub struct {name} {{", "    _opaque: [u8; 0],", "}", ""]


def title(header):
    return [f"// ---- {header} " + "-" * (COLUMNS - 9 - len(header)), ""]


def constant_lines(text):
    found = constants(plain(text))
    return [*(f"pub const {name}: {kind} = {value};" for name, kind, value in found), ""]


def header_lines(header, text, structs):
    """One header as Rust; adds the structs it defines to `structs`."""
    yield from title(header)
    yield from constant_lines(text)
    for _, lines in types(header, code_of(text), structs):
        yield from lines


# --- functions -----------------------------------------------------------------------------------


def exported(code):
    """(name, parameters as (name, type), result or "") of each function that programs call."""
    for text in EXPORTED.findall(code):
        match = re.fullmatch(r"(.*?[\s*])(\w+)\((.*)\)", text, flags=re.DOTALL)
        if not match:
            raise Unreadable(f"function '{text}'")
        result, name, parameters = match.groups()
        result = " ".join(result.split())
        # A const in front of a pointer belongs to what it points to.
        kind = "" if result == "void" else rust_type(result)
        yield name, [parameter(each) for each in split(parameters)], kind
