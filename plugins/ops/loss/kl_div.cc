// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/kl_div.cc: kl_div, the Kullback-Leibler divergence of a target from log x.
//
// y = reduction of target (log(target) - x), or of exp(target) (target - x) with log_target.
// A composition, whose gradient is that of its ops.
// Source: PyTorch's `kl_div`.
#include "loss/reduction.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.kl_div";

constexpr std::string_view doc =
    R"(The terms `target * (log(target) - x)` of the Kullback-Leibler divergence of probabilities
`target` from those whose logarithms `x` are, with `0 * log(0)` taken as 0. With `log_target` the
target is a logarithm too: `exp(target) * (target - x)`. One operand is broadcast to the other; that
both are, as [4,1] and [4] to [4,4], is refused but for `reduction` "none".

`reduction` "mean" is the mean of all terms, NaN of nothing; "sum" is the divergence; "batchmean" is
the sum divided by the first size of the terms, the divergence of one sample; "none" is each term.

Gradient: that of its composition: `dx = -target * dy` and `dtarget = (log(target) - x + 1) * dy`,
where `target` is 0 `-x * dy`; with `log_target`, `dx = -exp(target) * dy` and `dtarget =
exp(target) * (target - x + 1) * dy`; divided as the loss is.

Source: S. Kullback, R. Leibler, "On Information and Sufficiency", 1951; PyTorch, `kl_div`.

Canonical arithmetic: that of `tenon.log` or `tenon.exp`, `tenon.sub`, `tenon.mul` and the
reduction, in f32 for f16 and bf16, which are rounded at the end.)";

enum Attribute : uint32_t { kReduction, kLogTarget };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const loss::Reduction reduction = loss::reduction_of(args.attrs.text(kReduction), true);
  loss::set_loss_shape(out[0], reduction, loss::terms_shape(args, reduction).span());
}

// target (log(target) - x). At 0 the logarithm is that of 1, which is cut off from the gradient.
tenon_tensor* terms_of(sdk::Calls& calls, tenon_tensor* x, tenon_tensor* target) {
  tenon_tensor* zero = calls.call("tenon.eq", {target, 0});
  tenon_tensor* logarithm = calls.call("tenon.log", {calls.call("tenon.where", {zero, 1, target})});
  return calls.call("tenon.mul", {target, calls.call("tenon.sub", {logarithm, x})});
}

tenon_tensor* terms_of_logarithm(sdk::Calls& calls, tenon_tensor* x, tenon_tensor* target) {
  tenon_tensor* difference = calls.call("tenon.sub", {target, x});
  return calls.call("tenon.mul", {calls.call("tenon.exp", {target}), difference});
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = loss::dtype_of(c, {c.in(0), c.in(1)});
  tenon_tensor* x = loss::wide_operand(c, c.in(0), dtype);
  tenon_tensor* target = loss::wide_operand(c, c.in(1), dtype);
  tenon_tensor* terms =
      c.attrs.flag(kLogTarget) ? terms_of_logarithm(c, x, target) : terms_of(c, x, target);
  const loss::Reduction reduction = loss::reduction_of(c.attrs.text(kReduction), true);
  c.set(0, rules::rounded_to(c, loss::reduced(c, terms, reduction), dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "kl_div(x: T[...], target: T[...], *, reduction: str=\"mean\", log_target: "
                       "bool=false) -> T[...] where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](0.1,1)"),
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](0.1,1) | reduction=\"sum\""),
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](0.1,1) | reduction=\"batchmean\""),
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](0.1,1) | reduction=\"none\""),
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](-3,0) | log_target=true"),
    sdk::sample(name, "f64[3,2](-3,0), f64[2](-3,0) | reduction=\"batchmean\", log_target=true"),
    sdk::sample(name, "f64[2,3](-3,0), f64[2,3](-3,0) | reduction=\"none\", log_target=true"),
    sdk::sample(name, "f64[2,1,3,2](-3,0), f64[2,3,1](0.1,1) | reduction=\"none\""),
    sdk::sample(name, "f64[](-3,0), f64[](0.1,1) | reduction=\"batchmean\""),
    sdk::sample(name, "f64[1,1](-3,0), f64[1](0.1,1)"),
    sdk::sample(name, "f64[4](-3,0), 0.25"),
    sdk::sample(name, "-2, f64[4,1](0.1,1) | reduction=\"sum\""),
    sdk::sample(name, "f64[0,3], f64[0,3](0.1,1)"),
    sdk::sample(name, "f64[0,3], f64[0,3](0.1,1) | reduction=\"sum\""),
    sdk::sample(name, "f64[0,3], f64[3](0.1,1) | reduction=\"batchmean\""),
    sdk::sample(name, "f64[0,3], f64[3] | reduction=\"none\", log_target=true"),
    sdk::sample(name, "f32[60](-3,0), f32[60](0.1,1)"),
    sdk::sample(name, "f32[3](-3,0), f16[3](0.1,1)"),
    sdk::sample(name, "f16[3]{-9.0,-2.0,-6e-8}, f16[3]{0.5,1.0,0.001}"),
    sdk::sample(name, "bf16[3](-3,0), bf16[3](0.1,1) | reduction=\"none\""),
    sdk::sample(name,
                "f32[8]{-1.0,-inf,-inf,nan,-2.0,-1.0,-1.0,0.0}, "
                "f32[8]{0.0,0.0,0.5,0.5,nan,inf,-1.0,-0.0} | reduction=\"none\""),
    sdk::sample(name,
                "f32[6]{-1.0,-inf,-1.0,nan,inf,0.0}, f32[6]{-inf,-1.0,inf,-1.0,0.0,nan} | "
                "reduction=\"none\", log_target=true"),
    sdk::sample(name,
                "f32[4]{-3.4028235e38,-1.0,-1e-45,1.0}, f32[4]{0.5,1.1754944e-38,1.0,1e-38} | "
                "reduction=\"none\""),
    sdk::sample(name, "f64[2]{-1.7976931348623157e308,-1.0}, f64[2]{0.5,1e-300}"),
    sdk::refused(name, "f32[4,1], f32[4]", TENON_E_SHAPE, "would both be repeated"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "do not broadcast"),
    sdk::refused(name, "f32[2], f32[2] | reduction=\"median\"", TENON_E_ATTRIBUTE,
                 "reduction names no way"),
    sdk::refused(name, "f32[2], f32[2] | log_target=1", TENON_E_ATTRIBUTE, "log_target"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "A logarithm or an exponential, a difference that may cancel, and sums in one order or "
    "another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {5, 4e-06}, .f64 = {5, 1e-14}});

}  // namespace

TENON_UNIT(kl_div) = {.ops = ops, .samples = samples, .tolerances = tolerances};
