// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/huber_loss.cc: huber_loss, squares of small differences and sizes of large ones.
//
// y = reduction of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = x - target;
// dx = dy min(max(d, -delta), delta) / n.
// Source: P. Huber, "Robust Estimation of a Location Parameter", 1964; PyTorch's `huber_loss`.
#include "loss/difference.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.huber_loss";

constexpr std::string_view doc =
    R"(With `d = x - target`: `d^2 / 2` where `|d| <= delta`, else `delta * (|d| - delta / 2)`; of
these the mean, with `reduction` "sum" the sum, with "none" each of them. One operand is broadcast
to the other; that both are, as [4,1] and [4] to [4,4], is refused but for "none". The mean of
nothing is NaN. `delta` is finite and above 0.

Gradient: `dx = dy * min(max(d, -delta), delta) / n`, with `n` the number of differences for the
mean, else 1; `dtarget = -dx`.

Source: P. Huber, "Robust Estimation of a Location Parameter", 1964; PyTorch, `huber_loss`.

Canonical arithmetic: `c * (|d| - c * 0.5)` with `c = minimum(|d|, delta)` and the reduction, in the
arithmetic of the ops of that name, in f32 for f16 and bf16, which are rounded at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  loss::need_positive(args.attrs, 1, "delta", false);
  loss::infer_difference(args, out);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "huber_loss(x: T[...], target: T[...], *, reduction: str=\"mean\", delta: "
                       "float=1.0) -> T[...] where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<loss::compose_difference<loss::bent_term>>})};

constexpr tenon_vjp_desc vjps[] = {loss::difference_rule<loss::bent_slope, 2>(name)};

constexpr auto samples = loss::difference_samples(
    name, std::array{
              sdk::sample(name, "f64[2,3], f64[2,3] | reduction=\"sum\", delta=0.5"),
              sdk::sample(name, "f64[2,3], f64[2,3] | reduction=\"none\", delta=0.25"),
              sdk::sample(name, "f64[], f64[] | delta=1e30"),
              sdk::sample(name, "f64[1,1], f64[1] | delta=1e-3"),
              sdk::sample(name, "f16[3]{300.0,-2.0,6e-8}, f16[3]{1.0,5.0,0.0} | delta=150.0"),
              sdk::sample(name, "bf16[3], bf16[3] | delta=0.5"),
              sdk::sample(name, "f32[2]{1e38,-3e37}, f32[2]{0.0,1.0}"),
              sdk::refused(name, "f32[2], f32[2] | delta=0.0", TENON_E_ATTRIBUTE, "delta is not"),
              sdk::refused(name, "f32[2], f32[2] | delta=-1.0", TENON_E_ATTRIBUTE, "delta is not"),
              sdk::refused(name, "f32[2], f32[2] | delta=inf", TENON_E_ATTRIBUTE, "delta is not"),
              sdk::refused(name, "f32[2], f32[2] | delta=nan", TENON_E_ATTRIBUTE, "delta is not"),
          });

constexpr auto tolerances = sdk::float_tolerances(
    name, "Four rounded steps, delta rounded to T, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {4, 4e-06}, .f64 = {4, 1e-14}});

}  // namespace

TENON_UNIT(huber_loss) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
