// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/plan.h: into which pieces the product of a sweep is cut.
//
// Shapes and cache sizes decide, never the number of threads; none of it changes bits.
#pragma once

#include "conv/geometry.h"
#include "gemm/plan.h"

namespace tenon::cpu::conv {

inline constexpr int64_t kPanelBytes = 49152;  // the most that a task packs at once
inline constexpr int64_t kSumBytes = 65536;    // sums of a task

struct Plan {
  bool packs_weights = false;
  int64_t row_blocks = 1;
  int64_t depth = 1;  // values of k in a block

  // A task.
  int64_t task_blocks = 1;  // blocks of rows
  int64_t task_panels = 1;
  int64_t down = 1;
  int64_t across = 1;
  int64_t grain = 1;
};

// Rows that lie packed along k are read in place, unless they are read often.
template <gemm::Shapes s>
bool packs_weights(const Sweep& sweep, int64_t columns) {
  constexpr int64_t kOften = 8 * s.tile_columns;
  if (!sweep.rows_are_packed() || columns >= kOften) return true;
  constexpr int64_t kPeriod = 1024;  // as in gemm::rows_collide
  return columns >= kOften / 2 && sweep.row_step * s.bytes % kPeriod == 0;
}

// Of some of `all_images`. `shared`: threads share its tasks.
template <gemm::Shapes s>
Plan plan_of(const Sweep& sweep, int64_t all_images, bool shared) {
  constexpr int64_t kTaskBytes = 256;  // of a row of sums
  constexpr int64_t kTasks = 16;       // that threads can share well
  Plan plan;
  plan.packs_weights = packs_weights<s>(sweep, all_images * sweep.windows());
  plan.row_blocks = gemm::pieces(sweep.rows, s.tile_rows);
  const int64_t panel = s.tile_columns * s.bytes;
  const int64_t depth = std::max<int64_t>(sweep.depth(), 1);
  const int64_t most = std::min(gemm::caches().first * 5 / 8, kPanelBytes) / panel;
  plan.depth = gemm::pieces(depth, gemm::pieces(depth, most));

  const int64_t panels = gemm::pieces(sweep.columns(), s.tile_columns);
  plan.task_panels = std::min(std::max<int64_t>(kTaskBytes / panel, 1), panels);
  const int64_t most_blocks = kSumBytes / (plan.task_panels * panel) / s.tile_rows;
  plan.across = gemm::pieces(panels, plan.task_panels);
  plan.down = gemm::pieces(plan.row_blocks, most_blocks);
  // Few columns: rows are shared, too, as long as packing columns again costs little.
  constexpr int64_t kFewestBlocks = 16;
  const int64_t tasks = sweep.groups * plan.across * plan.down;
  const int64_t products = sweep.rows * sweep.columns() * depth * sweep.groups;
  if (shared && tasks < kTasks && products / tasks > gemm::kTaskProducts) {
    const int64_t wanted =
        std::min(gemm::pieces(kTasks, tasks), products / tasks / gemm::kTaskProducts);
    plan.down = std::clamp(plan.down * wanted, plan.down,
                           std::max(plan.row_blocks / kFewestBlocks, plan.down));
  }
  plan.task_blocks = gemm::pieces(plan.row_blocks, plan.down);
  plan.down = gemm::pieces(plan.row_blocks, plan.task_blocks);
  const int64_t task = gemm::pieces(products, sweep.groups * plan.across * plan.down);
  plan.grain = gemm::pieces(gemm::kTaskProducts, std::max<int64_t>(task, 1));
  return plan;
}

// Elements of scratch.
template <gemm::Shapes s>
int64_t packed(const Sweep& sweep, const Plan& plan) {
  return plan.packs_weights ? sweep.groups * plan.row_blocks * s.panel_rows * sweep.depth() : 0;
}

}  // namespace tenon::cpu::conv
