#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bindings/rust/registry.py: writes tenon/src/ops.rs and tenon/src/entries.rs from the registry.
"""usage: registry.py LIBRARY [--check]

LIBRARY is the built libtenon. Writes ops.rs, a function for each op of the vendor `tenon`, and
entries.rs, one for each layer, optimizer, schedule, dataset and transform; --check only compares,
and fails if they differ. Nothing is written for other vendors: their ops are called by name. Exit
status 77: a plugin that is described is not built. What the registry says is read as it is for
C++."""

import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/cpp/tools"))
from headers import SPACES, first_sentence, pascal, write  # noqa: E402

FOLDER = ROOT / "bindings/rust/tenon/src"
COLUMNS = 100
TAKEN = set(
    "as async await box break const continue crate do dyn else enum extern false final fn for if "
    "impl in let loop macro match mod move mut override priv pub ref return self static struct "
    "super trait true try type typeof unsafe unsized use virtual where while yield".split()
)
# What an attribute is kept as, and what its setter takes.
KEPT = {
    "int": "i64", "float": "f64", "bool": "bool", "str": "&'a str", "number": "Number",
    "dtype": "Dtype", "int[]": "Ints",
}  # fmt: skip
TAKES = {"number": "impl Into<Number>", "int[]": "impl Into<Ints>"}
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/{name}: {purpose}
// Written by bindings/rust/registry.py from the registry: change what it describes instead.
"""
MUST = '#[must_use = "nothing is done before `{}`"]'


def own(name):
    return name + "_" if name in TAKEN else name


def doc(text, indent=""):
    """A comment of documentation, in which brackets outside of code are no links."""
    parts = re.split(r"(`[^`]*`)", text)
    plain = [re.sub(r"([\[\]<>*])", r"\\\1", each) for each in parts[::2]]
    text = "".join(a + b for a, b in zip(plain, [*parts[1::2], ""]))
    return textwrap.wrap(
        text, COLUMNS, initial_indent=indent + "/// ", subsequent_indent=indent + "/// ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def listed(head, parts, end, indent=""):
    """head, parts, end; one part a line if they are too many for one."""
    line = f"{indent}{head}{', '.join(parts)}{end}"
    if len(line) <= COLUMNS:
        return [line]
    inner = [f"{indent}    {part}," for part in parts]
    return [f"{indent}{head}".rstrip(), *inner, f"{indent}{end.strip()}"]


def broken(line):
    """A line that is too long, in several."""
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line, COLUMNS, initial_indent="", subsequent_indent=indent + "    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def body(head, statements, indent):
    """A function, in one line if it is short."""
    line = f"{indent}{head} {{ {' '.join(statements)} }}"
    if len(line) <= COLUMNS:
        return [line]
    return [f"{indent}{head} {{", *(f"{indent}    {each}" for each in statements), indent + "}"]


def setter(name, parameter, statement, indent):
    return body(f"pub fn {name}(mut self, {parameter}) -> Self", [statement, "self"], indent)


def number(value, kind):
    if isinstance(value, str) or value in (float("inf"), float("-inf")):
        if "nan" in str(value).lower():
            return "f64::NAN"
        return "f64::NEG_INFINITY" if str(value).startswith("-") else "f64::INFINITY"
    if kind == "int":
        value = int(value)
        return "i64::MIN" if value == -(2**63) else str(value)
    return repr(float(value)) if kind == "float" else repr(value)


def default(attribute):
    """What an op's attribute begins as."""
    value, kind = attribute["default"], attribute["kind"]
    if value is None:
        return "None"
    if kind == "bool":
        return "true" if value else "false"
    if kind == "str":
        return json.dumps(value)
    if kind == "dtype":
        return f"Dtype::{value.upper()}"
    if kind == "int[]":
        given = ", ".join(map(str, value))
        return f"Ints::from([{given}])" if value else "Ints::default()"
    made = number(value, kind)
    return f"Number::from({made})" if kind == "number" else made


def optional(attribute):
    return not attribute["required"] and attribute["default"] is None


# ---- ops ----------------------------------------------------------------------------------------


def input_type(op, each):
    """As in C++: numbers stand for tensors where ops go element by element, or want one number."""
    if each["list"]:
        return "Tensors<'a>"
    alone = len(op["inputs"]) == 1
    if not alone and ("elementwise" in op["flags"] or each["dims"] == []):
        return "Operand<'a>"
    return "&'a Tensor"


