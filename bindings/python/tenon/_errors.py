# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_errors.py: exceptions, one for each status of the C API.
"""`tenon.Error` and what is derived from it.

Each also is the exception of Python that a reader expects: a `ShapeError` is a `ValueError`, a
`DtypeError` a `TypeError`, an `OutOfMemoryError` a `MemoryError`.
"""

import os
import sys

# Folders whose frames are not the caller's: this package's, and of what it is called through.
_packages = [os.path.dirname(os.path.abspath(__file__)) + os.sep]


class Error(Exception):
    """A call of Tenon failed; it has changed nothing.

    status    its number in the C API, and `status_name`, "TENON_E_SHAPE"
    op        the op or function, and `operand`, which of its operands
    expected  what would have been right, and `found`, what was there
    hint      what to do
    plugin    whose code it is about
    scope     labels of `tenon.scope` around the call
    causes    earlier failures that led to it
    place     file and line of the caller
    """

    status = 0
    status_name = ""
    message = op = operand = expected = found = hint = plugin = scope = place = ""
    causes = ()

    def __reduce__(self):
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind, arguments, state):
    error = kind(*arguments)
    error.__dict__.update(state)
    return error


# What an exception is beside an Error. The others are RuntimeErrors.
_ALSO = {
    "ARGUMENT": ValueError,
    "HANDLE": ValueError,
    "SHAPE": ValueError,
    "DTYPE": TypeError,
    "DEVICE": ValueError,
    "LAYOUT": ValueError,
    "ALIAS": ValueError,
    "ATTRIBUTE": ValueError,
    "NOT_FOUND": LookupError,
    "NO_KERNEL": NotImplementedError,
    "MEMORY": MemoryError,
    "PLAN_SHAPE": ValueError,
    "IO": OSError,
    "DATA": ValueError,
    "UNSUPPORTED": NotImplementedError,
}
_STATUSES = """
    ARGUMENT HANDLE RUNTIME STATE SHAPE DTYPE DEVICE LAYOUT ALIAS ATTRIBUTE NOT_FOUND NO_KERNEL
    NO_ROLE MEMORY GRAD GRAPH_FREED GRAPH_OWNER VERSION VJP CAPTURE PLAN_SHAPE ROWS PLUGIN SCHEMA
    IO DATA CHECK INTERRUPTED UNSUPPORTED INTERNAL DEVICE_LOST TIMEOUT PEER
""".split()


# Where the status' own word would hide one of Python's exceptions.
_NAMES = {"ATTRIBUTE": "OptionError", "MEMORY": "OutOfMemoryError", "IO": "FileError"}


def _class_name(status):
    """GRAPH_FREED: GraphFreedError."""
    return _NAMES.get(status) or f"{status.title().replace('_', '')}Error"


def _make_class(status):
    also = _ALSO.get(status, RuntimeError)
    return type(
        _class_name(status),
        (Error, also),
        {"__doc__": f"TENON_E_{status}, see docs/errors.md.", "__module__": "tenon"},
    )


_BY_STATUS = {f"TENON_E_{status}": _make_class(status) for status in _STATUSES}
globals().update({kind.__name__: kind for kind in _BY_STATUS.values()})
Error.__module__ = "tenon"


class OperandTypeError(_BY_STATUS["TENON_E_ARGUMENT"], TypeError):
    """An argument is a Python object of a wrong type, or there are too many."""


class TooLargeError(_BY_STATUS["TENON_E_ARGUMENT"], OverflowError):
    """An integer has more than 64 bits."""


class OutOfRangeError(_BY_STATUS["TENON_E_ARGUMENT"], IndexError):
    """An index lies outside its dimension."""


class AxisError(_BY_STATUS["TENON_E_ATTRIBUTE"], IndexError):
    """An axis lies outside of those that a tensor has."""


class NoAxisError(_BY_STATUS["TENON_E_SHAPE"], IndexError):
    """An axis of a tensor that has none."""


__all__ = [
    "AxisError",
    "Error",
    "NoAxisError",
    "OperandTypeError",
    "OutOfRangeError",
    "TooLargeError",
    *(kind.__name__ for kind in _BY_STATUS.values()),
]


def _caller():
    """File, line and source of the innermost frame outside these packages."""
    frame = sys._getframe(1)
    inside = tuple(_packages)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(inside):
        frame = frame.f_back
    if not frame:
        return ""
    name, number = frame.f_code.co_filename, frame.f_lineno
    try:
        import linecache

        source = linecache.getline(name, number, frame.f_globals).strip()
    except ImportError:
        source = ""  # the interpreter ends
    return f"{name}:{number}: {source}".rstrip(": ")


