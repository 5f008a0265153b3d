// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/negative_stride_ignored.cc: claims negative strides for its input and drops
// their sign.
//
// cause: negative-stride-ignored
// op: tenon.log
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void log(const sdk::Launch& l) {
  tenon_view x = l.view(0);
  std::array<int64_t, TENON_MAX_RANK> strides{};
  for (int32_t d = 0; d < x.rank; ++d) {
    strides[static_cast<size_t>(d)] = kMutant ? std::abs(x.strides[d]) : x.strides[d];
  }
  x.strides = strides.data();
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i), std::log(get(x, place(x, i))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<log>("tenon.log")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
