// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/plan.cc: see plan.h.
#include "gemm/plan.h"

#include <unistd.h>

namespace tenon::cpu::gemm {
namespace {

// Steps between rows at which few lines of the first cache would hold many rows' elements.
bool rows_collide(const Matrix& a, const Shapes& s) {
  constexpr int64_t kPeriod = 1024;
  return a.row_step * s.bytes % kPeriod == 0;
}

// Rows of a that lie packed along k are read in place, unless they collide or are read often.
bool packs_a(const Problem& p, const Shapes& s, bool pack_b) {
  const bool along_depth = p.a.column_step == 1;
  const bool along_rows = p.a.row_step == 1;
  if (!along_depth && !along_rows) return true;
  const int64_t reads = pieces(p.n(), s.tile_columns);
  if (along_rows) return pack_b && reads >= 8;
  return (pack_b && reads >= 8) || (rows_collide(p.a, s) && reads >= 4 && p.m() > 1);
}

bool packs_b(const Problem& p, const Shapes& s) {
  if (p.b.column_step != 1) return true;
  const bool read_again = p.m() > 2 * s.tile_rows;
  return read_again && p.k() > caches().second / 2 / (p.n() * s.bytes);
}

// Blocks of k keep a block of rows of a in the first cache, beside what streams through it.
int64_t depth_of(const Problem& p, const Shapes& s) {
  const int64_t most = std::min(caches().first / 2 / (s.tile_rows * s.bytes),
                                kPanelBytes / (s.panel_rows * s.bytes));
  const int64_t k = std::max<int64_t>(p.k(), 1);
  return round_up(pieces(k, pieces(k, most)), 4);
}

void cut_rounds(Plan& plan, const Problem& p, const Shapes& s) {
  const int64_t room = caches().second / 2 / (plan.depth * s.bytes);
  const int64_t most = std::max(room / s.tile_columns, int64_t{1}) * s.tile_columns;
  plan.columns = round_up(pieces(p.n(), pieces(p.n(), most)), s.tile_columns);
  if (plan.columns < p.n() || plan.depth < p.k()) return;
  plan.columns = p.n();
  const int64_t matrix = round_up(p.n(), s.tile_columns) * plan.depth * s.bytes;
  plan.batches = std::clamp(caches().second / matrix, int64_t{1}, p.batches());
}

void cut_tasks(Plan& plan, const Problem& p, const Shapes& s) {
  const int64_t rows = pieces(p.m(), plan.row_blocks);
  const int64_t depth = plan.pack_b ? plan.depth : p.k();
  const int64_t tile = rows * s.tile_columns * std::max<int64_t>(depth, 1);
  const int64_t panels = pieces(plan.columns, s.tile_columns);
  const int64_t wanted = plan.pack_a ? panels : pieces(kTaskProducts, tile);
  plan.task_columns = std::min(wanted, panels) * s.tile_columns;
  const int64_t task = tile * std::min(wanted, panels);
  plan.task_blocks = std::min(pieces(kTaskProducts, task), plan.row_blocks);
  const int64_t tasks =
      plan.batches * pieces(plan.row_blocks, plan.task_blocks) * pieces(panels, wanted);
  const int64_t products = task * plan.task_blocks;
  plan.grain = tasks <= kSerialProducts / products ? tasks : pieces(kTaskProducts, products);
}

Caches read_caches() {
  const auto of = [](int name, int64_t otherwise) {
    const auto bytes = static_cast<int64_t>(sysconf(name));
    return bytes > 0 ? bytes : otherwise;
  };
  return {of(_SC_LEVEL1_DCACHE_SIZE, 32768), of(_SC_LEVEL2_CACHE_SIZE, 524288)};
}

}  // namespace

// Asking takes microseconds on virtual machines, so it is done once.
const Caches& caches() {
  static const Caches found = read_caches();
  return found;
}

Plan plan_of(const Problem& p, const Shapes& s) {
  Plan plan;
  plan.pack_b = packs_b(p, s);
  plan.pack_a = packs_a(p, s, plan.pack_b);
  plan.spread_c = p.c.column_step != 1;
  plan.row_blocks = pieces(p.m(), s.tile_rows);
  plan.depth = depth_of(p, s);
  plan.columns = p.n();
  plan.batches = p.batches();
  if (plan.pack_b) {
    cut_rounds(plan, p, s);
  }
  cut_tasks(plan, p, s);
  return plan;
}

}  // namespace tenon::cpu::gemm
