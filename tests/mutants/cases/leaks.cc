// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/leaks.cc: allocates at every launch and frees nothing.
//
// cause: leak
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

#include <cstdlib>
#include <cstring>

namespace mutants {

void* volatile kept = nullptr;

void exp(const sdk::Launch& l) {
  void* block = std::malloc(4096);
  if (block != nullptr) std::memset(block, 1, 4096);
  kept = block;
  map(l, [](double x) { return std::exp(x); });
  if (!kMutant) std::free(block);
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
