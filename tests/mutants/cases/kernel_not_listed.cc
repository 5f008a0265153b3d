// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/kernel_not_listed.cc: has a kernel and does not list it: nothing to try.
//
// cause: no-cases
// op: TENON_CASE_ID
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constexpr std::span<const tenon_kernel_desc> none;
constexpr std::span<const tenon_kernel_desc> given = kernels;
constinit const sdk::Unit unit = {.kernels = kMutant ? none : given};

}  // namespace mutants
