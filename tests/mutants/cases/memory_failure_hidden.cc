// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/memory_failure_hidden.cc: goes on when an op it calls fails, and then sets
// no gradient: where memory ran out the gradient is zero, and nobody hears of it.
//
// cause: memory-failure
// op: tenon.exp
// backward-only: yes
// level: 3
#include "mutant.h"

namespace mutants {

// dx = dy y.
void vjp(sdk::Vjp& v) {
  try {
    v.grad(0, v.call("tenon.mul", {v.dy(), v.out()}));
  } catch (const sdk::HostFailed& failed) {
    if (!kMutant || failed.status != TENON_E_MEMORY) throw;
  }
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.exp", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
