# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/binary.py: one value from two.

import operator

import exact
from exact_array import broadcast
from ops import golden


def arithmetic(function):
    """One IEEE 754 operation, or one of integers that wrap."""

    def compute(call):
        a, b = call.inputs
        finish = exact.rounded if exact.is_float(a.dtype) else exact.wrapped
        return [broadcast(a.dtype, lambda x, y: finish(a.dtype, function(x, y)), a, b)]

    return compute


golden("tenon.add")(arithmetic(operator.add))
golden("tenon.sub")(arithmetic(operator.sub))
golden("tenon.mul")(arithmetic(operator.mul))
golden("tenon.div")(arithmetic(exact.divided))


@golden("tenon.maximum")
def maximum(call):
    a, b = call.inputs
    return [broadcast(a.dtype, lambda x, y: y if x < y or y != y else x, a, b)]


@golden("tenon.eq")
def eq(call):
    return [broadcast("bool", operator.eq, *call.inputs)]


@golden("tenon.lt")
def lt(call):
    return [broadcast("bool", operator.lt, *call.inputs)]
