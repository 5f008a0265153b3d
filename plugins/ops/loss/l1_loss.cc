// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/l1_loss.cc: l1_loss, the mean of absolute differences.
//
// y = reduction of |x - target|;  dx = dy sign(x - target) / n.
// Source: PyTorch's `l1_loss`.
#include "loss/difference.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.l1_loss";

constexpr std::string_view doc =
    R"(The absolute differences `|x - target|`: their mean, with `reduction` "sum" their sum, with
"none" each of them. One operand is broadcast to the other; that both are, as [4,1] and [4] to
[4,4], is refused but for "none". The mean of nothing is NaN.

Gradient: `dx = dy * sign(x - target) / n`, 0 where they are equal, with `n` the number of
differences for the mean, else 1; `dtarget = -dx`.

Source: PyTorch, `l1_loss`.

Canonical arithmetic: that of `tenon.sub`, `tenon.abs` and the reduction, in f32 for f16 and bf16,
which are rounded at the end.)";

tenon_tensor* term(sdk::Calls& calls, sdk::Value difference, double) {
  return calls.call("tenon.abs", {difference});
}

tenon_tensor* slope(sdk::Calls& calls, sdk::Value difference, double) {
  return calls.call("tenon.sign", {difference});
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "l1_loss(x: T[...], target: T[...], *, reduction: str=\"mean\") -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<loss::infer_difference>,
             .compose = sdk::compose_fn<loss::compose_difference<term>>})};

constexpr tenon_vjp_desc vjps[] = {loss::difference_rule<slope, 1>(name)};

constexpr auto samples = loss::difference_samples(
    name, std::array{
              sdk::sample(name, "f16[3]{65504.0,60000.0,6e-8}, f16[3]{1.0,-5.0,0.0}"),
              sdk::sample(name, "f32[2]{3e38,1e-45}, f32[2]{1.0,0.0}"),
          });

constexpr auto tolerances = sdk::float_tolerances(
    name, "A rounded difference, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(l1_loss) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
