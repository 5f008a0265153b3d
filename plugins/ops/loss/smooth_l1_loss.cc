// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/smooth_l1_loss.cc: smooth_l1_loss, sizes of differences, rounded off around 0.
//
// y = reduction of d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, with d = x - target;
// dx = dy min(max(d, -beta), beta) / (beta n), and dy sign(d) / n with beta 0.
// Source: R. Girshick, "Fast R-CNN", 2015; PyTorch's `smooth_l1_loss`.
#include "loss/difference.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.smooth_l1_loss";

constexpr std::string_view doc =
    R"(With `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, else `|d| - beta / 2`; of these
the mean, with `reduction` "sum" the sum, with "none" each of them. It is `tenon.huber_loss` divided
by `delta`; with `beta` 0 it is `tenon.l1_loss`. One operand is broadcast to the other; that both
are, as [4,1] and [4] to [4,4], is refused but for "none". The mean of nothing is NaN. `beta` is
finite and 0 or more.

Gradient: `dx = dy * min(max(d, -beta), beta) / beta / n`, and `dy * sign(d) / n` with `beta` 0,
with `n` the number of differences for the mean, else 1; `dtarget = -dx`.

Source: R. Girshick, "Fast R-CNN", 2015; PyTorch, `smooth_l1_loss`.

Canonical arithmetic: each term as in `tenon.huber_loss`, divided by `beta`; then the reduction; in
f32 for f16 and bf16, which are rounded at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  loss::need_positive(args.attrs, 1, "beta", true);
  loss::infer_difference(args, out);
}

tenon_tensor* term(sdk::Calls& calls, sdk::Value difference, double beta) {
  if (beta == 0) return calls.call("tenon.abs", {difference});
  return calls.call("tenon.div", {loss::bent_term(calls, difference, beta), beta});
}

tenon_tensor* slope(sdk::Calls& calls, sdk::Value difference, double beta) {
  if (beta == 0) return calls.call("tenon.sign", {difference});
  return calls.call("tenon.div", {loss::bent_slope(calls, difference, beta), beta});
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "smooth_l1_loss(x: T[...], target: T[...], *, reduction: str=\"mean\", "
                       "beta: float=1.0) -> T[...] where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<loss::compose_difference<term>>})};

constexpr tenon_vjp_desc vjps[] = {loss::difference_rule<slope, 2>(name)};

constexpr auto samples = loss::difference_samples(
    name,
    std::array{
        sdk::sample(name, "f64[2,3], f64[2,3] | reduction=\"sum\", beta=0.5"),
        sdk::sample(name, "f64[2,3], f64[2,3] | reduction=\"none\", beta=0.25"),
        sdk::sample(name, "f64[2,3](-3,3), f64[3] | beta=0.0"),
        sdk::sample(name, "f64[], f64[] | beta=3.0"),
        sdk::sample(name, "f64[1,1], f64[1] | beta=1e-3"),
        sdk::sample(name, "f16[3]{300.0,-2.0,6e-8}, f16[3]{1.0,5.0,0.0} | beta=150.0"),
        sdk::sample(name, "bf16[3], bf16[3] | beta=0.5"),
        sdk::sample(name, "f32[2]{1e38,-3e37}, f32[2]{0.0,1.0}"),
        sdk::refused(name, "f32[2], f32[2] | beta=-1.0", TENON_E_ATTRIBUTE, "beta is negative"),
        sdk::refused(name, "f32[2], f32[2] | beta=inf", TENON_E_ATTRIBUTE, "no finite number"),
        sdk::refused(name, "f32[2], f32[2] | beta=nan", TENON_E_ATTRIBUTE, "no finite number"),
    });

constexpr auto tolerances = sdk::float_tolerances(
    name, "Five rounded steps, beta rounded to T, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {5, 4e-06}, .f64 = {5, 1e-14}});

}  // namespace

TENON_UNIT(smooth_l1_loss) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