def _build(kind, message, fields):
    place = _caller()
    lines = [message]
    parts = [(word, fields.get(word)) for word in ("expected", "found")]
    words = f" {message} ".replace(",", " ").replace(":", " ")
    told = [part in message if " " in part else f" {part} " in words for _, part in parts if part]
    if not all(told):
        lines.append("  " + ", ".join(f"{word} {part}" for word, part in parts if part))
    if fields.get("hint"):
        lines.append(f"  hint: {fields['hint']}")
    if place:
        lines.append(f"  at {place}")
    error = kind("\n".join(lines))
    error.__dict__.update(fields, message=message, place=place)
    return error


# What the core's words name, as Python spells it; longer names first.
_SPELLINGS = {
    "before tenon_capture_begin or after tenon_capture_end": "outside of the captured function",
    "call tenon_tensor_set_requires_grad on": "set requires_grad = True on",
    "a leaf with tenon_tensor_set_requires_grad": "a leaf with requires_grad = True",
    "tenon_layer_get_parameter lists": "model.parameters() lists",
    "tenon_tensor_set_retain_grad": "x.retain_grad()",
    "give what tenon_tensor_get_grad gives of each": "give x.grad of each",
    "tenon_layer_set_tensor copies its values": "with tenon.no_grad: layer.weight[...] = values, "
    "or load_state_dict, copies them",
    "tenon_tensor_get_grad_rows": "x.grad_rows()",
    "tenon_tensor_get_grad": "x.grad",
    "tenon_tensor_get_data": "x.tolist() or x.numpy()",
    "tenon_tensor_create_detached": "x.detach()",
    "tenon_tensor_create_copy": 'x.to("cpu")',
    "tenon_grad_begin(TENON_GRAD_DISABLED)": "tenon.no_grad",
    "TENON_GRAD_DISABLED": "tenon.no_grad",
    "TENON_GRAD_INFERENCE": "tenon.inference",
    "TENON_BACKWARD_RETAIN": "retain_graph=True",
    "use tenon_op_call": "leave out= away",
    "tenon_runtime_query": "tenon.query",
}


def _in_python(words):
    for name, spelling in _SPELLINGS.items() if "enon_" in words.lower() else ():
        words = words.replace(name, spelling)
    return words


def _class_of(name, operand, message):
    """By status; bad axes, which have none of their own, by the words of the core and the SDK."""
    is_axis = "axis" in operand or operand == "axes"
    if is_axis and name == "TENON_E_ATTRIBUTE" and message.endswith("out of range"):
        return AxisError
    if name == "TENON_E_SHAPE" and message.endswith("there is no axis to name"):
        return NoAxisError
    return _BY_STATUS.get(name, Error)


def make_error(status, name, message, op, operand, expected, found, plugin, scope, hint, causes):
    """The exception for a record of the C API."""
    fields = {
        "status": status,
        "status_name": name,
        "op": op,
        "operand": operand,
        "expected": _in_python(expected),
        "found": found,
        "plugin": plugin,
        "scope": scope,
        "hint": _in_python(hint),
        "causes": causes,
    }
    return _build(_class_of(name, operand, message), message, fields)


def check_type(op, operand, given, kinds, expected):
    """Refuses what is none of `kinds`, or not callable where that is None."""
    if not (callable(given) if kinds is None else isinstance(given, kinds)):
        found = getattr(type(given), "_words", lambda given: type(given).__name__)(given)
        raise make_refusal("type", op, operand, expected, found)


def nearest(name, words):
    """ "did you mean ...?" for a name that is like one of a text's."""
    import difflib
    import re

    found = difflib.get_close_matches(name, re.findall(r"\w+", words), 1)
    return f"did you mean {found[0]}?" if found else ""


def reword_write(error, target, value, op):
    """What has refused a write into `target`, in the words of the program."""
    from tenon import _writes

    return _writes.reword(error, target, value, op)


def refuse(function, operand, expected, found, hint="", kind="value"):
    """As `make_refusal`, in the order in which a function's own refusals are written."""
    return make_refusal(kind, function, operand, expected, found, hint)


_REFUSALS = {"type": OperandTypeError, "keyword": OperandTypeError}
_REFUSALS |= {"index": OutOfRangeError, "large": TooLargeError}


def make_refusal(kind, op, operand, expected, found, hint=""):
    """The exception for what the package itself refuses; kind: type, value, index, large, or a
    status as above."""
    status = kind if kind in _STATUSES else "ARGUMENT"
    if kind == "keyword":
        hint = hint or nearest(operand, expected)
    fields = {
        "status": _STATUSES.index(status) + 1,
        "status_name": f"TENON_E_{status}",
        "op": op,
        "operand": operand,
        "expected": expected,
        "found": found,
        "hint": hint,
    }
    message = f"{op}: {operand}: expected {expected}, found {found}"
    return _build(_REFUSALS.get(kind, _BY_STATUS[f"TENON_E_{status}"]), message, fields)
