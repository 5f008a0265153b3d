// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/memory_unchecked.cc: does not look whether an allocation succeeded: a crash
// where memory ran out.
//
// cause: crash
// op: tenon.exp
// backward-only: no
// level: 3
#include "mutant.h"

#include <cstdlib>

namespace mutants {

tenon_status workspace(tenon_call* call, const tenon_launch*, uint64_t* out_bytes) {
  auto* volatile table = static_cast<volatile double*>(std::malloc(4096));
  if (!kMutant && table == nullptr) {
    return call->base->fail(call, TENON_E_MEMORY, "no memory for the table", TENON_NUL);
  }
  table[0] = 1.0;
  std::free(const_cast<double*>(table));
  *out_bytes = 0;
  return TENON_OK;
}

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<exp>("tenon.exp");
  desc.workspace = workspace;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