def taken(kind, name):
    """A parameter, and what is kept of it."""
    if kind == "&'a Tensor":
        return f"{name}: {kind}", name
    if kind.endswith("<'a>"):
        return f"{name}: impl Into<{kind}>", f"{name}.into()"
    if kind in TAKES:
        return f"{name}: {TAKES[kind]}", f"{name}.into()"
    return f"{name}: {KEPT[kind]}", name


class OpText:
    """An op as Rust."""

    def __init__(self, place, name, op):
        self.op, self.name, self.struct = op, own(name), pascal(name)
        self.about = doc(first_sentence(op["doc"]) + f" Op {op['name']}.")
        self.which = f'op({place}, {op["revision"]}, "{op["name"]}")'
        self.outputs = [each for each in op["outputs"] if not each["aux"]]
        self.inputs = [each for each in op["inputs"] if not each["optional"]]
        self.options = [each for each in op["inputs"] if each["optional"]]
        self.required = [each for each in op["attributes"] if each["required"]]
        self.named = [each for each in op["attributes"] if not each["required"]]
        self.borrows = "'a" in str(list(self.fields()))

    def fields(self):
        """(name, type, what it begins as)"""
        for each in self.op["inputs"]:
            kind = input_type(self.op, each)
            if each["optional"]:
                yield own(each["name"]), f"Option<{kind}>", "None"
            else:
                yield own(each["name"]), kind, taken(kind, own(each["name"]))[1]
        for each in self.op["attributes"]:
            kind, name = KEPT[each["kind"]], own(each["name"])
            if each["required"]:
                yield name, kind, taken(each["kind"], name)[1]
            else:
                yield name, f"Option<{kind}>" if optional(each) else kind, default(each)

    def parameters(self):
        given = [taken(input_type(self.op, each), own(each["name"]))[0] for each in self.inputs]
        return given + [taken(each["kind"], own(each["name"]))[0] for each in self.required]

    def result(self):
        n = len(self.outputs)
        return {0: "()", 1: "Tensor"}.get(n, f"[Tensor; {n}]")

    def lists(self, holder):
        """What a call is given: inputs and attributes."""
        for members in ("inputs", "attributes"):
            parts = [f"{holder}{own(each['name'])}.given()" for each in self.op[members]]
            yield "[" + ", ".join(parts) + "]"

    def run(self, given):
        """A call, and what is made of its outputs."""
        n = len(self.outputs)
        if n == 1:
            return f"call_one({self.which}, {given})"
        if n == 0:
            return f"call_all::<0>({self.which}, {given}).map(|_| ())"
        return f"call_all({self.which}, {given})"

    def function(self):
        """Of an op that has no options."""
        parameters = [each.replace("&'a ", "&") for each in self.parameters()]
        life = "<'a>" if "'a" in str(parameters) else ""
        made = [f"    let {name}: {kind} = {value};" for name, kind, value in self.fields()
                if value.endswith(".into()")]  # fmt: skip
        given = ", ".join("&" + each for each in self.lists(""))
        heads = [(self.name, parameters, self.result(), self.run(given))]
        if len(self.outputs) == 1:
            heads.append((self.name.rstrip("_") + "_into", [*parameters, "out: &Tensor"], "()",
                          f"call_into({self.which}, {given}, out)"))  # fmt: skip
        lines = [*self.about]
        for name, parameters, result, end in heads:
            lines += ["/// The same, written into `out`."] if name != self.name else []
            lines += ["#[inline]"]
            lines += listed(f"pub fn {name}{life}(", parameters, f") -> Result<{result}> {{")
            lines += [*made, *broken(f"    {end}"), "}"]
        return lines

    def builder(self):
        life = "<'a>" if self.borrows else ""
        lines = [*self.about, MUST.format("call"), f"pub struct {self.struct}{life} {{"]
        lines += [f"    {name}: {kind}," for name, kind, _ in self.fields()]
        lines += ["}", *self.about]
        lines += listed(f"pub fn {self.name}{life}(", self.parameters(),
                        f") -> {self.struct}{life} {{")  # fmt: skip
        begun = [name if name == value else f"{name}: {value}" for name, _, value in self.fields()]
        lines += listed(f"{self.struct} {{ ", begun, " }", "    ")
        lines += ["}", f"impl{life} {self.struct}{life} {{"]
        lines += self.setters()
        inputs, attributes = self.lists("self.")
        sizes = [f"[tenon_value; {len(self.op[each])}]" for each in ("inputs", "attributes")]
        lines += [f"    fn values(&self) -> ({', '.join(sizes)}) {{", "        (",
                  *broken(f"            {inputs},"), *broken(f"            {attributes},"),
                  "        )", "    }"]  # fmt: skip
        run = [("call(&self)", self.result(), self.run("&inputs, &attributes"))]
        if len(self.outputs) == 1:
            end = f"call_into({self.which}, &inputs, &attributes, out)"
            run.append(("call_into(&self, out: &Tensor)", "()", end))
        for head, result, end in run:
            lines += ["    /// Written into `out`."] if "out" in head else []
            lines += body(f"pub fn {head} -> Result<{result}>",
                          ["let (inputs, attributes) = self.values();", end], "    ")  # fmt: skip
        return [*lines, "}"]

    def setters(self):
        for each in self.options:
            name = own(each["name"])
            parameter, value = taken(input_type(self.op, each), name)
            yield from setter(name, parameter, f"self.{name} = Some({value});", "    ")
        for each in self.named:
            parameter, value = taken(each["kind"], own(each["name"]))
            value = f"Some({value})" if optional(each) else value
            name = own(each["name"])
            yield from setter(name, parameter, f"self.{name} = {value};", "    ")

    def lines(self):
        plain = not (self.options or self.named)
        return self.function() if plain else self.builder()


