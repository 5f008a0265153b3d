// SPDX-License-Identifier: Apache-2.0
// plugins/ops/attention/cache_append.cc: cache_append, puts the keys or values of new positions
// into a cache, each sequence's after those it has.
//
// cache[b,...,start[b] + t,:] = rows[b,...,t,:]. Source: ONNX `TensorScatter` (mode "linear").
#include "index/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cache_append";

constexpr std::string_view doc =
    R"(Puts the rows of T new positions into a cache that has room for P, in place:
`cache[b,...,start[b] + t,:] = rows[b,...,t,:]`. `start[b]` is how many positions sequence `b` has
already; `tenon.attention` then reads the whole cache with the same `start`, and with
`lengths[b] = start[b] + T`. A start that is negative or after `P - T` is refused, and then nothing
is written.

No gradient: caches are for inference.

Source: ONNX operator `TensorScatter`, mode "linear".

Canonical arithmetic: none; bits are moved.)";

enum Input : uint32_t { kCache, kRows, kStart };

void infer(const sdk::Args& args, std::span<tenon_meta>) {
  const std::span<const int64_t> cache = args.shape(kCache), rows = args.shape(kRows);
  if (cache.size() < 3) {
    throw sdk::Failure{TENON_E_SHAPE, "cache must have sequences, positions and what is in them",
                       "cache", "at least 3 dimensions, [B,...,P,D]", sdk::shape_text(cache)};
  }
  rules::Dims fitting(cache);
  const size_t axis = cache.size() - 2;
  if (rows.size() == cache.size()) fitting[axis] = rows[axis];
  if (!std::ranges::equal(fitting.span(), rows)) {
    throw sdk::Failure{TENON_E_SHAPE, "rows do not fit the cache", "rows",
                       sdk::shape_text(cache) + ", but any number of positions",
                       sdk::shape_text(rows)};
  }
  if (rows[axis] <= cache[axis]) return;
  throw sdk::Failure{TENON_E_SHAPE, "more rows than the cache has positions", "rows",
                     "at most " + std::to_string(cache[axis]) + " positions",
                     std::to_string(rows[axis])};
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cache_append(cache!: T[B,...C], rows: T[B,...R], start: i64[B]) -> ()",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,1,4,3], f64[2,1,2,3], i64[2]{0,2}"),
    sdk::sample(name, "f64[1,2,3,2], f64[1,2,1,2], i64[1]{2}"),
    sdk::sample(name, "f64[3,4,2], f64[3,1,2], i64[3]{3,0,1}"),
    sdk::sample(name, "f64[1,1,2,1], f64[1,1,2,1], i64[1]{0}"),
    sdk::sample(name, "f64[1,2,2,3,2], f64[1,2,2,2,2], i64[1]{1}"),
    sdk::sample(name, "f64[2,1,3,2], f64[2,1,0,2], i64[2]{3,0}"),
    sdk::sample(name, "f64[0,1,3,2], f64[0,1,1,2], i64[0]"),
    sdk::sample(name, "f64[2,1,3,0], f64[2,1,1,0], i64[2]{0,1}"),
    sdk::sample(name, "f32[1,3,1]{nan,1.0,inf}, f32[1,1,1]{-0.0}, i64[1]{1}"),
    sdk::sample(name, "f64[1,2,1], f64[1,2,1]{1.7976931348623157e308,5e-324}, i64[1]{0}"),
    sdk::sample(name, "f16[1,2,1], f16[1,1,1]{6e-8}, i64[1]{1}"),
    sdk::sample(name, "bf16[1,2,1], bf16[1,1,1]{9.2e-41}, i64[1]{1}"),
    sdk::sample(name, "i32[1,2,1], i32[1,1,1]{-2147483648}, i64[1]{0}"),
    sdk::sample(name, "bool[1,2,2], bool[1,1,2]{true,false}, i64[1]{1}"),
    sdk::refused(name, "f32[2,1,4,3], f32[2,1,2,3], i64[2]{0,3}", TENON_E_DATA, "start[1] is 3"),
    sdk::refused(name, "f32[1,4,3], f32[1,1,3], i64[1]{-1}", TENON_E_DATA, "start[0] is -1"),
    sdk::refused(name, "f32[4,3], f32[4,3], i64[4]{0,0,0,0}", TENON_E_SHAPE, "must have sequences"),
    sdk::refused(name, "f32[1,4,3], f32[1,1,2], i64[1]{0}", TENON_E_SHAPE, "rows do not fit"),
    sdk::refused(name, "f32[1,2,4,3], f32[1,4,3], i64[1]{0}", TENON_E_SHAPE, "rows do not fit"),
    sdk::refused(name, "f32[1,2,3], f32[1,3,3], i64[1]{0}", TENON_E_SHAPE, "more rows than"),
    sdk::refused(name, "f32[2,4,3], f32[2,1,3], i64[1]{0}", TENON_E_SHAPE, "start"),
    sdk::refused(name, "f32[1,4,3], f64[1,1,3], i64[1]{0}", TENON_E_DTYPE, "rows"),
    sdk::refused(name, "f32[1,4,3], f32[1,1,3], i32[1]{0}", TENON_E_DTYPE, "start"),
};

}  // namespace

TENON_UNIT(cache_append) = {.ops = ops, .samples = samples};
