// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/capture_unsafe.cc: claims to be capture-safe, gets ready in its workspace
// callback, which a replayed plan does not call, and does nothing where it is not ready.
//
// cause: replay-differs
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

#include <atomic>

namespace mutants {

std::atomic<const tenon_launch*> ready{nullptr};

uint64_t get_ready(const sdk::Args& args) {
  ready = &args.launch();
  return 0;
}

void sqrt(const sdk::Launch& l) {
  if (kMutant && ready != &l.launch()) return;
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<sqrt>("tenon.sqrt");
  desc.workspace = sdk::workspace_fn<get_ready>;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
