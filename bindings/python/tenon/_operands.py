# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_operands.py: functions whose arguments may be numbers, lists and arrays, as
# those of ops are. The rule of their dtypes is that of ../core/operands.cc.
import functools
import inspect

from tenon import _core
from tenon._core import Tensor


def operands(*groups):
    """A function gets the arguments of these names as tensors; None stays None.

    groups   names that meet: numbers and lists among them have the dtype of what is beside them
    """
    groups = [tuple(each.split()) for each in groups]

    def decorate(function):
        order = list(inspect.signature(function).parameters)
        name = function.__name__
        places = [order.index(each) for group in groups for each in group]
        n = len(places) if places == list(range(min(len(places), 3))) else 2**20

        @functools.wraps(function)
        def call(*given, **named):
            count = len(given)
            if (
                count >= n
                and type(given[0]) is Tensor
                and type(given[n // 2]) is Tensor
                and type(given[n - 1]) is Tensor
            ):
                return function(*given, **named)
            arguments = dict(zip(order, given, strict=False)) if count <= len(order) else {}
            for group in groups:
                words = tuple(each for each in group if each in arguments or each in named)
                both = {**arguments, **named}
                found = _core.operands(name, words, tuple(both[each] for each in words))
                for word, each in zip(words, found, strict=True):
                    (named if word in named else arguments)[word] = each
            return function(*arguments.values(), *given[len(arguments) :], **named)

        return call

    return decorate


met = _core.met


def real(*tensors):
    """In the float dtype that they have together: integers and truths are float32, as in ops of
    floats."""
    tensors = met(*tensors)
    if tensors[0].dtype.is_floating_point:
        return tensors
    return [each.astype(_core.float32) for each in tensors]


def together(function, given):
    """A list of tensors for tensors, lists, arrays and numbers that meet in one."""
    names = tuple(f"operand {place}" for place in range(len(given)))
    return list(_core.operands(function, names, tuple(given)))
