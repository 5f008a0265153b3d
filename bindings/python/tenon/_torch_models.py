# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_models.py: layers and optimizers of Tenon in PyTorch's training
# loops, on the memory of the same parameters.

import torch

from tenon import _autograd, _core, _errors
from tenon import optim as _optim
from tenon._entries import Entry
from tenon._runtime import begin_grad_mode, end_grad_mode
from tenon._torch_exchange import give, note_write, share, take

_ENABLED, _DISABLED = 0, 1


def _refuse_moved(what, name):
    return _errors.make_refusal(
        "STATE", what, name, "the memory that it was made with", "other memory",
        "copy values into it, with torch.no_grad(): p.copy_(values), and leave dtype and device",
    )  # fmt: skip


# ---- layers -------------------------------------------------------------------------------------


class _Run(torch.autograd.Function):
    """A call of a layer: Tenon records it, and the node keeps what was recorded."""

    @staticmethod
    def forward(ctx, module, count, *tensors):
        inputs = [None if each is None else take(each) for each in tensors[:count]]
        needed = ctx.needs_input_grad[2:]
        leaves = inputs + [ours for _, ours, _ in module._shared]
        for leaf, need in zip(leaves, needed, strict=True):
            if need and not leaf.requires_grad:
                leaf.requires_grad = True
        results = module._call(inputs, _ENABLED)
        ctx.graph = leaves, results
        ctx.set_materialize_grads(False)
        given = [give(each) for each in results]
        ctx.save_for_backward(*tensors, *given)  # PyTorch sees if they change
        ctx.mark_non_differentiable(
            *(x for x, each in zip(given, results, strict=True) if not each.requires_grad)
        )
        return tuple(given)

    @staticmethod
    def backward(ctx, *grads):
        if torch.is_grad_enabled():
            raise _errors.make_refusal(
                "GRAD", "tenon.torch.Module", "backward", "a gradient that is not differentiated",
                "create_graph=True", "tenon.torch.ops are differentiable again, layers once",
            )  # fmt: skip
        count = len(ctx.saved_tensors) - len(grads)
        leaves, results = ctx.graph
        needed = ctx.needs_input_grad[2:]
        pairs = [(x, take(grad)) for x, grad in zip(results, grads, strict=True)
                 if grad is not None]  # fmt: skip
        wanted = [leaf for leaf, need in zip(leaves, needed, strict=True) if need]
        if not pairs or not wanted:
            return (None,) * (2 + count)
        found = iter(_core.gradient(
            [x for x, _ in pairs], [seed for _, seed in pairs], wanted, _autograd._RETAIN
        ))  # fmt: skip
        given = [next(found) if need else None for need in needed]
        return (None, None, *(None if each is None else give(each) for each in given))


