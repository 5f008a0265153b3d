// SPDX-License-Identifier: Apache-2.0
// backends/cpu/winograd/winograd.cc: convolutions of 3x3 windows side by side, and their adjoints
// in x, by Winograd's F(4x4, 3x3): tiles of 4x4 results take 36 multiplications where 144 are
// written.
//
// Sums are rounded in another order, and a little more: by about 1e-6 of the largest sum of
// products that could be. So it does not claim canonical bits: it runs where a context asks for
// fast arithmetic, or where this plugin is pinned. Bits do not depend on threads or on the
// instruction set. What is not finite would spread over a tile and is computed again term by term.
//
// A task has some tiles. For some channels at a time it transforms their places, multiplies them by
// the transformed weights, as 36 products of matrices, then transforms the sums of each row back.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "winograd/winograd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <tenon/sdk/plugin/convolution.hpp>
#include <tenon/sdk/plugin/op.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "common/slots.h"
#include "gemm/micro-kernel-inl.h"
#include "gemm/plan.h"
#include "winograd/problem.h"
#include "winograd/transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using winograd::Problem;

constexpr int64_t kWide = kTileColumns<float>;  // tiles of a panel
constexpr int64_t kPanelRows = gemm::round_up(kTileRows, kLanes<float>);
constexpr int64_t kDepth = 64;  // channels at a time

// Elements of scratch: transformed weights, then for each part places and sums of a task.
struct Room {
  explicit Room(const Problem& p)
      : blocks(gemm::pieces(p.out, kTileRows)),
        panels(p.in * p.out < kManyWeights ? 2 : kMaxPanels),
        tasks(gemm::pieces(p.tiles(), panels * kWide)),
        parts(std::min(tasks, kMaxParts)),
        depth(std::min(p.in, kDepth)),
        weights(kProducts * blocks * p.in * kPanelRows),
        places(kProducts * panels * depth * kWide),
        sums(kProducts * panels * p.out * kWide) {}

  // Weights that leave the second cache are to serve more tiles at a time.
  static constexpr int64_t kManyWeights = 1 << 13;
  static constexpr int64_t kMaxPanels = 4;
  static constexpr int64_t kMaxParts = 24;

  int64_t elements() const { return weights + parts * (places + sums); }

  int64_t blocks;  // of rows
  int64_t panels;  // of a task
  int64_t tasks;
  int64_t parts;
  int64_t depth;
  // kProducts matrices each.
  int64_t weights;
  int64_t places;
  int64_t sums;
};

// Tiles beside each other, or in the next row or image.
struct Panel {
  int64_t count = 0;
  std::array<winograd::TilePlace, static_cast<size_t>(kWide)> tiles;
};

// Tiles of whole panels.
struct PanelTiles {
  using Run = void (*)(const Tile<float>&, const Store&);

  template <int... kRow>
  static constexpr auto runs(std::integer_sequence<int, kRow...>) {
    return std::array<Run, sizeof...(kRow)>{
        run_tile<float, kRow + 1, kTileVectors, true, Along::kRows, Ready<float>, Store>...};
  }
  static Run of(int64_t rows) {
    static constexpr auto kRuns = runs(std::make_integer_sequence<int, kTileRows>());
    return kRuns[static_cast<size_t>(rows - 1)];
  }
};

class Product {
 public:
  Product(const sdk::Launch& launch, const Problem& problem, float* scratch)
      : l_(launch),
        p_(problem),
        room_(problem),
        weights_(scratch),
        tasks_(scratch + room_.weights) {}

