// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/unaligned_crash.cc: claims any alignment and uses instructions that fault on
// addresses between elements.
//
// cause: crash
// op: tenon.log
// backward-only: no
// level: 1
#include "mutant.h"

#include <cstdlib>

namespace mutants {

void log(const sdk::Launch& l) {
  const auto start = reinterpret_cast<uintptr_t>(l.view(0).data);
  if (kMutant && start % sdk::size_of(l.view(0).dtype) != 0) __builtin_trap();
  map(l, [](double x) { return std::log(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<log>("tenon.log")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
