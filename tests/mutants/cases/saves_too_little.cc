// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/saves_too_little.cc: declares everything it reads for the second factor's
// gradient and nothing for the first one's: works when both want one, and fails when the first is
// alone.
//
// cause: saves-too-little
// op: tenon.mul
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

constexpr std::string_view name = "tenon.mul";

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call(name, {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call(name, {v.dy(), v.in(0)}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = kMutant ? 0 : sdk::bit(1)}),
                                    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>(name, needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
