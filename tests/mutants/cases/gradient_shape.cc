// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_shape.cc: expands the gradient without putting back the dimensions
// that were summed: a gradient of another shape, or none.
//
// cause: gradient-refused
// op: tenon.sum
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dx = dy, expanded to x's shape over the dimensions that were summed.
void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const std::span<const int64_t> shape(x.shape, static_cast<size_t>(x.rank));
  if (kMutant) return v.grad(0, v.call("tenon.expand", {v.dy()}, {shape}));
  const sdk::Value axes = v.attr(0);
  std::array<int64_t, TENON_MAX_RANK> kept{};
  for (int32_t d = 0; d < x.rank; ++d) {
    bool gone = axes.is_none();
    for (uint32_t i = 0; !axes.is_none() && i < axes.count; ++i) {
      gone = gone || sdk::normal_axis(axes.as.ints[i], x.rank, "axes") == d;
    }
    kept[static_cast<size_t>(d)] = gone ? 1 : x.shape[d];
  }
  const std::span<const int64_t> kept_shape(kept.data(), shape.size());
  tenon_tensor* dy = v.call("tenon.reshape", {v.dy()}, {kept_shape});
  v.grad(0, v.call("tenon.expand", {dy}, {shape}));
}

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sum", needs, 2)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
