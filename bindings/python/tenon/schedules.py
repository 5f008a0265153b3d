# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/schedules.py: the schedules of the registry.
"""`schedule = tenon.schedules.cosine(0.1, period=100)`, then `optimizer.lr = next(schedule)` before
each step; `dir(tenon.schedules)` lists them."""

import copy
import functools
import numbers

from tenon import _core
from tenon._entries import Entries
from tenon._errors import check_type, make_refusal


class Schedule:
    """One number for each step, an iterator without an end."""

    def __init__(self, name, base_value, **hypers):
        check_type(name, "base_value", base_value, numbers.Real, "a number")
        self.name = name
        self._made_with = float(base_value), copy.deepcopy(hypers)
        self._handle = _core.create_schedule(name, base_value, hypers)

    def __iter__(self):
        return self

    def __next__(self):
        return self.advance()

    def advance(self, metric=None):
        """The value of the next step; `metric` is what was measured in the one before."""
        return _core.run_schedule(self._handle, metric)

    def state_dict(self):
        """What it remembers between steps, by name."""
        return {name: _core.get_schedule_state(self._handle, name) for name in _states(self.name)}

    def load_state_dict(self, saved):
        """Goes on where `state_dict` was. What does not fit is an error, and changes nothing."""
        words, names = "what state_dict has returned", _states(self.name)
        check_type("load_state_dict", "saved", saved, dict, words)
        if set(saved) != set(names):
            raise make_refusal(
                "DATA", "load_state_dict", "names", " ".join(names),
                " ".join(map(str, saved)) or "none",
                "the state is that of another schedule; make it as it was when it was saved",
            )  # fmt: skip
        values = [_number(name, saved[name]) for name in names]
        for name, value in zip(names, values, strict=True):
            _core.set_schedule_state(self._handle, name, value)

    def __getstate__(self):
        """What is pickled: how it was made, and what it remembers."""
        kept = {key: value for key, value in vars(self).items() if key != "_handle"}
        return kept, self.state_dict()

    def __setstate__(self, state):
        kept, saved = state
        vars(self).update(kept)
        base_value, hypers = self._made_with
        self._handle = _core.create_schedule(self.name, base_value, hypers)
        self.load_state_dict(saved)

    def __repr__(self):
        return f"<schedule {self.name}>"


@functools.cache
def _states(name):
    """Names of what a schedule remembers."""
    import json

    found = json.loads(_core.query("schedules"))
    entry = next(each for each in found if each["name"] == name)
    return [each["name"] for each in entry["states"]]


def _number(name, given):
    check_type("load_state_dict", name, given, numbers.Real, "a number")
    try:
        return float(given)
    except OverflowError:
        raise make_refusal(
            "large", "load_state_dict", name, "a float", "an integer that is larger"
        ) from None


_entries = Entries("schedules", Schedule, ("base_value",))


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Schedule", *dir(_entries)]
