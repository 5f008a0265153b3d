// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/rows_add.cc: rows_add: x[indices[r]] += values[r], r ascending.

#include "kernels/rows.h"

namespace tenon::ref {
namespace {

// Every addition rounds to the dtype, in order of occurrence, so the result has one meaning.
void rows_add(const sdk::Launch& l) {
  const tenon_view& indices = l.view(kIndices);
  check_rows<int64_t>(indices, l.view(kX).shape[0]);
  const sdk::Strided x = sdk::strided(l.view(kX));
  const sdk::Strided values = sdk::strided(l.view(kValues));
  const sdk::Strided places = sdk::strided(indices);
  const auto row_shape = sdk::shape_of(l.view(kX)).subspan(1);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(kX).dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    for (int64_t r = 0; r < indices.shape[0]; ++r) {
      const auto place = sdk::load<int64_t>(places.data + r * places.step[0]);
      const auto add = [](const sdk::Run<2>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          char* sum = run.data[0] + i * run.step[0];
          const T value = sdk::load<T>(run.data[1] + i * run.step[1]);
          sdk::store(sum, sdk::narrow<T>(C(sdk::load<T>(sum)) + C(value)));
        }
      };
      sdk::walk<2>(row_shape, {row_of(x, place), row_of(values, r)}, add);
    }
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rows_add", kRowsSlots, sdk::kFloats, 0, sdk::launch_fn<rows_add>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(rows_add) = {.kernels = tenon::ref::kernels};
