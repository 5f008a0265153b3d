// SPDX-License-Identifier: Apache-2.0
// core/backward/rows.h: gradients held as rows (indices, values) of a table.
#pragma once

#include <span>

#include "core/backward/vjp.h"
#include "core/runtime/context.h"

namespace tenon::backward {

// One pair with ascending indices and without duplicates, which were summed in order of occurrence.
// Host memory only. Throws TENON_E_VJP for an index outside the table.
RowGrad coalesce(Context& context, const tenon_meta& table, std::span<const RowGrad> parts);

// A dense zero tensor like `table` with the rows added.
Ref densify(Context& context, const tenon_meta& table, const RowGrad& rows);

// `dense` += rows, in place.
void add_rows_into(Context& context, Tensor& dense, const RowGrad& rows);

}  // namespace tenon::backward