  void compute() const {
    constexpr int64_t kWeights = 1 << 11;  // worth handing to another thread
    l_.parallel_for(room_.blocks, gemm::pieces(kWeights, p_.in * kPanelRows),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t block = begin; block < end; ++block) weights_of_block(block);
                    });
    const int64_t products = p_.in * p_.out * kWide * room_.panels * kProducts;
    l_.parallel_for(room_.parts,
                    gemm::pieces(gemm::kTaskProducts * room_.parts, products * room_.tasks),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t part = begin; part < end; ++part) {
                        float* const own = tasks_ + part * (room_.places + room_.sums);
                        const int64_t last = (part + 1) * room_.tasks / room_.parts;
                        for (int64_t t = part * room_.tasks / room_.parts; t < last; ++t)
                          task(t, own);
                      }
                    });
  }

 private:
  int64_t row_of(int64_t block) const { return gemm::row_of(block, p_.out, room_.blocks); }

  // ---- Weights: [product, block, channel, row] ----

  HWY_NOINLINE void weights_of_block(int64_t block) const {
    const int64_t first = row_of(block);
    const int64_t rows = row_of(block + 1) - first;
    for (int64_t c = 0; c < p_.in; ++c) {
      float* const to = weights_ + (block * p_.in + c) * kPanelRows;
      for (int64_t row = 0; row < kPanelRows; row += kLanes<float>) {
        weights_of_rows(first + row, std::clamp<int64_t>(rows - row, 0, kLanes<float>), c,
                        to + row);
      }
    }
  }
  HWY_INLINE void weights_of_rows(int64_t row, int64_t count, int64_t c, float* to) const {
    const F32 d;
    HWY_ALIGN float lanes[winograd::kTaps][kLanes<float>] = {};
    for (int64_t lane = 0; lane < count; ++lane) {
      const float* const from = p_.weight(row + lane, c);
      for (int t = 0; t < winograd::kTaps; ++t) lanes[p_.tap(t)][lane] = from[t];
    }
    Floats along_x[kWindow][kReach];
    for (int y = 0; y < kWindow; ++y) {
      const Floats g[kWindow] = {hn::Load(d, lanes[3 * y]), hn::Load(d, lanes[3 * y + 1]),
                                 hn::Load(d, lanes[3 * y + 2])};
      transform_weights(g, along_x[y]);
    }
    const int64_t step = room_.weights / kProducts;
    for (int x = 0; x < kReach; ++x) {
      const Floats g[kWindow] = {along_x[0][x], along_x[1][x], along_x[2][x]};
      Floats all[kReach];
      transform_weights(g, all);
      for (int y = 0; y < kReach; ++y) hn::StoreU(all[y], d, to + (y * kReach + x) * step);
    }
  }

  // ---- A task ----

  HWY_NOINLINE void task(int64_t number, float* scratch) const {
    float* const places = scratch;
    float* const sums = scratch + room_.places;
    Panel panels[Room::kMaxPanels];
    int64_t used = 0;
    while (used < room_.panels) {
      Panel& panel = panels[used];
      const int64_t first = (number * room_.panels + used) * kWide;
      panel.count = std::clamp<int64_t>(p_.tiles() - first, 0, kWide);
      if (panel.count == 0) break;
      for (int64_t i = 0; i < panel.count; ++i) {
        panel.tiles[static_cast<size_t>(i)] = p_.tile(first + i);
      }
      ++used;
    }
    for (int64_t k = 0; k < p_.in; k += kDepth) {
      const int64_t depth = std::min(kDepth, p_.in - k);
      for (int64_t i = 0; i < used; ++i) {
        for (int64_t c = 0; c < depth; ++c) {
          places_of(panels[i], k + c, places + (i * room_.depth + c) * kWide);
        }
      }
      multiply(k, depth, used, places, sums);
    }
    for (int64_t i = 0; i < used; ++i) {
      for (int64_t row = 0; row < p_.out; ++row) {
        results_of(panels[i], row, sums + (i * p_.out + row) * kWide);
      }
    }
  }

  // [product, panel, channel, tile]
  HWY_NOINLINE void places_of(const Panel& panel, int64_t c, float* to) const {
    const F32 d;
    HWY_ALIGN float first[kReach][4 * kWide];
    HWY_ALIGN float last[kReach][2 * kWide];
    const float* const channel = p_.x + c * p_.from.channel;
    for (int64_t lane = 0; lane < panel.count; ++lane) {
      const winograd::TilePlace& tile = panel.tiles[static_cast<size_t>(lane)];
      const float* from = channel + tile.from;
      if (tile.is_inside) {
        for (int y = 0; y < kReach; ++y, from += p_.from.row) {
          std::memcpy(first[y] + 4 * lane, from, 4 * sizeof(float));
          std::memcpy(last[y] + 2 * lane, from + 4, 2 * sizeof(float));
        }
        continue;
      }
      for (int y = 0; y < kReach; ++y) {
        for (int x = 0; x < kReach; ++x) {
          float* const at = x < 4 ? first[y] + 4 * lane + x : last[y] + 2 * lane + x - 4;
          *at = p_.inside(tile.y + y, tile.x + x) ? from[y * p_.from.row + x * p_.from.column] : 0;
        }
      }
    }
    for (int64_t lane = panel.count; lane < kWide; ++lane) {
      for (int y = 0; y < kReach; ++y) {
        std::fill_n(first[y] + 4 * lane, 4, 0.0f);
        std::fill_n(last[y] + 2 * lane, 2, 0.0f);
      }
    }
    const int64_t step = room_.places / kProducts;
    for (int64_t lane = 0; lane < kWide; lane += kLanes<float>) {
      Floats along_x[kReach][kReach];
      for (int y = 0; y < kReach; ++y) {
        Floats row[kReach];
        hn::LoadInterleaved4(d, first[y] + 4 * lane, row[0], row[1], row[2], row[3]);
        hn::LoadInterleaved2(d, last[y] + 2 * lane, row[4], row[5]);
        transform_places(row, along_x[y]);
      }
      for (int x = 0; x < kReach; ++x) {
        const Floats column[kReach] = {along_x[0][x], along_x[1][x], along_x[2][x],
                                       along_x[3][x], along_x[4][x], along_x[5][x]};
        Floats all[kReach];
        transform_places(column, all);
        for (int y = 0; y < kReach; ++y) {
          hn::StoreU(all[y], d, to + (y * kReach + x) * step + lane);
        }
      }
    }
  }

  void multiply(int64_t k, int64_t depth, int64_t panels, const float* places, float* sums) const {
    const int64_t weights_step = room_.weights / kProducts;
    Tile<float> t{};
    t.a_step = kPanelRows;
    t.b_step = kWide;
    t.c_step = kWide;
    t.depth = depth;
    t.last = kLanes<float>;
    t.goes_on = k > 0;
    for (int64_t product = 0; product < kProducts; ++product) {
      for (int64_t block = 0; block < room_.blocks; ++block) {
        const int64_t row = row_of(block);
        const PanelTiles::Run run = PanelTiles::of(row_of(block + 1) - row);
        t.a = weights_ + product * weights_step + (block * p_.in + k) * kPanelRows;
        for (int64_t i = 0; i < panels; ++i) {
          t.b = places + (product * room_.panels + i) * room_.depth * kWide;
          t.c = sums + ((product * room_.panels + i) * p_.out + row) * kWide;
          t.next = t.c;
          run(t, Store());
        }
      }
    }
  }

  HWY_NOINLINE void results_of(const Panel& panel, int64_t row, const float* sums) const {
    const F32 d;
    HWY_ALIGN float results[kResults][kResults * kWide];
    const int64_t step = room_.sums / kProducts;
    const Floats bias = hn::Set(d, p_.bias ? p_.bias[row] : 0.0f);
    auto is_finite = hn::FirstN(d, static_cast<size_t>(kLanes<float>));
    for (int64_t lane = 0; lane < kWide; lane += kLanes<float>) {
      Floats along_y[kReach][kResults];
      for (int x = 0; x < kReach; ++x) {
        Floats column[kReach];
        for (int y = 0; y < kReach; ++y) {
          column[y] = hn::LoadU(d, sums + (y * kReach + x) * step + lane);
        }
        transform_sums(column, along_y[x]);
      }
      for (int y = 0; y < kResults; ++y) {
        const Floats line[kReach] = {along_y[0][y], along_y[1][y], along_y[2][y],
                                     along_y[3][y], along_y[4][y], along_y[5][y]};
        Floats all[kResults];
        transform_sums(line, all);
        for (Floats& each : all) {
          each = hn::Add(each, bias);
          is_finite = hn::And(is_finite, hn::IsFinite(each));
        }
        hn::StoreInterleaved4(all[0], all[1], all[2], all[3], d, results[y] + kResults * lane);
      }
    }
    float* const out = p_.out_data + row * p_.to.channel;
    for (int64_t lane = 0; lane < panel.count; ++lane) {
      const winograd::TilePlace& tile = panel.tiles[static_cast<size_t>(lane)];
      for (int64_t y = 0; y < tile.rows; ++y) {
        float* const to = out + tile.to + y * p_.to.row;
        const float* const from = results[y] + kResults * lane;
        if (tile.columns == kResults && p_.to.column == 1) {
          std::memcpy(to, from, kResults * sizeof(float));
        } else {
          for (int64_t x = 0; x < tile.columns; ++x) to[x * p_.to.column] = from[x];
        }
      }
    }
    if (!hn::AllTrue(d, is_finite)) sum_again(panel, row);
  }

  // What is not finite, term by term.
  HWY_NOINLINE void sum_again(const Panel& panel, int64_t row) const {
    for (int64_t lane = 0; lane < panel.count; ++lane) {
      const winograd::TilePlace& tile = panel.tiles[static_cast<size_t>(lane)];
      for (int64_t y = 0; y < tile.rows; ++y) {
        for (int64_t x = 0; x < tile.columns; ++x) {
          float& to = p_.out_data[row * p_.to.channel + tile.to + y * p_.to.row + x * p_.to.column];
          if (!std::isfinite(to)) to = p_.sum(row, tile, y, x);
        }
      }
    }
  }

  const sdk::Launch& l_;
  const Problem& p_;
  const Room room_;
  float* const weights_;
  float* const tasks_;
};

