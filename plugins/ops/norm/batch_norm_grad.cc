// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/batch_norm_grad.cc: batch_norm_grad, the backward rule of batch_norm.
//
// With d = x - m and c = dy - mean dy:  y = s w (c - d s^2 mean(c d)),  dw = s sum(c d),  db = sum
// dy;  with given statistics y = s w dy,  dw = s sum(dy d). Source: S. Ioffe, C. Szegedy, "Batch
// Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift", 2015,
// section 3; PyTorch's `batch_norm`.
#include "norm/channels.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.batch_norm_grad";

enum Input : uint32_t { kDy, kX, kWeight, kMean, kVariance };

constexpr std::string_view doc =
    R"(The gradients of `tenon.batch_norm`. Without `mean` and `variance`, where the statistics are
those of `x`: with `d = x - m`, `c = dy - mean(dy)` and `s = 1 / sqrt(v + eps)`, `y = s * weight *
(c - d * s^2 * mean(c * d))` is the gradient of `x`, and the aux outputs are those of `weight`, `s *
sum(c * d)`, and of `bias`, `sum(dy)`. Sums and means are over all dimensions but the second.

With `mean` and `variance`, which are constants, `y = s * weight * dy`, and the aux outputs are `s *
sum(dy * d)` and `sum(dy)`.

Mean and variance of the batch are computed again from `x`, since that is read anyway, and what is
found again does not have to be kept, exactly for 16 bits.

Gradient: that of its composition.

Source: S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing
Internal Covariate Shift", 2015, section 3; PyTorch, `batch_norm`. That `c` takes the place of `dy`
in the sums changes nothing but rounding: where `dy` is nearly the same everywhere, `y` is nearly 0.

Canonical arithmetic: in f64 where an operand is f64, else in f32: `m`, `d`, `v` and `s` as in
`tenon.batch_norm`, with `dy0` the first of the channel `c = dy - (dy0 + sum(dy - dy0) / n)`, `q =
sum(c * d)`, `y = (s * (c - d * (((q * s) * s) / n))) * weight`, `q * s` is that of `weight`; with
given statistics `q = sum(dy * d)` and `y = (s * dy) * weight`. Each operation is rounded and none
fused, all sums in the order of `tenon.sum`; rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_eps(args.attrs.real(0));
  rules::need_batch(args, kX, kMean);
  rules::need_same_shape(args);
  const std::span<const int64_t> shape = args.shape(kX);
  sdk::set_shape(out[0], shape);
  for (tenon_meta& sum : out.subspan(1)) sdk::set_shape(sum, shape.subspan(1, 1));
}