class Module(torch.nn.Module):
    """A layer, or a model of layers, of Tenon as a module of PyTorch.

        block = tenon.torch.Module(tenon.nn.linear(inputs=784, outputs=10))

    Its parameters and buffers are the layer's, on the same memory and by the same names: what
    either side writes, the other has. `train` and `eval` reach the layer. Its gradients are
    PyTorch's, `parameter.grad`.
    """

    def __init__(self, layer):
        super().__init__()
        from tenon.nn import _Model

        _errors.check_type("tenon.torch.Module", "layer", layer, _Model, "a layer of tenon.nn")
        self._hold(layer, iter(()))

    def _hold(self, layer, parameters):
        """parameters   of PyTorch that become the layer's; others are made"""
        self.layer = layer
        self._shared, made = [], {}  # [(parameter, the layer's tensor, its address)]
        for name, is_buffer, tensor in layer._named(None):
            theirs = made.get(id(tensor))
            if theirs is None:
                theirs = share(tensor.detach())
                if not is_buffer:
                    values, theirs = theirs, next(parameters, None)
                    if theirs is None:
                        theirs = torch.nn.Parameter(values, requires_grad=tensor.requires_grad)
                    theirs.data = values
                    self._shared.append((theirs, tensor, theirs.data_ptr()))
                made[id(tensor)] = theirs
            self._place(name, theirs)
        self._keep = list(made.values())
        super().train(layer.training)

    def _place(self, name, theirs):
        """Under its name, whose dots are modules."""
        *above, last = name.split(".")
        at = self
        for each in above:
            if each not in at._modules:
                at.add_module(each, torch.nn.Module())
            at = at._modules[each]
        if isinstance(theirs, torch.nn.Parameter):
            at.register_parameter(last, theirs)
        else:
            at.register_buffer(last, theirs)

    def train(self, mode=True):
        super().train(mode)
        self.layer.train(mode)
        return self

    @torch.compiler.disable
    def forward(self, *inputs):
        """What the layer computes: a tensor, or a tuple; an input that may be left out may be
        None. A graph of torch.compile ends before it and begins again after it."""
        for name, theirs in self.named_parameters():
            if not any(theirs is each for each, *_ in self._shared):
                raise _refuse_moved("tenon.torch.Module", name)
        for theirs, _, address in self._shared:
            if theirs.data_ptr() != address:
                raise _refuse_moved("tenon.torch.Module", "parameters")
        parameters = [each for each, *_ in self._shared]
        tensors = [*inputs, *parameters]
        if torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in tensors):
            results = _Run.apply(self, len(inputs), *tensors)
        else:
            taken = [None if each is None else take(each) for each in inputs]
            results = tuple(give(each) for each in self._call(taken, _DISABLED))
        return results[0] if len(results) == 1 else results

    def _call(self, inputs, mode):
        begin_grad_mode(mode)
        try:
            results = self.layer(*inputs)
        finally:
            end_grad_mode()
        return list(results) if isinstance(results, tuple) else [results]

    def _apply(self, function, recurse=True):
        """What `to`, `half` and `share_memory` do: memory that is shared stays where it is."""
        for theirs in self._keep:
            with torch.no_grad():
                moved = function(theirs)
            if moved.data_ptr() != theirs.data_ptr() or moved.dtype is not theirs.dtype:
                raise _refuse_moved("tenon.torch.Module", "parameters")
        return self

    def __reduce__(self):
        # With the parameters, which an optimizer may hold that is copied along.
        return _restore_module, (self.layer, [theirs for theirs, *_ in self._shared])

    def extra_repr(self):
        return repr(self.layer)


def _restore_module(layer, parameters):
    made = Module.__new__(Module)
    torch.nn.Module.__init__(made)
    made._hold(layer, iter(parameters))
    return made


# ---- optimizers ---------------------------------------------------------------------------------


def _name_of(optimizer):
    """ "tenon.adamw" of that, of "adamw", or of tenon.optim.adamw."""
    if isinstance(optimizer, Entry):
        return optimizer.name
    _errors.check_type("tenon.torch.Optimizer", "optimizer", optimizer, str, "a name")
    return optimizer if "." in optimizer else f"tenon.{optimizer}"


