#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bindings/cpp/tools/headers.py: writes tenon/ops.hpp and tenon/entries.hpp from the registry.
"""usage: headers.py LIBRARY [--check]

LIBRARY is the built libtenon. Writes ../include/tenon/ops.hpp, a function for each op of the vendor
`tenon`, and entries.hpp, one for each layer, optimizer, schedule, dataset and transform; --check
only compares, and fails if they differ. Nothing is written for other vendors: their ops are called
by name. Exit status 77: a plugin that is described is not built.
"""

import ctypes
import json
import os
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "bindings/cpp/include/tenon"
COLUMNS = 100
# Names that C++ keeps for itself, or in which a reader would not see a function.
TAKEN = set(
    "and or xor not default switch case new delete this template typename operator register union "
    "double float int long short char bool std".split()
)
DTYPES = {
    "bool": "bool_", "u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
TYPES = {
    "int": "std::int64_t", "float": "double", "bool": "bool", "str": "std::string_view",
    "number": "Number", "dtype": "Dtype", "int[]": "Ints", "float[]": "Floats",
}  # fmt: skip
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// tenon/{name}: {purpose}
// Written by bindings/cpp/tools/headers.py from the registry: change what it describes instead.
// clang-format off
#ifndef TENON_{guard}_HPP
#define TENON_{guard}_HPP

{includes}

namespace tenon {{
"""


# ---- what the registry says ---------------------------------------------------------------------


class Registry:
    def __init__(self, library):
        # Nobody's own plugins.
        os.environ.pop("TENON_PLUGIN_PATH", None)
        self.library = ctypes.CDLL(library)
        self.runtime, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        made = self.library.tenon_runtime_create(None, None, ctypes.byref(self.runtime))
        made = made or self.library.tenon_context_create(
            self.runtime, None, ctypes.byref(self.context)
        )
        if made:
            sys.exit(f"{library}: no runtime, status {made}")

    def query(self, topic):
        text, data, length = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_uint64()
        status = self.library.tenon_runtime_query(
            self.context, topic.encode(), ctypes.c_uint64(len(topic)), ctypes.byref(text)
        )
        if status:
            sys.exit(f"query of {topic}: status {status}")
        self.library.tenon_text_get(text, ctypes.byref(data), ctypes.byref(length))
        answer = json.loads(ctypes.string_at(data, length.value))
        self.library.tenon_text_release(text)
        return answer

    def entries(self, topic):
        """The newest of each name of the vendor `tenon`, in order."""
        found = {}
        for each in self.query(topic):
            if each["name"].startswith("tenon."):
                found[each["name"].removeprefix("tenon.")] = each
        return sorted(found.items())


# ---- words and names ----------------------------------------------------------------------------


def own(name):
    return name + "_" if name in TAKEN else name


def pascal(name):
    return "".join(part.capitalize() for part in name.split("_"))


def first_sentence(doc):
    paragraph = re.split(r"\n\s*\n|\n    ", (doc or "").strip())[0]
    text = " ".join(paragraph.split())
    end = re.search(r"\.(?= [A-Z`]|$)", text)
    return text[: end.end()] if end else text


def comment(text, indent=""):
    return textwrap.wrap(
        text, COLUMNS, initial_indent=indent + "/// ", subsequent_indent=indent + "/// ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def call(head, parts, end, indent=""):
    """head(parts)end, over as many lines as it needs."""
    line = f"{indent}{head}({', '.join(parts)}){end}"
    if len(line) <= COLUMNS:
        return [line]
    inner = textwrap.wrap(
        ", ".join(part.replace(" ", "\0") for part in parts), COLUMNS,
        initial_indent=indent + "    ", subsequent_indent=indent + "    ", break_long_words=False,
    )  # fmt: skip
    inner = [each.replace("\0", " ") for each in inner]
    if len(inner[-1]) + len(end) + 1 > COLUMNS:
        inner.append(indent + "    ")
    return [f"{indent}{head}(", *inner[:-1], f"{inner[-1]}){end}"]


# ---- members ------------------------------------------------------------------------------------


def number(value, kind):
    if isinstance(value, str) or value in (float("inf"), float("-inf")):
        sign = "-" if str(value).startswith("-") else ""
        limit = "quiet_NaN" if "nan" in str(value).lower() else "infinity"
        return f"{sign}std::numeric_limits<double>::{limit}()"
    if kind == "int":
        value = int(value)
        return "INT64_MIN" if value == -(2**63) else str(value)
    return repr(float(value)) if kind == "float" else repr(value)


def default(attribute):
    """The default of an op's attribute, as C++ writes it; None if there is none."""
    value, kind = attribute["default"], attribute["kind"]
    if value is None:
        return None
    if kind == "bool":
        return "true" if value else "false"
    if kind == "str":
        return json.dumps(value)
    if kind == "dtype":
        return DTYPES[value]
    if kind == "int[]":
        return "{" + ", ".join(map(str, value)) + "}"
    return number(value, kind)


def required(kind):
    return "RequiredInts" if kind == "int[]" else f"Required<{TYPES[kind]}>"


def absent(kind):
    lists = {"int[]": "OptionalInts", "float[]": "Floats"}
    return lists.get(kind, f"std::optional<{TYPES[kind]}>")


def op_members(op):
    lines = []
    for each in op["inputs"]:
        if each["optional"]:
            lines.append(f"  Operand {own(each['name'])} = {{}};")
    for each in op["attributes"]:
        kind, name, given = each["kind"], own(each["name"]), default(each)
        if each["required"]:
            lines.append(f"  {required(kind)} {name};")
        elif given is None:
            lines.append(f"  {absent(kind)} {name} = {{}};")
        elif kind == "int[]":
            lines.append(f"  Ints {name} = {given};")
        else:
            lines.append(f"  {TYPES[kind]} {name} = {given};")
    return lines


# ---- ops ----------------------------------------------------------------------------------------


def input_type(op, each):
    if each["list"]:
        return "const Tensors&"
    # Numbers stand for tensors where ops go element by element, or want one number.
    alone = len(op["inputs"]) == 1
    if not alone and ("elementwise" in op["flags"] or each["dims"] == []):
        return "const Operand&"
    return "const Tensor&"


def op_function(place, name, op):
    struct, members = pascal(name) + "Options", op_members(op)
    outputs = [each["name"] or f"output{i}" for i, each in enumerate(op["outputs"])
               if not each["aux"]]  # fmt: skip
    lines = comment(first_sentence(op["doc"]) + f" Op {op['name']}.")
    if members:
        lines = [f"struct {struct} {{", *members, "};"] + lines
    if len(outputs) > 1:
        result = pascal(name) + "Result"
        lines = [f"struct {result} {{", *(f"  Tensor {own(o)};" for o in outputs), "};"] + lines
    else:
        result = "Tensor" if outputs else "void"
    parameters = [
        f"{input_type(op, each)} {own(each['name'])}" for each in op["inputs"]
        if not each["optional"]
    ]  # fmt: skip
    if members:
        needs = any(member.lstrip().startswith("Required") for member in members)
        parameters.append(f"const {struct}& options" + ("" if needs else " = {}"))
    if result == "Tensor":
        parameters.append("Into into = {}")
    lines += call(f"inline {result} {own(name)}", parameters, " {")
    inputs = [
        f"detail::value({'options.' * each['optional']}{own(each['name'])})"
        for each in op["inputs"]
    ]
    attributes = [f"detail::value(options.{own(each['name'])})" for each in op["attributes"]]
    given = [f'{{{place}, {op["revision"]}, "{op["name"]}"}}']
    for label, values in (("inputs", inputs), ("attributes", attributes)):
        if values:
            made = call(f"  const tenon_value {label}[] = ", values, ";")
            lines += ["".join(made[:1]).replace("(", "{", 1), *made[1:]]
            lines[-1] = lines[-1].removesuffix(");") + "};"
            given += [label, str(len(values))]
        else:
            given += ["nullptr", "0"]
    if result == "Tensor":
        lines += call("return detail::call", [*given, "into"], ";", "  ")
    elif result == "void":
        lines += call("detail::call_all<0>", given, ";", "  ")
    else:
        names = [f"output{i}" for i in range(len(outputs))]
        head = f"auto [{', '.join(names)}] = detail::call_all<{len(outputs)}>"
        lines += call(head, given, ";", "  ")
        moved = ", ".join(f"std::move({each})" for each in names)
        lines += [f"  return {{{moved}}};"]
    return [*lines, "}", ""]


def ops_header(registry):
    lines = HEAD.format(
        name="ops.hpp", purpose="a function for each op of the vendor `tenon`.", guard="OPS",
        includes="#include <tenon/cpp/call.hpp>\n\n#include <limits>",
    ).splitlines()  # fmt: skip
    found = registry.entries("ops")
    lines += [f"static_assert({len(found)} <= detail::kMaxOps);", ""]
    for place, (name, op) in enumerate(found):
        lines += op_function(place, name, op)
    return [*lines, "}  // namespace tenon", "", "#endif  // TENON_OPS_HPP"]


# ---- entries ------------------------------------------------------------------------------------


def entry_members(options):
    lines = []
    for each in options:
        kind, name = each["type"], own(each["name"])
        about = first_sentence(each["doc"]).rstrip(".")
        lines += comment(about, "  ") if about else []
        if each.get("required"):
            lines.append(f"  {required(kind) if kind != 'float[]' else 'Floats'} {name};")
        else:
            lines.append(f"  {absent(kind)} {name} = {{}};")
    return lines


def entry_function(kind, name, entry):
    """What makes an object of it: a C++ class of that kind."""
    options = entry.get("hypers") or entry.get("options") or []
    # A schedule's default is a number even if it has to be given.
    struct = pascal(name) + "Options"
    lines = []
    if options:
        lines += [f"struct {struct} {{", *entry_members(options), "};"]
    lines += comment(first_sentence(entry["doc"]) + f" The {kind} {entry['name']}.")
    container = entry.get("container")
    needs = any(each.get("required") for each in options)
    parameters, given = [], [f'"{entry["name"]}"']
    if kind == "optimizer":
        parameters, given = ["const Parameters& parameters"], [*given, "parameters"]
    if kind == "schedule":
        parameters, given = ["double base_value"], [*given, "base_value"]
    if options:
        parameters.append(f"const {struct}& options" + ("" if needs else " = {}"))
    given.append("given" if options else "{}")
    if container:  # in braces, children are made in order, as they draw random numbers
        parameters.insert(0, "std::initializer_list<Layer> children = {}")
        parameters.append("const std::optional<Device>& device = {}")
        given.append("device")
    elif kind == "layer":
        parameters.append("const std::optional<Device>& device = {}")
        given.append("device")
    elif kind == "transform":
        parameters.append("std::uint32_t field = 0")
        given.append("field")
    lines += call(f"inline {kind.capitalize()} {own(name)}", parameters, " {")
    if options:
        lines.append("  Options given;")
        for each in options:
            member = own(each["name"])
            lines.append(f'  detail::add_option(given, "{each["name"]}", options.{member});')
    if container:
        lines += call("  Layer made", given, ";")
        lines += ["  for (const Layer& each : children) made.append(each);", "  return made;"]
    else:
        lines += call(f"return {kind.capitalize()}", given, ";", "  ")
    return [*lines, "}", ""]


# Where Python has them; of the others the namespace is the topic.
SPACES = {"layers": "nn", "optimizers": "optim", "datasets": "data", "transforms": "data"}


def kinds(registry):
    """(noun, topic, namespace) of each kind that there is a C++ class for and that options alone
    make, in order: a tokenizer is made of its file."""
    text = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "cpp").glob("*.hpp"))
    for kind in registry.query("kinds"):
        noun, topic = kind["noun"], kind["topic"]
        if f"\nclass {noun.capitalize()} {{" in text and noun != "tokenizer":
            yield noun, topic, SPACES.get(topic, topic)


def entries_header(registry):
    lines = HEAD.format(
        name="entries.hpp", guard="ENTRIES",
        purpose="a function for each layer, optimizer, schedule, dataset and transform.",
        includes="#include <tenon/cpp/data.hpp>\n#include <tenon/cpp/optimizer.hpp>\n"
        "#include <tenon/cpp/schedule.hpp>",
    ).splitlines()  # fmt: skip
    for kind, topic, space in kinds(registry):
        lines += ["", f"namespace {space} {{", ""]
        for name, entry in registry.entries(topic):
            lines += entry_function(kind, name, entry)
        lines.append(f"}}  // namespace {space}")
    return [*lines, "", "}  // namespace tenon", "", "#endif  // TENON_ENTRIES_HPP"]


# ---- writing ------------------------------------------------------------------------------------


def plugins_of_tree():
    """Those of plugins/, which are the same on every machine; not what others are made of."""
    text = "".join(file.read_text() for file in (ROOT / "plugins").glob("*/CMakeLists.txt"))
    added = re.findall(r"^ *tenon_add_plugin\((\S+)([^)]*)", text, flags=re.MULTILINE)
    return {name for name, options in added if "DESTINATION" not in options}


def write(usage, folder, texts):
    """Writes texts(registry), pairs of a file's name and its text, or compares them: --check."""
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if len(arguments) != 1:
        sys.exit(usage)
    registry = Registry(str(pathlib.Path(arguments[0]).resolve()))
    missing = plugins_of_tree() - {plugin["id"] for plugin in registry.query("plugins")}
    if missing:
        print(f"not built: {', '.join(sorted(missing))}")
        sys.exit(77)
    stale = []
    for name, text in texts(registry):
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        program = pathlib.Path(sys.argv[0]).name
        sys.exit(f"these differ from the registry: {', '.join(stale)}; run {program} without "
                 "--check")  # fmt: skip


def texts(registry):
    for name, lines in (
        ("ops.hpp", ops_header(registry)), ("entries.hpp", entries_header(registry)),
    ):  # fmt: skip
        yield name, "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(__doc__, FOLDER, texts)
