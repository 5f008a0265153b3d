// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/attention_weights.cc: attention_weights, how much each query attends to
// each key.
//
// y = softmax(cap tanh(scale q k^T / cap) + bias) over the keys a query sees.
// Source: A. Vaswani and others, "Attention Is All You Need", 2017.
#include "attention/queries.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace attention = tenon::attention;
constexpr std::string_view name = "tenon.attention_weights";

constexpr std::string_view doc =
    R"(How much each query attends to each key: `y[b,h,i,j]`, the softmax over the keys `j` that
query `i` sees of `s = scale * sum_d q[b,h,i,d] k[b,g,j,d]`, where head `h` of `q` reads head
`g = h / (H/G)` of `k`. `tenon.attention` is these weights times the values, and takes the same
operands; see there for `mask`, `bias`, `lengths`, `start` and the attributes. To look at the
weights, or to drop some of them out; `tenon.attention` alone never keeps them.

Gradient: that of its composition.

Source: A. Vaswani and others, "Attention Is All You Need", 2017.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the scores as `tenon.matmul`,
times `scale`, the cap as `tenon.div`, `tenon.tanh` and `tenon.mul`, the bias added, `-inf` where a
key is not seen, then `tenon.softmax`; rounded to T at the end.)";

enum Input : uint32_t { kQuery, kKey, kFirstOption };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], attention::scores_shape(args, kQuery, kFirstOption).span());
}

void compose(sdk::Compose& c) {
  const tenon_meta q = c.meta(c.in(kQuery).tensor());
  const auto options = attention::read_options([&](uint32_t i) { return c.in(i); },
                                               [&](uint32_t i) { return sdk::Value(c.attrs[i]); },
                                               kFirstOption, q.shape[3]);
  const sdk::Value query = attention::wide(c, c.in(kQuery));
  const sdk::Value key = attention::wide(c, c.in(kKey));
  c.set(0, rules::rounded_to(c, attention::scores_of(c, query, key, options).weights,
                             static_cast<tenon_dtype>(q.dtype)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "attention_weights(q: T[B,H,Q,D], k: T[B,G,K,D], mask: bool[...M]?, bias: "
                       "T[...N]?, lengths: i64[B]?, start: i64[B]?, *, causal: bool=false, window: "
                       "int=0, scale: float?, soft_cap: float=0.0) -> T[B,H,Q,K] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,1,2,3], f64[1,1,4,3]"),
    sdk::sample(name, "f64[2,4,2,3], f64[2,2,3,3] | causal=true"),
    sdk::sample(name, "f64[1,2,3,2], f64[1,1,3,2] | causal=true, window=2, scale=0.5"),
    sdk::sample(name, "f64[1,2,2,2], f64[1,2,3,2], none, f64[2,1,3] | soft_cap=0.75"),
    sdk::sample(name, "f64[1,1,2,2], f64[1,1,3,2], bool[2,3]{true,false,true,false,true,true}"),
    sdk::sample(name, "f64[2,1,2,2], f64[2,1,3,2], none, none, i64[2]{2,0}"),
    sdk::sample(name, "f64[2,1,1,2], f64[2,1,4,2], none, none, none, i64[2]{3,1} | causal=true"),
    sdk::sample(name, "f64[1,1,2,2], f64[1,1,2,2], none, f64[1,2]{-inf,-inf}"),
    sdk::sample(name, "f64[0,2,2,3], f64[0,1,4,3]"),
    sdk::sample(name, "f64[1,2,0,3], f64[1,1,4,3]"),
    sdk::sample(name, "f64[1,2,2,3], f64[1,1,0,3]"),
    sdk::sample(name, "f64[1,1,2,0], f64[1,1,3,0] | scale=1.0"),
    sdk::sample(name, "f32[1,1,2,2]{1.0,nan,0.5,1.0}, f32[1,1,2,2]{1.0,0.5,-1.0,2.0}"),
    sdk::sample(name, "f16[1,2,2,3], f16[1,1,4,3]"),
    sdk::sample(name, "bf16[1,2,2,3], bf16[1,1,4,3] | causal=true"),
    sdk::sample(name, "f32[1,1,1,2]{3e38,1.1754944e-38}, f32[1,1,2,2]{1.0,1e-45,0.5,1.0}"),
    sdk::sample(name,
                "f64[1,1,1,2]{1e308,2.2250738585072014e-308}, f64[1,1,2,2]{1.0,5e-324,0.5,1.0}"),
    sdk::sample(name, "f16[1,1,1,2]{65504.0,6.1035e-5}, f16[1,1,2,2]{1.0,6e-8,0.5,1.0}"),
    sdk::sample(name, "bf16[1,1,1,2]{3e38,1.1755e-38}, bf16[1,1,2,2]{1.0,9.2e-41,0.5,1.0}"),
    sdk::refused(name, "f32[1,2,3], f32[1,1,4,3]", TENON_E_SHAPE, "number of dimensions"),
    sdk::refused(name, "f32[1,3,2,4], f32[1,2,2,4]", TENON_E_SHAPE, "heads of k do not divide"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,3]", TENON_E_SHAPE, "k"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], bool[3,2]", TENON_E_SHAPE,
                 "mask does not broadcast"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4], none, none, i64[1]{3}", TENON_E_DATA,
                 "lengths[0] is 3"),
    sdk::refused(name, "f32[1,1,2,4], f32[1,1,2,4] | scale=inf", TENON_E_ATTRIBUTE,
                 "scale is not finite"),
    sdk::refused(name, "f32[1,1,2,4], f64[1,1,2,4]", TENON_E_DTYPE, "k"),
    sdk::refused(name, "i32[1,1,2,4], i32[1,1,2,4]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[1,1,2,4]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The scores are sums that depend on their order, and exp turns their errors into relative "
    "ones of the weights.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {4, 4e-06}, .f64 = {8, 8e-15}});

}  // namespace

TENON_UNIT(attention_weights) = {.ops = ops, .samples = samples, .tolerances = tolerances};