def ops_text(registry):
    lines = HEAD.format(name="ops.rs", purpose="a function for each op of the vendor `tenon`.")
    lines = lines.splitlines()
    lines += [
        "//! A function for each op of the vendor `tenon`. One with options, or with operands that",
        "//! may be absent, gives a builder, which `call` runs.",
        "#![allow(clippy::needless_lifetimes, clippy::too_many_arguments)]",
        "#![allow(clippy::type_complexity)]",
        "", "use crate::call::{call_all, call_into, call_one, Operand, Tensors};",
        "use crate::context::op;", "use crate::error::Result;",
        "use crate::sys::tenon_value;", "use crate::tensor::Tensor;",
        "use crate::values::{Dtype, Given, Ints, Number};", "",
    ]  # fmt: skip
    found = registry.entries("ops")
    lines += [f"pub(crate) const COUNT: usize = {len(found)};", ""]
    for place, (name, op) in enumerate(found):
        lines += OpText(place, name, op).lines()
    return "\n".join(lines) + "\n"


# ---- entries ------------------------------------------------------------------------------------

# What a setter of an entry's option takes, and the value that is made of it.
OPTIONS = {
    "int": ("i64", "Value::Int({})"), "float": ("f64", "Value::Float({})"),
    "bool": ("bool", "Value::Bool({})"), "str": ("impl Into<String>", "Value::Text({}.into())"),
    "number": ("impl Into<Value>", "{}.into()"), "dtype": ("Dtype", "Value::Dtype({})"),
    "int[]": ("impl Into<Ints>", "Value::Ints({}.into())"),
    "float[]": ("impl Into<Vec<f64>>", "Value::Floats({}.into())"),
}  # fmt: skip


