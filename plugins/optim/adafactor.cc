// SPDX-License-Identifier: Apache-2.0
// plugins/optim/adafactor.cc: Adafactor: Adam's step sizes from means of rows and of columns alone.
//
// With g the gradient, p the parameter, t the number of steps, this one counted, and rms(x) the
// root of the mean of the squares of all elements:
//
//   w = t^beta2_decay
//   a = max(eps2, rms(p)) * min(lr, 1 / sqrt(t))
//   p = (1 - lr * weight_decay) * p
//   r = (1 - w) * r + w * (mean of g * g over each row)
//   c = (1 - w) * c + w * (mean of g * g over each column)
//   v = r * c / max(mean of r over the rows, eps1)      of a vector or a number: v = r
//   u = g / max(sqrt(v), eps1)
//   p = p - a / max(1, rms(u) / clip_threshold) * u
//
// Rows and columns are those of the last two dimensions. Of a vector each element is a row, so that
// r is the mean of its squares, and c is not used.
//
// Source: N. Shazeer, M. Stern, "Adafactor: adaptive learning rates with sublinear memory cost",
// ICML 2018, algorithms 4 and 5; in the form of torch.optim.Adafactor, which has lr as the largest
// relative step, and eps1 in the divisors in place of the squares.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 parameters and f64 for f64; scalars in
// f64, each rounded to C once; means and roots of means from sums in C; each operation rounded by
// itself. A 16-bit value is rounded where it is stored.
#include <tenon/ext/draft/optimizers.h>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

#include "compose.hpp"
#include "rule.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr Hyper kHypers[] = {
    learning_rate(1e-2, "largest step, as a share of the parameter"),
    {"beta2_decay", "power of t that is the share of new squares in the means", -0.8, -kLargest, 0},
    {"eps1", "least divisor; 0: from 1 to the next number of the parameter's dtype"},
    {"eps2", "least size of a parameter that steps are a share of", 1e-3},
    {"clip_threshold", "largest root mean square of a direction, d", 1, 1},
    decoupled_decay(0),
};
constexpr State kStates[] = {
    {"row_var", "running mean of each row's squared gradients, r; of a vector, of each element's",
     Form::PerRow},
    {"col_var", "running mean of each column's squared gradients, c; of a vector, unused",
     Form::PerColumn},
};
constexpr Rule kRule = {
    .name = "tenon.adafactor",
    .doc =
        "Adafactor, as torch.optim.Adafactor: of a matrix it keeps a number for each row and each "
        "column. Rows of sparse gradients are made dense.",
    .hypers = kHypers,
    .states = kStates,
    .has_rows = false,
    .by_element = false};

// From 1 to the next number of the dtype.
double epsilon_of(tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return 0x1p-10;
    case TENON_DTYPE_BF16:
      return 0x1p-7;
    case TENON_DTYPE_F32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

class Factored : public Update<false> {
 public:
  Factored(sdk::Compose& calls, uint32_t item) : Update(calls, 2, item), calls_(calls) {}

  // By one dimension, counted from the last, which stays as 1. Of nothing it is 0.
  sdk::Value mean_over(sdk::Value x, int64_t axis) {
    const tenon_meta meta = calls_.meta(x.tensor());
    const std::span<const int64_t> axes(&axis, 1);
    return divided(calls_.call("tenon.sum", {x}, {axes, true}), meta.shape[meta.rank + axis]);
  }
  // f64, rank 0.
  sdk::Value root_mean_square(sdk::Value x) {
    const tenon_meta meta = calls_.meta(x.tensor());
    const int64_t count = sdk::count_of({meta.shape, static_cast<size_t>(meta.rank)});
    const sdk::Value mean = divided(call("tenon.sum", mul(x, x)), count);
    return cast(call("tenon.sqrt", mean), TENON_DTYPE_F64);
  }
  sdk::Value largest(sdk::Value a, sdk::Value b) { return calls_.call("tenon.maximum", {a, b}); }

 private:
  sdk::Value divided(sdk::Value sum, int64_t count) {
    return div(sum, static_cast<double>(std::max<int64_t>(count, 1)));
  }

  sdk::Compose& calls_;
};

// v, from both means with g in them.
sdk::Value variance(Factored& u, const Factored::Held& rows, const Factored::Held& columns,
                    sdk::Value g, sdk::Value share, double eps, bool matrix) {
  const sdk::Value kept = u.to_c(u.sub(1.0, share)), fresh = u.to_c(share);
  const sdk::Value squares = u.mul(g, g);
  u.scale(rows, kept);
  u.add_product(rows, matrix ? u.mean_over(squares, -1) : squares, fresh, 1.0);
  if (!matrix) return rows.now;
  u.scale(columns, kept);
  u.add_product(columns, u.mean_over(squares, -2), fresh, 1.0);
  return u.div(u.mul(rows.now, columns.now), u.largest(u.mean_over(rows.now, -2), eps));
}

void compose(sdk::Compose& c) {
  const double weight_decay = c.attrs.real(kAttr<kRule, "weight_decay">);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    Factored u(c, item);
    const auto p = u.hold_param(), rows = u.hold_state(0), columns = u.hold_state(1);
    const sdk::Value g = u.grad();
    const tenon_meta meta = c.meta(c.in(0).as.tensors[item]);
    const double given = c.attrs.real(kAttr<kRule, "eps1">);
    const double eps = given == 0 ? epsilon_of(meta.dtype) : given;
    const sdk::Value t = u.add(u.cast(u.step(), TENON_DTYPE_F64), 1.0);
    const sdk::Value relative =
        c.call("tenon.minimum", {u.lr(), u.div(1.0, u.call("tenon.sqrt", t))});
    const sdk::Value size =
        u.mul(u.largest(u.root_mean_square(p.now), c.attrs.real(kAttr<kRule, "eps2">)), relative);
    const sdk::Value share = c.call("tenon.pow", {t, c.attrs.real(kAttr<kRule, "beta2_decay">)});
    const sdk::Value v = variance(u, rows, columns, g, share, eps, meta.rank >= 2);
    const sdk::Value way = u.div(g, u.largest(u.call("tenon.sqrt", v), eps));
    const sdk::Value excess =
        u.div(u.root_mean_square(way), c.attrs.real(kAttr<kRule, "clip_threshold">));
    const sdk::Value back = u.call("tenon.neg", u.div(size, u.largest(excess, 1.0)));
    if (weight_decay != 0) u.scale(p, u.to_c(u.sub(1.0, u.mul(u.lr(), weight_decay))));
    u.add_product(p, way, u.to_c(back), 1.0);
    u.keep(rows);
    u.keep(columns);
    u.keep(p);
    u.count_step();
  }
}

