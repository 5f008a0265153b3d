# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_plan.py: captured steps, and recordings of what ran.
"""tenon.capture, tenon.profile and tenon.op_log."""

import os
import sys
import threading

from tenon import _core, _errors
from tenon._core import Tensor
from tenon._runtime import thread_modes


_capturing = threading.local()  # .modules: {model: whether it trains}, while a step is captured


def note_module(module):
    """A captured step calls the module."""
    modules = getattr(_capturing, "modules", None)
    if modules is not None:
        modules.setdefault(module, module.training)


def note_layer(layer):
    """A captured step calls the layer, and what is in it."""
    if getattr(_capturing, "modules", None) is not None:
        for each in layer.modules():
            note_module(each)


def _of_their_own(results, storages):
    """The results, with copies of those that lie in memory of inputs: another call has others."""
    if isinstance(results, Tensor):
        return results.clone() if results.storage in storages else results
    if isinstance(results, dict):
        inner = {key: _of_their_own(each, storages) for key, each in results.items()}
        return inner if type(results) is dict else type(results)(inner)
    if isinstance(results, (tuple, list)):
        inner = [_of_their_own(each, storages) for each in results]
        return type(results)(*inner) if hasattr(results, "_fields") else type(results)(inner)
    return results


class Plan:
    """A step that was run once and recorded; calling it replays it.

    inputs   tensors that a call exchanges for others of the same shape, dtype and device
    results  what the function returned; each call writes their values anew. Of an input, or a
             view of one, it is a copy
    """

    def __init__(self, function, inputs):
        _errors.check_type("capture", "function", function, None, "a function of tensors")
        self.inputs = list(inputs)
        _core.begin_capture(self.inputs)
        _capturing.modules = self._modules = {}
        try:
            storages = {each.storage for each in self.inputs}
            self.results = _of_their_own(function(*self.inputs), storages)
        except BaseException:
            try:
                _core.end_capture()
            except Exception:
                pass  # what the function raised says more
            raise
        finally:
            _capturing.modules = None
        self._handle = _core.end_capture()

    def __call__(self, *inputs):
        if len(inputs) > len(self.inputs):
            raise _errors.make_refusal(
                "value", "plan", "inputs", f"at most {len(self.inputs)}", str(len(inputs))
            )
        for module, training in self._modules.items():
            if module.training != training:
                raise _errors.make_refusal(
                    "STATE",
                    "plan",
                    f"training of {type(module).__name__}",
                    str(training),
                    str(module.training),
                    "capture the step again, or set it back",
                )
        for place, tensor in enumerate(inputs):
            try:
                _core.set_plan_input(self._handle, place, tensor)
            except BaseException:
                for before in range(place):
                    _core.set_plan_input(self._handle, before, self.inputs[before])
                raise
        self.inputs[: len(inputs)] = inputs
        _core.run_plan(self._handle)
        return self.results

    def has_modes(self):
        """Do the layers and modules of the step train, or not, as they did when it was captured?"""
        return all(module.training == training for module, training in self._modules.items())

    def __str__(self):
        return _core.plan_text(self._handle)

    def _repr_html_(self):
        from tenon._notebook import text_html

        return text_html(self)


def capture(function, *inputs):
    """Runs function(*inputs) once and records every launch: forward, backward, updates.

    Reading values inside is an error; shapes stay as they are. What else Python does inside, a
    print or a counter, is done this once. Returns a Plan.
    """
    return Plan(function, inputs)


class _Captured:
    """A function of tensors with a plan for each kind of them, each mode of its models, and each
    of the thread: gradients and arithmetic."""

    def __init__(self, function):
        self._function, self.plans, self._kinds = function, [], []
        self.__name__ = self.__qualname__ = getattr(function, "__name__", "step")
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *inputs):
        for place, each in enumerate(inputs):
            if not isinstance(each, Tensor):
                raise _errors.make_refusal(
                    "type",
                    self.__name__,
                    f"input {place}",
                    "a tensor",
                    type(each).__name__,
                    "an input that is not a tensor stays as captured: use functools.partial",
                )
        kind = thread_modes(), *(
            (each.shape, each.strides, each.dtype, each.device, each.requires_grad)
            for each in inputs
        )
        for known, plan in zip(self._kinds, self.plans, strict=True):
            if known == kind and plan.has_modes():
                return plan(*inputs)
        plan = Plan(self._function, inputs)
        self.plans.append(plan)
        self._kinds.append(kind)
        return plan.results


def captured(function):
    """A function that captures `function` when it is first called, and replays it from then on; a
    decorator.

    It takes tensors alone. For other shapes, dtypes or devices it captures again, and keeps all its
    plans; so it does after `model.eval()` and `model.train()`, within `tenon.no_grad`, and with
    `tenon.fast_arithmetic`. Results are the same tensors in every call of one kind, with new
    values.
    """
    return _Captured(function)


class profile:  # noqa: N801 - used like a function
    """Records ops, kernels, copies and allocations of a `with` block, for chrome://tracing and
    Perfetto.

    path     a file to write; without one the text is in `json`
    """

    def __init__(self, path=None):
        self._path, self.json = path, ""

    def __enter__(self):
        _core.begin_trace()
        return self

    def __exit__(self, *exception):
        self.json = _core.end_trace()
        if self._path is not None:
            with open(os.fspath(self._path), "w", encoding="utf-8") as file:
                file.write(self.json)


class op_log:  # noqa: N801 - used like a function
    """Prints each op of a `with` block as it begins, and each kernel that has run, with its plugin,
    operands and microseconds; what an op is made of stands further in.

    print    takes a line; without it lines go to sys.stderr
    """

    def __init__(self, print=None):
        self._print = print or (lambda line: sys.stderr.write(line + "\n"))

    def __enter__(self):
        _core.begin_op_log(self._print)
        return self

    def __exit__(self, *exception):
        _core.end_op_log()
