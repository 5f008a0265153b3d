// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/attention_grad.cc: attention_grad, the backward rule of attention.
//
// w = attention_weights(q, k), a = dy v^T, ds = scale (1 - tanh^2) w (a - sum_j a w);
// y = ds k, dk = ds^T q, dv = w^T dy. Source: T. Dao and others, "FlashAttention", 2022.
#include "attention/queries.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace attention = tenon::attention;
constexpr std::string_view name = "tenon.attention_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.attention`: `y` is that of `q`, the aux outputs are those of `k` and
`v`. With the weights `w`, computed again, and `a[b,h,i,j] = sum_e dy[b,h,i,e] v[b,g,j,e]`, the
gradient of the scores is `ds = scale * c * (a - sum_j a w) * w`, where `c` is the slope of the soft
cap, `1 - tanh(s / soft_cap)^2`, without a cap 1. Then `y = ds k`, `dk = ds^T q` and `dv = w^T dy`;
the last two are sums over the queries of all heads that read a head of `k` and `v`. As in
`tenon.attention`, what a query does not see has no part in any of them, even if it is not finite.

Gradient: that of its composition.

Source: T. Dao and others, "FlashAttention: Fast and Memory-Efficient Exact Attention", 2022.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: weights as in
`tenon.attention`; products `acc = fma(x, y, acc)` with the summed index ascending, queries head
after head; `sum_j a w` in the order of `tenon.sum` of rounded products; the difference, its product
with `w`, with `c` and with `scale` each rounded; rounded to T at the end.)";

enum Input : uint32_t { kGrad, kQuery, kKey, kValue, kFirstOption };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  attention::scores_shape(args, kQuery, kFirstOption);
  rules::need_rank(args, kValue, "v", 4, "[B,G,K,E]");
  rules::need_rank(args, kGrad, "dy", 4, "[B,H,Q,E]");
  for (size_t i = 0; i < 3; ++i) sdk::set_shape(out[i], args.shape(kQuery + i));
}

// Sums over the queries of all heads of a group.
tenon_tensor* over_queries(sdk::Compose& c, sdk::Value scores, sdk::Value x, int64_t groups) {
  tenon_tensor* turned = attention::transposed(c, attention::grouped(c, scores, groups));
  return rules::upward_product(c, turned, attention::grouped(c, x, groups));
}

// Values without columns make nothing of the weights, even if these are NaN.
void compose_nothing(sdk::Compose& c, tenon_dtype dtype) {
  for (uint32_t i = 0; i < 3; ++i) {
    const rules::Dims shape(c.meta(c.in(kQuery + i).tensor()));
    c.set(i, c.call("tenon.full", {}, {shape.value(), 0, sdk::Value::dtype(dtype)}));
  }
}

