#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bindings/python/tools/stubs.py: writes the type stubs of the package from the registry.
"""usage: stubs.py [--check]   with the package of the build tree in PYTHONPATH

Writes ../tenon/*.pyi; --check only compares, and fails if they differ. Ops and what else plugins
register are described by their schemas and options, what is written in Python by its signatures.
"""

import builtins
import inspect
import keyword
import pathlib
import sys

import tenon
from tenon import _names, _schema

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tenon"
COLUMNS = 100
# The module has names of its own for bool, sum and others: Python's are written _b.<name>.
ATTRIBUTES = {
    _schema.INT: "_b.int",
    _schema.FLOAT: "_b.float",
    _schema.BOOL: "_b.bool",
    _schema.TEXT: "_b.str",
    _schema.NUMBER: "_b.float",
    _schema.DTYPE: "_DtypeLike",
    _schema.INTS: "_b.int | Sequence[_b.int]",
}
OPTIONS = {"int": "_b.int", "float": "_b.float", "bool": "_b.bool", "str": "_b.str"}
OPTIONS |= {"dtype": "Dtype", "int[]": "Sequence[_b.int]"}

HEAD = '''\
# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/{name}: written by tools/stubs.py from the registry: change the ops, layers,
# optimizers ... that it describes, not this file.

import builtins as _b
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol
'''
# Attributes that may be called, too (tenon/_called.py).
CALLED = '''
class _Truth(_b.int):
    def __call__(self) -> _b.bool: ...

class _Address(_b.int):
    def __call__(self) -> _b.int: ...
'''
TYPES = '''
_DtypeLike = Dtype | _b.str | _b.type

class _Array(Protocol):
    """What NumPy's arrays are."""

    def __array__(self, dtype: Any = ..., /) -> Any: ...

_Operand = Tensor | _b.float | _b.list[Any] | _b.tuple[Any, ...] | _Array
'''
OPERATORS = {
    "_Operand": "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift",
    "_b.object": "eq ne lt le gt ge",
    None: "neg pos abs invert",
}
LIST, TUPLE = "_b.list[Tensor]", "_b.tuple[Tensor, ...]"
# What functions written in Python give, if not a tensor.
RESULTS = dict.fromkeys(("tensor", "asarray", "from_dlpack", "full"), "Tensor")
RESULTS |= {"info": "_b.str", "plugins": "_b.dict[_b.str, _b.str]", "save": "None", "seed": "None"}
RESULTS |= {"release_cache": "_b.int", "set_threads": "None", "set_num_threads": "None"}
RESULTS |= dict.fromkeys(("manual_seed", "fill"), "None")
RESULTS |= dict.fromkeys(("allclose", "array_equal", "can_cast", "is_tensor", "isdtype"), "_b.bool")
RESULTS |= dict.fromkeys(("promote_types", "result_type", "get_default_dtype"), "Dtype")
RESULTS |= dict.fromkeys(("array_split", "broadcast_arrays", "broadcast_tensors"), LIST)
RESULTS |= dict.fromkeys(("split",), LIST)
RESULTS |= dict.fromkeys(("chunk", "meshgrid", "nonzero", "unbind", "unstack"), TUPLE)
RESULTS |= dict.fromkeys(("histogram", "kthvalue", "lstsq", "slogdet", "svd", "qr", "eigh"), TUPLE)
RESULTS |= dict.fromkeys(("unique_all", "unique_counts", "unique_inverse"), TUPLE)
RESULTS |= dict.fromkeys(("broadcast_shapes",), "_b.tuple[_b.int, ...]")
# Of these it depends on the arguments.
RESULTS |= dict.fromkeys(("unique", "gradient", "where", "sort", "type", "stride"), "Any")
RESULTS |= dict.fromkeys(("dim", "ndimension", "numel", "nelement", "element_size"), "_b.int")
RESULTS |= dict.fromkeys(("is_complex", "is_signed", "is_same_size", "is_nonzero"), "_b.bool")
RESULTS |= {"get_device": "_b.int", "split_with_sizes": LIST, "aminmax": TUPLE}
DATA = {"batches": "Batches", "tokenizer": "Tokenizer", "load_tokenizer": "Tokenizer"}
DATA |= dict.fromkeys("color_jitter crop flatten flip normalise pad".split(), "Transform")
DATA |= dict.fromkeys("random_erasing rotate transform".split(), "Transform")
RESULTS |= {"is_floating_point": "_b.bool", "register_hook": "Any"}
RESULTS |= {"stats": "_b.dict[_b.str, _b.int]", "configure": "None", "backward": "None"}