constexpr std::string_view kName = kStepName<kRule>;

constexpr tenon_op_desc kOps[] = {
    step_op<kRule, compose>(R"(One step of Adafactor on each parameter, in place.

    t = t + 1
    w = t^beta2_decay
    a = max(eps2, rms(p)) * min(lr, 1 / sqrt(t))
    p = (1 - lr * weight_decay) * p
    r = (1 - w) * r + w * (mean of g * g over each row)
    c = (1 - w) * c + w * (mean of g * g over each column)
    v = r * c / max(mean of r over the rows, eps1)      of a vector or a number: v = r
    u = g / max(sqrt(v), eps1)
    p = p - a / max(1, rms(u) / clip_threshold) * u

`rms` is the root of the mean of all squares. Rows and columns are those of the last two dimensions:
beside `p` [...,M,N] stand `row_var`, r, [...,M,1] and `col_var`, c, [...,1,N]. Of a vector or a
number `row_var` has the shape of `p`, and `col_var`, of rank 0, is not used. An `eps1` of 0 stands
for the distance from 1 to the next number of the dtype of `p`.

The means are those of whole rows, so there is no op for some of them. Each entry of `step` is the
t of its parameter and is advanced by one.

Source: Shazeer and Stern, ICML 2018, in the form of `torch.optim.Adafactor`.
Arithmetic: f32 for 16-bit and f32 parameters, f64 for f64; each operation rounded by itself.)")};

constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};

