// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/memory_misnamed.cc: needs a table to choose its scratch, and calls it a fault
// of Tenon when there is no memory for that: a caller cannot free some and try again.
//
// cause: memory-failure
// op: tenon.exp
// backward-only: no
// level: 3
#include "mutant.h"

#include <cstdlib>

namespace mutants {

tenon_status workspace(tenon_call* call, const tenon_launch*, uint64_t* out_bytes) {
  void* volatile table = std::malloc(4096);  // one that no compiler leaves out
  if (table == nullptr) {
    const tenon_status status = kMutant ? TENON_E_INTERNAL : TENON_E_MEMORY;
    return call->base->fail(call, status, "no memory for the table", TENON_NUL);
  }
  std::free(table);
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
