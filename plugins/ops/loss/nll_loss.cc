// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/nll_loss.cc: nll_loss, the negative log-likelihood of classes.
//
// y = reduction of -weight[target[n]] x[n, target[n]]; the mean is divided by the sum of these
// weights. A composition, whose gradient is that of its ops.
// Source: PyTorch's `nll_loss`.
#include "loss/class_terms.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.nll_loss";

constexpr std::string_view doc =
    R"(The negative log-likelihood of the target classes, of log-probabilities such as those of
`tenon.log_softmax`: `-weight[target[n]] * x[n, target[n]]`. Classes lie along axis 1 of `x`, in
`[N,C]` or `[N,C,...]`, or along its only one; `target` has the other sizes. Each `target` is a
class, or `ignore_index` for a term of 0; others are refused. Without `weight` all weights are 1.

`reduction` "mean" is the sum of the terms divided by the sum of the weights of the targets that are
not ignored: NaN where that is 0, as without any. "sum" is their sum, "none" each of them, in the
shape of `target`.

Gradient: that of its composition: `dx[n, target[n]] = -weight[target[n]] * dy`, divided by the sum
of the weights for the mean, 0 elsewhere; `weight` has one too, `target` none.

Source: PyTorch, `nll_loss`.

Canonical arithmetic: that of `tenon.mul`, `tenon.sum` and `tenon.div`, in f32 for f16 and bf16,
which are rounded at the end.)";

enum Attribute : uint32_t { kIgnoreIndex, kReduction };

int64_t class_axis(size_t rank) { return rank == 1 ? 0 : 1; }

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> x = args.shape(0);
  const std::span<const int64_t> target = args.shape(1);
  if (x.empty()) {
    throw sdk::Failure{TENON_E_SHAPE, "x has no dimension of classes", "x",
                       "[C], [N,C] or [N,C,...]", "[]"};
  }
  const auto axis = static_cast<size_t>(class_axis(x.size()));
  loss::need_classes(args, x, axis, "x");
  rules::Dims wanted(x.first(axis));
  for (const int64_t size : x.subspan(axis + 1)) wanted.push(size);
  if (!std::ranges::equal(target, wanted.span())) {
    throw sdk::Failure{TENON_E_SHAPE, "target must have the sizes of x without its classes",
                       "target", sdk::shape_text(wanted.span()), sdk::shape_text(target)};
  }
  loss::set_loss_shape(out[0], loss::reduction_of(args.attrs[kReduction]), target);
}

