// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/lookalike_sum.cc: has the backward rule of the sum: the gradient is not
// divided by the number of elements.
//
// cause: gradient-of-another-op
// op: tenon.mean
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy / n, expanded to x's shape.
void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const std::span<const int64_t> shape(x.shape, static_cast<size_t>(x.rank));
  const sdk::Value axes = v.attr(0);
  std::array<int64_t, TENON_MAX_RANK> kept{};
  int64_t n = 1;
  for (int32_t d = 0; d < x.rank; ++d) {
    bool gone = axes.is_none();
    for (uint32_t i = 0; !axes.is_none() && i < axes.count; ++i) {
      gone = gone || sdk::normal_axis(axes.as.ints[i], x.rank, "axes") == d;
    }
    kept[static_cast<size_t>(d)] = gone ? 1 : x.shape[d];
    n *= gone ? x.shape[d] : 1;
  }
  const std::span<const int64_t> kept_shape(kept.data(), shape.size());
  tenon_tensor* dy = v.call("tenon.reshape", {v.dy()}, {kept_shape});
  if (!kMutant) dy = v.call("tenon.div", {dy, static_cast<double>(n)});
  v.grad(0, v.call("tenon.expand", {dy}, {shape}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.mean", needs, 2)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
