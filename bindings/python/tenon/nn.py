# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/nn.py: the layers of the registry, and models written in Python.
"""`tenon.nn.linear(inputs=784, outputs=128)` is the layer "tenon.linear"; `dir(tenon.nn)` lists
them. A model is a `Module`: what its attributes hold, tensors, layers and modules, is its own."""

from tenon import _core, _runtime
from tenon._core import Tensor
from tenon._entries import Entries
from tenon._errors import check_type


class _Model:
    """What layers and modules have in common, made of `_named()`: [(name, is_buffer, tensor)]."""

    def named_parameters(self):
        """[(name, tensor), ...] of all that is trained."""
        return [(name, tensor) for name, is_buffer, tensor in self._named() if not is_buffer]

    def parameters(self):
        """The tensors that are trained."""
        return [tensor for _, tensor in self.named_parameters()]

    def named_buffers(self):
        """[(name, tensor), ...] of the state that is not trained."""
        return [(name, tensor) for name, is_buffer, tensor in self._named() if is_buffer]

    def state_dict(self):
        """All tensors by name, detached: for `tenon.save`."""
        return {name: tensor.detach() for name, _, tensor in self._named()}

    def load_state_dict(self, saved):
        """Takes the values of tensors by name; all names must be there, and no others."""
        mine = {name: tensor for name, _, tensor in self._named()}
        check_type("load_state_dict", "saved", saved, dict, "what state_dict has returned")
        for name, given in saved.items():
            check_type("load_state_dict", name, given, Tensor, "a tensor")
        if set(saved) != set(mine):
            from tenon import _errors

            missing, more = sorted(set(mine) - set(saved)), sorted(set(saved) - set(mine))
            raise _errors.make_refusal(
                "value",
                "load_state_dict",
                "names",
                "those of the model",
                f"missing {missing}, unknown {more}",
                "",
            )
        from tenon._autograd import no_grad

        for name, tensor in mine.items():
            if saved[name].shape != tensor.shape:
                from tenon import _errors

                raise _errors.make_refusal(
                    "value", "load_state_dict", name, str(tensor.shape), str(saved[name].shape), ""
                )
        with no_grad:
            for name, tensor in mine.items():
                tensor[...] = saved[name]

    def zero_grad(self):
        """Drops the gradients of all parameters."""
        for tensor in self.parameters():
            tensor.grad = None

    def eval(self):
        """As `train(False)`: dropout keeps everything, batch_norm uses what it has seen."""
        return self.train(False)


class Layer(_Model):
    """A layer of the registry. Its options are those it was made with, `device` where it lies."""

    def __init__(self, name, *children, device=None, **options):
        self.name, self.options = name, options
        self.training, self._children = True, []
        numbers = None if device is None else _runtime.find_device(device)
        self._handle = _core.create_layer(name, numbers, options)
        for child in children:
            self.append(child)

    def append(self, child, name=""):
        """Adds a layer to a container, `tenon.nn.sequential`."""
        if not isinstance(child, Layer):
            from tenon import _errors

            raise _errors.make_refusal(
                "type", self.name, "child", "a layer of the registry", type(child).__name__,
                "models written in Python are joined by a Module",
            )
        _core.add_child(self._handle, name, child._handle)
        self._children.append((name, child))
        return self

    def __call__(self, *inputs):
        found = _core.call_layer(self._handle, list(inputs), 1)
        return found[0]

    def train(self, wanted=True):
        """Training, or evaluation, for the layer and all that is in it."""
        _core.set_training(self._handle, wanted)
        self.training = wanted
        for _, child in self._children:
            child.train(wanted)
        return self

    def _named(self):
        return _core.layer_tensors(self._handle)

    def __reduce__(self):
        children = [(name, child) for name, child in self._children]
        own = self.state_dict()
        return _restore, (self.name, self.options, children, own, self.training)

    def __repr__(self):
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"<layer {self.name}({options})>"


def _restore(name, options, children, state, training):
    layer = Layer(name, **options)
    for child_name, child in children:
        layer.append(child, child_name)
    layer.load_state_dict(state)
    return layer.train(training)


class Module(_Model):
    """A model written in Python: write `forward`, and hold the parts in attributes.

    Tensors that require a gradient are parameters; layers, modules, and lists and dicts of these
    are parts of it. Names are those of the attributes, joined by dots.
    """

    training = True

    def forward(self, *inputs):
        """What the model computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(self, ...)")

    def __call__(self, *inputs, **named):
        return self.forward(*inputs, **named)

    def _parts(self):
        """[(name, tensor, layer or module), ...] in the order in which they were set."""
        found = []
        for name, value in vars(self).items():
            _collect(name, value, found)
        return found

    def _named(self):
        found = []
        for name, part in self._parts():
            if isinstance(part, Tensor):
                found.append((name, False, part))
            else:
                found += [(f"{name}.{inner}", *rest) for inner, *rest in part._named()]
        return found

    def train(self, wanted=True):
        """Training, or evaluation, for the module and all that is in it."""
        self.training = wanted
        for _, part in self._parts():
            if not isinstance(part, Tensor):
                part.train(wanted)
        return self


def _collect(name, value, found):
    """Adds the parts that an attribute holds."""
    if isinstance(value, Tensor):
        if value.requires_grad and value.is_leaf:
            found.append((name, value))
    elif isinstance(value, _Model):
        found.append((name, value))
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            _collect(f"{name}.{place}", each, found)
    elif isinstance(value, dict):
        for key, each in value.items():
            _collect(f"{name}.{key}", each, found)


_entries = Entries("layers", Layer)


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Layer", "Module", *dir(_entries)]
