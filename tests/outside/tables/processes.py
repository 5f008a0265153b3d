# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/processes.py: ops over groups of processes.

_NONE = "no OpInfo: of one process it moves bits; tests/processes has several"

WITHOUT = {
    f"tenon.{name}": _NONE
    for name in (
        "all_gather",
        "all_reduce",
        "all_reduce_list",
        "all_reduce_sum",
        "all_to_all",
        "broadcast",
        "reduce_scatter",
    )
}