template <Problem (*kProblem)(const sdk::Args&)>
void compute(const sdk::Launch& l) {
  Problem p = kProblem(l);
  p.x = l.data<const float>(0);
  p.weights = l.data<const float>(1);
  p.out_data = l.out_data<float>();
  if (l.launch().n_inputs > 2 && l.given(2)) p.bias = l.data<const float>(2);
  Product(l, p, reinterpret_cast<float*>(l.scratch().data())).compute();
}

template <Problem (*kProblem)(const sdk::Args&)>
uint64_t workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(Room(kProblem(args)).elements()) * sizeof(float);
}

template <Problem (*kProblem)(const sdk::Args&)>
tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  return winograd::accepts(call, kProblem(sdk::Args(args)), out_accepts);
}

constexpr tenon_slot_rule with_bias[] = {backends::any_in(), sdk::contiguous_in(),
                                         sdk::contiguous_in(), backends::any_out()};
constexpr tenon_slot_rule without_bias[] = {backends::any_in(), sdk::contiguous_in(),
                                            backends::any_out()};
constexpr tenon_dtype types[] = {TENON_DTYPE_F32};

template <Problem (*kProblem)(const sdk::Args&)>
constexpr tenon_kernel_desc kernel_of(std::string_view op, std::span<const tenon_slot_rule> slots,
                                      uint32_t n_attrs) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = types,
                      .n_attrs = n_attrs,
                      .flags = kFast,
                      .priority = kPriority + 1,
                      .launch = sdk::launch_fn<compute<kProblem>>,
                      .workspace = sdk::workspace_fn<workspace<kProblem>>,
                      .predicate = accepts<kProblem>});
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_of<winograd::forward>("tenon.conv", with_bias, sdk::kConvAttributes),
    kernel_of<winograd::adjoint>("tenon.conv_input_grad", without_bias, 1 + sdk::kConvAttributes),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> winograd_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Large enough to be accepted, for whoever judges these kernels.
constexpr tenon_sample samples[] = {
    tenon::sdk::sample("tenon.conv", "f64[1,32,13,14], f64[32,32,3,3], f64[32] | padding=[1]"),
    tenon::sdk::sample("tenon.conv_input_grad",
                       "f64[1,32,13,14], f64[32,32,3,3] | size=[13,14], padding=[1]"),
};

TENON_UNIT(winograd) = {.samples = samples, .chosen_kernels = TENON_CPU_CHOOSE(winograd_kernels)};
#endif
