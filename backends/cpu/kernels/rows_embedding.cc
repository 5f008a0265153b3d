// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_embedding.cc: embedding: out[..., d] = table[indices[...], d];
// rows_put: x[indices[r]] = values[r], r ascending.

#include "kernels/rows_index.h"

namespace tenon::cpu {
namespace {

enum Slot : uint32_t { kTable, kIndicesOfTable };

template <class I>
void gather(const sdk::Launch& l) {
  const tenon_view& indices = l.view(kIndicesOfTable);
  const sdk::Strided table = sdk::strided(l.view(kTable));
  const sdk::Strided out = sdk::strided(l.out());
  const int64_t columns = l.shape(kTable)[1];
  const int64_t size = sdk::size_of(l.out().dtype);
  const int64_t column_step = out.step[static_cast<size_t>(indices.rank)];
  check_rows<I>(indices, l.shape(kTable)[0]);
  const int64_t grain =
      std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, columns));
  const Geometry<2> places(sdk::shape_of(indices), {out, sdk::strided(indices)});
  l.parallel_for(places.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<2>(places.shape(), places.operands(), begin, end, [&](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const int64_t row = sdk::load<I>(run.data[1] + i * run.step[1]);
        copy_run(run.data[0] + i * run.step[0], column_step, table.data + row * table.step[0],
                 table.step[1], columns, size);
      }
    });
  });
}

void embedding(const sdk::Launch& l) {
  if (l.view(kIndicesOfTable).dtype == TENON_DTYPE_I32) return gather<int32_t>(l);
  gather<int64_t>(l);
}

void rows_put(const sdk::Launch& l) {
  const RowsOperands rows(l);
  const int64_t size = sdk::size_of(l.view(kX).dtype);
  rows.for_each_run(l, [size](const sdk::Run<2>& run) {
    copy_run(run.data[0], run.step[0], run.data[1], run.step[1], run.count, size);
  });
}

constexpr tenon_dtype index_dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr auto rows = sdk::pairs(sdk::kFloats, index_dtypes);
constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.embedding", slots, rows, 0, sdk::launch_fn<embedding>, {.n_variables = 2}),
    kernel("tenon.rows_put", kRowsSlots, sdk::kAllDtypes, 0, sdk::launch_fn<rows_put>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(rows_embedding) = {.kernels = tenon::cpu::kernels};