constexpr tenon_sample kSamples[] = {
    sdk::sample(kName,
                "[f32[3,2]], [f32[3,2]], [f32[3,1](0,1)], [f32[1,2](0,1)], [i64[]{0}], f64[]{0.1}"),
    sdk::sample(kName,
                "[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]], [f32[2,3,1](0,1), f32[5](0,1)], "
                "[f32[2,1,4](0,1), f32[]{0.0}], [i64[]{3}, i64[]{20}], f64[]{0.01} | "
                "beta2_decay=-0.5, weight_decay=0.1"),
    sdk::sample(kName,
                "[f64[4]], [f64[4]], [f64[4](0,1)], [f64[]{0.0}], [i64[]{1}], f64[]{2.0} | "
                "clip_threshold=1.5"),
    sdk::sample(kName,
                "[f64[2,2]], [f64[2,2]], [f64[2,1](0,1)], [f64[1,2](0,1)], [i64[]{7}], f64[]{0.05} "
                "| eps1=0.5, eps2=2.0"),
    sdk::sample(kName,
                "[f64[2,3]], [f64[2,3]{0.0,0.0,0.0,0.0,0.0,0.0}], [f64[2,1]{0.0,0.0}], "
                "[f64[1,3]{0.0,0.0,0.0}], [i64[]{0}], f64[]{0.05}"),
    sdk::sample(kName,
                "[bf16[4,1]], [bf16[4,1]], [f32[4,1](0,1)], [f32[1,1](0,1)], [i64[]{1}], "
                "f64[]{0.5}"),
    sdk::sample(kName,
                "[f16[], f16[0,2]], [f16[], f16[0,2]], [f16[](0,1), f16[0,1]], [f16[]{0.0}, "
                "f16[1,2]{0.0,0.0}], [i64[]{1}, i64[]{2}], f64[]{0.1}"),
    sdk::sample(kName, "[], [], [], [], [], f64[]{0.1}"),
    sdk::sample(kName,
                "[f32[2,1,3,2]], [f32[2,1,3,2]], [f32[2,1,3,1](0,1)], [f32[2,1,1,2](0,1)], "
                "[i64[]{4}], f64[]{0.05} | weight_decay=0.1"),
    sdk::refused(kName, "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [], f64[]{0.1}",
                 TENON_E_ARGUMENT, "step has 0 tensors for 1 parameters"),
    sdk::refused(kName,
                 "[f32[3,2]], [f32[2,3]], [f32[3,1](0,1)], [f32[1,2](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "grads[0]"),
    sdk::refused(kName,
                 "[f32[3,2]], [f32[3,2]], [f32[3,2](0,1)], [f32[1,2](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "row_var[0] has the wrong shape: expected [3,1]"),
    sdk::refused(kName,
                 "[f32[3,2]], [f32[3,2]], [f32[3,1](0,1)], [f32[2](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "col_var[0] has the wrong shape: expected [1,2]"),
    sdk::refused(kName, "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[1](0,1)], [i64[]{0}], f64[]{0.1}",
                 TENON_E_SHAPE, "col_var[0] has the wrong shape: expected []"),
    sdk::refused(kName, "[f32[3]], [f64[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "grads"),
    sdk::refused(kName, "[i32[3]], [i32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1}",
                 TENON_E_DTYPE, "i32"),
    sdk::refused(kName, "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}]",
                 TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(kName,
                 "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1} | "
                 "beta2_decay=0.5",
                 TENON_E_ATTRIBUTE, "beta2_decay must be at most 0"),
    sdk::refused(
        kName,
        "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1} | eps1=-1.0",
        TENON_E_ATTRIBUTE, "eps1 must be at least 0"),
    sdk::refused(
        kName, "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1} | eps2=nan",
        TENON_E_ATTRIBUTE, "eps2 must be at least 0"),
    sdk::refused(kName,
                 "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1} | "
                 "clip_threshold=0.5",
                 TENON_E_ATTRIBUTE, "clip_threshold must be at least 1"),
    sdk::refused(kName,
                 "[f32[3]], [f32[3]], [f32[3](0,1)], [f32[]{0.0}], [i64[]{0}], f64[]{0.1} | "
                 "weight_decay=-1.0",
                 TENON_E_ATTRIBUTE, "weight_decay must be at least 0")};

constexpr tenon_optimizer_sample kOptimizerSamples[] = {
    sdk::optimizer_sample("tenon.adafactor", "f32[3,2], f32[5] | lr=0.1", 3),
    sdk::optimizer_sample("tenon.adafactor", "f64[4,3] | weight_decay=0.1, beta2_decay=-0.5", 5),
    sdk::optimizer_sample("tenon.adafactor",
                          "f64[2,3,1,2], f64[], f64[1] | lr=2.0, eps1=1e-3, eps2=0.1, "
                          "clip_threshold=1.5",
                          4),
    sdk::optimizer_refused("tenon.adafactor", "f32[2] | beta1=0.1", TENON_E_ATTRIBUTE,
                           "no hyper-parameter"),
    sdk::optimizer_refused("tenon.adafactor", "f32[2] | lr=-1.0", TENON_E_ATTRIBUTE,
                           "\"lr\" is out of range"),
    sdk::optimizer_refused("tenon.adafactor", "f32[2] | clip_threshold=0.0", TENON_E_ATTRIBUTE,
                           "\"clip_threshold\" is out of range")};

constexpr auto kTolerances = sdk::float_tolerances(
    kName, "A step rounds up to twenty times, and means and norms are sums.",
    {.f16 = {1, 2e-6}, .bf16 = {1, 2e-6}, .f32 = {4, 2e-6}, .f64 = {4, 1e-13}});

}  // namespace

TENON_UNIT(adafactor) = {.ops = kOps,
                         .samples = kSamples,
                         .optimizers = kOptimizers,
                         .tolerances = kTolerances,
                         .optimizer_samples = kOptimizerSamples};
