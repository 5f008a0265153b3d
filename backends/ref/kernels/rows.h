// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/rows.h: indices that name rows of a table, and the ops that write rows.
#pragma once

#include <tenon/sdk/place.hpp>

#include "kernels/ref.h"

namespace tenon::ref {

// Refuses the first index outside [0, rows), before anything is written.
template <class I>
void check_rows(const tenon_view& indices, int64_t rows, const char* operand) {
  const auto shape = sdk::shape_of(indices);
  sdk::walk<1>(shape, {sdk::strided(indices)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t row = sdk::load<I>(run.data[0] + i * run.step[0]);
      if (row >= 0 && row < rows) continue;
      throw sdk::Failure{TENON_E_DATA,
                         sdk::place_in(operand, shape, run.first + i) + " is " +
                             std::to_string(row) + ", outside the table's " + std::to_string(rows) +
                             " rows",
                         operand,
                         "0 <= index < " + std::to_string(rows),
                         std::to_string(row),
                         "check the values that were used as indices"};
    }
  });
}

// Slots of ops that write rows of a tensor.
enum RowsSlot : uint32_t { kX, kIndices, kValues };
inline constexpr tenon_slot_rule kRowsSlots[] = {sdk::strided_inout(), sdk::strided_in(),
                                                 sdk::strided_in()};

// `strided` without its first dimension, at element `index` of it.
inline sdk::Strided row_of(const sdk::Strided& strided, int64_t index) {
  sdk::Strided row;
  row.data = strided.data + index * strided.step[0];
  std::copy(strided.step.begin() + 1, strided.step.end(), row.step.begin());
  return row;
}

}  // namespace tenon::ref
