// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/triangle.cc: tril, triu: y[m,n] = x[m,n] on one side of a diagonal, else 0.

#include <cstring>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Rows of the matrices as elements of one geometry; the columns that a row keeps lie together.
template <bool kLower>
void triangle(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const auto rank = static_cast<size_t>(x.rank);
  const int64_t rows = x.shape[rank - 2];
  const int64_t columns = x.shape[rank - 1];
  if (columns == 0) return;
  // Beyond the matrix all diagonals are alike.
  const int64_t diagonal = std::clamp(l.attrs.integer(0), -rows - 1, columns + 1);
  const sdk::Strided in = sdk::strided(x);
  const sdk::Strided out = sdk::strided(l.out());
  const std::span<const int64_t> shape(x.shape, rank - 1);
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / columns);
  const auto column = [&](const sdk::Strided& operand) { return operand.step[rank - 1]; };
  sdk::dispatch_size(x.dtype, [&]<class T>() {
    const auto row = [&](char* to, const char* from, int64_t m) {
      const int64_t edge = std::clamp<int64_t>(m + diagonal + (kLower ? 1 : 0), 0, columns);
      if (column(in) == sizeof(T) && column(out) == sizeof(T)) {
        // The row may be its own result.
        const auto bytes = [](int64_t count) { return static_cast<size_t>(count) * sizeof(T); };
        const size_t begin = kLower ? 0 : bytes(edge);
        std::memmove(to + begin, from + begin, kLower ? bytes(edge) : bytes(columns - edge));
        std::memset(to + (kLower ? bytes(edge) : 0), 0,
                    kLower ? bytes(columns - edge) : bytes(edge));
        return;
      }
      for (int64_t n = 0; n < columns; ++n) {
        const bool kept = kLower ? n < edge : n >= edge;
        sdk::store(to + n * column(out), kept ? sdk::load<T>(from + n * column(in)) : T{});
      }
    };
    l.parallel_for(sdk::count_of(shape), grain, [&](int64_t begin, int64_t end) {
      sdk::walk_range<2>(shape, {out, in}, begin, end, [&](const sdk::Run<2>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          row(run.data[0] + i * run.step[0], run.data[1] + i * run.step[1], (run.first + i) % rows);
        }
      });
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.tril", kMapSlots, sdk::kAllDtypes, 1, sdk::launch_fn<triangle<true>>),
    kernel("tenon.triu", kMapSlots, sdk::kAllDtypes, 1, sdk::launch_fn<triangle<false>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(triangle) = {.kernels = tenon::ref::kernels};
