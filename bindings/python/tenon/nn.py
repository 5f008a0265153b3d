# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/nn.py: the layers of the registry, and models written in Python.
"""`tenon.nn.linear(inputs=784, outputs=128)` is the layer "tenon.linear"; `dir(tenon.nn)` lists
them. A model is a `Module`: what its attributes hold, tensors, layers and modules, is its own."""

import weakref

from tenon import _changes, _core, _errors, _runtime
from tenon._core import Tensor
from tenon._entries import Entries
from tenon._errors import check_type
from tenon._files import ForeignTensor


def _refuse(kind, function, operand, expected, found, hint=""):
    return _errors.make_refusal(kind, function, operand, expected, found, hint)


# The object for each tensor of a layer, by handle, as long as anybody has it: so that a tensor that
# is in two places is one object, which pickles, copies and sets of tensors understand.
_objects = weakref.WeakValueDictionary()


def _object_of(tensor):
    return _objects.setdefault(tensor._handle, tensor)


class _Model:
    """What layers and modules have in common, made of `_named()`, [(name, is_buffer, tensor)] of
    all that is in it, and `named_children()`."""

    def named_parameters(self):
        """[(name, tensor), ...] of all that is trained; what is held twice is there once."""
        return [(name, tensor) for name, is_buffer, tensor in self._named(set()) if not is_buffer]

    def parameters(self):
        """The tensors that are trained."""
        return [tensor for _, tensor in self.named_parameters()]

    def named_buffers(self):
        """[(name, tensor), ...] of the state that is not trained."""
        return [(name, tensor) for name, is_buffer, tensor in self._named(set()) if is_buffer]

    def buffers(self):
        """The state that is not trained."""
        return [tensor for _, tensor in self.named_buffers()]

    def children(self):
        """The layers and modules that it holds itself."""
        return [child for _, child in self.named_children()]

    def named_modules(self, prefix=""):
        """[(name, layer or module), ...]: itself, "", and all that is in it."""
        return self._named_modules(prefix, {id(self)})

    def modules(self):
        """Itself, and all layers and modules that are in it."""
        return [module for _, module in self.named_modules()]

    def apply(self, function):
        """Calls function(module) with everything that is in it, itself last."""
        for module in reversed(self.modules()):
            function(module)
        return self

    def _repr_html_(self):
        from tenon._notebook import model_html

        return model_html(self)

    def requires_grad_(self, wanted=True):
        """Whether the parameters are trained."""
        for tensor in self.parameters():
            tensor.requires_grad = wanted
        return self

    def state_dict(self):
        """All tensors by name, detached: for `tenon.save`."""
        return {name: tensor.detach() for name, _, tensor in self._named(None)}

    def load_state_dict(self, saved, strict=True):
        """Takes the values of tensors by name. Returns (missing, unknown): names that the one or
        the other has not; with `strict` there may be none."""
        mine = {name: tensor for name, _, tensor in self._named(None)}
        check_type("load_state_dict", "saved", saved, dict, "what state_dict has returned")
        for name, given in saved.items():
            if name in mine or not isinstance(given, ForeignTensor):  # of which no model has one
                check_type("load_state_dict", name, given, Tensor, "a tensor")
        missing, more = sorted(set(mine) - set(saved)), sorted(set(saved) - set(mine))
        if strict and (missing or more):
            found = f"missing {missing}, unknown {more}"
            raise _refuse("value", "load_state_dict", "names", "those of the model", found)
        from tenon._autograd import no_grad

        both = [(name, tensor) for name, tensor in mine.items() if name in saved]
        for name, tensor in both:
            if saved[name].shape != tensor.shape:
                shapes = str(tensor.shape), str(saved[name].shape)
                raise _refuse("value", "load_state_dict", name, *shapes)
        self._refuse_two_values(both, saved)
        with no_grad:
            for name, tensor in both:
                _refuse_unwritable(name, tensor)
            for tensor, values in _apart(both, saved):
                tensor[...] = values
        return missing, more

    @staticmethod
    def _refuse_two_values(both, saved):
        """Of a tensor that has several names."""
        first = {}
        for name, tensor in both:
            other = first.setdefault(id(tensor), name)
            if saved[other] is saved[name]:
                continue
            values = [_core.get_bytes(saved[each].detach()) for each in (other, name)]
            if saved[other].dtype is not saved[name].dtype or values[0] != values[1]:
                raise _refuse(
                    "DATA", "load_state_dict", name, f"the values of {other}, the same tensor here",
                    "others",
                )  # fmt: skip

    def zero_grad(self):
        """Drops the gradients of all parameters."""
        for tensor in self.parameters():
            tensor.grad = None

    def eval(self):
        """As `train(False)`: dropout keeps everything, batch_norm uses what it has seen."""
        return self.train(False)

    def set_cache(self, batch=1, positions=0):
        """Gives layers with attention room for `batch` sequences of at most `positions` positions,
        and forgets what they kept. From now on calls in evaluation, under `tenon.no_grad`, continue
        the sequences: their input is the next positions alone. 0 positions: nothing is kept any
        more. Refused calls keep nothing; after a change of weights crop_cache(0) comes first."""
        self._change_caches(
            _errors.UnsupportedError,
            lambda layer: _core.set_layer_cache(layer._handle, batch, positions),
        )
        for layer in self.modules():
            if isinstance(layer, Layer):
                layer._forget_buffers()
                vars(layer)["_room"] = (batch, positions)
        return self

    def crop_cache(self, count=0):
        """Each sequence keeps at most its first `count` positions; 0 empties the caches."""
        self._change_caches(
            _errors.StateError, lambda layer: _core.crop_layer_cache(layer._handle, count)
        )
        return self

    def _change_caches(self, none_there, change):
        """Of all outermost layers that have some; what the last says if none has."""
        layers = self._outermost_layers()
        without = []
        for layer in layers:
            try:
                change(layer)
            except none_there as error:
                without.append(error)
        if len(without) == len(layers):
            raise without[-1] if without else _refuse(
                "value", type(self).__name__, "layers", "a layer with attention", "none"
            )  # fmt: skip

    def _outermost_layers(self):
        """Layers of the registry that are in no other one."""
        found = [layer for child in self.children() for layer in child._outermost_layers()]
        return list({id(layer): layer for layer in found}.values())

    def _named_modules(self, prefix, seen):
        found = [(prefix, self)]
        for name, child in self.named_children():
            if id(child) not in seen:
                seen.add(id(child))
                found += child._named_modules(f"{prefix}.{name}" if prefix else name, seen)
        return found


