// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/calls_op_in_launch.cc: calls another op while it is launched, which no
// kernel may, and goes on when the host refuses.
//
// cause: call-state
// op: tenon.sqrt
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void sqrt(const sdk::Launch& l) {
  if (kMutant) {
    const tenon_op* op = l.call()->dispatch->find(l.call(), "tenon.neg", TENON_NUL);
    const sdk::Value number(1.0);
    tenon_tensor* out = nullptr;
    (void)l.call()->dispatch->call(l.call(), op, &number, 1, nullptr, 0, &out, 1);
  }
  map(l, [](double x) { return std::sqrt(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<sqrt>("tenon.sqrt")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