void compose(sdk::Compose& c) {
  rules::ChannelNorm channels(c, kX, kMean);
  const sdk::Value dy = channels.in(kDy);
  const sdk::Value x = channels.in(kX);
  const bool is_given = channels.is_given();
  const auto [mean, apart, variance, scale] = channels.by_statistics(x, c.attrs.real(0));
  const sdk::Value total = channels.sum(dy);
  sdk::Value slope = dy;
  if (!is_given) slope = channels.centred(dy);
  const sdk::Value along =
      c.call("tenon.mul", {channels.sum(c.call("tenon.mul", {slope, apart})), scale});
  if (!is_given) {
    const sdk::Value share = channels.averaged(c.call("tenon.mul", {along, scale}));
    slope = c.call("tenon.sub", {slope, c.call("tenon.mul", {apart, share})});
  }
  channels.set(0, channels.times(c.call("tenon.mul", {scale, slope}), channels.column(kWeight)));
  channels.set_column(1, along, channels.dtype());
  channels.set_column(2, total, channels.dtype());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "batch_norm_grad(dy: T[N,C,...S], x: T[N,C,...S], weight: T[C]?, mean: "
                       "V[C]?, variance: V[C]?, *, eps: float=1e-05) -> (T[N,C,...S], aux "
                       "dweight: T[C], aux dbias: T[C]) where T: float; V: f32|f64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    // Where layouts make dy the same everywhere y is 0, and so is what is found of it for 2^n
    // numbers of a channel, whose mean of equal numbers is exact.
    sdk::sample(name, "f64[2,3,4], f64[2,3,4], f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,3], f64[4,3]"),
    sdk::sample(name, "f64[2,3,2,2], f64[2,3,2,2], f64[3](0.5,2) | eps=0.1"),
    sdk::sample(name, "f64[2,2,1,4,2], f64[2,2,1,4,2], f64[2]"),
    sdk::sample(name, "f64[1,2,4], f64[1,2,4], f64[2] | eps=0.0"),
    sdk::sample(name, "f64[2,1,4,2], f64[2,1,4,2], f64[1]"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,4], f64[3](0.5,2), f64[3], f64[3](0.5,2)"),
    sdk::sample(name, "f64[4,3], f64[4,3], none, f64[3], f64[3](0.5,2) | eps=0.1"),
    sdk::sample(name, "f64[1,3], f64[1,3], f64[3], f64[3], f64[3](0.5,2) | eps=0.0"),
    sdk::sample(name, "f64[0,3,2], f64[0,3,2], f64[3], f64[3], f64[3](0.5,2)"),
    sdk::sample(name, "f64[2,0,3], f64[2,0,3], f64[0]"),
    sdk::sample(name, "f64[4,2,8](-3,3), f64[4,2,8](-100,100), f64[2](-3,3)"),
    sdk::sample(name, "f16[8,2], f16[8,2], f16[2]"),
    sdk::sample(name, "bf16[4,3], bf16[4,3], bf16[3]"),
    sdk::sample(name, "f16[2,3,2], f16[2,3,2], f16[3], f32[3], f32[3](0.5,2)"),
    sdk::sample(name, "f32[2,3,2], f32[2,3,2], none, f64[3], f64[3](0.5,2)"),
    sdk::sample(name, "f32[2,3,2], f32[2,3,2]{nan,0.0,inf,0.0,3.0,0.0,1.0,0.0,1.0,0.0,1.0,2.0}"),
    sdk::sample(name, "f32[4,2]{nan,inf,1.0,1.0,1.0,0.0,2.0,-inf}, f32[4,2]"),
    sdk::sample(name, "f32[2,3], f32[2,3], none, f32[3]{inf,nan,0.0}, f32[3]{1.0,1.0,inf}"),
    sdk::sample(name, "f32[3,2], f32[3,2]{1e18,1e-45,-1e18,1.1754944e-38,2e17,-1e-45}"),
    sdk::sample(name, "f32[4,1]{1e30,1e-45,-1e30,1.0}, f32[4,1]{0.5,-1.0,2.0,0.25}, f32[1]{-2.0}"),
    sdk::sample(name, "f64[4,1]{1e300,5e-324,-1e300,1.0}, f64[4,1]{0.5,-1.0,2.0,0.25}"),
    sdk::sample(name, "f16[4,1]{65504.0,6e-8,1000.0,1.0}, f16[4,1]{0.5,-1.0,2.0,0.25}"),
    sdk::sample(name, "bf16[4,1]{1e30,9.2e-41,-1e30,1.0}, bf16[4,1]{0.5,-1.0,2.0,0.25}"),
    sdk::refused(name, "f32[2,3], f32[2,4]", TENON_E_SHAPE, "x"),
    sdk::refused(name, "f32[2,3,2], f32[2,3]", TENON_E_SHAPE, "x"),
    sdk::refused(name, "1.0, f32[2,3]", TENON_E_SHAPE, "dy must have the shape"),
    sdk::refused(name, "f32[1,3], f32[1,3]", TENON_E_SHAPE, "more than one number"),
    sdk::refused(name, "f32[0,3], f32[0,3]", TENON_E_SHAPE, "more than one number"),
    sdk::refused(name, "f32[2,3], f32[2,3], f32[2]", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,3], f32[2,3], none, f32[3]", TENON_E_ARGUMENT, "go together"),
    sdk::refused(name, "f32[2,3], f32[2,3] | eps=-1.0", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f64[2,3], f32[2,3]", TENON_E_DTYPE, "x"),
    sdk::refused(name, "i32[2,3], i32[2,3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order, and the terms cancel, so errors count against the largest result.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 8e-15}});

}  // namespace

TENON_UNIT(batch_norm_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