void compose(sdk::Compose& c) {
  const tenon_meta x = c.meta(c.in(0).tensor());
  const auto weight = c.in(2);
  const loss::ClassTerms each = loss::class_terms(
      c, {.log_probabilities = loss::wide_operand(c, c.in(0), x.dtype),
          .target = loss::wide_operand(c, c.in(1), TENON_DTYPE_I64),
          .weight = weight.is_none() ? nullptr : loss::wide_operand(c, weight, x.dtype),
          .ignore_index = c.attrs.integer(kIgnoreIndex),
          .axis = class_axis(static_cast<size_t>(x.rank))});
  tenon_tensor* result = each.terms;
  const loss::Reduction reduction = loss::reduction_of(c.attrs[kReduction]);
  if (reduction != loss::Reduction::None) result = c.call("tenon.sum", {result});
  if (reduction == loss::Reduction::Mean) {
    result = c.call("tenon.div", {result, c.call("tenon.sum", {each.counts})});
  }
  c.set(0, rules::rounded_to(c, result, x.dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "nll_loss(x: T[...], target: i64[...], weight: T[C]?, *, ignore_index: "
                       "int=-100, reduction: str=\"mean\") -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[4,3](-3,0), i64[4]{0,2,1,1}"),
    sdk::sample(name, "f64[4,3](-3,0), i64[4]{0,2,1,1}, f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,3](-3,0), i64[4]{0,-100,2,-100}, f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,3](-3,0), i64[4]{0,-100,2,-100} | reduction=\"sum\""),
    sdk::sample(name, "f64[4,3](-3,0), i64[4]{0,-100,2,-100} | reduction=\"none\""),
    sdk::sample(name, "f64[3,2](-3,0), i64[3]{1,0,1} | ignore_index=1"),
    sdk::sample(name,
                "f64[3,2](-3,0), i64[3]{5,0,1}, f64[2](0.5,2) | ignore_index=5, "
                "reduction=\"none\""),
    sdk::sample(name, "f64[3](-3,0), i64[]{2}"),
    sdk::sample(name, "f64[3](-3,0), i64[]{1}, f64[3](0.5,2) | reduction=\"sum\""),
    sdk::sample(name, "f64[2,3,2,2](-3,0), i64[2,2,2]{0,1,2,0,1,2,-100,1}, f64[3](0.5,2)"),
    sdk::sample(name, "f64[1,3,2](-3,0), i64[1,2]{0,1} | reduction=\"none\""),
    sdk::sample(name, "f64[1,1](-3,0), i64[1]{0}"),
    sdk::sample(name, "f64[2,3](-3,0), i64[2]{-100,-100}"),
    sdk::sample(name, "f64[2,3](-3,0), i64[2]{-100,-100} | reduction=\"sum\""),
    sdk::sample(name, "f64[2,3](-3,0), i64[2]{0,1}, f64[3]{0.0,0.0,1.0}"),
    sdk::sample(name, "f64[3,3](-3,0), i64[3]{0,1,2}, f64[3]{0.0,0.0,1.0}"),
    sdk::sample(name, "f64[0,3], i64[0]"),
    sdk::sample(name, "f64[0,3], i64[0] | reduction=\"sum\""),
    sdk::sample(name, "f64[0,3], i64[0], f64[3] | reduction=\"none\""),
    sdk::sample(name, "f64[7,9](-9,0), i64[7]{8,0,4,4,2,7,1}"),
    sdk::sample(name, "f16[3,10](-9,0), i64[3]{9,0,4}"),
    sdk::sample(name, "bf16[3,2](-9,0), i64[3]{1,0,1}, bf16[2](0.5,2)"),
    sdk::sample(name, "f32[3,2]{-inf,0.0,nan,inf,-1.0,-2.0}, i64[3]{1,-100,0}"),
    sdk::sample(name, "f32[2,2]{-inf,0.0,nan,-1.0}, i64[2]{0,1} | reduction=\"none\""),
    sdk::sample(name, "f32[2,2]{nan,0.0,-1.0,-2.0}, i64[2]{0,1}"),
    sdk::sample(name,
                "f32[2,2]{-3.4028235e38,-1e-45,-1.1754944e-38,0.0}, i64[2]{0,1} | "
                "reduction=\"none\""),
    sdk::sample(name, "f64[1,2]{-1.7976931348623157e308,-5e-324}, i64[1]{0}"),
    sdk::sample(name, "f16[2,2]{-65504.0,-6e-8,-65504.0,-1.0}, i64[2]{0,0}"),
    sdk::refused(name, "f32[2,3], i64[2]{0,3}", TENON_E_DATA, "target holds"),
    sdk::refused(name, "f32[2,3], i64[2]{-1,0}, f32[3]", TENON_E_DATA, "target holds"),
    sdk::refused(name, "f32[2,3], i64[3]", TENON_E_SHAPE, "target must have"),
    sdk::refused(name, "f32[2,3,4], i64[2,3]", TENON_E_SHAPE, "target must have"),
    sdk::refused(name, "f32[], i64[]", TENON_E_SHAPE, "no dimension of classes"),
    sdk::refused(name, "f32[2,0], i64[2]{-100,-100}", TENON_E_SHAPE, "no classes"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, f32[2]", TENON_E_SHAPE, "one number for each class"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, 1.0", TENON_E_SHAPE, "one number for each class"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_DTYPE, "target"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, f64[3]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | reduction=\"median\"", TENON_E_ATTRIBUTE,
                 "reduction names no way"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | ignore_index=0.5", TENON_E_ATTRIBUTE,
                 "ignore_index"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Products, a quotient, and sums in one order or another.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {3, 4e-06}, .f64 = {3, 1e-14}});

}  // namespace

TENON_UNIT(nll_loss) = {.ops = ops, .samples = samples, .tolerances = tolerances};
