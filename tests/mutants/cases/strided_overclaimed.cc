// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/strided_overclaimed.cc: claims any strides for its input and reads it as if
// it were row-major.
//
// cause: input-strides-ignored
// op: tenon.sigmoid
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void sigmoid(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i), 1.0 / (1.0 + std::exp(-get(x, kMutant ? i : place(x, i)))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<sigmoid>("tenon.sigmoid")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