def _refuse_unwritable(name, tensor):
    """What `load_state_dict` could not copy values into, before it does so anywhere."""
    if not tensor.is_read_only:
        return
    try:
        tensor[...] = tensor
    except _errors.AliasError as error:
        hint = "tensor.clone() has memory of its own"
        if error.found == "read-only memory":
            hint = f"a tensor of a file is read-only: tenon.load(path, copy=True); {hint}"
        raise _refuse(
            "ALIAS", "load_state_dict", name, error.expected, error.found, hint
        ) from None  # fmt: skip


def _apart(both, saved):
    """[(tensor, values), ...], the values on the tensor's device, and where they are those of
    another one that is written, a copy: whatever takes memory, before anything is written."""
    written = {tensor.storage for _, tensor in both}
    found = []
    for name, tensor in both:
        values = saved[name].detach()
        if values.device != tensor.device:
            values = values.to(tensor.device)
        elif values.storage in written and values.data_ptr() != tensor.data_ptr():
            values = values.clone()
        found.append((tensor, values))
    return found


class Layer(_Model):
    """A layer of the registry. Its options are those it was made with, `device` where it lies; its
    tensors are attributes, as `layer.weight`, and the children of a container are items.

    `layer.weight = tensor` puts the tensor itself there: `b.weight = a.weight` ties the two, which
    are one parameter then. Share before an optimizer is made. `layer.training = False` is
    `layer.eval()`.
    """

    def __init__(self, name, *children, device=None, **options):
        numbers = None if device is None else _runtime.find_device(device)
        vars(self).update(
            name=name, options=options, training=True, _children=[], _device=device, _n_outputs=1,
            _room=None,  # for sequences, as given to set_cache
            _seen={},  # by name: the objects of tensors, to which the garbage collector finds so
            _handle=_core.create_layer(name, numbers, options),
        )  # fmt: skip
        for child in children:
            self.append(child)

    def append(self, child, name=""):
        """Adds a layer to a container, `tenon.nn.sequential`."""
        if not isinstance(child, Layer):
            raise _refuse(
                "type", self.name, "child", "a layer of the registry", type(child).__name__,
                "models written in Python are joined by a Module",
            )  # fmt: skip
        _core.add_child(self._handle, name, child._handle)
        self._children.append((name or str(len(self._children)), child))
        _changes.tell()
        return self

    def __call__(self, *inputs):
        """What the layer computes: a tensor, or a tuple of as many as it gives. An input that may
        be left out may be None."""
        _changes.note_modes(self)
        try:
            found = _core.call_layer(self._handle, list(inputs), self._n_outputs)
        except _errors.ArgumentError as error:
            # How many outputs there are is known to whoever is asked for another number.
            if error.operand != "outputs" or error.scope or not error.expected.isdigit():
                raise
            self._n_outputs = int(error.expected)
            found = _core.call_layer(self._handle, list(inputs), self._n_outputs)
        return found[0] if len(found) == 1 else tuple(found)

    def named_children(self):
        """[(name, layer), ...] of a container."""
        _changes.note(self, "_children")
        return list(self._children)

    def __len__(self):
        return len(self.named_children())

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(self.children())

    def __getitem__(self, place):
        return self.children()[place]

    def __getattr__(self, name):
        if not name.startswith("_"):
            for own, _, tensor in self._named(None):
                if own == name:
                    return tensor
        raise AttributeError(f"the layer has no attribute or tensor {name!r}")

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name == "training":
            self.train(value)
        elif name in (tensors := [own for own, _, _ in self._named(None)]):
            words = "a tensor, which is then the layer's"
            _errors.check_type(self.name, name, value, Tensor, words)
            self._share(name, value)
        else:
            hint = f"its tensors are {', '.join(tensors) or 'none'}; a Module holds what you like"
            if name in self.options:
                hint = "its options are those it was made with: make another layer"
            raise AttributeError(f"{self.name}: {name!r} cannot be set\n  hint: {hint}")

    def _share(self, name, tensor):
        _core.share_layer_tensor(self._handle, name, tensor)
        self._seen[name] = _core.LayerTensor(tensor)
        _objects[tensor._handle] = tensor

    def train(self, wanted=True):
        """Training, or evaluation, for the layer and all that is in it."""
        wanted = _truth(self.name, wanted)
        _core.set_training(self._handle, wanted)
        for layer in self.modules():
            vars(layer)["training"] = wanted
        _changes.tell()
        return self

    def to(self, device):
        """Moves the layer and all that is in it, as "cuda" or "cpu:0". Its tensors stay the same
        objects, and optimizers made before go on; plans captured before, and what was recorded for
        a backward, are refused then."""
        _core.move_layer(self._handle, _runtime.find_device(device))
        for layer in self.modules():
            layer._device = device
        return self

    def _outermost_layers(self):
        return [self]

    def _forget_buffers(self):
        for name, is_buffer, _ in _core.layer_tensors(self._handle):
            if is_buffer:
                self._seen.pop(name, None)

    def _named(self, seen):
        found = []
        for name, is_buffer, tensor in _core.layer_tensors(self._handle):
            tensor = _object_of(tensor)
            if name not in self._seen:
                self._seen[name] = _core.LayerTensor(tensor)
            if seen is not None:
                if id(tensor) in seen:
                    continue
                seen.add(id(tensor))
            found.append((name, is_buffer, tensor))
        return found

    def __reduce__(self):
        own = [(name, tensor) for name, _, tensor in self._named(None)]
        modes = [layer.training for layer in self.modules()]
        made = (self.name, self._device, self.options, self.named_children(), own, modes)
        return _restore, (*made, self._room)

    def __repr__(self):
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return _lines(f"<layer {self.name}({options})", self._children, ">")


