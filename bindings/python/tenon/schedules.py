# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/schedules.py: the schedules of the registry.
"""`schedule = tenon.schedules.cosine(0.1, period=100)`, then `optimizer.lr = next(schedule)` before
each step; `dir(tenon.schedules)` lists them."""

import numbers

from tenon import _core
from tenon._entries import Entries
from tenon._errors import check_type


class Schedule:
    """One number for each step, an iterator without an end."""

    def __init__(self, name, base_value, **hypers):
        check_type(name, "base_value", base_value, numbers.Real, "a number")
        self.name = name
        self._handle = _core.create_schedule(name, base_value, hypers)

    def __iter__(self):
        return self

    def __next__(self):
        return self.advance()

    def advance(self, metric=None):
        """The value of the next step; `metric` is what was measured in the one before."""
        return _core.run_schedule(self._handle, metric)

    def _states(self):
        import json

        found = json.loads(_core.query("schedules"))
        entry = next(each for each in found if each["name"] == self.name)
        return [each["name"] for each in entry["states"]]

    def state_dict(self):
        """What it remembers between steps, by name."""
        return {name: _core.get_schedule_state(self._handle, name) for name in self._states()}

    def load_state_dict(self, saved):
        """Goes on where `state_dict` was."""
        for name, value in saved.items():
            _core.set_schedule_state(self._handle, name, value)

    def __repr__(self):
        return f"<schedule {self.name}>"


_entries = Entries("schedules", Schedule, ("base_value",))


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Schedule", *dir(_entries)]
