// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/plan.h: into which pieces a product is cut, and what is packed first.
//
// A round packs columns of b, for some batches, over a block of k, and then computes the tiles of c
// that need them; where b is read in place one round is all. Shapes, layouts and cache sizes decide,
// never the number of threads; none of it changes bits.
#pragma once

#include <algorithm>

#include "gemm/problem.h"

namespace tenon::cpu::gemm {

// Bytes of the caches that one core has to itself.
struct Caches {
  int64_t first;
  int64_t second;
};
const Caches& caches();

// What the instruction set and the type decide.
struct Shapes {
  int64_t tile_rows;
  int64_t tile_columns;
  int64_t panel_rows;  // rows of a that are packed side by side: whole vectors
  int64_t bytes;       // of an element
};

inline constexpr int64_t kTaskProducts = 1 << 19;    // worth handing to another thread
inline constexpr int64_t kSerialProducts = 1 << 20;  // not worth sharing
inline constexpr int64_t kPanelBytes = 32768;        // the most of a that is packed at once

constexpr int64_t pieces(int64_t whole, int64_t most) { return (whole + most - 1) / most; }
constexpr int64_t round_up(int64_t value, int64_t unit) { return pieces(value, unit) * unit; }

struct Plan {
  bool pack_a = false;
  bool pack_b = false;
  bool spread_c = false;  // neither rows nor columns of c are packed
  int64_t row_blocks = 1;
  int64_t task_blocks = 1;   // blocks of rows in a task
  int64_t depth = 1;         // values of k in a block
  int64_t columns = 1;       // of c in a round
  int64_t task_columns = 1;  // of these, in a task
  int64_t batches = 1;       // in a round
  int64_t grain = 1;         // tasks in a chunk

  // Elements of packed b in a round.
  int64_t packed_matrix(const Shapes& s) const { return round_up(columns, s.tile_columns) * depth; }
  int64_t packed(const Shapes& s) const { return pack_b ? batches * packed_matrix(s) : 0; }
};

Plan plan_of(const Problem& p, const Shapes& s);

}  // namespace tenon::cpu::gemm
