# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_plan.py: captured steps, and recordings of what ran.
"""tenon.capture, tenon.profile and tenon.op_log."""

import os
import sys

from tenon import _changes, _core, _errors
from tenon._core import Tensor
from tenon._runtime import thread_modes

# How hints begin where a plan is not what the step would be now.
_AGAIN = "capture the step again"


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

    kind = None  # of its inputs and the thread's modes, in a captured function

    def __init__(self, function, inputs):
        _errors.check_type("capture", "function", function, None, "a function of tensors")
        self.inputs = list(inputs)
        _core.begin_capture(self.inputs)
        self._reads = _changes.begin()
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
            _changes.end(self._reads)
        self._handle = _core.end_capture()

    def __call__(self, *inputs):
        if len(inputs) > len(self.inputs):
            raise _errors.make_refusal(
                "value", "plan", "inputs", f"at most {len(self.inputs)}", str(len(inputs))
            )
        change = self._reads.change()
        if change is not None:
            raise change.refusal()
        return self._run(inputs)

    def _run(self, inputs):
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
    of the thread: gradients and arithmetic.

    plans      a list of them, the one that ran last at its end; `plans.clear()` lets go of all
    max_plans  how many there are at most: before one more is kept, that which has not run for
               longest goes
    """

    def __init__(self, function, max_plans):
        self._function, self.plans, self.max_plans = function, [], max_plans
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
        plans = self.plans
        for plan in plans[::-1]:
            if plan.kind != kind:
                continue
            change = plan._reads.change()
            if change is not None:
                if not change.is_mode:
                    plans.remove(plan)
                continue
            try:
                found = plan._run(inputs)
            except _errors.StateError as error:
                if not error.hint.startswith(_AGAIN):
                    raise
                if error.hint == _AGAIN:  # there is nothing that could be set back
                    plans.remove(plan)
                continue
            if plan is not plans[-1]:
                plans.append(plans.pop(plans.index(plan)))
            return found
        plan = Plan(self._function, inputs)
        plan.kind = kind
        del plans[: max(len(plans) + 1 - self.max_plans, 0)]
        plans.append(plan)
        return plan.results


def captured(function=None, *, max_plans=32):
    """A function that captures `function` when it is first called, and replays it from then on; a
    decorator.

    It takes tensors alone. For other shapes, dtypes or devices it captures again, and keeps its
    plans; so it does after `model.eval()` and `model.train()`, within `tenon.no_grad`, with
    `tenon.fast_arithmetic`, and when something has changed that a plan has frozen. Results are the
    same tensors in every call of one kind, with new values.

    max_plans  how many plans it keeps: those that ran last. `step.max_plans = 4` changes it, and
               `step.plans.clear()` lets go of all.
    """
    _errors.check_type("captured", "max_plans", max_plans, int, "a number")
    if max_plans < 1:
        raise _errors.refuse("captured", "max_plans", "at least 1", str(max_plans))
    if function is None:
        return lambda function: captured(function, max_plans=max_plans)
    return _Captured(function, max_plans)


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