def words_of(described):
    """The first sentence of a documentation, as a docstring."""
    text = " ".join((described or "").split())
    end = text.find(". ")
    text = text if end < 0 else text[: end + 1]
    return text.replace("\\", "\\\\").replace('"', "'")


def function(name, parameters, result, doc, indent="", decorator=""):
    """The lines of one function."""
    words = words_of(doc)
    lines = [f"{indent}{decorator}"] if decorator else []
    head = f"{indent}def {name}({', '.join(parameters)}) -> {result}:"
    if len(head) > COLUMNS:
        inner = "".join(f"{indent}    {each},\n" for each in parameters)
        head = f"{indent}def {name}(\n{inner}{indent}) -> {result}:"
    if not words:
        return [*lines, head + " ..."]
    quoted = f'{indent}    """{words}"""'
    return [*lines, head, quoted, f"{indent}    ..."]


def op_parameters(op, method=False):
    """Parameters and result of an op, from its schema."""
    schema = _schema.Schema(op.name, op.revision)
    found = []
    for name, _, is_list, optional in schema.inputs:
        kind = "Sequence[Tensor]" if is_list else "_Operand"
        found.append(f"{name}: {kind}" + " | None = None" * optional)
    if method:
        found[0] = "self"
    positional, optional = schema.positional(), any(each[3] for each in schema.inputs)
    synonyms, n_inputs = schema.synonyms(), len(schema.inputs)
    for place, (name, kind, _, default) in enumerate(schema.attributes):
        if place == positional:
            found.append("*")
        typed = f"{name}: {ATTRIBUTES[kind]}"
        if default == "None":
            typed += " | None"
        # One that has another name may be absent under this one, and those after it then, too.
        named = default is not None or n_inputs + place in synonyms.values()
        optional |= named
        found.append(typed + " = ..." * (optional if place < positional else named))
    if positional == len(schema.attributes):
        found.append("*")
    for name, place in synonyms.items():
        if place >= n_inputs:
            found.append(f"{name}: {ATTRIBUTES[schema.attributes[place - n_inputs][1]]} = ...")
    count = len(schema.outputs)
    result = {0: "None", 1: "Tensor"}.get(
        count, f"_b.tuple[{', '.join(['Tensor'] * count)}]"
    )
    out = "Tensor" if count == 1 else "Sequence[Tensor]"
    found.append(f"out: {out} | None = None")
    found = [each for each in found if not keyword.iskeyword(each.partition(":")[0])]
    return found, result


def own_parameters(thing, drop_first=False):
    """Parameters of something written in Python; it says no types."""
    found, starred = [], False
    parameters = list(inspect.signature(thing).parameters.values())
    for each in parameters[1:] if drop_first else parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            found.append("*")
            starred = True
        starred = starred or each.kind is each.VAR_POSITIONAL
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = " = ..." if each.default is not each.empty else ""
        found.append(f"{stars}{each.name}: Any{default}")
    return found


def own_class(kind, bases=""):
    """A class written in Python: its public methods."""
    lines = [f"class {kind.__name__}{bases}:", f'    """{words_of(kind.__doc__)}"""', ""]
    for name, typed in vars(kind).get("__annotations__", {}).items():
        builtin = "_b." if typed.__module__ == "builtins" else ""
        lines.append(f"    {name}: {builtin}{typed.__name__}")
    members = {}
    for each in reversed(kind.__mro__[:-1]):
        members.update(vars(each))
    for name, value in sorted(members.items()):
        shown = name in ("__init__", "__call__", "__len__", "__getitem__", "__iter__", "__next__")
        if name == "forward":  # which models override, with parameters of their own
            lines.append("    forward: Callable[..., Any]")
        elif callable(value) and (shown or not name.startswith("_")):
            parameters = ["self", *own_parameters(value, drop_first=True)]
            result = "None" if name == "__init__" else "Any"
            lines += function(name, parameters, result, value.__doc__, "    ")
    if "__setattr__" in vars(kind):
        lines.append("    def __setattr__(self, name: _b.str, value: Any) -> None: ...")
    return [*lines, "    def __getattr__(self, name: _b.str) -> Any: ...", ""]


def ops():
    """(name, op) of the vendor tenon, in order."""
    return [(name, getattr(tenon.op.tenon, name)) for name in sorted(dir(tenon.op.tenon))]