class Optimizer(torch.optim.Optimizer):
    """An optimizer of Tenon for parameters of PyTorch, which it updates where they are.

        optimizer = tenon.torch.Optimizer("adamw", model.parameters(), lr=1e-3)

    optimizer   "adamw", "acme.fast_adam", or tenon.optim.adamw
    params      parameters, or groups of them, as everywhere in PyTorch

    Hyper-parameters are those of `tenon.optim`; `param_groups` is read at each step, so PyTorch's
    schedulers work. `state_dict` has the state by the optimizer's own names.
    """

    def __init__(self, optimizer, params, **hypers):
        self._ours = None
        name = _name_of(optimizer)
        # Without its parameters, for what it says of its numbers and whether those given are right.
        scratch = _optim.Optimizer(name, [_core_leaf()], **hypers)
        self._hypers = [key for key in scratch.param_groups[0] if key != "params"]
        super().__init__(params, {key: scratch.param_groups[0][key] for key in self._hypers})
        self._bind(name)

    def _bind(self, name):
        """The parameters' memory, as Tenon's optimizer takes it."""
        self._states = [each["name"] for each in _optim._entry(name)["states"]]
        self._params = [p for group in self.param_groups for p in group["params"]]
        self._leaves = [take(p.detach()) for p in self._params]
        self._addresses = [p.data_ptr() for p in self._params]
        for leaf in self._leaves:
            leaf.requires_grad = True
        place = {id(p): leaf for p, leaf in zip(self._params, self._leaves, strict=True)}
        groups = [
            {"params": [place[id(p)] for p in group["params"]],
             **{key: group[key] for key in self._hypers}}
            for group in self.param_groups
        ]  # fmt: skip
        self._ours = _optim.Optimizer(name, groups)
        self._set = [{key: group[key] for key in self._hypers} for group in self.param_groups]

    def add_param_group(self, group):
        if self._ours is not None:
            raise _errors.make_refusal(
                "STATE", "tenon.torch.Optimizer", "group", "all groups when it is made",
                "one that is added later", "make the optimizer again",
            )  # fmt: skip
        super().add_param_group(group)

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._read_hypers()
        written = []
        for theirs, leaf, address in zip(self._params, self._leaves, self._addresses, strict=True):
            if theirs.data_ptr() != address:
                raise _refuse_moved("tenon.torch.Optimizer", "parameters")
            if theirs.grad is None:
                continue
            if theirs.grad.is_sparse:
                raise _errors.make_refusal(
                    "LAYOUT", "tenon.torch.Optimizer", "grad", "a dense gradient", "a sparse one",
                    "p.grad = p.grad.to_dense()",
                )  # fmt: skip
            leaf.grad = take(theirs.grad.detach())
            written.append(theirs)
        try:
            self._ours.step()
        finally:
            self._ours.zero_grad()
        for each in written:
            note_write(each)
        return loss

    def _read_hypers(self):
        """What has been set in `param_groups` since the last step."""
        for group, ours, known in zip(
            self.param_groups, self._ours.param_groups, self._set, strict=True
        ):
            for key in self._hypers:
                value = _number(group[key])
                if value != known[key]:
                    ours[key] = known[key] = value

    def state_dict(self):
        for place, theirs in enumerate(self._params):
            for name in self._states:
                tensor = _core.get_optimizer_state(self._ours._handle, place, name)
                if tensor is not None:
                    self.state[theirs][name] = share(tensor)
        saved = super().state_dict()
        # Copies, as the state goes on; those of PyTorch's own optimizers do not.
        saved["state"] = {
            key: {name: value.clone() for name, value in each.items()}
            for key, each in saved["state"].items()
        }
        return saved

    def load_state_dict(self, saved):
        before = self.state, self.param_groups
        super().load_state_dict(saved)  # makes others, once it has compared groups
        try:
            numbers = [n for group in saved["param_groups"] for n in group["params"]]
            found = [saved["state"].get(number) for number in numbers]
            self._take({place: states for place, states in enumerate(found) if states})
        except BaseException:
            self.state, self.param_groups = before
            raise
        self.state.clear()

    def _take(self, states):
        """Numbers as `param_groups` has them, states {place: {name: tensor}}; all or nothing."""
        hypers = [{key: _number(group[key]) for key in self._hypers if key in group}
                  for group in self.param_groups]  # fmt: skip
        ours = {place: {name: self._taken(place, name, each) for name, each in found.items()}
                for place, found in states.items()}  # fmt: skip
        self._ours._load(hypers, ours)
        self._set = hypers

    @staticmethod
    def _taken(place, name, tensor):
        _errors.check_type("load_state_dict", f"{place}.{name}", tensor, torch.Tensor, "a tensor")
        return take(tensor.detach())

    def __reduce__(self):
        states = {}
        for place in range(len(self._params)):
            for name in self._states:
                tensor = _core.get_optimizer_state(self._ours._handle, place, name)
                if tensor is not None:
                    states.setdefault(place, {})[name] = share(tensor)
        kept = self.defaults, self.param_groups, states
        return _restore_optimizer, (type(self), self._ours.name, *kept)

    def __copy__(self):
        made = self.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __getattr__(self, key):
        # A copy looks for its parameters' memory when it is used, and a module has its own again.
        if "_waiting" not in vars(self):
            raise AttributeError(f"the optimizer has no attribute {key!r}")
        name, states = vars(self).pop("_waiting")
        self._bind(name)
        self._take(states)
        return getattr(self, key)


def _restore_optimizer(kind, name, defaults, groups, states):
    made = kind.__new__(kind)
    made._hypers, made._ours = list(defaults), None
    torch.optim.Optimizer.__init__(made, groups, defaults)
    del made._ours
    made._waiting = name, states
    return made


def _number(value):
    return value.item() if isinstance(value, torch.Tensor) else value


def _core_leaf():
    from tenon._tensor import tensor

    return tensor([0.0], requires_grad=True)