def _restore(name, device, options, children, state, modes, room=None):
    random = _runtime.get_rng_state()
    try:
        layer = Layer(name, device=device, **options)
    except _errors.NoKernelError:  # it has moved to where first weights cannot be drawn
        layer = Layer(name, **options).to(device)
    if _runtime.get_rng_state() != random:  # a copy draws nothing
        _runtime.set_rng_state(random)
    for child_name, child in children:
        layer.append(child, child_name)
    vars(layer)["_room"] = room
    if not children and len(state) > len(layer._named(None)):  # caches; children have their own
        _core.set_layer_cache(layer._handle, *room)
    drawn = {each: tensor for each, _, tensor in layer._named(None)}
    for each, tensor in state:  # the tensors themselves: what was one is one again
        if drawn[each].requires_grad != tensor.requires_grad:
            drawn[each].requires_grad = tensor.requires_grad
        layer._share(each, tensor)
    for each, training in zip(layer.modules(), modes, strict=True):
        each.train(training)
    return layer


def _truth(function, wanted):
    _errors.check_type(function, "training", wanted, (bool, int), "True or False")
    return bool(wanted)


def _lines(head, children, end):
    """A text with one line for each child."""
    if not children:
        return head + end
    inner = [f"{name}: {child!r}" for name, child in children]
    return "\n".join([head + ":", *inner]).replace("\n", "\n  ") + end


