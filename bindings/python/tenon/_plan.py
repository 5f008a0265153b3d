# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_plan.py: captured steps, and recordings of what ran.
"""tenon.capture and tenon.trace."""

import os

from tenon import _core


class Plan:
    """A step that was run once and recorded; calling it replays it.

    inputs   tensors that a call exchanges for others of the same shape, dtype and device
    results  what the function returned; each call writes their values anew
    """

    def __init__(self, function, inputs):
        self.inputs = list(inputs)
        _core.begin_capture(self.inputs)
        try:
            self.results = function(*self.inputs)
        except BaseException:
            try:
                _core.end_capture()
            except Exception:
                pass  # what the function raised says more
            raise
        self._handle = _core.end_capture()

    def __call__(self, *inputs):
        for place, tensor in enumerate(inputs):
            _core.set_plan_input(self._handle, place, tensor)
        _core.run_plan(self._handle)
        return self.results

    def __str__(self):
        return _core.plan_text(self._handle)


def capture(function, *inputs):
    """Runs function(*inputs) once and records every launch: forward, backward, updates.

    Reading values inside is an error; shapes stay as they are. Returns a Plan.
    """
    return Plan(function, inputs)


class trace:  # noqa: N801 - used like a function
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
