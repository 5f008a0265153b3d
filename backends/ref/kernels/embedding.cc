// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/embedding.cc: embedding: out[..., d] = table[indices[...], d].

#include "kernels/rows.h"

namespace tenon::ref {
namespace {

enum Slot : uint32_t { kTable, kIndices };

void embedding(const sdk::Launch& l) {
  const tenon_view& indices = l.view(kIndices);
  const sdk::Strided table = sdk::strided(l.view(kTable));
  const sdk::Strided out = sdk::strided(l.out());
  const auto row_shape = sdk::shape_of(l.view(kTable)).subspan(1);
  const auto depth = static_cast<size_t>(indices.rank);
  const auto gather = [&]<class I>() {
    check_rows<I>(indices, l.view(kTable).shape[0]);
    sdk::walk<2>(sdk::shape_of(indices), {out, sdk::strided(indices)}, [&](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const int64_t row = sdk::load<I>(run.data[1] + i * run.step[1]);
        const sdk::Strided to{run.data[0] + i * run.step[0], {out.step[depth]}};
        const sdk::Strided from{table.data + row * table.step[0], {table.step[1]}};
        copy_elements(row_shape, l.out().dtype, to, from);
      }
    });
  };
  sdk::dispatch_dtype<sdk::TypeList<int32_t, int64_t>>(indices.dtype, gather);
}

constexpr tenon_dtype index_dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr auto rows = sdk::pairs(sdk::kFloats, index_dtypes);
constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.embedding", slots, rows, 0, sdk::launch_fn<embedding>, {.n_variables = 2}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(embedding) = {.kernels = tenon::ref::kernels};
