// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/batch_norm.cc: batch_norm, channels of mean 0 and variance 1, scaled and
// shifted.
//
// y = (x - m) s w + b,  s = 1 / sqrt(v + eps), with mean m and variance v of each channel, those of
// the batch or given ones;  dx in batch_norm_grad.
// Source: S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by
// Reducing Internal Covariate Shift", 2015, algorithm 1; PyTorch's `batch_norm`.
#include "norm/channels.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.batch_norm";

enum Input : uint32_t { kX, kWeight, kBias, kMean, kVariance };

constexpr std::string_view doc =
    R"(Normalises each channel of `x`, which its second dimension counts: `y = (x - m) * s * weight
+ bias`, with `s = 1 / sqrt(v + eps)`. `m` and `v` are mean and variance of the channel: the given
`mean` and `variance`, as in evaluation, or without them those of the batch, as in training: over
all dimensions but the second, `m = mean(x)` and `v = mean((x - m)^2)`. `weight` and `bias` have a
number for each channel; without them they are 1 and 0.

The aux outputs are `m` and `v` in f32, from which a layer has its running ones: `running +=
momentum * (m - running)`, and the same of `v * n / (n - 1)`, the variance without bias, for `n`
numbers of a channel. They are returned and not written into operands, so that a call in evaluation
writes nothing: it works on memory that several threads share or that is read-only.

Without given statistics, fewer than two numbers of a channel, an empty batch too, are refused:
their mean and variance say nothing of any other batch.

Gradient: those of `tenon.batch_norm_grad`; `dbias = sum(dy)` over all dimensions but the second.
Given statistics are constants, and the aux outputs have no gradient.

Source: S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing
Internal Covariate Shift", 2015, algorithm 1; PyTorch, `batch_norm`.

Canonical arithmetic: in f64 where an operand is f64, else in f32: `m = sum(x) / n`, `d = x - m`,
`v = sum(d * d) / n`, `s = 1 / sqrt(v + eps)`, `y = ((d * s) * weight) + bias`, each operation
rounded and none fused, the sums over all dimensions but the second in the order of `tenon.sum`;
rounded to T at the end. Where `m * m > 64 * v` of a batch, a rounded `m` is not exact enough: then
`d = (x - m) - sum(x - m) / n`, and `v` is of that. Where an `s` of f32 is 0 or not finite then
(from about 1e19 on), `m`, what its rounding left of it, `v` and `s` are found again in f64, one
number after another; `v` as it is returned, in f32, is infinite where it does not fit, and with it
a running variance. So it is on processors; of f64, and on other devices, squares that leave the
range make the channel 0 or NaN.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_eps(args.attrs.real(0));
  rules::need_batch(args, kX, kMean);
  const std::span<const int64_t> shape = args.shape(kX);
  rules::need_channels(args, kBias, "bias", shape[1]);
  sdk::set_shape(out[0], shape);
  for (tenon_meta& statistic : out.subspan(1)) sdk::set_shape(statistic, shape.subspan(1, 1));
}

void compose(sdk::Compose& c) {
  rules::ChannelNorm channels(c, kX, kMean);
  const sdk::Value x = channels.in(kX);
  const rules::Centred known = channels.by_statistics(x, c.attrs.real(0));
  sdk::Value y =
      channels.times(c.call("tenon.mul", {known.apart, known.scale}), channels.column(kWeight));
  if (!c.in(kBias).is_none()) y = c.call("tenon.add", {y, channels.column(kBias)});
  channels.set(0, y);
  channels.set_column(1, known.mean, TENON_DTYPE_F32);
  channels.set_column(2, known.variance, TENON_DTYPE_F32);
}

void vjp(sdk::Vjp& v) {
  const bool wants_weight = v.wants(kWeight);
  if (!v.wants(kX) && !wants_weight) return v.grad(kBias, rules::channel_sums(v));
  const sdk::Value inputs[] = {v.dy(), v.in(kX), v.wants(kX) ? v.in(kWeight) : sdk::Value(),
                               v.in(kMean), v.in(kVariance)};
  const sdk::Value attrs[] = {v.attr(0)};
  tenon_tensor* grads[3] = {};
  const size_t count = v.wants(kBias) ? 3 : wants_weight ? 2 : 1;
  v.call_many("tenon.batch_norm_grad", inputs, attrs, std::span(grads, count));
  if (v.wants(kX)) v.grad(kX, grads[0]);
  if (wants_weight) v.grad(kWeight, grads[1]);
  if (v.wants(kBias)) v.grad(kBias, grads[2]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "batch_norm(x: T[N,C,...], weight: T[C]?, bias: T[C]?, mean: V[C]?, "
                       "variance: V[C]?, *, eps: float=1e-05) -> (T[N,C,...], aux "
                       "batch_mean: f32[C], aux batch_variance: f32[C]) where T: float; V: "
                       "f32|f64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr uint64_t kMoments = sdk::bit(kMean) | sdk::bit(kVariance);
constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(kX) | sdk::bit(kWeight) | kMoments}),
    sdk::need({.inputs = sdk::bit(kX) | kMoments}),
    {},
    {},
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_attrs = 1,
                                             .non_differentiable = kMoments})};

constexpr tenon_sample samples[] = {
    // Without a bias a channel of equal numbers, as layouts make it, gives 0: exactly, for 2^n of
    // them.
    sdk::sample(name, "f64[2,3,4], f64[3](0.5,2), f64[3]"),
    sdk::sample(name, "f64[4,3]"),
    sdk::sample(name, "f64[2,3,2,2], f64[3](0.5,2), f64[3](1,2) | eps=0.1"),
    sdk::sample(name, "f64[2,2,1,4,2], f64[2]"),
    sdk::sample(name, "f64[3,2], none, f64[2] | eps=0.001"),
    sdk::sample(name, "f64[1,2,4], f64[2], f64[2] | eps=0.0"),
    sdk::sample(name, "f64[2,1,3,3], f64[1], f64[1]"),
    sdk::sample(name, "f64[2,3,4], f64[3](0.5,2), f64[3], f64[3], f64[3](0.5,2)"),
    sdk::sample(name, "f64[2,3,2,2], f64[3], none, f64[3], f64[3](0,2) | eps=0.1"),
    sdk::sample(name, "f64[3,2], none, none, f64[2], f64[2](0.5,2) | eps=0.0"),
    sdk::sample(name, "f64[1,3], none, none, f64[3], f64[3](0,1)"),
    sdk::sample(name, "f64[0,3,2], f64[3], f64[3], f64[3], f64[3](0,1)"),
    sdk::sample(name, "f64[2,0,3], f64[0], f64[0]"),
    sdk::sample(name, "f64[3,2,9](-100,100), f64[2](-3,3), f64[2](-3,3)"),
    sdk::sample(name, "f32[2,1,2]{1000.0,1001.0,1002.0,1003.0}"),
    sdk::sample(name, "f32[3,2]{2.0,-1.0,2.0,-1.0,2.0,-1.0}, f32[2], f32[2]"),
    sdk::sample(name, "f16[7,2], f16[2], f16[2]"),
    sdk::sample(name, "f16[2,3,2], f16[3], f16[3], f32[3], f32[3](0.5,2)"),
    sdk::sample(name, "f32[2,3,2], f32[3], none, f64[3], f64[3](0.5,2)"),
    sdk::sample(name, "f32[2,3,2]{nan,0.0,inf,0.0,3.0,0.0,1.0,0.0,1.0,0.0,1.0,2.0}"),
    sdk::sample(name, "f32[2,3], f32[3]{inf,nan,1.0}, f32[3]{0.0,0.0,-inf}"),
    sdk::sample(name, "f32[2,3], none, none, f32[3]{inf,nan,0.0}, f32[3]{1.0,1.0,inf}"),
    sdk::sample(name, "f32[2,3], none, none, f32[3], f32[3]{-1.0,0.0,1e-45} | eps=0.0"),
    sdk::sample(name, "f32[3,2]{1e18,1e-45,-1e18,1.1754944e-38,2e17,-1e-45}"),
    sdk::sample(name, "f32[4,3], f32[3]{3.4028235e38,1e-45,1.0}, f32[3]{1.0,1e-45,3.4028235e38}"),
    sdk::sample(name, "f64[3,2]{1e150,5e-324,-1e150,2.2250738585072014e-308,2e149,-5e-324}"),
    sdk::sample(name, "f16[3,2]{65504.0,6e-8,-65504.0,6.1035e-5,1000.0,-6e-8}"),
    sdk::sample(name, "bf16[3,2]{1e18,9.2e-41,-1e18,1.1755e-38,2e17,-9.2e-41}"),
    sdk::refused(name, "f32[1,3]", TENON_E_SHAPE, "more than one number of each channel"),
    sdk::refused(name, "f32[0,3]", TENON_E_SHAPE, "more than one number of each channel"),
    sdk::refused(name, "f32[2,3,0]", TENON_E_SHAPE, "more than one number of each channel"),
    sdk::refused(name, "f32[4]", TENON_E_SHAPE, "number of dimensions"),
    sdk::refused(name, "2.0", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,3], 2.0", TENON_E_SHAPE, "weight must have a number for each"),
    sdk::refused(name, "f32[2,3], none, 1.0", TENON_E_SHAPE, "bias must have a number for each"),
    sdk::refused(name, "f32[2,3], none, none, f32[2], f32[3]", TENON_E_SHAPE, "mean"),
    sdk::refused(name, "f32[2,3], none, none, f32[3], 1.0", TENON_E_SHAPE,
                 "variance must have a number for each"),
    sdk::refused(name, "f32[2,3], none, none, f32[3]", TENON_E_ARGUMENT,
                 "mean and variance go together"),
    sdk::refused(name, "f32[2,3], none, none, none, f32[3]", TENON_E_ARGUMENT,
                 "mean and variance go together"),
    sdk::refused(name, "f32[2,3] | eps=-0.5", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3] | eps=nan", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3], f64[3]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "f16[2,3], none, none, f16[3], f16[3]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "f32[2,3], none, none, f32[3], f64[3]", TENON_E_DTYPE, "variance"),
    sdk::refused(name, "i32[2,3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order; the differences, the root and the products are rounded, and "
    "count against the largest result where weighted terms and bias cancel.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(batch_norm) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
