// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/rows_put.cc: rows_put: x[indices[r]] = values[r], r ascending.

#include "kernels/rows.h"

namespace tenon::ref {
namespace {

void rows_put(const sdk::Launch& l) {
  const tenon_view& indices = l.view(kIndices);
  check_rows<int64_t>(indices, l.view(kX).shape[0]);
  const sdk::Strided x = sdk::strided(l.view(kX));
  const sdk::Strided values = sdk::strided(l.view(kValues));
  const sdk::Strided places = sdk::strided(indices);
  const auto row_shape = sdk::shape_of(l.view(kX)).subspan(1);
  for (int64_t r = 0; r < indices.shape[0]; ++r) {
    const auto place = sdk::load<int64_t>(places.data + r * places.step[0]);
    copy_elements(row_shape, l.view(kX).dtype, row_of(x, place), row_of(values, r));
  }
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rows_put", kRowsSlots, sdk::kAllDtypes, 0, sdk::launch_fn<rows_put>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(rows_put) = {.kernels = tenon::ref::kernels};
