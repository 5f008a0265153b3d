// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/weight_plan.h: into which pieces the weights' gradient is cut.
//
// Shapes decide, never the number of threads; none of it changes bits.
#pragma once

#include <bit>

#include "conv/plan.h"

namespace tenon::cpu::conv {

struct WeightPlan {
  int64_t images = 1;  // packed at a time
  int64_t parts = 1;   // of all images, each summed by one thread; 1: threads share every image
  int64_t part_images = 1;  // a power of two, so that a part's sum is one of the pairwise sums
  int64_t part_grain = 1;   // parts
  int64_t wide = 1;         // channels o of a panel
  int64_t panels = 1;       // of a group
  int64_t depth = 1;        // positions in a block
  int64_t task_rows = 1;
  int64_t down = 1;  // tasks of a panel
  int64_t grain = 1;
  int64_t groups = 1;

  // Elements of scratch, of a part.
  int64_t dy = 0;
  int64_t levels = 0;
  int64_t offsets = 0;  // of 64 bits, for all parts

  int64_t tasks() const { return groups * panels * down; }
};

// Partial sums that pairwise sums of `count` arrays keep.
inline int64_t levels_of(int64_t count) {
  return std::max(static_cast<int>(std::bit_width(static_cast<uint64_t>(count))), 1);
}

template <gemm::Shapes s>
void cut_weight_tasks(WeightPlan& plan, const Sweep& sweep) {
  constexpr int64_t kTasks = 16;  // that threads can share well
  const int64_t rows = sweep.depth();
  const int64_t row_products = plan.images * sweep.windows() * plan.wide;
  const int64_t most = kSumBytes / (plan.wide * s.bytes) / s.tile_rows * s.tile_rows;
  const int64_t parts = gemm::pieces(kTasks, plan.groups * plan.panels);
  const int64_t least = gemm::pieces(gemm::kTaskProducts, row_products);
  plan.task_rows = gemm::round_up(std::max(gemm::pieces(rows, parts), least), s.tile_rows);
  plan.task_rows = std::min({plan.task_rows, most, rows});
  plan.down = gemm::pieces(rows, plan.task_rows);
  plan.grain = gemm::pieces(gemm::kTaskProducts, row_products * plan.task_rows);
}

// Where there are many images and few weights, a thread sums whole images.
inline void cut_images(WeightPlan& plan, const Sweep& sweep, int64_t sums) {
  constexpr int64_t kParts = 16;  // that threads can share well
  constexpr int64_t kMaxElements = 1 << 21;
  plan.part_images = std::max<int64_t>(sweep.images, 1);
  if (sweep.images < kParts) return;
  const auto images =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(sweep.images / kParts)));
  const int64_t parts = gemm::pieces(sweep.images, images);
  if (parts * levels_of(images) * sums > kMaxElements) return;
  plan.part_images = images;
  plan.parts = parts;
  const int64_t products = images * sweep.windows() * sums;
  plan.part_grain = gemm::pieces(gemm::kTaskProducts, std::max<int64_t>(products, 1));
}

// `copied`: elements of an image that are copied, too.
template <gemm::Shapes s, int64_t lanes>
WeightPlan weight_plan_of(const Sweep& sweep, int64_t copied) {
  constexpr int64_t kUnit = 16;
  constexpr int64_t kDepth = 256;
  WeightPlan plan;
  plan.groups = sweep.groups;
  plan.wide = std::min(gemm::round_up(sweep.rows, lanes), s.tile_columns);
  plan.panels = gemm::pieces(sweep.rows, plan.wide);
  plan.depth = gemm::pieces(sweep.windows(), gemm::pieces(sweep.windows(), kDepth));
  const int64_t sums = sweep.groups * plan.panels * plan.wide * sweep.depth();
  cut_images(plan, sweep, sums);
  const int64_t elements = plan.parts > 1 ? 1 << 16 : 1 << 18;  // packed at a time
  const int64_t dy = sweep.groups * plan.panels * plan.wide * sweep.windows();
  plan.images = std::clamp(elements / (copied + dy), int64_t{1}, plan.part_images);
  plan.dy = gemm::round_up(plan.images * dy, kUnit);
  plan.levels = gemm::round_up(levels_of(plan.part_images) * sums, kUnit);
  plan.offsets = sweep.windows() + sweep.depth();
  cut_weight_tasks<s>(plan, sweep);
  return plan;
}

}  // namespace tenon::cpu::conv
