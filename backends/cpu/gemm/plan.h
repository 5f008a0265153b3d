// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/plan.h: into which pieces a product is cut, and what is packed first.
//
// A round packs columns of b, for some batches, over a block of k, and then computes the tiles of c
// that need them; where b is read in place, or packed by each task for itself, one round is all.
// Shapes, layouts and cache sizes decide, never the number of threads; none of it changes bits.
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

inline constexpr int64_t kTaskProducts = 1 << 18;    // worth handing to another thread
inline constexpr int64_t kVectorProducts = 1 << 17;  // the same, of what is read or written once
inline constexpr int64_t kSerialProducts = 1 << 20;  // not worth sharing
inline constexpr int64_t kPanelBytes = 65536;        // the most that a task packs at once

constexpr int64_t pieces(int64_t whole, int64_t most) { return (whole + most - 1) / most; }
constexpr int64_t round_up(int64_t value, int64_t unit) { return pieces(value, unit) * unit; }

// Where a block begins if `rows` are cut into so many blocks evenly: the first ones have one more.
constexpr int64_t row_of(int64_t block, int64_t rows, int64_t blocks) {
  return block * (rows / blocks) + std::min(block, rows % blocks);
}

enum class PackB {
  kNever,  // read in place
  kTask,   // a task packs a panel of columns for all its rows
  kRound,  // all panels of a round are packed before its tasks run
};

struct Plan {
  PackB pack_b = PackB::kNever;
  bool pack_a = false;
  bool keep_a = false;  // packed rows, for further rounds over the same block of k
  int64_t row_blocks = 1;
  int64_t depth = 1;  // values of k in a block

  // A round.
  int64_t batches = 1;
  int64_t columns = 1;

  // A task of a round.
  int64_t task_blocks = 1;   // blocks of rows
  int64_t task_columns = 1;  // whole panels, except for the last task's
  int64_t down = 1;          // tasks below each other in c
  int64_t across = 1;        // tasks beside each other
  int64_t grain = 1;         // tasks in a chunk
};

// Elements of b that a round packs.
inline int64_t packed_columns(const Plan& plan, const Shapes& s) {
  if (plan.pack_b != PackB::kRound) return 0;
  return plan.batches * round_up(plan.columns, s.tile_columns) * plan.depth;
}
inline int64_t packed(const Plan& plan, const Shapes& s) {
  const int64_t rows = plan.keep_a ? plan.row_blocks * s.panel_rows * plan.depth : 0;
  return packed_columns(plan, s) + rows;
}

// Is it more than the caches of one core hold?
inline bool is_large(const Matrix& m, int64_t bytes) {
  return m.rows > caches().second / bytes / std::max<int64_t>(m.columns, 1);
}

inline bool is_packed(const Matrix& m) { return m.row_step == 1 || m.column_step == 1; }

// Steps between rows at which few lines of the first cache would hold many rows' elements.
template <Shapes s>
bool rows_collide(const Matrix& a) {
  constexpr int64_t kPeriod = 1024;
  return a.rows > 1 && a.row_step * s.bytes % kPeriod == 0;
}

// Rows of a that lie packed along k are read in place, unless they collide or are read often.
template <Shapes s>
bool packs_a(const Problem& p, PackB pack_b) {
  constexpr int64_t kOften = 8 * s.tile_columns;
  if (!is_packed(p.a)) return true;
  if (pack_b == PackB::kTask) return false;
  if (pack_b == PackB::kRound && p.n() >= kOften) return true;
  return p.a.row_step != 1 && p.n() >= kOften / 2 && rows_collide<s>(p.a);
}

// Rows of b that are packed are read in place, unless they are read again and do not stay cached.
template <Shapes s>
PackB packs_b(const Problem& p, const Caches& caches) {
  constexpr int64_t kFewRows = 2 * s.tile_rows;
  const int64_t half = caches.second / 2;
  if (p.b.column_step == 1) {
    const bool stays = p.m() <= kFewRows || p.k() * s.bytes <= half / p.n();
    return stays ? PackB::kNever : PackB::kRound;
  }
  const bool a_stays = p.m() <= kFewRows || p.k() * s.bytes <= half / p.m();
  return is_packed(p.a) && a_stays ? PackB::kTask : PackB::kRound;
}

