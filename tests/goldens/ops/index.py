# SPDX-License-Identifier: Apache-2.0
# tests/goldens/ops/index.py: rows by number.

import exact
from exact_array import Array
from ops import golden


@golden("tenon.embedding")
def embedding(call):
    table, indices = call.inputs
    rows = (value for row in indices.elements() for value in table.values[row])
    return [Array.of(table.dtype, (*indices.shape, table.shape[1]), rows)]


@golden("tenon.rows_add")
def rows_add(call):
    """Each addition is rounded to the dtype, in order: that is what the op says."""
    x, indices, values = call.inputs
    for row, index in enumerate(indices.elements()):
        target = x.values[index : index + 1].reshape(-1)  # a view
        added = values.values[row : row + 1].reshape(-1)
        for i, value in enumerate(added):
            target[i] = exact.rounded(x.dtype, target[i] + value)
    return []


@golden("tenon.rows_put")
def rows_put(call):
    x, indices, values = call.inputs
    for row, index in enumerate(indices.elements()):
        x.values[index] = values.values[row]
    return []
