# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_writes.py: refusals of writes into tensors in the words that the program
# has: `x[key] = value`, `x += y` and `x.fill_(...)` are ops with an output that the program never
# named.
import functools

from tenon import _errors
from tenon._core import Tensor

# In-place operators, by the ops that they are.
_OPERATORS = {
    "tenon.add": "+=", "tenon.sub": "-=", "tenon.mul": "*=", "tenon.div": "/=",
    "tenon.floor_divide": "//=", "tenon.remainder": "%=", "tenon.pow": "**=",
    "tenon.bitwise_and": "&=", "tenon.bitwise_or": "|=", "tenon.bitwise_xor": "^=",
    "tenon.bitwise_left_shift": "<<=", "tenon.bitwise_right_shift": ">>=",
}  # fmt: skip
_ITEM = "x[key] = value"
_NO_GRAD = "with tenon.no_grad: keeps the write out of the graph"


def _kind(x):
    return f"{x.dtype.name}{list(x.shape)}"


def _of_gradients(words, target, value, form):
    """(operand, what is wrong, expected, found, hint) of a write that a gradient would not see."""
    item = form == _ITEM
    if target.requires_grad and target.is_leaf:
        return (
            "x", "x is a leaf that requires a gradient", "a tensor without gradient",
            f"a leaf, {_kind(target)}",
            "with tenon.no_grad: changes its values, as an optimizer's step does"
            + ("" if item else "; the form that gives a new tensor is recorded"),
        )  # fmt: skip
    if not target.requires_grad:
        return (
            "value", "the value requires a gradient, which the write would lose",
            "a value without gradient", _kind(value) if isinstance(value, Tensor) else "others",
            ("lists of indices are recorded, x[[0]] = value, and so is tenon.where" if item
             else "take the value as it is, in place of x")
            + "; value.detach() writes the numbers alone",
        )  # fmt: skip
    if "is a view" in words or item and "output \"out0\"" not in words:
        part = "lists of indices are recorded, x[[0]] = value, where x has memory of its own: " \
            "x = x.clone(); so is tenon.where. " if item else "write to a new tensor: x = x.clone(). "
        return (
            "x", "a gradient flows through x, which a write to a view of it does not pass on",
            "a tensor without gradient", _kind(target), part + _NO_GRAD,
        )  # fmt: skip
    return (
        "x", "x requires a gradient, and all of it is overwritten", "a tensor without gradient",
        _kind(target), "make a new tensor in its place. " + _NO_GRAD,
    )  # fmt: skip


def _reasons(error, target, value, form):
    words = error.message
    if error.status_name == "TENON_E_GRAD" and error.operand.startswith("out"):
        return _of_gradients(words, target, value, form)
    new = "a new tensor takes it: x = x + y" if form.startswith("x ") else "write to a new tensor"
    if not error.operand.startswith("out"):
        if error.op == "tenon.broadcast_to" and form == _ITEM:
            return (
                "value", "the value does not broadcast to the place",
                f"a shape that broadcasts to {error.found}", _kind(value), "",
            )  # fmt: skip
        return None
    if "is read-only" in words:
        hint = "x = x.clone() has memory of its own"
        return "x", "x is read-only", error.expected, error.found, hint
    if "overlaps itself" in words:
        hint = "x = x.clone() has an element of its own for each place"
        return "x", "x has several places for one element", error.expected, error.found, hint
    if "wrong shape" in words:
        return "x", "the result has another shape than x", error.found, error.expected, new
    if "wrong dtype" in words:
        return "x", "the result has another dtype than x", error.found, error.expected, new
    return None


def reword(error, target, value, name):
    """The exception for the program's words, or `error` itself.

    name  the op of an in-place operator; None for an item; "fill_", a method
    """
    if not isinstance(error, _errors.Error):
        return error
    form = _ITEM
    if name is not None:
        form = f"x {_OPERATORS[name]} y" if name in _OPERATORS else f"x.{name}(...)"
    found = _reasons(error, target, value, form)
    if found is None:
        return error
    operand, what, expected, had, hint = found
    op = _OPERATORS.get(name, name) or "item assignment"
    fields = {"op": op, "operand": operand, "expected": expected, "found": had, "hint": hint}
    told = {each: getattr(error, each) for each in ("status", "status_name", "plugin", "scope")}
    made = _errors._build(type(error), f"{form}: {what}", {**told, **fields, "causes": error.causes})
    made._write = error.with_traceback(None)  # which has tensors
    return made


def named(name, method):
    """The method `name`, whose refusals speak of it."""

    @functools.wraps(method)
    def write(self, *arguments, **values):
        try:
            return method(self, *arguments, **values)
        except _errors.Error as error:
            value = next((each for each in arguments[::-1] if isinstance(each, Tensor)), None)
            made = reword(getattr(error, "_write", error), self, value, name)
            if made is error:
                raise
        raise made from None

    return write
