# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_autograd.py: gradients and gradient modes.
"""backward, grad, value_and_grad, no_grad, enable_grad, inference, guard_finite, draw."""

from tenon import _core, _errors
from tenon._core import Tensor
from tenon._runtime import begin_grad_mode, end_grad_mode

_RETAIN, _CREATE_GRAPH = 1, 2


def _listed(given):
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _flags(retain_graph, create_graph):
    return _RETAIN * bool(retain_graph) | _CREATE_GRAPH * bool(create_graph)


def backward(roots, seeds=None, *, retain_graph=False, create_graph=False):
    """Adds the gradients of sum(root * seed) to the leaves.

    roots    a tensor or a list of them
    seeds    one for each root; a root of one element needs none
    """
    seeds = None if seeds is None else _listed(seeds)
    _core.backward(_listed(roots), seeds, _flags(retain_graph, create_graph))


def grad(outputs, inputs, seeds=None, *, retain_graph=False, create_graph=False):
    """The gradients of sum(output * seed) with respect to `inputs`; leaves stay as they are.

    Returns one gradient if `inputs` is one tensor, else a list; None if outputs do not
    depend on an input.
    """
    seeds = None if seeds is None else _listed(seeds)
    found = _core.gradient(
        _listed(outputs), seeds, _listed(inputs), _flags(retain_graph, create_graph)
    )
    return found[0] if isinstance(inputs, Tensor) else found


def value_and_grad(function, argnums=0, *, create_graph=False):
    """A function that returns (value, gradient) of `function`, which gives one tensor.

    argnums  which arguments to differentiate for: a number, or a tuple of them; the gradient then
             is a tuple too
    """
    import functools

    _errors.check_type("value_and_grad", "function", function, None, "a function of tensors")
    numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    for number in numbers:
        _errors.check_type("value_and_grad", "argnums", number, int, "a number, or a tuple of them")

    @functools.wraps(function)
    def both(*arguments, **named):
        for number in numbers:
            if number >= len(arguments) or not isinstance(arguments[number], Tensor):
                raise _errors.make_refusal(
                    "type",
                    getattr(function, "__name__", "function"),
                    f"argument {number}",
                    "a tensor",
                    type(arguments[number]).__name__ if number < len(arguments) else "nothing",
                    "argnums says which arguments are differentiated for",
                )

        def inner(*tensors):
            given = list(arguments)
            for number, each in zip(numbers, tensors, strict=True):
                given[number] = each
            return function(*given, **named)

        chosen = [arguments[number] for number in numbers]
        flags = _CREATE_GRAPH * bool(create_graph)
        values, grads = _core.call_with_gradient(inner, chosen, 1, None, flags)
        return values[0], grads[0] if isinstance(argnums, int) else tuple(grads)

    return both


class _Mode:
    """A mode of this thread, as a context manager and as a decorator; modes nest."""

    def __init__(self, name, begin, end, *chosen):
        self._begin, self._end, self._chosen = begin, end, chosen
        self.__name__ = name

    def __call__(self, function=None):
        if function is None:
            return self
        import functools  # not at import: it takes longer than all of this package

        @functools.wraps(function)
        def inside(*arguments, **named):
            with self:
                return function(*arguments, **named)

        return inside

    def __enter__(self):
        self._begin(*self._chosen)
        return self

    def __exit__(self, *exception):
        self._end()

    def __repr__(self):
        return f"tenon.{self.__name__}"


enable_grad = _Mode("enable_grad", begin_grad_mode, end_grad_mode, 0)
no_grad = _Mode("no_grad", begin_grad_mode, end_grad_mode, 1)
inference = _Mode("inference", begin_grad_mode, end_grad_mode, 2)
# The first NaN or infinity that anything makes inside, forward, backward or in an optimizer's step,
# is a CheckError that names the op, the operand and the scope.
guard_finite = _Mode("guard_finite", _core.begin_check, _core.end_check)


# What runs inside uses this thread alone, with the same bits: for programs with their own threads.
serial = _Mode("serial", _core.begin_serial, _core.end_serial)


def draw(roots, path=None, *, direction=None):
    """What `roots` were computed from, with values and gradients, as a picture.

    path       a file ending in .svg, .dot or .json; without one the SVG text is returned, which a
               notebook draws
    direction  "TB", from top to bottom, or "LR", from left to right
    """
    topic = "svg" if path is None else str(path).rpartition(".")[2].lower()
    if direction is not None:
        topic += f"/{direction}"
    text = _core.describe_graph(_listed(roots), topic)
    if path is None:
        from tenon._notebook import Picture

        return Picture(text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return None
