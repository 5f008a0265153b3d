// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/capture_unsafe.cc: claims to be capture-safe, gets ready in its predicate,
// which a replayed plan does not ask, and does nothing if it is not ready.
//
// cause: replay-differs
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <atomic>

namespace mutants {

std::atomic<const tenon_launch*> ready{nullptr};

tenon_status get_ready(tenon_call*, const tenon_launch* args, uint32_t* out_accepts) {
  ready = args;
  *out_accepts = 1;
  return TENON_OK;
}

void sqrt(const sdk::Launch& l) {
  if (kMutant && ready != &l.launch()) return;
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<sqrt>("tenon.sqrt");
  desc.predicate = get_ready;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
