// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/memory_unchecked.cc: does not look whether an allocation succeeded: a crash
// where memory ran out.
// cause: memory-failure
// op: tenon.exp
// backward-only: no
// level: 3
#include "mutant.h"

#include <cstdlib>

namespace mutants {

tenon_status prepare(tenon_call* call, const tenon_launch*, void** out) {
  auto* table = static_cast<double*>(std::malloc(64 * sizeof(double)));
  if (!kMutant && table == nullptr) {
    return call->base->fail(call, TENON_E_MEMORY, "no memory for the table", TENON_NUL);
  }
  table[0] = 1.0;
  *out = table;
  return TENON_OK;
}

void release(void*, void* table) { std::free(table); }

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<exp>("tenon.exp");
  desc.prepare = prepare;
  desc.release_prepared = release;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
