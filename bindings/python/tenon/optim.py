# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/optim.py: the optimizers of the registry.
"""`tenon.optim.sgd(model.parameters(), lr=0.1, momentum=0.9)`; `dir(tenon.optim)` lists them.

Groups of parameters with numbers of their own, as in PyTorch:
`tenon.optim.sgd([{"params": body, "lr": 0.01}, {"params": head}], lr=0.1)`.
"""

import copy
import functools
from collections.abc import Mapping

from tenon import _core
from tenon._core import Tensor
from tenon._entries import Entries
from tenon._errors import OptionError, StateError, check_type, make_refusal

_CLEAR_GRAD = 1
_ALL = -1


def _as_list(params):
    if not hasattr(params, "__iter__") or isinstance(params, Tensor):
        params = [params]  # which is refused, unless it is one tensor
    return list(params)


def _read_groups(name, given):
    """[(params, hyper-parameters), ...] of a list of dicts."""
    groups = []
    for place, each in enumerate(given):
        check_type(name, f"params[{place}]", each, dict, "a dict, as params[0] is")
        if "params" not in each:
            found = ", ".join(map(repr, each)) or "an empty dict"
            raise make_refusal("value", name, f"params[{place}]", "a list under 'params'", found)
        hypers = {key: number for key, number in each.items() if key != "params"}
        groups.append((_as_list(each["params"]), hypers))
    return groups


class ParamGroup(Mapping):
    """Parameters with the same hyper-parameters: `group["lr"] = 0.01`, `group["params"]`."""

    def __init__(self, handle, name, place, params):
        self._handle, self._name, self._place, self._params = handle, name, place, params

    def __getitem__(self, key):
        if key == "params":
            return list(self._params)
        try:
            return _core.get_hyper(self._handle, key, self._place)
        except OptionError as error:
            raise KeyError(str(error)) from None

    def __setitem__(self, key, number):
        _core.set_hyper(self._handle, key, number, self._place)

    def __iter__(self):
        yield "params"
        for hyper in _entry(self._name)["hypers"]:
            yield hyper["name"]

    def __len__(self):
        return sum(1 for _ in self)

    def __reduce__(self):
        hint = "copy the optimizer, or dict(group), which is what tenon.optim takes as a group"
        raise make_refusal(
            "type", self._name, "group", "the optimizer that it is part of", "a group alone", hint
        )

    def __repr__(self):
        shown = ", ".join(f"{key}={self[key]}" for key in self if key != "params")
        return f"<group of {len(self._params)} parameters: {shown}>"


