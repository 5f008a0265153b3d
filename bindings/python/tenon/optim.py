# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/optim.py: the optimizers of the registry.
"""`tenon.optim.sgd(model.parameters(), lr=0.1, momentum=0.9)`; `dir(tenon.optim)` lists them."""

from tenon import _core
from tenon._core import Tensor
from tenon._entries import Entries
from tenon._errors import check_type

_CLEAR_GRAD = 1


class Optimizer:
    """Updates parameters by their gradients.

    Hyper-parameters are attributes: `optimizer.lr = 0.01` takes effect with the next step.
    """

    def __init__(self, name, params, **hypers):
        if not hasattr(params, "__iter__") or isinstance(params, Tensor):
            params = [params]  # which is refused, unless it is one tensor
        params = list(params)
        self.__dict__.update(name=name, params=params)
        self.__dict__["_handle"] = _core.create_optimizer(name, params, hypers)

    def step(self, *, clear_grad=False):
        """Updates every parameter that has a gradient, and then drops the gradients if asked."""
        _core.run_optimizer(self._handle, _CLEAR_GRAD if clear_grad else 0)

    def zero_grad(self):
        """Drops the gradients of all parameters."""
        for param in self.params:
            param.grad = None

    def _entry(self):
        return next(each for each in _query() if each["name"] == self.name)

    def state_dict(self):
        """Hyper-parameters as numbers, and state tensors by "<place>.<name>": for checkpoints."""
        entry = self._entry()
        hypers = {each["name"]: getattr(self, each["name"]) for each in entry["hypers"]}
        state = {}
        for place in range(len(self.params)):
            for each in entry["states"]:
                tensor = _core.get_optimizer_state(self._handle, place, each["name"])
                if tensor is not None:
                    state[f"{place}.{each['name']}"] = tensor
        return {"hypers": hypers, "state": state}

    def load_state_dict(self, saved):
        """Goes on where `state_dict` was."""
        for part in ("hypers", "state"):
            found = saved.get(part) if isinstance(saved, dict) else saved
            check_type("load_state_dict", part, found, dict, "what state_dict has returned")
        for name, number in saved["hypers"].items():
            setattr(self, name, number)
        for key, tensor in saved["state"].items():
            place, _, name = key.partition(".")
            _core.set_optimizer_state(self._handle, int(place), name, tensor)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        from tenon import OptionError

        try:
            return _core.get_hyper(self._handle, name)
        except OptionError as error:
            raise AttributeError(str(error)) from None

    def __setattr__(self, name, number):
        _core.set_hyper(self._handle, name, number)

    def __repr__(self):
        return f"<optimizer {self.name} of {len(self.params)} parameters>"


def _query():
    import json

    return json.loads(_core.query("optimizers"))


_entries = Entries("optimizers", Optimizer, ("params",))


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Optimizer", *dir(_entries)]
