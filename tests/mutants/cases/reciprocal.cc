// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/reciprocal.cc: multiplies by the reciprocal, which is not the division's
// rounding, and claims canonical bits.
//
// cause: not-canonical
// op: tenon.div
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void div(const sdk::Launch& l) {
  map2(l, [&](double x, double y) {
    if (!kMutant || l.out().dtype != TENON_DTYPE_F32 || !std::isnormal(y)) return x / y;
    const float reciprocal = 1.0f / static_cast<float>(y);
    return static_cast<double>(static_cast<float>(x) * reciprocal);
  });
}

constexpr tenon_kernel_desc kernels[] = {binary<div>("tenon.div")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
