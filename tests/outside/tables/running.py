# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/running.py: OpInfos of the largest and smallest element so far.

from opinfo_table import AXIS_OF_RANK_0, Entry, Row, call
from tables.index_more import part


def running(input, dim):
    return call(input, axis=dim, lacks={AXIS_OF_RANK_0: input.dim() == 0})


def entry(name):
    return Entry(
        [
            Row(name, part(0, running), outputs=2),
            Row(name, part(1, running), outputs=2, output=1),
        ]
    )


TABLE = {"tenon.cummax": entry("cummax"), "tenon.cummin": entry("cummin")}
