// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_through_half.cc: takes the gradients of f32 through f16; those of
// other dtypes are right.
//
// cause: gradient-dtype
// op: tenon.exp
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy y.
void vjp(sdk::Vjp& v) {
  tenon_tensor* dx = v.call("tenon.mul", {v.dy(), v.out()});
  if (kMutant && v.meta(dx).dtype == TENON_DTYPE_F32) {
    tenon_tensor* half = v.call("tenon.cast", {dx}, {sdk::Value::dtype(TENON_DTYPE_F16)});
    dx = v.call("tenon.cast", {half}, {sdk::Value::dtype(TENON_DTYPE_F32)});
  }
  v.grad(0, dx);
}

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.exp", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
