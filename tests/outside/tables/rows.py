# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/rows.py: rows of a table by their numbers.

from opinfo_table import Entry, Row, call


def embedding(
    weight,
    indices,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    sparse=False,
):
    lacks = {
        "padding_idx": padding_idx is not None,
        "max_norm": max_norm is not None,
        "scale_grad_by_freq": scale_grad_by_freq,
    }
    return call(weight, indices, lacks=lacks)


def index_add(input, dim, index, source, *, alpha=1):
    """Alpha is multiplied in before."""
    return index_copy(input, dim, index, alpha * source)


def index_copy(input, dim, index, source):
    """Rows are those of axis 0."""
    lacks = {"rank 0": input.dim() == 0}
    if input.dim() == 0:
        return call(input, lacks=lacks)
    moved = input.movedim(dim, 0), index.long(), source.movedim(dim, 0)
    return call(*moved, finish=lambda y: y.movedim(dim, 0))


TABLE = {
    "tenon.embedding": Entry([Row("nn.functional.embedding", embedding)]),
    "tenon.rows_add": Entry([Row("index_add", index_add, writes=True)]),
    "tenon.rows_put": Entry([Row("index_copy", index_copy, writes=True)]),
}
