# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_custom.py: ops with gradients that are written in Python.
"""tenon.custom_op."""

import atexit
import itertools

from tenon import _core, _errors, _ops
from tenon._core import Tensor
from tenon._errors import make_refusal
from tenon._rules import ShapeRule, Types
from tenon._tensor import asarray

_defined = {}  # by name
_counter = itertools.count(1)


def custom_op(schema, *, kernel=False):
    """Makes an op of a function, `tenon.op.<vendor>.<name>` as those of plugins.

        @tenon.custom_op("mine.cube(x: T[...]) -> T[...] where T: float")
        def cube(x):
            return x * x * x

        @cube.backward
        def cube_backward(grad, x):
            return 3 * x * x * grad

    schema   as docs/schema.md says, with the op's full name
    kernel   False: the function gets tensors and calls ops. True: it gets copies as NumPy arrays
             and returns arrays; such an op runs on the CPU only, and cannot be captured

    The function gets inputs by position and attributes by name. Its docstring is the op's
    documentation. An op that was made here before is replaced; graphs that it is in are lost.
    """

    def define(function):
        _errors.check_type("custom_op", "function", function, None, "a function")
        return CustomOp(schema, function, kernel)

    return define


# ---- kernels ------------------------------------------------------------------------------------


class _Kernel:
    """Runs a function of NumPy arrays on copies of the operands."""

    def __init__(self, op):
        self._op, self.lists = op, op._rule.lists

    def __call__(self, inputs, attributes, outputs):
        import numpy as np

        def array(copied):
            data, dtype, shape = copied
            return np.ndarray(shape, dtype.name, buffer=data)

        given = [
            None if each is None else [array(x) for x in each] if is_list else array(each)
            for each, is_list in zip(inputs, self.lists, strict=True)
        ]
        results = self._op._results(self._op._call("kernel", given, attributes))
        made = []
        for place, (result, (dtype, shape)) in enumerate(zip(results, outputs, strict=True)):
            operand = self._op._output_names[place]
            found = np.asarray(result)
            if found.shape != shape:
                raise make_refusal("SHAPE", self._op.name, operand, str(shape), str(found.shape))
            if not np.can_cast(found.dtype, dtype.name, "same_kind"):
                raise make_refusal("type", self._op.name, operand, dtype.name, str(found.dtype))
            made.append(np.ascontiguousarray(found, dtype.name).reshape(-1).view(np.uint8))
        return tuple(made)


# ---- the op -------------------------------------------------------------------------------------


def _say_where(problem, what, name):
    if hasattr(problem, "add_note"):  # Python 3.11
        problem.add_note(f"in the {what} of the op {name}")


