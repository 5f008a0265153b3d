// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/queries.hpp: which keys a query sees, how much, and the checks of both.
//
// Operands q [B,H,Q,D], k [B,G,K,D], v [B,G,K,E]: G divides H, and each head of k and v serves H/G
// heads of q that follow each other. Their queries are one list of H/G Q rows, so that every
// product is one of matrices for each (b, g).
#pragma once

#include <algorithm>
#include <cmath>

#include "linalg/products.hpp"
#include "rules.hpp"

namespace tenon::attention {

// What follows q, k and v (in attention_grad dy, q, k and v), and the attributes.
enum Option : uint32_t { kMask, kBias, kLengths, kStart, kOptions };
enum Attribute : uint32_t { kCausal, kWindow, kScale, kSoftCap, kAttributes };

// ---- Checks -------------------------------------------------------------------------------------

inline void refuse_shape(const char* operand, std::string what, std::string expected,
                         std::span<const int64_t> found, const char* hint = "") {
  throw sdk::Failure{TENON_E_SHAPE,       std::move(what),        operand,
                     std::move(expected), sdk::shape_text(found), hint};
}

inline void check_window(const sdk::Args& args, uint32_t attribute) {
  if (args.attrs.integer(attribute) >= 0) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "window is negative", "window",
                     "0 (no window) or the number of keys that a query sees on a side, itself "
                     "included",
                     std::to_string(args.attrs.integer(attribute))};
}

inline void check_attributes(const sdk::Args& args) {
  check_window(args, kWindow);
  if (args.attrs.given(kScale) && !std::isfinite(args.attrs.real(kScale))) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "scale is not finite",
                       "scale",
                       "a finite number",
                       std::to_string(args.attrs.real(kScale)),
                       "without it the scale is 1 / sqrt(D)"};
  }
  const double cap = args.attrs.real(kSoftCap);
  if (std::isfinite(cap) && cap >= 0) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "soft_cap is not 0 or a positive number", "soft_cap",
                     "0 (no cap) or the bound of a score", std::to_string(cap)};
}

// mask and bias stretch to the scores' shape.
inline void check_stretches(const sdk::Args& args, uint32_t slot, const char* operand,
                            std::span<const int64_t> scores) {
  if (!args.given(slot) || rules::broadcasts_to(args.shape(slot), scores)) return;
  refuse_shape(operand, std::string(operand) + " does not broadcast to the scores",
               "sizes that are those of " + sdk::shape_text(scores) + " or 1", args.shape(slot),
               "the dimensions are [batch, heads, queries, keys]");
}

inline void check_per_batch(const sdk::Args& args, uint32_t slot, const char* operand,
                            int64_t batch) {
  if (!args.given(slot)) return;
  const std::span<const int64_t> shape = args.shape(slot);
  if (shape.size() == 1 && shape[0] == batch) return;
  refuse_shape(operand, std::string(operand) + " must have a number for each sequence",
               sdk::shape_text(std::span(&batch, 1)), shape);
}

// The shape of the scores, [B,H,Q,K]. `q` is the slot of q; `options` that of mask.
inline rules::Dims scores_shape(const sdk::Args& args, uint32_t q, uint32_t options) {
  rules::need_rank(args, q, "q", 4, "[B,H,Q,D]");
  rules::need_rank(args, q + 1, "k", 4, "[B,G,K,D]");
  const std::span<const int64_t> queries = args.shape(q);
  const std::span<const int64_t> keys = args.shape(q + 1);
  if (keys[1] == 0 ? queries[1] != 0 : queries[1] % keys[1] != 0) {
    refuse_shape("k", "the heads of k do not divide those of q",
                 "a divisor of " + std::to_string(queries[1]) + " heads", keys,
                 "each head of k and v serves as many heads of q");
  }
  check_attributes(args);
  rules::Dims scores(queries);
  scores[3] = keys[2];
  check_stretches(args, options + kMask, "mask", scores.span());
  check_stretches(args, options + kBias, "bias", scores.span());
  check_per_batch(args, options + kLengths, "lengths", queries[0]);
  check_per_batch(args, options + kStart, "start", queries[0]);
  if (args.given(options + kStart) && queries[2] > keys[2]) {
    refuse_shape("start", "there are more queries than keys to start among",
                 "at most " + std::to_string(keys[2]) + " queries", queries);
  }
  return scores;
}

