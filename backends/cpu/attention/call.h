// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/call.h: a call of attention or of its gradient: sizes, options, and into
// which blocks of rows it is cut.
//
// The queries of all heads that read one head of k and v are one list of rows, head after head.
// Shapes and cache sizes decide how it is cut, never the number of threads; none of it changes
// bits.
#pragma once

#include <tenon/sdk/plugin/loops.hpp>

#include <algorithm>
#include <cmath>

#include "common/indices.h"
#include "common/sight.h"
#include "cpu.h"
#include "gemm/plan.h"

namespace tenon::cpu::attention {

enum Attribute : uint32_t { kCausal, kWindow, kScale, kSoftCap, kAttributes };

// Slots from that of q on.
enum Slot : uint32_t { kQuery, kKey, kValue, kMask, kBias, kLengths, kStart };

struct Call {
  Call(const sdk::Args& args, uint32_t q) : first(q) {
    const std::span<const int64_t> query = args.shape(q + kQuery);
    const std::span<const int64_t> key = args.shape(q + kKey);
    batch = query[0];
    groups = key[1];
    heads = groups ? query[1] / groups : 0;
    queries = query[2];
    keys = key[2];
    depth = query[3];
    width = args.shape(q + kValue)[3];
    scale = args.attrs.given(kScale)
                ? args.attrs.real(kScale)
                : 1.0 / std::sqrt(static_cast<double>(std::max(depth, int64_t{1})));
    soft_cap = args.attrs.real(kSoftCap);
    sight = {args.attrs.flag(kCausal), args.attrs.integer(kWindow)};
    const int64_t scores[] = {batch, query[1], queries, keys};
    if (args.given(q + kMask)) mask = backends::broadcast(args.view(q + kMask), scores);
    if (args.given(q + kBias)) bias = backends::broadcast(args.view(q + kBias), scores);
  }

  int64_t rows() const { return heads * queries; }  // that read one head of k and v
  int64_t problems() const { return batch * groups; }
  // Do queries see different keys, apart from those after a sequence's end?
  bool hides() const { return sight.causal || sight.window > 0 || mask.data != nullptr; }

  uint32_t first;  // slot of q
  int64_t batch, groups, heads, queries, keys, depth, width;
  double scale, soft_cap;
  backends::Sight sight;
  sdk::Strided mask{}, bias{};  // stretched to [batch, heads of q, queries, keys]; or no data
};

// ---- Blocks of rows -----------------------------------------------------------------------------

// Rows of one problem that are computed together: queries of one head, or of whole heads.
struct Block {
  int64_t first;
  int64_t count;
};

struct Blocks {
  Blocks(const Call& call, int64_t most) {
    if (call.rows() == 0) return;
    queries = call.queries;
    total = call.rows();
    if (2 * queries <= most) {
      rows = std::min(most / queries, call.heads) * queries;
      count = gemm::pieces(total, rows);
    } else {
      per_head = gemm::pieces(queries, most);
      rows = gemm::pieces(queries, per_head);
      count = per_head * call.heads;
    }
  }
  Block operator[](int64_t i) const {
    if (per_head == 0) return {i * rows, std::min(rows, total - i * rows)};
    const int64_t query = i % per_head * rows;
    return {i / per_head * queries + query, std::max(std::min(rows, queries - query), int64_t{0})};
  }

  int64_t count = 0;
  int64_t rows = 0;  // of the largest block
  int64_t per_head = 0;
  int64_t queries = 0;
  int64_t total = 0;
};

// Elements from one row of scores to the next: an odd number of cache lines, so that rows do not
// push each other out of the first cache.
inline int64_t score_step(int64_t keys) { return gemm::round_up(keys, 64) + 16; }

// Rows whose scores stay in the second cache, `matrices` of them for each row.
inline int64_t block_rows(const Call& call, int64_t matrices, int64_t bytes, int64_t tile_rows) {
  constexpr int64_t kMaxRows = 64;
  const int64_t row = score_step(call.keys) * bytes * matrices;
  const int64_t fitting = std::min(gemm::caches().second / 2 / row, kMaxRows);
  // What causal queries of a block do not see is computed for nothing.
  const int64_t seen = call.sight.causal ? gemm::pieces(call.queries, 6) : kMaxRows;
  return std::max(std::min(fitting, seen) / tile_rows, int64_t{1}) * tile_rows;
}

// Pieces of work that each have scratch of their own: few, but shared evenly by threads.
inline int64_t lanes_of(int64_t tasks, int64_t bytes) {
  constexpr int64_t kMaxLanes = 64;
  constexpr int64_t kFewLanes = 16;
  constexpr int64_t kMaxBytes = int64_t{8} << 20;
  const int64_t affordable = std::max(kMaxBytes / std::max(bytes, int64_t{1}), kFewLanes);
  return std::min({tasks, kMaxLanes, affordable});
}

}  // namespace tenon::cpu::attention
