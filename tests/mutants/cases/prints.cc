// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/prints.cc: prints a line at its first launch.
//
// cause: output
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <atomic>
#include <cstdio>

namespace mutants {

std::atomic<bool> said{!kMutant};

void sqrt(const sdk::Launch& l) {
  if (!said.exchange(true)) std::fputs("hello from the kernel\n", stdout);
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<sqrt>("tenon.sqrt")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
