// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/swapped_gradients.cc: gives each factor the gradient of the other one.
//
// cause: swapped-gradients
// op: tenon.mul
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

constexpr std::string_view name = "tenon.mul";

// da = dy b, db = dy a.
void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call(name, {v.dy(), v.in(kMutant ? 0 : 1)}));
  if (v.wants(1)) v.grad(1, v.call(name, {v.dy(), v.in(kMutant ? 1 : 0)}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(kMutant ? 0 : 1)}),
                                    sdk::need({.inputs = sdk::bit(kMutant ? 1 : 0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>(name, needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
