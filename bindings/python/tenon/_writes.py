# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_writes.py: refusals of writes into tensors in the words of the program:
# `x[key] = value`, `x += y` and `x.fill_(...)` are ops with an output that it never named.
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
_NO_GRADIENT = "a tensor without gradient"
_UNSEEN = "within `with tenon.no_grad:` the write is not recorded"
_COPY = "x = x.clone() may be written"


def _kind(x):
    """f32[2,3], as in other messages."""
    if not isinstance(x, Tensor):
        return type(x).__name__
    name = x.dtype.name
    for long, short in (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i")):
        name = name.replace(long, short)
    return f"{name}[{','.join(map(str, x.shape))}]"


class _Write:
    """What the program has written, and where it went wrong: (operand, what, expected, found, hint)
    of each refusal.

    name  the op of an in-place operator; None for an item; "fill_", a method
    """

    def __init__(self, target, value, name):
        self.target, self.value = target, value
        self.sign, self.is_item = _OPERATORS.get(name), name is None
        self.op = "item assignment" if self.is_item else self.sign or name
        self.form = "x[key] = value" if self.is_item else f"x.{name}(...)"
        if self.sign:
            self.form = f"x {self.sign} y"

    def _anew(self):
        return f"x = x {self.sign[:-1]} y makes a new tensor" if self.sign else _COPY

    def of_gradients(self, error):
        x = self.target
        if x.requires_grad and x.is_leaf:
            new = f"{self._anew()}; " if self.sign else ""
            return (
                "x", "x is a leaf that requires a gradient", _NO_GRADIENT, f"a leaf, {_kind(x)}",
                f"{new}{_UNSEEN}, as that of an optimizer's step",
            )  # fmt: skip
        lists = "x[[0]] = value, with a list of indices or a mask, is recorded; so is tenon.where"
        if not x.requires_grad:
            hint = lists if self.is_item else "take the value itself in place of x"
            return (
                "value", "the value requires a gradient, which the write would lose",
                "a value without gradient", _kind(self.value),
                f"{hint}; value.detach() is its numbers",
            )  # fmt: skip
        what, hint = "a gradient flows through x, and would not see the write", lists
        if not self.is_item and "is a view" not in error.message:
            what, hint = "x requires a gradient, and all of it is replaced", "take a new tensor"
        elif not self.is_item or error.op == "tenon.index_put":
            what, hint = "x is a view that a gradient flows through", self._anew()
        return "x", what, _NO_GRADIENT, _kind(x), f"{hint}; {_UNSEEN}"

    def of_others(self, error):
        if "is read-only" in error.message:
            return "x", "x is read-only", error.expected, error.found, _COPY
        if "overlaps itself" in error.message:
            part = "is a part of a tensor that" if "is a part of" in error.message else ""
            what = f"x {part} repeats elements".replace("  ", " ")
            return "x", what, error.expected, error.found, _COPY
        for word in ("shape", "dtype"):
            if f"wrong {word}" in error.message:
                what, hint = f"the result has another {word} than x", ""
                hint = self._anew() if self.sign else ""
                return "x", what, _kind(self.target), error.expected, hint
        return None

    def reason(self, error):
        if error.operand.startswith("out"):
            of = self.of_gradients if error.status_name == "TENON_E_GRAD" else self.of_others
            return of(error)
        what, hint = "the value does not fit the place", error.hint
        if self.is_item and error.op == "tenon.broadcast_to":
            expected = f"a shape that broadcasts to {error.found}"
            return "value", what, expected, _kind(self.value), hint
        if self.is_item and error.op == "tenon.index_put" and error.operand == "values":
            return "value", what, error.expected, error.found, hint
        if self.sign and error.message.startswith(f"{error.op}: "):
            what = error.message.removeprefix(f"{error.op}: ")
            operand = {"a": "x", "b": "y"}.get(error.operand, error.operand)
            return operand, what, error.expected, error.found, hint
        return None


def reword(error, target, value, name):
    """The exception in the program's words, or `error` itself."""
    if not isinstance(error, _errors.Error):
        return error
    write = _Write(target, value, name)
    reason = write.reason(error)
    if reason is None:
        return error
    operand, what, expected, found, hint = reason
    fields = {each: getattr(error, each) for each in ("status", "status_name", "plugin", "scope")}
    fields |= {"op": write.op, "operand": operand, "expected": expected, "found": found}
    fields |= {"hint": hint, "causes": error.causes}
    made = _errors._build(type(error), f"{write.form}: {what}", fields)
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