// Blocks of k keep in the first cache what is read again and again: a block of packed rows of a, or
// a panel of b that was just packed. Where a is read in place longer ones cost less than the stores
// they save: what the first cache does not hold comes from the second in time.
template <Shapes s>
int64_t depth_of(const Problem& p, PackB pack_b, bool pack_a, const Caches& caches) {
  const bool in_place = pack_b != PackB::kRound && !pack_a;
  const int64_t room = in_place ? 2 * caches.first : caches.first / 2;
  const int64_t again = pack_b == PackB::kTask ? s.tile_columns : s.tile_rows;
  int64_t most = room / (again * s.bytes);
  if (pack_b != PackB::kNever || pack_a) {
    constexpr int64_t widest = std::max(s.tile_columns, s.panel_rows);
    most = std::min(most, kPanelBytes / (widest * s.bytes));
  }
  if (p.k() <= most) return std::max<int64_t>(p.k(), 1);
  return round_up(pieces(p.k(), pieces(p.k(), most)), 4);
}

// Packed columns that stay in the second cache, and batches of matrices that are small.
template <Shapes s>
void cut_rounds(Plan& plan, const Problem& p, const Caches& caches) {
  const int64_t room = caches.second / 2 / (plan.depth * s.bytes);
  const int64_t most = std::max(room / s.tile_columns, int64_t{1}) * s.tile_columns;
  if (p.n() > most) {
    plan.columns = round_up(pieces(p.n(), pieces(p.n(), most)), s.tile_columns);
    plan.batches = 1;
  } else if (plan.depth < p.k()) {
    plan.batches = 1;
  } else {
    const int64_t matrix = round_up(p.n(), s.tile_columns) * plan.depth * s.bytes;
    plan.batches = std::clamp(caches.second / matrix, int64_t{1}, plan.batches);
  }
}

// Where another round needs the same rows, unless they would fill a cache that all cores share.
template <Shapes s>
bool keeps_a(const Plan& plan, const Problem& p) {
  constexpr int64_t kMaxBytes = 8 << 20;
  if (!plan.pack_a || plan.columns >= p.n()) return false;
  return plan.row_blocks <= kMaxBytes / (s.panel_rows * s.bytes * plan.depth);
}

template <Shapes s>
void cut_tasks(Plan& plan, const Problem& p) {
  const int64_t rows = pieces(p.m(), plan.row_blocks);
  const int64_t depth = plan.pack_b == PackB::kRound ? plan.depth : std::max<int64_t>(p.k(), 1);
  const int64_t panels = pieces(plan.columns, s.tile_columns);
  const int64_t tile = rows * s.tile_columns * depth;
  int64_t wide = 1;
  if (plan.pack_b == PackB::kTask) {
    plan.task_blocks = plan.row_blocks;
    wide = std::min(pieces(kTaskProducts, tile * plan.row_blocks), panels);
  } else {
    wide = plan.pack_a ? panels : std::min(pieces(kTaskProducts, tile), panels);
    plan.task_blocks = std::min(pieces(kTaskProducts, tile * wide), plan.row_blocks);
  }
  plan.task_columns = wide * s.tile_columns;
  plan.across = pieces(panels, wide);
  plan.down = pieces(plan.row_blocks, plan.task_blocks);
  plan.grain = pieces(kTaskProducts, tile * wide * plan.task_blocks);
}

// Without the divisions above, which such products would notice.
inline bool is_small(const Problem& p, int64_t batches) {
  constexpr int64_t kMaxExtent = 1 << 16;
  if (batches > kMaxExtent || p.m() > kMaxExtent || p.n() > kMaxExtent || p.k() > kMaxExtent)
    return false;
  const int64_t area = p.m() * p.n();
  return area <= kSerialProducts && batches * p.k() <= kSerialProducts &&
         area * batches * p.k() <= kSerialProducts;
}

template <Shapes s>
Plan plan_of(const Problem& p) {
  const Caches& sizes = caches();
  Plan plan;
  plan.pack_b = packs_b<s>(p, sizes);
  plan.pack_a = packs_a<s>(p, plan.pack_b);
  plan.row_blocks = pieces(p.m(), s.tile_rows);
  plan.depth = depth_of<s>(p, plan.pack_b, plan.pack_a, sizes);
  plan.batches = p.batches();
  plan.columns = p.n();
  if (plan.pack_b == PackB::kRound) cut_rounds<s>(plan, p, sizes);
  plan.keep_a = keeps_a<s>(plan, p);
  if (is_small(p, plan.batches)) {
    plan.task_blocks = plan.row_blocks;
    plan.task_columns = plan.columns;
    plan.grain = plan.batches;
  } else {
    cut_tasks<s>(plan, p);
  }
  return plan;
}

}  // namespace tenon::cpu::gemm