class EntryText:
    """What makes an object of an entry."""

    def __init__(self, kind, name, entry):
        self.kind, self.name, self.entry = kind, own(name), entry
        self.struct, self.result = pascal(name), kind.capitalize()
        options = entry.get("hypers") or entry.get("options") or []
        self.required = [each for each in options if each.get("required")]
        self.named = [each for each in options if not each.get("required")]
        self.container = bool(entry.get("container"))
        self.about = doc(first_sentence(entry["doc"]) + f" The {kind} {entry['name']}.", "    ")

    def extra(self):
        """(field, type, parameter or "", value) that the kind has beside options."""
        if self.kind == "optimizer":
            yield "groups", "Result<Vec<Group>>", "parameters: impl IntoGroups", (
                "parameters.into_groups()")  # fmt: skip
        if self.kind == "schedule":
            yield "base_value", "f64", "base_value: f64", "base_value"
        if self.container:
            yield "children", "Result<Vec<Layer>>", "children: impl MakeAll<Layer>", (
                "children.make_all()")  # fmt: skip
        if self.kind == "layer":
            yield "device", "Option<Device>", "", "None"
        if self.kind == "transform":
            yield "field", "u32", "", "0"

    def made(self):
        name = self.entry["name"]
        if self.kind == "layer":
            made = f'Layer::on("{name}", &self.given, self.device.as_ref())'
            if not self.container:
                return [made]
            return [f"let made = {made}?;",
                    "self.children?.iter().try_for_each(|each| made.append(each))?;",
                    "Ok(made)"]  # fmt: skip
        given = {
            "optimizer": "self.groups?, &self.given", "schedule": "self.base_value, &self.given",
            "transform": "&self.given, self.field", "dataset": "&self.given",
        }[self.kind]  # fmt: skip
        return [f'{self.result}::new("{name}", {given})']

    def setters(self):
        if self.kind == "layer":
            yield "device", "device: &Device", "self.device = Some(*device);", (
                "Where its parameters lie.")  # fmt: skip
        if self.kind == "transform":
            yield "field", "field: u32", "self.field = field;", "Which field of a batch it is for."
        for each in self.named:
            name, (kind, value) = own(each["name"]), OPTIONS[each["type"]]
            made = value.format(name)
            yield (name, f"{name}: {kind}", f'self.given.push(("{each["name"]}", {made}));',
                   first_sentence(each["doc"]).rstrip("."))  # fmt: skip

    def lines(self):
        extra = list(self.extra())
        lines = [*self.about, "    " + MUST.format("build"), f"    pub struct {self.struct} {{"]
        lines += [f"        {field}: {kind}," for field, kind, _, _ in extra]
        lines += ["        given: Vec<(&'static str, Value)>,", "    }", *self.about]
        parameters = [each[2] for each in extra if each[2]]
        values = []
        for each in self.required:
            name, (kind, value) = own(each["name"]), OPTIONS[each["type"]]
            parameters.append(f"{name}: {kind}")
            values.append(f'("{each["name"]}", {value.format(name)})')
        lines += listed(f"pub fn {self.name}(", parameters, f") -> {self.struct} {{", "    ")
        begun = [field if field == value else f"{field}: {value}" for field, _, _, value in extra]
        begun.append("\n".join(listed("given: vec![", values, "]", "            ")).lstrip())
        lines += listed(f"{self.struct} {{ ", begun, " }", "        ")
        lines += ["    }", f"    impl {self.struct} {{"]
        for name, parameter, statement, about in self.setters():
            lines += doc(about, "        ") if about else []
            lines += setter(name, parameter, statement, "        ")
        lines += [f"        pub fn build(self) -> Result<{self.result}> {{"]
        lines += [*(f"            {line}" for line in self.made()), "        }", "    }"]
        if self.kind in ("layer", "transform"):
            lines += [f"    impl Make<{self.result}> for {self.struct} {{",
                      f"        fn make(self) -> Result<{self.result}> {{ self.build() }}",
                      "    }"]  # fmt: skip
        return [*lines, ""]


# Where Python has them; of the others the module is the topic.
def kinds(registry):
    for kind in registry.query("kinds"):
        noun, topic = kind["noun"], kind["topic"]
        if noun in ("layer", "optimizer", "schedule", "dataset", "transform"):
            yield noun, topic, SPACES.get(topic, topic)


def entries_text(registry):
    purpose = "a function for each layer, optimizer, schedule,\n// dataset and transform."
    lines = HEAD.format(name="entries.rs", purpose=purpose).splitlines()
    spaces, topics = {}, {}
    for kind, topic, space in kinds(registry):
        topics.setdefault(space, []).append(topic)
        for name, entry in registry.entries(topic):
            spaces.setdefault(space, []).extend(EntryText(kind, name, entry).lines())
    for space, own_lines in spaces.items():
        about = " and ".join(topics[space]).capitalize()
        lines += ["", f"/// {about} of the vendor `tenon`.", f"pub mod {space} {{"]
        lines += ["    #![allow(unused_imports)]"]
        lines += ["    #![allow(clippy::too_many_arguments)]"]
        lines += ["    use crate::datasets::{Dataset, Transform};", "    use crate::error::Result;"]
        lines += ["    use crate::layer::Layer;", "    use crate::make::{Make, MakeAll};"]
        lines += ["    use crate::optimizer::{Group, IntoGroups, Optimizer};"]
        lines += ["    use crate::schedule::Schedule;"]
        lines += ["    use crate::values::{Device, Dtype, Ints, Value};", ""]
        lines += [*own_lines[:-1], "}"]
    return "\n".join(lines) + "\n"


def texts(registry):
    yield "ops.rs", ops_text(registry)
    yield "entries.rs", entries_text(registry)


if __name__ == "__main__":
    write(__doc__, FOLDER, texts)