def takes_tensor_first(op):
    inputs = _schema.Schema(op.name, op.revision).inputs
    return bool(inputs) and not inputs[0][2]


def tensor_class():
    lines = ["class Tensor:", f'    """{words_of(tenon.Tensor.__doc__)}"""', ""]
    result = {"shape": "_b.tuple[_b.int, ...]", "strides": "_b.tuple[_b.int, ...]"}
    result |= dict.fromkeys(("ndim", "size", "version", "storage"), "_b.int")
    result |= {"data_ptr": "_Address", "is_contiguous": "_Truth", "H": "Tensor", "mH": "Tensor"}
    result |= {"dtype": "Dtype", "grad": "Tensor | Any", "T": "Tensor", "requires_grad": "_b.bool"}
    result |= {"device": "_b.str", "node": "_b.str", "data": "Tensor", "mT": "Tensor"}
    result |= {"nbytes": "_b.int", "itemsize": "_b.int"}
    own = {name: value for name, value in vars(tenon.Tensor).items() if not name.startswith("_")}
    for name in _names.method_names():  # found when they are first asked for
        if name not in own:
            own[name] = _names.find_method(name)
    for name, value in sorted(own.items()):
        if inspect.isdatadescriptor(value):
            lines.append(f"    {name}: {result.get(name, '_b.bool')}")
    for name, value in sorted(own.items()):
        if inspect.isfunction(value):
            parameters = ["self", *own_parameters(value, drop_first=True)]
            kind = "Any" if name in ("tolist", "numpy", "add_hook") else RESULTS.get(name, "Tensor")
            kind = "None" if name in ("backward", "retain_grad") else kind
            lines += function(name, parameters, kind, value.__doc__, "    ")
        elif inspect.ismethoddescriptor(value) and not isinstance(value, tenon.Op):
            kind = {"item": "_b.float", "info": "_b.str"}.get(name, "Tensor")
            lines += function(name, ["self"], kind, value.__doc__, "    ")
    methods = {name: op for name, op in ops() if takes_tensor_first(op) and name not in own}
    methods |= {name: op for name, op in own.items() if isinstance(op, tenon.Op)}
    for name, op in sorted(methods.items()):
        parameters, kind = op_parameters(op, method=True)
        lines += function(name, parameters, kind, "", "    ")
    for name, op in ops():  # in place
        elementwise = "elementwise" in _schema.Schema(op.name, op.revision).said["flags"]
        if elementwise and f"{name}_" not in own:
            parameters, kind = op_parameters(op, method=True)
            given = [each for each in parameters if each != "*" and not each.startswith("out:")]
            lines += function(f"{name}_", given, kind, "", "    ")
    for operand, names in OPERATORS.items():
        for name in names.split():
            rest = [f"other: {operand}"] if operand else []
            comment = "  # type: ignore[override]" if name in ("eq", "ne") else ""
            parameters = ", ".join(["self", *rest])
            lines.append(f"    def __{name}__({parameters}) -> Tensor: ...{comment}")
            if operand == "_Operand":
                lines.append(f"    def __r{name}__(self, other: _Operand) -> Tensor: ...")
    lines += [
        "    def __getitem__(self, key: Any) -> Tensor: ...",
        "    def __setitem__(self, key: Any, value: Any) -> None: ...",
        "    def __iter__(self) -> Iterator[Tensor]: ...",
        "    def __contains__(self, value: Any) -> _b.bool: ...",
        "    def __buffer__(self, flags: _b.int) -> _b.memoryview: ...",
        "    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...",
        "    def __dlpack__(self, **asked: Any) -> Any: ...",
        "    def __dlpack_device__(self) -> _b.tuple[_b.int, _b.int]: ...",
    ]
    for name in ("len", "int", "index", "hash"):
        lines.append(f"    def __{name}__(self) -> _b.int: ...")
    lines.append("    def __bool__(self) -> _b.bool: ...")
    return [*lines, "    def __float__(self) -> _b.float: ...", ""]


def error_classes():
    lines = ["class Error(Exception):", f'    """{words_of(tenon.Error.__doc__)}"""', ""]
    lines += ["    status: _b.int", "    causes: _b.tuple[_b.str, ...]"]
    for name in "status_name message op operand expected found hint plugin scope place".split():
        lines.append(f"    {name}: _b.str")
    lines.append("")
    for name in tenon._errors.__all__:
        kind = getattr(tenon, name)
        if kind is not tenon.Error:
            bases = ", ".join(
                f"_b.{each.__name__}" if hasattr(builtins, each.__name__) else each.__name__
                for each in kind.__bases__
            )
            lines += [f"class {name}({bases}): ...", ""]
    return lines


