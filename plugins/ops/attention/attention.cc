// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/attention.cc: attention, scaled dot-product attention.
//
// y = softmax(cap tanh(scale q k^T / cap) + bias) v over the keys a query sees; the gradients in
// attention_grad. Source: A. Vaswani and others, "Attention Is All You Need", 2017.
#include "attention/queries.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace attention = tenon::attention;
constexpr std::string_view name = "tenon.attention";

constexpr std::string_view doc =
    R"(Scaled dot-product attention: `y[b,h,i] = sum_j w[b,h,i,j] v[b,g,j]`. The weights `w` of a
query are the softmax over the keys it sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`. The G
heads of `k` and `v` divide the H of `q`: head `h` reads head `g = h / (H/G)` (G = H is multi-head,
1 < G < H grouped, G = 1 multi-query attention). Operands may have any strides, so the heads of a
`[B,T,H*D]` matrix are views of it.

- `scale`: without it `1 / sqrt(D)`.
- `soft_cap` above 0 bounds the scores: `s = soft_cap * tanh(s / soft_cap)`.
- `bias` is added to the scores then; it stretches to `[B,H,Q,K]`. Masks that are added, with
  `-inf`, are such a bias.
- `mask` stretches to `[B,H,Q,K]`; a key is seen where it is true.
- `lengths`, `start`, `causal` and `window` hide keys as `tenon.attention_mask` says: keys after a
  sequence's end, after the query, too far from it. `start[b]` is the position of the first query
  among the keys: with a cache of keys, how many were there before. Without it a causal query `i`
  sees the keys up to `i`, also if K is not Q (the upper left corner, as in PyTorch).

A query that sees no key, or none with a score above `-inf`, has the result 0. What lies at a key
that a query does not see has no part in its result, even if it is not finite; if a query sees a
value that is not finite, its result is not finite either.

Weights are never kept: memory is linear in Q and K, forward and backward. `tenon.attention_weights`
has them.

Gradient: `tenon.attention_grad`, which computes the weights again; of `bias`, the gradient of the
scores, whole.

Source: A. Vaswani and others, "Attention Is All You Need", 2017; J. Ainslie and others, "GQA",
2023; PyTorch, `scaled_dot_product_attention`; M. Rabe, C. Staats, "Self-attention Does Not Need
O(n^2) Memory", 2021; Gemma Team, "Gemma 2", 2024 (the cap).

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the weights as in
`tenon.attention_weights`, not rounded to T, then `acc = fma(w_j, v_j, acc)` with `j` ascending;
rounded to T at the end. Products are so even if a matrix has fewer than 16 elements.)";

enum Input : uint32_t { kQuery, kKey, kValue, kFirstOption };
constexpr uint32_t kBias = 4;

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::Dims shape = attention::scores_shape(args, kQuery, kFirstOption);
  rules::need_rank(args, kValue, "v", 4, "[B,G,K,E]");
  shape[3] = args.shape(kValue)[3];
  sdk::set_shape(out[0], shape.span());
}

void compose(sdk::Compose& c) {
  const tenon_meta q = c.meta(c.in(kQuery).tensor());
  const auto options = attention::read_options([&](uint32_t i) { return c.in(i); },
                                               [&](uint32_t i) { return sdk::Value(c.attrs[i]); },
                                               kFirstOption, q.shape[3]);
  const sdk::Value query = attention::wide(c, c.in(kQuery));
  const sdk::Value key = attention::wide(c, c.in(kKey));
  const attention::Scores scores = attention::scores_of(c, query, key, options);
  const auto product = [&](sdk::Value weights, sdk::Value x) {
    return attention::weighted(c, weights, x);
  };
  tenon_tensor* y = attention::product_of_seen(c, scores.weights, scores.sees,
                                               attention::wide(c, c.in(kValue)), product);
  c.set(0, rules::rounded_to(c, y, static_cast<tenon_dtype>(q.dtype)));
}

// What bias adds to a score has the gradient of that score.
tenon_tensor* bias_grad(sdk::Vjp& v) {
  const sdk::Value weights =
      v.call("tenon.attention_weights", {v.in(0), v.in(1), v.in(3), v.in(4), v.in(5), v.in(6)},
             {v.attr(attention::kCausal), v.attr(attention::kWindow), v.attr(attention::kScale),
              v.attr(attention::kSoftCap)});
  return attention::scores_grad(v, weights, {}, v.dy(), v.in(2));
}

void vjp(sdk::Vjp& v) {
  if (v.wants(kQuery) || v.wants(kKey) || v.wants(kValue)) {
    const sdk::Value inputs[] = {v.dy(),  v.in(0), v.in(1), v.in(2),
                                 v.in(3), v.in(4), v.in(5), v.in(6)};
    const sdk::Value attrs[] = {v.attr(attention::kCausal), v.attr(attention::kWindow),
                                v.attr(attention::kScale), v.attr(attention::kSoftCap)};
    tenon_tensor* grads[3] = {};
    v.call_many("tenon.attention_grad", inputs, attrs, grads);
    for (const uint32_t i : {kQuery, kKey, kValue}) {
      if (v.wants(i)) v.grad(i, grads[i]);
    }
  }
  if (v.wants(kBias)) v.grad(kBias, bias_grad(v));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "attention(q: T[B,H,Q,D], k: T[B,G,K,D], v: T[B,G,K,E], mask: bool[...M]?, "
                       "bias: T[...N]?, lengths: i64[B]?, start: i64[B]?, *, causal: bool=false, "
                       "window: int=0, scale: float?, soft_cap: float=0.0) -> T[B,H,Q,E] where T: "
                       "float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need all = sdk::need({.inputs = sdk::bit(7) - 1});
constexpr tenon_vjp_need needs[] = {all, all, all, {}, all, {}, {}};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name,
              .needs = needs,
              .vjp = sdk::vjp_fn<vjp>,
              .n_attrs = attention::kAttributes,
              .non_differentiable = sdk::bit(3) | sdk::bit(5) | sdk::bit(6)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,1,2,3], f64[1,1,4,3], f64[1,1,4,2]"),
    sdk::sample(name, "f64[2,4,2,3], f64[2,2,3,3], f64[2,2,3,2] | causal=true"),
    sdk::sample(name,
                "f64[1,2,5,2], f64[1,1,5,2], f64[1,1,5,3] | causal=true, window=2, scale=0.5"),
    sdk::sample(name, "f64[1,1,4,2], f64[1,1,5,2], f64[1,1,5,2] | window=2"),
    sdk::sample(name, "f64[1,2,2,2], f64[1,2,3,2], f64[1,2,3,2], none, f64[2,1,3] | soft_cap=0.75"),
    sdk::sample(name,
                "f64[1,1,2,2], f64[1,1,3,2], f64[1,1,3,2], "
                "bool[2,3]{true,false,true,false,false,false}"),
    sdk::sample(name,
                "f64[2,2,2,2], f64[2,1,3,2], f64[2,1,3,2], bool[2,1,1,3]"
                "{true,false,true,true,true,false}, f64[2,1], i64[2]{2,3}"),
    sdk::sample(name, "f64[2,1,2,2], f64[2,1,3,2], f64[2,1,3,2], none, none, i64[2]{2,0}"),
    sdk::sample(name,
                "f64[2,2,1,2], f64[2,1,4,2], f64[2,1,4,3], none, none, none, i64[2]{3,1} | "
                "causal=true"),
    sdk::sample(name,
                "f64[1,1,2,2], f64[1,1,5,2], f64[1,1,5,2], none, none, i64[1]{4}, i64[1]{2} | "
                "causal=true, window=3, soft_cap=2.0"),
    sdk::sample(name,
                "f64[1,1,2,2], f64[1,1,2,2], f64[1,1,2,2], none, f64[2,2]{-inf,-inf,0.5,1.0}"),
    sdk::sample(name, "f64[0,2,2,3], f64[0,1,4,3], f64[0,1,4,3]"),
    sdk::sample(name, "f64[1,2,0,3], f64[1,1,4,3], f64[1,1,4,3]"),
    sdk::sample(name, "f64[1,2,2,3], f64[1,1,0,3], f64[1,1,0,2]"),
    sdk::sample(name, "f64[1,1,2,3], f64[1,1,4,3], f64[1,1,4,0]"),
    sdk::sample(name, "f64[1,1,2,0], f64[1,1,3,0], f64[1,1,3,2] | scale=1.0"),
    sdk::sample(name, "f16[1,2,2,3], f16[1,1,4,3], f16[1,1,4,2] | causal=true"),
    sdk::sample(name, "bf16[1,2,2,3], bf16[1,1,4,3], bf16[1,1,4,2]"),
    sdk::sample(name,
                "f32[1,1,2,2], f32[1,1,3,2], f32[1,1,3,2]{1.0,2.0,nan,1.0,inf,-inf} | "
                "causal=true"),
    sdk::sample(name,
                "f32[1,1,2,2], f32[1,1,3,2]{1.0,2.0,nan,1.0,inf,-inf}, f32[1,1,3,2] | "
                "causal=true"),
    sdk::sample(name, "f32[1,1,1,2]{nan,1.0}, f32[1,1,2,2], f32[1,1,2,2]"),
    sdk::sample(name, "f32[1,1,1,2], f32[1,1,2,2], f32[1,1,2,2]{3e38,1e-45,-3e38,1.1754944e-38}"),
    sdk::sample(name,
                "f64[1,1,1,2], f64[1,1,2,2], "
                "f64[1,1,2,2]{1e308,5e-324,-1e308,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[1,1,1,2], f16[1,1,2,2], f16[1,1,2,2]{65504.0,6e-8,1.0,6.1035e-5}"),
    sdk::sample(name, "bf16[1,1,1,2], bf16[1,1,2,2], bf16[1,1,2,2]{3e38,9.2e-41,1.0,1.1755e-38}"),
    sdk::refused(name, "f32[1,2,3], f32[1,1,4,3], f32[1,1,4,3]", TENON_E_SHAPE,
                 "number of dimensions"),
    sdk::refused(name, "f32[1,3,2,4], f32[1,2,2,4], f32[1,2,2,4]", TENON_E_SHAPE,
                 "heads of k do not divide"),
    sdk::refused(name, "f32[1,3,2,4], f32[1,0,2,4], f32[1,0,2,4]", TENON_E_SHAPE,
                 "heads of k do not divide"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,3], f32[1,1,2,3]", TENON_E_SHAPE, "k"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,3,4]", TENON_E_SHAPE, "v"),
    sdk::refused(name, "f32[1,2,2,4], f32[1,2,2,4], f32[1,1,2,4]", TENON_E_SHAPE, "v"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], bool[3,2]", TENON_E_SHAPE,
                 "mask does not broadcast"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], f32[2,2]", TENON_E_DTYPE, "mask"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], none, f32[1,1,1,2,2]",
                 TENON_E_SHAPE, "bias does not broadcast"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], none, none, i64[2]{1,1}",
                 TENON_E_SHAPE, "lengths"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4], none, none, i64[1]{3}",
                 TENON_E_DATA, "lengths[0] is 3"),
    sdk::refused(name,
                 "f32[1,1,2,4], f32[1,1,4,4], f32[1,1,4,4], none, none, none, i64[1]{3} | "
                 "causal=true",
                 TENON_E_DATA, "start[0] is 3"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,4,4], f32[1,1,4,4], none, none, none, i64[1]{-1}",
                 TENON_E_DATA, "start[0] is -1"),
    sdk::refused(name, "f32[1,1,3,4], f32[1,1,2,4], f32[1,1,2,4], none, none, none, i64[1]{0}",
                 TENON_E_SHAPE, "more queries than keys"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4] | window=-1", TENON_E_ATTRIBUTE,
                 "window is negative"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4] | soft_cap=-1.0",
                 TENON_E_ATTRIBUTE, "soft_cap"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f32[1,1,2,4] | scale=nan", TENON_E_ATTRIBUTE,
                 "scale is not finite"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], f64[1,1,2,4]", TENON_E_DTYPE, "v"),
    sdk::refused(name, "i32[1,1,2,4], i32[1,1,2,4], i32[1,1,2,4]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Scores and results are sums that depend on their order; exp turns errors of the scores "
    "into relative ones of the weights.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {4, 4e-06}, .f64 = {8, 8e-15}});

}  // namespace

TENON_UNIT(attention) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
