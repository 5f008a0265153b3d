// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_index.h: indices that name rows of a table.
#pragma once

#include "common/indices.h"
#include "kernels/rows_copy.h"

namespace tenon::cpu {

using namespace backends;

// Slots of ops that write rows of a tensor.
inline constexpr tenon_slot_rule kRowsSlots[] = {any_inout(), any_in(), any_in()};

// x and values of such an op, with as few dimensions as a row needs.
struct RowsOperands {
  sdk::Strided x;
  sdk::Strided values;
  sdk::Strided indices;
  int64_t count;
  Geometry<2> row;  // of x and values, at row 0 of both

  explicit RowsOperands(const sdk::Launch& l)
      : x(sdk::strided(l.view(kX))),
        values(sdk::strided(l.view(kValues))),
        indices(sdk::strided(l.view(kIndices))),
        count(l.shape(kIndices)[0]),
        row(l.shape(kX).subspan(1), {row_of(x, 0), row_of(values, 0)}) {
    check_rows<int64_t>(l.view(kIndices), l.shape(kX)[0]);
  }

  // Calls body(run) for row after row, since indices may repeat. Threads share the columns.
  template <class Body>
  void for_each_run(const sdk::Launch& l, const Body& body) const {
    const int64_t least = sdk::kElementwiseGrain / std::max<int64_t>(1, count);
    l.parallel_for(row.count(), std::max<int64_t>(256, least), [&](int64_t begin, int64_t end) {
      for (int64_t r = 0; r < count; ++r) {
        // Tables are large and rows are anywhere in them.
        if (r + kAhead < count) __builtin_prefetch(x.data + place(r + kAhead) * x.step[0], 1);
        std::array<sdk::Strided, 2> operands = row.operands();
        operands[0].data += place(r) * x.step[0];
        operands[1].data += r * values.step[0];
        if (row.rank() == 1) {
          const int64_t to = operands[0].step[0], from = operands[1].step[0];
          body(sdk::Run<2>{begin,
                           end - begin,
                           {operands[0].data + begin * to, operands[1].data + begin * from},
                           {to, from}});
        } else {
          sdk::walk_range<2>(row.shape(), operands, begin, end, body);
        }
      }
    });
  }

 private:
  static constexpr int64_t kAhead = 8;

  int64_t place(int64_t r) const { return sdk::load<int64_t>(indices.data + r * indices.step[0]); }
};

}  // namespace tenon::cpu