// ---- Rules written in ops -----------------------------------------------------------------------

// An operand in f32 if it is a 16-bit float.
inline sdk::Value wide(sdk::Calls& calls, sdk::Value x) {
  if (!x.is_tensor() || !rules::is_16_bit_float(calls.meta(x.tensor()).dtype)) return x;
  return calls.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_F32)});
}

inline tenon_tensor* transposed(sdk::Calls& calls, sdk::Value x) {
  return calls.call("tenon.transpose", {x}, {-2, -1});
}

// [B,H,Q,N] as [B,G,H/G Q,N], and back.
inline tenon_tensor* grouped(sdk::Calls& calls, sdk::Value x, int64_t groups) {
  rules::Dims shape(calls.meta(x.tensor()));
  if (groups != 0) shape[2] *= shape[1] / groups;
  shape[1] = groups;
  return rules::reshape(calls, x, shape);
}
inline tenon_tensor* ungrouped(sdk::Calls& calls, sdk::Value x, const tenon_meta& q) {
  rules::Dims shape(calls.meta(x.tensor()));
  shape[1] = q.shape[1];
  shape[2] = q.shape[2];
  return rules::reshape(calls, x, shape);
}

struct Options {
  sdk::Value mask, bias, lengths, start;
  sdk::Value causal, window;
  double scale = 1;
  double soft_cap = 0;
};

// `in` and `attr` give an input or attribute by position.
template <class In, class Attr>
Options read_options(const In& in, const Attr& attr, uint32_t first, int64_t depth) {
  Options o;
  o.mask = in(first + kMask);
  o.bias = in(first + kBias);
  o.lengths = in(first + kLengths);
  o.start = in(first + kStart);
  o.causal = attr(kCausal);
  o.window = attr(kWindow);
  const sdk::Value scale = attr(kScale);
  o.scale = scale.is_none() ? 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(depth, 1)))
                            : sdk::Attrs::number(scale);
  o.soft_cap = sdk::Attrs::number(attr(kSoftCap));
  return o;
}

// Which keys the queries see, or none if all see all.
inline sdk::Value seen(sdk::Calls& calls, const Options& o, const rules::Dims& scores) {
  const bool plain = o.lengths.is_none() && o.causal.as.i64 == 0 && o.window.as.i64 == 0;
  sdk::Value own;
  // start is looked at even if nothing depends on it: it may be wrong.
  if (!plain || o.start.is_tensor()) {
    own = calls.call("tenon.attention_mask", {o.lengths, o.start},
                     {scores[2], scores[3], o.causal, o.window});
  }
  if (o.mask.is_none() || own.is_none()) return o.mask.is_none() ? own : o.mask;
  return calls.call("tenon.logical_and", {o.mask, own});
}

struct Scores {
  tenon_tensor* weights;  // [B,H,Q,K]
  sdk::Value sees;        // which keys are seen, or none
  sdk::Value slope;       // of the capped scores in the scaled ones, where there is a cap
};

