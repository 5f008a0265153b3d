// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/capture_unsafe.cc: claims to be capture-safe, does nothing for an output that
// it wrote last, and forgets that in its workspace callback, which a replayed plan does not call.
//
// cause: replay-differs
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <atomic>

namespace mutants {

std::atomic<const void*> written{nullptr};

uint64_t forget(const sdk::Args&) {
  written = nullptr;
  return 0;
}

void sqrt(const sdk::Launch& l) {
  if (written.exchange(l.out().data) == l.out().data && kMutant) return;
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<sqrt>("tenon.sqrt");
  desc.workspace = sdk::workspace_fn<forget>;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
