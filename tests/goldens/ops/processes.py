# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/processes.py: ops over groups of processes, of which samples know one: this
# process alone. What several give is in tests/processes.

from exact_array import Array
from ops import golden


def _same(call):
    (x,) = call.inputs
    return [Array.of(x.dtype, x.shape, x.elements())]


for _name in ("all_reduce", "all_reduce_sum", "all_to_all", "broadcast"):
    golden(f"tenon.{_name}")(_same)


@golden("tenon.all_gather")
def all_gather(call):
    (x,) = call.inputs
    return [Array.of(x.dtype, (1, *x.shape), x.elements())]


@golden("tenon.reduce_scatter")
def reduce_scatter(call):
    (x,) = call.inputs
    return [Array.of(x.dtype, x.shape[1:], x.elements())]


@golden("tenon.all_reduce_list")
def all_reduce_list(call):
    """What is written stays as it is."""
    return []