class Optimizer:
    """Updates parameters by their gradients.

    Hyper-parameters are attributes: `optimizer.lr = 0.01` takes effect with the next step, in all
    groups; `optimizer.param_groups[0]["lr"] = 0.01` in one.
    """

    def __init__(self, name, params, **hypers):
        params = _as_list(params)
        if params and isinstance(params[0], dict):
            groups = _read_groups(name, params)
            handle = _core.create_optimizer_groups(name, groups, hypers)
            self._hold(name, [own for own, _ in groups], handle)
        else:
            self._hold(name, [params], _core.create_optimizer(name, params, hypers))

    def _hold(self, name, lists, handle):
        """lists   of parameters, one for each group"""
        held = [ParamGroup(handle, name, place, own) for place, own in enumerate(lists)]
        params = [param for own in lists for param in own]
        self.__dict__.update(name=name, params=params, param_groups=held, _handle=handle)

    def step(self, *, clear_grad=False):
        """Updates every parameter that has a gradient, and then drops the gradients if asked."""
        _core.run_optimizer(self._handle, _CLEAR_GRAD if clear_grad else 0)

    def zero_grad(self):
        """Drops the gradients of all parameters."""
        for param in self.params:
            param.grad = None

    def state_dict(self):
        """Hyper-parameters as numbers, and state tensors by "<place>.<name>": for checkpoints.

        If there are groups, hyper-parameters are in a list, and each has the number of its
        parameters in "params".
        """
        hypers = [{**group, "params": len(group["params"])} for group in self.param_groups]
        if len(hypers) == 1:
            hypers = hypers[0]
            del hypers["params"]
        states = _entry(self.name)["states"]
        state = {}
        for place in range(len(self.params)):
            for each in states:
                tensor = _core.get_optimizer_state(self._handle, place, each["name"])
                if tensor is not None:
                    state[f"{place}.{each['name']}"] = tensor
        return {"hypers": hypers, "state": state}

    def load_state_dict(self, saved):
        """Goes on where `state_dict` was, with all of its numbers and states: a parameter that had
        none makes its first step next. What does not fit is an error, and changes nothing."""
        for part, kinds in (("hypers", (dict, list)), ("state", dict)):
            found = saved.get(part) if isinstance(saved, dict) else saved
            check_type("load_state_dict", part, found, kinds, "what state_dict has returned")
        places = {str(place): place for place in range(len(self.params))}
        states = {}
        for key, tensor in saved["state"].items():
            place, _, name = str(key).partition(".")
            if place not in places:
                raise _refuse_saved(key, "no such parameter", "one that is nowhere here")
            states.setdefault(places[place], {})[name] = tensor
        self._load(self._hypers_of(saved), states)

    def _load(self, hypers, states):
        """All or nothing, as a checkpoint in C.

        hypers   [group]: a dict with every number
        states   {place of a parameter: {name: tensor}}, of those that have made a step
        """
        _check_hypers(self.name, hypers)
        descs = _entry(self.name)["states"]
        for place, found in states.items():
            _check_states(place, self.params[place], found, descs)
        here = {place for place in range(len(self.params)) if self._has_states(place, descs)}
        # Those that are not there are made first, as that takes memory.
        for place in [*(set(states) - here), *(here - set(states))]:
            for each in descs:
                self._set_state(place, each["name"], _beginning(self.params[place], each))
        for place, found in states.items():
            for name, tensor in found.items():
                self._set_state(place, name, tensor)
        for group, numbers in zip(self.param_groups, hypers, strict=True):
            for name, number in numbers.items():
                group[name] = number

    def _set_state(self, place, name, tensor):
        _core.set_optimizer_state(self._handle, place, name, tensor)

    def _has_states(self, place, descs):
        try:
            found = [_core.get_optimizer_state(self._handle, place, each["name"]) for each in descs]
            return any(each is not None for each in found)
        except StateError:  # shared by several processes, each of which has a part
            return True

    def _hypers_of(self, saved):
        """Those of each group, if they have as many parameters as here."""
        found = saved["hypers"]
        if isinstance(found, dict):
            sizes, found = None, [found]
        else:
            for place, each in enumerate(found):
                words = "a dict, as state_dict has returned"
                check_type("load_state_dict", f"hypers[{place}]", each, dict, words)
            sizes = [each.get("params") for each in found]
            found = [{key: each[key] for key in each if key != "params"} for each in found]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != (own if len(own) > 1 else None):
            words = [
                f"groups of {' '.join(map(str, each))} parameters" if each else "one group"
                for each in (own if len(own) > 1 else None, sizes)
            ]
            raise _refuse_saved("hypers", *words)
        return found

    def __getstate__(self):
        """What is pickled: more attributes of a subclass, parameters by group, and `state_dict`."""
        own = ("name", "params", "param_groups", "_handle")
        more = {key: value for key, value in vars(self).items() if key not in own}
        lists = [group["params"] for group in self.param_groups]
        return self.name, more, lists, self.state_dict()

    def __setstate__(self, state):
        name, more, lists, saved = state
        if lists == [[]]:
            handle = _core.create_optimizer(name, [], {})
        else:  # a group may have parameters that are frozen just now
            handle = _core.create_optimizer_groups(name, [(own, {}) for own in lists], {})
        self._hold(name, lists, handle)
        vars(self).update(more)
        self.load_state_dict(saved)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = self.__new__(type(self))
        name, more, lists, saved = self.__getstate__()
        # Of the states themselves `load_state_dict` makes copies.
        made.__setstate__((name, *copy.deepcopy((more, lists), memo), saved))
        return made

    def __copy__(self):
        """The same optimizer under another name, as in PyTorch."""
        made = self.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return _core.get_hyper(self._handle, name, _ALL)
        except OptionError as error:
            raise AttributeError(str(error)) from None

    def __setattr__(self, name, number):
        _core.set_hyper(self._handle, name, number, _ALL)

    def __repr__(self):
        return f"<optimizer {self.name} of {len(self.params)} parameters>"


@functools.cache
def _entry(name):
    """What the runtime says of an optimizer."""
    import json

    return next(each for each in json.loads(_core.query("optimizers")) if each["name"] == name)


def _refuse_saved(key, expected, found):
    hint = "the state is that of another optimizer; make it as it was when it was saved"
    return make_refusal("DATA", "load_state_dict", key, expected, found, hint)


def _check_hypers(name, groups):
    """Refuses numbers of a group that the optimizer does not take, or has beside these."""
    known = [each["name"] for each in _entry(name)["hypers"]]
    scratch = _core.create_optimizer(name, [], {})
    for numbers in groups:
        for key, number in numbers.items():
            _core.set_hyper(scratch, key, number, _ALL)
        for key in known:
            if key not in numbers:
                raise _refuse_saved(key, "a number", "nothing")


def _like(param, state):
    """Shape and dtype of a parameter's state, which is described in the registry's words."""
    shape, policy = list(param.shape), state["shape"]
    if policy == "scalar" or (policy == "per column" and len(shape) < 2):
        shape = []
    elif policy == "per row" and len(shape) > 1:
        shape[-1] = 1
    elif policy == "per column":
        shape[-2] = 1
    own = state["dtype"]
    return shape, param.dtype if own == "like parameter" else _core.as_dtype(own)


def _check_states(place, param, found, descs):
    """Refuses states of a parameter that are not those that it has here."""
    for name in found:
        if all(each["name"] != name for each in descs):
            raise _refuse_saved(f"{place}.{name}", "no such state", "one that is nowhere here")
    for each in descs:
        key, (shape, dtype) = f"{place}.{each['name']}", _like(param, each)
        words = f"{dtype.name}{shape}"
        if each["name"] not in found:
            raise _refuse_saved(key, words, "nothing")
        tensor = found[each["name"]]
        check_type("load_state_dict", key, tensor, Tensor, "a tensor")
        if list(tensor.shape) != shape or tensor.dtype is not dtype:
            raise _refuse_saved(key, words, f"{tensor.dtype.name}{list(tensor.shape)}")


def _beginning(param, state):
    """Values of a state before the first step; they take no memory."""
    from tenon._tensor import full

    shape, dtype = _like(param, state)
    return full([], state["initial"], dtype).expand(shape)


_entries = Entries("optimizers", Optimizer, ("params",))


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Optimizer", "ParamGroup", *dir(_entries)]
