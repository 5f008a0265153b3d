// SPDX-License-Identifier: Apache-2.0
// plugins/layers/counted.hpp: how many positions of each sequence a layer with a cache has seen.
#pragma once

#include "options.hpp"

namespace tenon::layers {

inline constexpr const char* kCount = "cache_count";  // i64 [batch]

inline void add_count(sdk::Describe& d) {
  d.cache(kCount, {TENON_LAYER_CACHE_BATCH}, TENON_DTYPE_I64);
}

inline tenon_tensor* reshaped(sdk::Forward& f, sdk::Value x, std::initializer_list<int64_t> shape) {
  return f.call("tenon.reshape", {x}, {std::span<const int64_t>(shape.begin(), shape.size())});
}

// Of rows that follow those that have been seen.
struct Next {
  sdk::Value lengths;    // [B], with them
  sdk::Value positions;  // [B,T], or [B,1]
};

// A call whose rows x [B,T,...], `lengths` [B] of them or all, follow `count`; they are counted.
inline Next continued(sdk::Forward& f, sdk::Value count, sdk::Value x, sdk::Value lengths) {
  const tenon_meta meta = f.meta(x.tensor());
  const int64_t batch = f.meta(count.tensor()).shape[0], rows = meta.shape[1];
  if (meta.shape[0] != batch) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "the cache is for another number of sequences",
                       "x",
                       "a batch of " + std::to_string(batch),
                       std::to_string(meta.shape[0]),
                       "tenon_layer_set_cache makes another one"};
  }
  sdk::Value added = rows;
  if (lengths.is_tensor()) {
    added = lengths;
    // Refuses lengths that are not from 0 to `rows`; a mask for no query costs nothing.
    f.call("tenon.attention_mask", {added}, {0, rows});
  }
  Next next{f.call("tenon.add", {count, added}), reshaped(f, count, {batch, 1})};
  if (rows != 1) {
    const sdk::Value steps =
        f.call("tenon.arange", {}, {0, rows, 1, sdk::Value::dtype(TENON_DTYPE_I64)});
    next.positions = f.call("tenon.add", {next.positions, steps});
  }
  f.set_buffer(kCount, next.lengths);
  return next;
}

}  // namespace tenon::layers
