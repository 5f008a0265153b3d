# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/optim.py: the optimizers of the registry.
"""`tenon.optim.sgd(model.parameters(), lr=0.1, momentum=0.9)`; `dir(tenon.optim)` lists them.

Groups of parameters with numbers of their own, as in PyTorch:
`tenon.optim.sgd([{"params": body, "lr": 0.01}, {"params": head}], lr=0.1)`.
"""

from collections.abc import Mapping

from tenon import _core
from tenon._core import Tensor
from tenon._entries import Entries
from tenon._errors import OptionError, check_type, make_refusal

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
            params = [param for own, _ in groups for param in own]
            handle = _core.create_optimizer_groups(name, groups, hypers)
        else:
            groups = [(params, {})]
            handle = _core.create_optimizer(name, params, hypers)
        held = [ParamGroup(handle, name, place, own) for place, (own, _) in enumerate(groups)]
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
        """Goes on where `state_dict` was."""
        for part, kinds in (("hypers", (dict, list)), ("state", dict)):
            found = saved.get(part) if isinstance(saved, dict) else saved
            check_type("load_state_dict", part, found, kinds, "what state_dict has returned")
        for group, hypers in zip(self.param_groups, self._hypers_of(saved), strict=True):
            for name, number in hypers.items():
                group[name] = number
        for key, tensor in saved["state"].items():
            place, _, name = key.partition(".")
            _core.set_optimizer_state(self._handle, int(place), name, tensor)

    def _hypers_of(self, saved):
        """Those of each group, if they have as many parameters as here."""
        found = saved["hypers"]
        if isinstance(found, dict):
            sizes, found = None, [found]
        else:
            sizes = [each.get("params") for each in found]
            found = [{key: each[key] for key in each if key != "params"} for each in found]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != (own if len(own) > 1 else None):
            words = [
                f"groups of {' '.join(map(str, each))} parameters" if each else "one group"
                for each in (own if len(own) > 1 else None, sizes)
            ]
            raise make_refusal("DATA", "load_state_dict", "hypers", *words)
        return found

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


def _entry(name):
    """What the runtime says of an optimizer."""
    import json

    return next(each for each in json.loads(_core.query("optimizers")) if each["name"] == name)


_entries = Entries("optimizers", Optimizer, ("params",))


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Optimizer", "ParamGroup", *dir(_entries)]