// The softmax of the scores of q and k, which are wide. A query that sees no key, or none whose
// score is above -inf, has weights of 0.
inline Scores scores_of(sdk::Calls& calls, sdk::Value q, sdk::Value k, const Options& o) {
  const tenon_meta q_meta = calls.meta(q.tensor());
  const tenon_meta k_meta = calls.meta(k.tensor());
  rules::Dims shape(q_meta);
  shape[3] = k_meta.shape[2];
  Scores result{};
  result.sees = seen(calls, o, shape);
  tenon_tensor* s =
      rules::upward_product(calls, grouped(calls, q, k_meta.shape[1]), transposed(calls, k));
  s = calls.call("tenon.mul", {ungrouped(calls, s, q_meta), o.scale});
  if (o.soft_cap != 0) {
    tenon_tensor* t = calls.call("tenon.tanh", {calls.call("tenon.div", {s, o.soft_cap})});
    result.slope = calls.call("tenon.sub", {1.0, calls.call("tenon.mul", {t, t})});
    s = calls.call("tenon.mul", {t, o.soft_cap});
  }
  if (o.bias.is_tensor()) s = calls.call("tenon.add", {s, wide(calls, o.bias)});
  if (shape[3] == 0) return result.weights = s, result;
  constexpr double none = -std::numeric_limits<double>::infinity();
  if (result.sees.is_tensor()) s = calls.call("tenon.where", {result.sees, s, none});
  const int64_t last = -1;
  tenon_tensor* top = calls.call("tenon.max", {s}, {sdk::Value(std::span(&last, 1)), true});
  tenon_tensor* blind = calls.call("tenon.eq", {top, none});
  s = calls.call("tenon.softmax", {calls.call("tenon.where", {blind, 0.0, s})});
  result.weights = calls.call("tenon.where", {blind, 0.0, s});
  return result;
}

// weights [B,H,Q,K] times x [B,G,K,E]; of wide numbers.
inline tenon_tensor* weighted(sdk::Calls& calls, sdk::Value weights, sdk::Value x) {
  const tenon_meta meta = calls.meta(weights.tensor());
  const int64_t groups = calls.meta(x.tensor()).shape[1];
  return ungrouped(calls, rules::upward_product(calls, grouped(calls, weights, groups), x), meta);
}

// x with 0 where nothing is seen, whatever is there.
inline tenon_tensor* only_seen(sdk::Calls& calls, sdk::Value sees, tenon_tensor* x) {
  return sees.is_none() ? x : calls.call("tenon.where", {sees, x, 0.0});
}

// product(weights, x), a sum over pairs of queries and keys, but 0 times what is not finite counts
// only if the query sees the key.
template <class Product>
tenon_tensor* product_of_seen(sdk::Calls& calls, sdk::Value weights, sdk::Value sees, sdk::Value x,
                              const Product& product) {
  if (sees.is_none()) return product(weights, x);
  const tenon_meta meta = calls.meta(weights.tensor());
  const auto as_number = [&](sdk::Value flags) {
    return calls.call("tenon.cast", {flags},
                      {sdk::Value::dtype(static_cast<tenon_dtype>(meta.dtype))});
  };
  tenon_tensor* finite = calls.call("tenon.isfinite", {x});
  const sdk::Value all = rules::expand(calls, sees, rules::Dims(meta));
  tenon_tensor* others = as_number(calls.call("tenon.logical_not", {finite}));
  tenon_tensor* seen = product(as_number(all), others);
  tenon_tensor* y = product(weights, calls.call("tenon.where", {finite, x, 0.0}));
  return calls.call("tenon.where", {calls.call("tenon.gt", {seen, 0.0}), product(weights, x), y});
}

// The gradient of the scores that the softmax sees, given that of the weighted values.
inline tenon_tensor* scores_grad(sdk::Calls& calls, sdk::Value weights, sdk::Value sees,
                                 sdk::Value dy, sdk::Value v) {
  tenon_tensor* slopes = only_seen(calls, sees, weighted(calls, dy, transposed(calls, v)));
  tenon_tensor* mean = rules::sum_over(calls, calls.call("tenon.mul", {slopes, weights}), -1);
  return calls.call("tenon.mul", {calls.call("tenon.sub", {slopes, mean}), weights});
}

}  // namespace tenon::attention