class Module(_Model):
    """A model written in Python: write `forward`, and hold the parts in attributes.

    Tensors that require a gradient, or did when they were set, are parameters; layers, modules, and
    lists and dicts of these are parts of it. Names are those of the attributes, joined by dots.
    `model.training = False` is `model.eval()`.
    """

    training = True

    def forward(self, *inputs):
        """What the model computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(self, ...)")

    def __call__(self, *inputs, **named):
        _changes.note(self, "training")
        return self.forward(*inputs, **named)

    def register_buffer(self, name, tensor):
        """An attribute that is part of the state and not trained."""
        if not isinstance(tensor, Tensor) or tensor.requires_grad:
            found = "one that requires a gradient" if isinstance(tensor, Tensor) else repr(tensor)
            raise _refuse("type", "register_buffer", name, "a tensor without gradient", found)
        setattr(self, name, tensor)
        self._keep(name, True)

    def __setattr__(self, name, value):
        if name == "training":
            self.train(value)
            return
        if isinstance(value, Tensor):
            before = vars(self).get(name)
            if value.requires_grad and value.is_leaf:
                self._keep(name, False)
            elif isinstance(before, Tensor) and before.requires_grad and before.is_leaf:
                raise _refuse(
                    "value", type(self).__name__, name,
                    "a leaf that requires a gradient, as the parameter that is there",
                    "a tensor that would not be trained",
                    f"with tenon.no_grad: model.{name}[...] = values copies values into it",
                )  # fmt: skip
        object.__setattr__(self, name, value)
        _changes.note_set(self, name)

    def __delattr__(self, name):
        object.__delattr__(self, name)
        _changes.note_set(self, name)

    def _keep(self, name, is_buffer):
        # A dict of its own: that of a copied module is the other's too.
        self.__dict__["_kept"] = {**vars(self).get("_kept", {}), name: is_buffer}
        _changes.tell()

    def _parts(self):
        """[(name, is_buffer, tensor, layer or module), ...] in the order in which they were set."""
        _changes.note(self, None)
        found, kept = [], vars(self).get("_kept", {})
        for name, value in vars(self).items():
            if name in kept and isinstance(value, Tensor):
                found.append((name, kept[name], value))
            elif name != "_kept":
                _collect(name, value, found)
        return found

    def named_children(self):
        """[(name, layer or module), ...] that it holds itself."""
        return [(name, part) for name, _, part in self._parts() if not isinstance(part, Tensor)]

    def _named(self, seen):
        """seen   what was found already, by identity; None: everything each time"""
        found = []
        for name, is_buffer, part in self._parts():
            if seen is not None:
                if id(part) in seen:
                    continue
                seen.add(id(part))
            if isinstance(part, Tensor):
                found.append((name, is_buffer, part))
            else:
                found += [(f"{name}.{inner}", *rest) for inner, *rest in part._named(seen)]
        return found

    def train(self, wanted=True):
        """Training, or evaluation, for the module and all that is in it."""
        vars(self)["training"] = _truth(type(self).__name__, wanted)
        _changes.tell()
        for child in self.children():
            child.train(wanted)
        return self

    def to(self, device):
        """Moves the layers of the registry that are in it (Layer.to)."""
        layers = [each for each in self.modules() if isinstance(each, Layer)]
        own = [n for each in self.modules() if isinstance(each, Module)
               for n, _, part in each._parts() if isinstance(part, Tensor)]  # fmt: skip
        if own:
            raise _refuse(
                "value", type(self).__name__, "parts", "layers of the registry alone",
                f"tensors of the Module's own: {', '.join(own)}",
                "make the model on the device: tensors and layers take device=",
            )  # fmt: skip
        for layer in layers:
            layer.to(device)
        return self

    def __repr__(self):
        return _lines(f"<{type(self).__name__}", self.named_children(), ">")


def _collect(name, value, found):
    """Adds the parts that an attribute holds."""
    if isinstance(value, Tensor):
        if value.requires_grad and value.is_leaf:
            found.append((name, False, value))
    elif isinstance(value, _Model):
        found.append((name, False, value))
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            _collect(f"{name}.{place}", each, found)
    elif isinstance(value, dict):
        for key, each in value.items():
            _collect(f"{name}.{key}", each, found)


_changes.know_module(Module)
_entries = Entries("layers", Layer)


def __getattr__(name):
    return getattr(_entries, name)


def __dir__():
    return ["Layer", "Module", *dir(_entries)]
