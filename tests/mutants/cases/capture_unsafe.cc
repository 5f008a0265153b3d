// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/capture_unsafe.cc: claims to be capture-safe, but its workspace callback
// prepares each launch, and a replayed plan does not call that again.
// cause: replay-differs
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <atomic>

namespace mutants {

std::atomic<bool> ready{false};

uint64_t get_ready(const sdk::Args&) {
  ready = true;
  return 0;
}

void sqrt(const sdk::Launch& l) {
  const bool now = ready.exchange(false) || !kMutant;
  map(l, [&](double x) { return now ? std::sqrt(x) : 0.0; });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<sqrt>("tenon.sqrt");
  desc.workspace = sdk::workspace_fn<get_ready>;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
