// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/list_order.cc: cuts the gradient of a list from its end: every part has the
// right shape and the wrong place.
//
// cause: wrong-gradient
// op: tenon.concat
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// Each input gets its own slice of dy.
void vjp(sdk::Vjp& v) {
  const tenon_meta y = v.out_meta();
  const int32_t axis = sdk::normal_axis(v.attr(0).as.i64, y.rank, "axis");
  int64_t start = 0;
  for (uint32_t item = 0; item < v.in_count(0); ++item) {
    const int64_t size = v.in_meta(0, item).shape[axis];
    const int64_t from = kMutant ? y.shape[axis] - start - size : start;
    v.grad(0, v.call("tenon.slice", {v.dy()}, {axis, from, from + size}), item);
    start += size;
  }
}

constexpr tenon_vjp_need needs[] = {
    sdk::need({.input_metas = sdk::bit(0), .output_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.concat", needs, 1)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
