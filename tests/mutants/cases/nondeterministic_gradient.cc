// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/nondeterministic_gradient.cc: divides by the input in one backward and
// multiplies by its reciprocal in the next: the last bits change from run to run.
//
// cause: nondeterministic
// op: tenon.log
// backward-only: yes
// level: 1
#include "mutant.h"

#include <atomic>

namespace mutants {

std::atomic<uint32_t> runs{0};

// dx = dy / x.
void vjp(sdk::Vjp& v) {
  if (kMutant && runs.fetch_add(1) % 2 == 1) {
    return v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.div", {1.0, v.in(0)})}));
  }
  v.grad(0, v.call("tenon.div", {v.dy(), v.in(0)}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.log", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
