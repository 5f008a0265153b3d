// SPDX-License-Identifier: Apache-2.0
// plugins/ops/softmax/softmax_cross_entropy.cc: softmax_cross_entropy, the usual loss of a
// classifier.
//
// y = -(1/R) sum over counted rows n of w[t] ((1 - s) lp[n,t] + s/C sum over c of w[c] lp[n,c] /
// w[t]), t = target[n], lp = log_softmax(logits), R the sum of w[t]. Without weights and smoothing
// s: dlogits = dy/R (softmax(logits) - onehot(target)) in counted rows.
// Source: PyTorch's `cross_entropy`.
#include "loss/class_terms.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.softmax_cross_entropy";

constexpr std::string_view doc =
    R"(The mean negative log-likelihood of the target classes: `y = -(1/R) sum_n
log_softmax(logits)[n, target[n]]`, over the `R` rows whose target is not `ignore_index`.
With no such row the loss and its gradient are 0. A target that is neither a class nor
`ignore_index` is refused.

With `weight` the term of a row is multiplied by the weight of its class, and `R` is the sum of the
counted rows' weights; where that is 0 with a counted row the loss is NaN. With `label_smoothing`
`s`, from 0 to 1, the term is `-(1 - s) * weight[target[n]] * lp[n, target[n]] - s / C * sum_c
weight[c] * lp[n, c]`, with `lp = log_softmax(logits)`. `reduction` "sum" is the sum of the terms,
"none" is each of them, 0 in ignored rows.

The aux outputs are two numbers for each row, ignored rows as well, from which its
probabilities are `exp(logits - top) * top_prob`: `top`, the largest logit (a zero without its
sign), and `top_prob`, the probability of that class. Both are NaN where the row's
probabilities are.

Gradient: `dlogits = dy/R * (softmax(logits) - onehot(target))` in counted rows, 0 in
ignored ones (`tenon.softmax_cross_entropy_grad`); `target` has none. With weights, smoothing or
another reduction than the mean, that of the composition of `tenon.log_softmax` and the terms; then
`weight` has one too.

Source: PyTorch, `cross_entropy`, which is NaN without a counted row. To keep numbers of a
row and not its probabilities: T. Dao's `cross_entropy` of FlashAttention.

Canonical arithmetic: rows as in `tenon.log_softmax`; the terms `-log_softmax(logits)[n,
target[n]]`, 0 in ignored rows, are summed in the order of `tenon.sum` in f32 (f64 for f64)
before any rounding to T, and divided by `R` once. `top_prob` is 1 divided by the row's sum
of powers. With weights, smoothing or another reduction: each step as in the op that does it, in f32
for f16 and bf16.)";

enum Input : uint32_t { kLogits, kTarget, kWeight };
enum Attribute : uint32_t { kIgnoreIndex, kLabelSmoothing, kReduction };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, kLogits, "logits", 2, "[N,C]");
  rules::need_rank(args, kTarget, "target", 1, "[N]");
  const std::span<const int64_t> logits = args.shape(kLogits);
  loss::need_classes(args, logits, 1, "logits");
  const double smoothing = args.attrs.real(kLabelSmoothing);
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "label_smoothing is not between 0 and 1",
                       "label_smoothing", "a number from 0 to 1", std::to_string(smoothing)};
  }
  loss::set_loss_shape(out[0], loss::reduction_of(args.attrs[kReduction]), logits.first(1));
  for (tenon_meta& aux : out.subspan(1)) sdk::set_shape(aux, logits.first(1));
}

// ---- The composition ----------------------------------------------------------------------------

tenon_tensor* over_classes(sdk::Calls& calls, std::string_view op, sdk::Value x) {
  const int64_t axis = 1;
  return calls.call(op, {x}, {sdk::Value(std::span(&axis, 1))});
}

// (1 - s) terms + s/C times the terms of all classes.
tenon_tensor* smoothed(sdk::Calls& calls, const loss::ClassLoss& each, const loss::ClassTerms& rows,
                       double smoothing) {
  sdk::Value all = each.log_probabilities;
  const auto classes = static_cast<double>(calls.meta(all.tensor()).shape[1]);
  if (each.weight != nullptr) all = calls.call("tenon.mul", {all, each.weight});
  all = calls.call("tenon.where", {rows.ignored, 0, over_classes(calls, "tenon.sum", all)});
  all = calls.call("tenon.mul", {all, smoothing / classes});
  tenon_tensor* own = calls.call("tenon.mul", {rows.terms, 1.0 - smoothing});
  return calls.call("tenon.sub", {own, all});
}

// Without a counted row the sum of no terms is divided by 1.
tenon_tensor* mean_of(sdk::Calls& calls, tenon_tensor* terms, const loss::ClassTerms& rows) {
  tenon_tensor* nothing = calls.call("tenon.all", {rows.ignored});
  tenon_tensor* total = calls.call("tenon.sum", {rows.counts});
  total = calls.call("tenon.where", {nothing, 1, total});
  return calls.call("tenon.div", {calls.call("tenon.sum", {terms}), total});
}

tenon_tensor* composed_loss(sdk::Compose& c, tenon_tensor* logits, tenon_dtype dtype) {
  const int64_t rows_shape[] = {c.meta(logits).shape[0], 1};
  tenon_tensor* ignored = c.call("tenon.eq", {c.in(kTarget), c.attrs[kIgnoreIndex]});
  ignored = rules::reshape(c, ignored, rules::Dims(rows_shape));
  // A NaN in an ignored row is in no gradient.
  tenon_tensor* used = c.call("tenon.where", {ignored, 0, logits});
  const sdk::Value weight = c.in(kWeight);
  const loss::ClassLoss each{
      .log_probabilities = c.call("tenon.log_softmax", {used}, {int64_t{1}}),
      .target = c.in(kTarget).tensor(),
      .weight = weight.is_none() ? nullptr : loss::wide_operand(c, weight, dtype),
      .ignore_index = c.attrs.integer(kIgnoreIndex),
      .axis = 1};
  const loss::ClassTerms rows = loss::class_terms(c, each);
  const double smoothing = c.attrs.real(kLabelSmoothing);
  tenon_tensor* terms = smoothing == 0 ? rows.terms : smoothed(c, each, rows, smoothing);
  const loss::Reduction reduction = loss::reduction_of(c.attrs[kReduction]);
  if (reduction == loss::Reduction::Mean) return mean_of(c, terms, rows);
  return loss::reduced(c, terms, reduction);
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(kLogits).tensor()).dtype;
  tenon_tensor* logits = loss::wide_operand(c, c.in(kLogits), dtype);
  c.set(0, rules::rounded_to(c, composed_loss(c, logits, dtype), dtype));
  tenon_tensor* all = c.call("tenon.log_softmax", {logits}, {int64_t{1}});
  tenon_tensor* top_prob = c.call("tenon.exp", {over_classes(c, "tenon.max", all)});
  // A probability of NaN makes the largest logit one too; else this drops the sign of a zero.
  tenon_tensor* nothing = c.call("tenon.mul", {top_prob, 0.0});
  tenon_tensor* top = c.call("tenon.add", {over_classes(c, "tenon.max", logits), nothing});
  c.set(1, rules::rounded_to(c, top, dtype));
  c.set(2, rules::rounded_to(c, top_prob, dtype));
}

// ---- The gradient -------------------------------------------------------------------------------

// What the gradients of top and top_prob add. With a row's probabilities p, the largest of them
// at m: dtop/dlogits = onehot(m), dtop_prob/dlogits = top_prob (onehot(m) - p). Ties share as in
// tenon.max.
tenon_tensor* gradient_of_aux(sdk::Vjp& v) {
  const sdk::Value logits = v.in(0);
  rules::Dims column;
  column.push(v.in_meta(0).shape[0]);
  column.push(1);
  tenon_tensor* top = rules::reshape(v, v.out(1), column);
  sdk::Value of_top = v.dy(1);
  sdk::Value spread;
  if (const sdk::Value dy = v.dy(2); !dy.is_none()) {
    tenon_tensor* slope = v.call("tenon.mul", {dy, v.out(2)});
    of_top = of_top.is_none() ? slope : v.call("tenon.add", {of_top, slope});
    tenon_tensor* powers = v.call("tenon.exp", {v.call("tenon.sub", {logits, top})});
    tenon_tensor* scale = v.call("tenon.mul", {slope, v.out(2)});
    spread = v.call("tenon.mul", {powers, rules::reshape(v, scale, column)});
  }
  tenon_tensor* is_top = v.call("tenon.eq", {logits, top});
  tenon_tensor* ones = v.call("tenon.cast", {is_top}, {sdk::Value::dtype(v.in_meta(0).dtype)});
  tenon_tensor* picked = v.call("tenon.where", {is_top, rules::reshape(v, of_top, column), 0});
  tenon_tensor* own = v.call("tenon.div", {picked, rules::sum_over(v, ones, 1)});
  return spread.is_none() ? own : v.call("tenon.sub", {own, spread});
}

// The aux outputs are outputs like any other when the rule is differentiated again.
void vjp(sdk::Vjp& v) {
  sdk::Value gradient;
  if (const sdk::Value dy = v.dy(0); !dy.is_none()) {
    gradient = v.call("tenon.softmax_cross_entropy_grad",
                      {dy, v.in(0), v.out(1), v.out(2), v.in(1)}, {v.attr(0)});
  }
  if (!v.dy(1).is_none() || !v.dy(2).is_none()) {
    tenon_tensor* own = gradient_of_aux(v);
    gradient = gradient.is_none() ? own : v.call("tenon.add", {gradient, own});
  }
  if (!gradient.is_none()) v.grad(0, gradient);
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "softmax_cross_entropy(logits: T[N,C], target: i64[N], weight: T[C]?, *, "
               "ignore_index: int=-100, label_smoothing: float=0.0, reduction: str=\"mean\") "
               "-> (T[...], aux top: T[N], aux top_prob: T[N]) where T: float",
     .doc = doc,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

// For calls without weight, smoothing and another reduction; the composition serves others.
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1),
               .outputs = sdk::bit(1) | sdk::bit(2),
               .input_metas = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = 3,
                                             .n_attrs = 1,
                                             .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                                             .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[4,3], i64[4]{0,2,1,1}"),
    sdk::sample(name, "f64[4,3], i64[4]{0,-100,2,-100}"),
    sdk::sample(name, "f64[3,2], i64[3]{5,0,1} | ignore_index=5"),
    sdk::sample(name, "f64[1,1], i64[1]{0}"),
    sdk::sample(name, "f64[2,3], i64[2]{-100,-100}"),
    sdk::sample(name, "f64[2,5](-20,20), i64[2]{4,0}"),
    sdk::sample(name, "f32[2,3]{1.0,1.0,-2.0,0.5,0.5,0.5}, i64[2]{0,2}"),
    sdk::sample(name, "f64[0,3], i64[0]"),
    sdk::sample(name, "f64[7,9], i64[7]{8,0,4,4,2,7,1}"),
    sdk::sample(name, "f32[2,3](-1000,1000), i64[2]{2,1}"),
    sdk::sample(name, "f16[3,10], i64[3]{9,0,4}"),
    sdk::sample(name, "f32[2,2]{0.0,-inf,1.0,0.0}, i64[2]{0,1}"),
    sdk::sample(name, "f32[2,2]{nan,0.0,1.0,0.0}, i64[2]{0,1}"),
    sdk::sample(name, "f32[2,2]{3.4028235e38,3.4028235e38,1e-45,1.1754944e-38}, i64[2]{1,0}"),
    sdk::sample(name, "f64[1,2]{1.7976931348623157e308,1.7976931348623157e308}, i64[1]{0}"),
    sdk::sample(name, "f16[2,2]{65504.0,-65504.0,6e-8,6.1035e-5}, i64[2]{0,1}"),
    sdk::sample(name, "bf16[1,2]{9.2e-41,3.39e38}, i64[1]{1}"),
    sdk::sample(name, "f64[4,3], i64[4]{0,2,1,1}, f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,3], i64[4]{0,-100,2,-100}, f64[3](0.5,2) | label_smoothing=0.125"),
    sdk::sample(name, "f64[4,3], i64[4]{0,-100,2,-100} | label_smoothing=0.25"),
    sdk::sample(name, "f64[4,3], i64[4]{0,-100,2,-100} | reduction=\"sum\""),
    sdk::sample(name, "f64[4,3], i64[4]{0,-100,2,-100} | reduction=\"none\""),
    sdk::sample(name,
                "f64[3,2], i64[3]{5,0,1}, f64[2](0.5,2) | ignore_index=5, label_smoothing=0.5, "
                "reduction=\"none\""),
    sdk::sample(name, "f64[3,2], i64[3]{1,0,1} | label_smoothing=1.0, reduction=\"sum\""),
    sdk::sample(name, "f64[2,3], i64[2]{-100,-100}, f64[3](0.5,2) | label_smoothing=0.25"),
    sdk::sample(name, "f64[2,3], i64[2]{-100,-100} | reduction=\"none\""),
    sdk::sample(name, "f64[3,3], i64[3]{0,1,2}, f64[3]{0.0,0.0,1.0}"),
    sdk::sample(name, "f64[2,3], i64[2]{0,1}, f64[3]{0.0,0.0,1.0}"),
    sdk::sample(name, "f64[0,3], i64[0], f64[3]"),
    sdk::sample(name, "f64[0,3], i64[0] | reduction=\"none\""),
    sdk::sample(name, "f32[7,9](-20,20), i64[7]{8,0,4,4,2,7,1}, f32[9](0,2) | label_smoothing=0.1"),
    sdk::sample(name, "f16[3,10], i64[3]{9,0,4}, f16[10](0.5,2) | label_smoothing=0.125"),
    sdk::sample(name, "bf16[3,2], i64[3]{1,0,1} | label_smoothing=0.125, reduction=\"none\""),
    sdk::sample(name,
                "f32[3,2]{nan,0.0,1.0,0.0,inf,0.0}, i64[3]{-100,1,-100}, f32[2](0.5,2) | "
                "label_smoothing=0.5"),
    sdk::sample(name,
                "f32[3,2]{0.0,-inf,nan,0.0,1000.0,-1000.0}, i64[3]{0,0,1} | reduction=\"none\""),
    sdk::refused(name, "f32[2,3], i64[2]{0,3}", TENON_E_DATA, "target"),
    sdk::refused(name, "f32[2,3], i64[2]{0,3}, f32[3]", TENON_E_DATA, "target holds"),
    sdk::refused(name, "f32[2,3], i64[2]{0,-1} | reduction=\"sum\"", TENON_E_DATA, "target holds"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, f32[2]", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, 1.0", TENON_E_SHAPE, "one number for each class"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0}, f64[3]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | label_smoothing=1.5", TENON_E_ATTRIBUTE,
                 "label_smoothing is not"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | label_smoothing=nan", TENON_E_ATTRIBUTE,
                 "label_smoothing is not"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | reduction=\"median\"", TENON_E_ATTRIBUTE,
                 "reduction names no way"),
    sdk::refused(name, "f32[2,3], i64[2]{-1,0}", TENON_E_DATA, "target"),
    sdk::refused(name, "f32[2,3], i64[3]", TENON_E_SHAPE, "target"),
    sdk::refused(name, "f32[3], i64[3]", TENON_E_SHAPE, "logits"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_DTYPE, "target"),
    sdk::refused(name, "i32[2,3], i64[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,0], i64[2]{-100,-100}", TENON_E_SHAPE, "no classes"),
    sdk::refused(name, "f32[1,3], 0", TENON_E_SHAPE, "target must have"),
    sdk::refused(name, "f32[2,3], i64[2]{0,0} | ignore_index=0.5", TENON_E_ATTRIBUTE,
                 "ignore_index"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The sum of powers depends on its order, and exp and log are the C library's.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(softmax_cross_entropy) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