class CustomOp:
    """An op whose meaning is a Python function; called as any other op.

    name      "mine.cube"
    op        the registered op, `tenon.op.mine.cube`
    function  what it was made of
    """

    def __init__(self, schema, function, kernel):
        name, opening, rest = schema.partition("(")
        self.name = name.strip()
        vendor, dot, last = self.name.rpartition(".")
        if not dot or not opening or vendor.partition(".")[0] == "tenon":
            raise make_refusal(
                "value",
                "custom_op",
                "schema",
                "vendor.name(...) -> ..., not of the vendor tenon",
                repr(schema),
                '"mine.cube(x: T[...]) -> T[...] where T: float"',
            )
        if "!" in rest or "aux " in rest:
            raise make_refusal(
                "value",
                self.name,
                "schema",
                "operands that are read alone, and no aux outputs",
                repr(schema),
                "return new tensors instead of writing into operands",
            )
        self.function, self._is_kernel = function, kernel
        self._schema = last + opening + rest
        self._backward, self._handles = None, []
        self._rule = ShapeRule(self.name)
        self.__name__ = self.__qualname__ = last
        self.__doc__ = function.__doc__
        before = _defined.get(self.name)
        if before is not None:
            before.remove()
        try:
            self._load()
        except BaseException:
            if before is not None:
                before._load()
            raise

    def _load(self):
        number = next(_counter)
        self._id = f"python.{self.name}.{number}"
        self._backward_number = 0
        composition = None if self._is_kernel else self._forward
        self._handles.append(
            _core.load_op(
                self._id, self.name, self._schema, self.__doc__ or "", self._rule, composition
            )
        )
        _defined[self.name] = self
        try:
            self._read_schema()
            if self._is_kernel:
                self._load_kernel()
            if self._backward is not None:
                self._load_rule()
        except BaseException:
            self.remove()
            raise

    def _read_schema(self):
        self.op = _core.Op(self.name)
        schema = self._types = Types(self.op.name, self.op.revision)
        self._rule.take(schema)
        self._input_names = [name for name, *_ in schema.inputs]
        names = schema.outputs
        alone = len(names) == 1
        self._output_names = [
            name or ("output" if alone else f"output{i}") for i, name in enumerate(names)
        ]

    def _counts(self):
        return len(self._input_names), len(self._output_names), len(self._rule.attributes)

    def _load_kernel(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            raise make_refusal(
                "value",
                self.name,
                "kernel",
                "NumPy",
                "no installed NumPy",
                "without kernel=True the function is written in ops",
            ) from None
        rows, kernel = self._types.rows(), _Kernel(self)
        self._handles.append(
            _core.load_kernel(f"{self._id}.kernel", self.name, self._counts(), rows, kernel)
        )

    def __call__(self, *operands, **attributes):
        return self.op(*operands, **attributes)

    def __repr__(self):
        return f"<custom op {self.name}{self.op.__text_signature__}>"

    @property
    def __signature__(self):
        return self.op.__signature__

    @property
    def schema(self):
        """What it takes and gives."""
        return self.op.schema

    def remove(self):
        """Takes the op out of the registry; graphs that it is in cannot be walked any more."""
        if _defined.get(self.name) is self:
            del _defined[self.name]
        space = _ops.op
        for part in self.name.split(".")[:-1]:
            space = space.__dict__.get(part, space)
        space.__dict__.pop(self.__name__, None)
        while self._handles:
            _core.unload_custom(self._handles[-1])
            self._handles.pop()

    # ---- forward

    def _call(self, what, inputs, attributes):
        named = dict(zip(self._rule.attributes, attributes, strict=True))
        try:
            return self.function(*inputs, **named)
        except BaseException as problem:
            _say_where(problem, what, self.name)
            raise

    def _results(self, given):
        """One for each output."""
        count = len(self._output_names)
        results = list(given) if isinstance(given, (tuple, list)) else [given]
        if count == 0 and given is None:
            results = []
        if len(results) != count:
            raise make_refusal("value", self.name, "result", f"{count} outputs", str(len(results)))
        return results

    def _tensor(self, operand, given):
        if isinstance(given, Tensor):
            return given
        try:
            return asarray(given)
        except (TypeError, ValueError, BufferError):
            raise make_refusal(
                "type", self.name, operand, "a tensor", type(given).__name__
            ) from None

    def _forward(self, inputs, attributes):
        results = self._results(self._call("composition", inputs, attributes))
        return tuple(
            self._tensor(name, each) for name, each in zip(self._output_names, results, strict=True)
        )

    def shape(self, function):
        """Makes a function the op's shape rule; a decorator.

        It gets the inputs' shapes by position, None for one that is absent and a tuple of shapes
        for a list, and attributes by name, and returns the output's shape, or a list of shapes.
        Without it the letters of the schema say how large outputs are.
        """
        self._rule.function = function
        return function

    # ---- backward

    def backward(self, function=None, *, twice=True):
        """Makes a function the op's backward rule; a decorator.

        It gets the gradients of the outputs, in their order; what its further parameters name is
        saved and given too: inputs, outputs (one without a name is "output") and attributes. It
        returns a gradient for each input, None if there is none: one alone, or a tuple.

        twice    False: its results cannot be differentiated again, because it does not compute them
                 with ops
        """
        if function is None:
            return lambda given: self.backward(given, twice=twice)
        parameters, inputs, outputs = self._saved(function)
        if self._backward is not None:
            _core.unload_custom(self._handles.pop())
        self._backward = (function, parameters, inputs, outputs, twice)
        self._load_rule()
        return function

    def _saved(self, function):
        """Names of the parameters after the gradients, and masks of the saved operands."""
        import inspect

        count = len(self._output_names)
        parameters = list(inspect.signature(function).parameters.values())
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [each.name for each in parameters if each.kind in plain]
        known = [*self._input_names, *self._output_names, *self._rule.attributes]
        unknown = [name for name in names[count:] if name not in known]
        if len(names) != len(parameters) or len(names) < count or unknown:
            raise make_refusal(
                "value",
                self.name,
                "backward",
                f"{count} gradient(s), then any of {', '.join(known)}",
                f"({', '.join(str(each) for each in parameters)})",
                "parameters after the gradients name what is saved",
            )
        names = names[count:]
        masks = [
            sum(1 << i for i, each in enumerate(all_names) if each in names)
            for all_names in (self._input_names, self._output_names)
        ]
        return names, *masks

    def _load_rule(self):
        self._backward_number += 1
        _, _, inputs, outputs, twice = self._backward
        name = f"{self._id}.backward{self._backward_number}"
        handle = _core.load_rule(
            name, self.name, self._counts(), inputs, outputs, twice, self._walk
        )
        self._handles.append(handle)

    def _walk(self, gradients, inputs, outputs, attributes, wanted):
        function, parameters, *_ = self._backward
        values = dict(zip(self._rule.attributes, attributes, strict=True))
        values.update(zip(self._output_names, outputs, strict=True))
        values.update(zip(self._input_names, inputs, strict=True))
        try:
            given = function(*gradients, *(values[name] for name in parameters))
        except BaseException as problem:
            _say_where(problem, "backward rule", self.name)
            raise
        if len(wanted) == 1 and not self._is_tuple_of_one(given):
            given = [given]
        if not isinstance(given, (tuple, list)) or len(given) != len(wanted):
            raise make_refusal(
                "value",
                self.name,
                "backward",
                f"a gradient or None for each of {len(wanted)}",
                f"{len(given)}" if isinstance(given, (tuple, list)) else type(given).__name__,
            )
        return tuple(
            self._gradient(name, each, count, is_list)
            for name, each, count, is_list in zip(
                self._input_names, given, wanted, self._rule.lists, strict=True
            )
        )

    def _is_tuple_of_one(self, given):
        """Of an op with one input: is it a tuple of gradients, and not the gradient?"""
        listed = (tuple, list)
        if not self._rule.lists[0]:
            return isinstance(given, listed)
        return isinstance(given, listed) and len(given) == 1 and isinstance(given[0], listed)

    def _gradient(self, name, given, count, is_list):
        if given is None or count == 0:
            return None
        if not is_list:
            return self._tensor(name, given)
        if not isinstance(given, (tuple, list)) or len(given) != count:
            raise make_refusal(
                "value", self.name, name, f"a list of {count} gradients", repr(given)
            )
        return tuple(None if each is None else self._tensor(name, each) for each in given)


@atexit.register
def _remove_all():
    """Tenon calls nothing of an interpreter that is gone."""
    for each in list(_defined.values()):
        try:
            each.remove()
        except _errors.Error:
            pass  # while a step is captured: the process ends all the same
