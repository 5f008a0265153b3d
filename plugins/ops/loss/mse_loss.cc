// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/mse_loss.cc: mse_loss, the mean of squared differences.
//
// y = reduction of (x - target)^2;  dx = dy 2 (x - target) / n.
// Source: PyTorch's `mse_loss`.
#include "loss/difference.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.mse_loss";

constexpr std::string_view doc =
    R"(The squared differences `(x - target)^2`: their mean, with `reduction` "sum" their sum, with
"none" each of them. One operand is broadcast to the other; that both are, as [4,1] and [4] to
[4,4], is refused but for "none". The mean of nothing is NaN.

Gradient: `dx = dy * 2 * (x - target) / n`, with `n` the number of differences for the mean, else 1;
`dtarget = -dx`.

Source: PyTorch, `mse_loss`.

Canonical arithmetic: that of `tenon.sub`, `tenon.mul` and the reduction, in f32 for f16 and bf16,
which are rounded at the end.)";

tenon_tensor* term(sdk::Calls& calls, sdk::Value difference, double) {
  return calls.call("tenon.mul", {difference, difference});
}

tenon_tensor* slope(sdk::Calls& calls, sdk::Value difference, double) {
  return calls.call("tenon.mul", {difference, 2.0});
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "mse_loss(x: T[...], target: T[...], *, reduction: str=\"mean\") -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<loss::infer_difference>,
             .compose = sdk::compose_fn<loss::compose_difference<term>>})};

constexpr tenon_vjp_desc vjps[] = {loss::difference_rule<slope, 1>(name)};

constexpr auto samples = loss::difference_samples(
    name, std::array{
              sdk::sample(name, "f16[3]{300.0,-2.0,6e-8}, f16[3]{1.0,5.0,0.0}"),
              sdk::sample(name, "f32[3]{1e18,-1e18,0.0}, f32[3]{0.0,1.0,1e-3}"),
          });

constexpr auto tolerances = sdk::float_tolerances(
    name, "A difference and a square, each rounded, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {3, 4e-06}, .f64 = {3, 1e-14}});

}  // namespace

TENON_UNIT(mse_loss) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