void compose(sdk::Compose& c) {
  const tenon_meta q_meta = c.meta(c.in(kQuery).tensor());
  const auto dtype = static_cast<tenon_dtype>(q_meta.dtype);
  if (c.meta(c.in(kValue).tensor()).shape[3] == 0) return compose_nothing(c, dtype);
  const auto options = attention::read_options([&](uint32_t i) { return c.in(i); },
                                               [&](uint32_t i) { return sdk::Value(c.attrs[i]); },
                                               kFirstOption, q_meta.shape[3]);
  const sdk::Value dy = attention::wide(c, c.in(kGrad));
  const sdk::Value q = attention::wide(c, c.in(kQuery));
  const sdk::Value k = attention::wide(c, c.in(kKey));
  const int64_t groups = c.meta(k.tensor()).shape[1];
  const attention::Scores scores = attention::scores_of(c, q, k, options);
  // A row that has a NaN has it in all its weights.
  tenon_tensor* weights = attention::only_seen(c, scores.sees, scores.weights);
  const sdk::Value v = attention::wide(c, c.in(kValue));
  tenon_tensor* ds = attention::scores_grad(c, weights, scores.sees, dy, v);
  if (scores.slope.is_tensor()) ds = c.call("tenon.mul", {ds, scores.slope});
  ds = attention::only_seen(c, scores.sees, c.call("tenon.mul", {ds, options.scale}));
  const auto over_keys = [&](sdk::Value pairs, sdk::Value x) {
    return attention::weighted(c, pairs, x);
  };
  const auto over_rows = [&](sdk::Value pairs, sdk::Value x) {
    return over_queries(c, pairs, x, groups);
  };
  const auto put = [&](uint32_t i, tenon_tensor* pairs, sdk::Value x, const auto& product) {
    tenon_tensor* y = attention::product_of_seen(c, pairs, scores.sees, x, product);
    c.set(i, rules::rounded_to(c, y, dtype));
  };
  put(0, ds, k, over_keys);
  put(1, ds, q, over_rows);
  put(2, weights, dy, over_rows);
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "attention_grad(dy: T[B,H,Q,E], q: T[B,H,Q,D], k: T[B,G,K,D], v: T[B,G,K,E], "
               "mask: bool[...M]?, bias: T[...N]?, lengths: i64[B]?, start: i64[B]?, *, "
               "causal: bool=false, window: int=0, scale: float?, soft_cap: float=0.0) -> "
               "(T[B,H,Q,D], aux dk: T[B,G,K,D], aux dv: T[B,G,K,E]) where T: float",
     .doc = doc,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,1,2,2], f64[1,1,2,3], f64[1,1,4,3], f64[1,1,4,2]"),
    sdk::sample(name, "f64[2,4,2,2], f64[2,4,2,3], f64[2,2,3,3], f64[2,2,3,2] | causal=true"),
    sdk::sample(name,
                "f64[1,2,5,3], f64[1,2,5,2], f64[1,1,5,2], f64[1,1,5,3] | causal=true, "
                "window=2, scale=0.5"),
    sdk::sample(name, "f64[1,1,4,2], f64[1,1,4,2], f64[1,1,5,2], f64[1,1,5,2] | window=2"),
    sdk::sample(name,
                "f64[1,2,2,2], f64[1,2,2,2], f64[1,2,3,2], f64[1,2,3,2], none, f64[2,1,3] | "
                "soft_cap=0.75"),
    sdk::sample(name,
                "f64[1,1,2,2], f64[1,1,2,2], f64[1,1,3,2], f64[1,1,3,2], "
                "bool[2,3]{true,false,true,false,false,false}"),
    sdk::sample(name,
                "f64[2,1,2,2], f64[2,1,2,2], f64[2,1,3,2], f64[2,1,3,2], none, none, "
                "i64[2]{2,0}"),
    sdk::sample(name,
                "f64[2,2,1,3], f64[2,2,1,2], f64[2,1,4,2], f64[2,1,4,3], none, none, none, "
                "i64[2]{3,1} | causal=true"),
    sdk::sample(name, "f64[0,2,2,3], f64[0,2,2,3], f64[0,1,4,3], f64[0,1,4,3]"),
    sdk::sample(name, "f64[1,2,0,3], f64[1,2,0,3], f64[1,1,4,3], f64[1,1,4,3]"),
    sdk::sample(name, "f64[1,2,2,2], f64[1,2,2,3], f64[1,1,0,3], f64[1,1,0,2]"),
    sdk::sample(name, "f64[1,1,2,2], f64[1,1,2,0], f64[1,1,3,0], f64[1,1,3,2] | scale=1.0"),
    sdk::sample(name, "f16[1,2,2,2], f16[1,2,2,3], f16[1,1,4,3], f16[1,1,4,2] | causal=true"),
    sdk::sample(name, "bf16[1,2,2,2], bf16[1,2,2,3], bf16[1,1,4,3], bf16[1,1,4,2]"),
    sdk::sample(name, "f32[1,1,1,2]{nan,1.0}, f32[1,1,1,2], f32[1,1,2,2], f32[1,1,2,2]"),
    sdk::sample(name, "f32[1,1,1,2]{inf,1.0}, f32[1,1,1,2], f32[1,1,2,2], f32[1,1,2,2]"),
    sdk::sample(name,
                "f32[1,1,2,2], f32[1,1,2,2], f32[1,1,3,2]{1.0,2.0,nan,1.0,inf,-inf}, "
                "f32[1,1,3,2] | causal=true"),
    sdk::sample(name,
                "f32[1,1,2,2], f32[1,1,2,2], f32[1,1,3,2], "
                "f32[1,1,3,2]{1.0,2.0,nan,1.0,inf,-inf} | causal=true"),
    // One key has the weight 1: of large numbers nothing is left in the scores' gradient, exactly.
    sdk::sample(name, "f32[1,1,1,2]{3e37,1e-45}, f32[1,1,1,2], f32[1,1,1,2], f32[1,1,1,2]"),
    sdk::sample(name, "f64[1,1,1,2]{1e307,5e-324}, f64[1,1,1,2], f64[1,1,1,2], f64[1,1,1,2]"),
    sdk::sample(name, "f16[1,1,1,2]{65504.0,6e-8}, f16[1,1,1,2], f16[1,1,1,2], f16[1,1,1,2]"),
    sdk::sample(name, "bf16[1,1,1,2]{3e37,9.2e-41}, bf16[1,1,1,2], bf16[1,1,1,2], bf16[1,1,1,2]"),
    sdk::refused(name, "f32[1,1,2,3], f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4]", TENON_E_SHAPE,
                 "v"),
    sdk::refused(name, "f32[1,1,3,4], f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4]", TENON_E_SHAPE,
                 "q"),
    sdk::refused(name, "f32[1,3,2,4], f32[1,3,2,4], f32[1,2,2,4], f32[1,2,2,4]", TENON_E_SHAPE,
                 "heads of k do not divide"),
    sdk::refused(name,
                 "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], none, none, "
                 "i64[1]{3}",
                 TENON_E_DATA, "lengths[0] is 3"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4] | window=-1",
                 TENON_E_ATTRIBUTE, "window is negative"),
    sdk::refused(name, "f64[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4]", TENON_E_DTYPE,
                 "q"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4]", TENON_E_ARGUMENT,
                 "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order, and the two terms of a score's gradient cancel, so errors "
    "count against the largest result.",
    {.f16 = {1, 8e-06}, .bf16 = {1, 8e-06}, .f32 = {4, 8e-06}, .f64 = {8, 2e-14}});

}  // namespace

TENON_UNIT(attention_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