def main_stub():
    modules = ", ".join(f"{name} as {name}" for name in tenon._MODULES)
    lines = [f"from tenon import {modules}", ""]
    lines += ["class Dtype:", '    """The type of a tensor\'s elements."""', ""]
    lines += ["    name: _b.str", "    itemsize: _b.int", "    is_floating_point: _b.bool", ""]
    lines += [f"{name}: Dtype" for name in _schema._DTYPES.values()]
    lines += ["", "class Op:", '    """An op of the registry."""', ""]
    lines += [f"    {name}: _b.str" for name in ("name", "plugin", "schema")]
    lines += ["    revision: _b.int", "    def __init__(self, name: _b.str) -> None: ..."]
    lines += ["    def __call__(self, *operands: Any, **attributes: Any) -> Any: ...", ""]
    lines += CALLED.splitlines()[1:] + [""] + tensor_class() + TYPES.splitlines()
    lines += [""] + error_classes()
    names = set(tenon.__all__) | set(tenon._FUNCTIONS) | set(_names.FUNCTIONS) | set(_names.ALIASES)
    names |= {"get_default_dtype", "inference_mode", "set_num_threads"}
    lines += ["pi: _b.float", "e: _b.float", "inf: _b.float", "nan: _b.float", "newaxis: None"]
    lines.append("__version__: _b.str")
    for name in sorted(names - set(tenon._errors.__all__)):
        thing = getattr(tenon, name)
        if isinstance(thing, tenon.Op):
            lines += function(name, *op_parameters(thing), thing.__doc__.partition("\n\n")[2])
        elif inspect.isfunction(thing):
            made = thing.__module__.rpartition(".")[2] in _names._FUNCTIONS
            result = RESULTS.get(name, RESULTS.get(thing.__name__, "Tensor" if made else "Any"))
            lines += function(name, own_parameters(thing), result, thing.__doc__)
        elif inspect.isclass(thing) and name not in ("Dtype", "Op", "Tensor"):
            lines += own_class(thing)
        elif not isinstance(thing, (type, tenon.Dtype)):
            lines.append(f"{name}: Any")
    for name, op in ops():
        if name not in names:
            lines += function(name, *op_parameters(op), op.__doc__.partition("\n\n")[2])
    return lines


def registry_stub(module, imported):
    """A module of what plugins register beside ops: its classes, and a function for each entry."""
    lines = [f"from tenon import {imported}"]
    for name, value in sorted(vars(module).items()):
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
            result = DATA.get(name, "Any")
            if module is tenon.linalg:
                result = RESULTS.get(name, "Tensor")
            shown = own_class(value) if inspect.isclass(value) else function(
                name, own_parameters(value), result, value.__doc__
            )
            lines += ["", *shown]
    entries = getattr(module, "_entries", None)
    for name in dir(entries) if entries else ():
        entry = getattr(entries, name)
        described = entry.describe()
        kinds = {
            each["name"]: OPTIONS.get(each["type"], "Any")
            for each in described.get("hypers") or described.get("options") or []
        }
        parameters = [f"{each}: Any" for each in entry._leading]
        parameters.append("*children: Any" if described.get("container") else "*")
        for option, _, default in entry.options():
            required = not isinstance(default, (int, float, str, tenon.Dtype, type(None)))
            kind = kinds[option] + " | None" * (default is None)
            parameters.append(f"{option}: {kind}" + " = ..." * (not required))
        if module is tenon.nn:
            parameters.append("device: _b.str | None = None")
        if parameters[-1] == "*":
            parameters.pop()
        lines += function(name, parameters, entry._make.__name__, described["doc"])
    return lines


def main():
    stubs = {"__init__.pyi": main_stub()}
    for name in tenon._MODULES:
        stubs[f"{name}.pyi"] = registry_stub(getattr(tenon, name), "Dtype, Tensor")
    stale = []
    for name, lines in stubs.items():
        text = HEAD.format(name=name) + "\n" + "\n".join(lines).rstrip() + "\n"
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"the stubs differ from the registry: {', '.join(stale)}; run stubs.py without "
                 "--check")


if __name__ == "__main__":
    main()
