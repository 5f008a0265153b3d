// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/matmul.cc: matmul of f32 and f64, c[m,n] = sum over k of a[m,k] b[k,n].
//
// The canonical arithmetic of plugins/ops/linalg/matmul.cc: acc = fma(a_k, b_k, acc), k ascending;
// 64 lanes where a matrix of the result has fewer than 16 elements. Tiles of c are held in registers
// (micro-kernel-inl.h) and a block of k at a time is added to them. b is read in place where its
// rows are packed and it stays in the second cache, else columns of it are packed (pack-inl.h,
// plan.h). Sources: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication"; Van
// Zee and van de Geijn, "BLIS"; Heinecke et al., "LIBXSMM", for small products without packing.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm/matmul.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gemm/lanes-inl.h"
#include "gemm/micro-kernel-inl.h"
#include "gemm/pack-inl.h"
#include "gemm/plan.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using gemm::Matrix;
using gemm::Plan;
using gemm::Problem;

template <class T>
constexpr gemm::Shapes kShapes = {kTileRows, kTileColumns<T>, gemm::round_up(kTileRows, kLanes<T>),
                                  sizeof(T)};

// One round, or part of it: where its operands' blocks begin.
template <class T>
struct Block {
  const T* a;
  const T* b;
  T* c;
  int64_t b_step;
  int64_t panel_step;  // from one panel of b's columns to the next
  int64_t columns;
  int64_t depth;
  bool goes_on;
};

template <class T, class Finish>
class Product {
 public:
  Product(const sdk::Launch& launch, const Problem& problem, const Plan& plan, Finish finish)
      : l_(launch),
        p_(problem),
        plan_(plan),
        finish_(finish),
        a_(launch.data<const T>(problem.swapped ? 1 : 0)),
        b_(launch.data<const T>(problem.swapped ? 0 : 1)),
        c_(launch.out_data<T>()),
        packed_(plan.pack_b ? reinterpret_cast<T*>(launch.scratch().data()) : nullptr) {}

  void compute_all() const {
    const int64_t batches = p_.batches();
    for (int64_t batch = 0; batch < batches; batch += plan_.batches) {
      const int64_t here = std::min(plan_.batches, batches - batch);
      for (int64_t column = 0; column < p_.n(); column += plan_.columns) {
        if (!plan_.pack_b) {
          compute(batch, here, column, 0);
          continue;
        }
        for (int64_t k = 0; k == 0 || k < p_.k(); k += plan_.depth) {
          pack_round(batch, here, column, k);
          compute(batch, here, column, k);
        }
      }
    }
  }

 private:
  using Table = TileTable<T, Finish>;
  static constexpr int64_t kPanelRows = kShapes<T>.panel_rows;
  static constexpr int64_t kPackProducts = 1 << 15;  // elements worth handing to another thread

  void pack_round(int64_t batch, int64_t batches, int64_t column, int64_t k) const {
    const int64_t columns = std::min(plan_.columns, p_.n() - column);
    const int64_t depth = std::min(plan_.depth, p_.k() - k);
    const int64_t panels = gemm::pieces(columns, kTileColumns<T>);
    const int64_t panel_step = depth * kTileColumns<T>;
    const int64_t grain = gemm::pieces(kPackProducts, std::max<int64_t>(panel_step, 1));
    l_.parallel_for(batches * panels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % panels * kTileColumns<T>;
        const T* from = b_ + p_.offset(p_.b, batch + i / panels) + k * p_.b.row_step +
                        (column + first) * p_.b.column_step;
        pack(Lines<T>{from, p_.b.column_step, p_.b.row_step,
                      std::min(kTileColumns<T>, columns - first)},
             depth, packed_ + i * panel_step, kTileColumns<T>);
      }
    });
  }

  void compute(int64_t batch, int64_t batches, int64_t column, int64_t k) const {
    const int64_t columns = std::min(plan_.columns, p_.n() - column);
    const int64_t across = gemm::pieces(columns, plan_.task_columns);
    const int64_t down = gemm::pieces(plan_.row_blocks, plan_.task_blocks);
    l_.parallel_for(batches * down * across, plan_.grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i / across % down * plan_.task_blocks;
        const int64_t last = std::min(block + plan_.task_blocks, plan_.row_blocks);
        task(batch, i / across / down, column, i % across * plan_.task_columns, k, block, last);
      }
    });
  }

  // Columns [first, ...) of the round's, blocks of rows [block, last), of one batch.
  void task(int64_t round, int64_t item, int64_t column, int64_t first, int64_t k, int64_t block,
            int64_t last) const {
    const int64_t batch = round + item;
    const int64_t columns = std::min(plan_.columns, p_.n() - column);
    Block<T> b{};
    b.columns = std::min(plan_.task_columns, columns - first);
    const T* a = a_ + p_.offset(p_.a, batch);
    T* c = c_ + p_.offset(p_.c, batch) + (column + first) * p_.c.column_step;
    if (plan_.pack_b) {
      b.depth = std::min(plan_.depth, p_.k() - k);
      b.b_step = kTileColumns<T>;
      b.panel_step = b.depth * kTileColumns<T>;
      const int64_t panels = gemm::pieces(columns, kTileColumns<T>);
      b.b = packed_ + (item * panels + first / kTileColumns<T>)*b.panel_step;
      b.a = a + k * p_.a.column_step;
      b.c = c;
      b.goes_on = k > 0;
      row_blocks(b, block, last);
      return;
    }
    b.b_step = p_.b.row_step;
    b.panel_step = kTileColumns<T>;
    for (k = 0; k == 0 || k < p_.k(); k += plan_.depth) {
      b.depth = std::min(plan_.depth, p_.k() - k);
      b.b = b_ + p_.offset(p_.b, batch) + k * p_.b.row_step + column + first;
      b.a = a + k * p_.a.column_step;
      b.c = c;
      b.goes_on = k > 0;
      row_blocks(b, block, last);
    }
  }

  void row_blocks(const Block<T>& b, int64_t block, int64_t last) const {
    for (; block < last; ++block) {
      const int64_t row = block * p_.m() / plan_.row_blocks;
      const int64_t rows = (block + 1) * p_.m() / plan_.row_blocks - row;
      Tile<T> t{};
      t.a = b.a + row * p_.a.row_step;
      t.c = b.c + row * p_.c.row_step;
      t.depth = b.depth;
      t.goes_on = b.goes_on;
      if (plan_.pack_a) {
        HWY_ALIGN T panel[gemm::kPanelBytes / sizeof(T)];
        pack(Lines<T>{t.a, p_.a.row_step, p_.a.column_step, rows}, b.depth, panel, kPanelRows);
        t.a = panel;
        t.a_step = kPanelRows;
        tiles(Along::kRows, t, b, rows);
      } else if (p_.a.column_step == 1) {
        t.a_step = p_.a.row_step;
        tiles(Along::kDepth, t, b, rows);
      } else {
        t.a_step = p_.a.column_step;
        tiles(Along::kRows, t, b, rows);
      }
    }
  }

  // The tiles beside each other in one block of rows.
  void tiles(Along along, Tile<T> t, const Block<T>& b, int64_t rows) const {
    T* const c = t.c;
    t.b_step = b.b_step;
    t.c_step = p_.c.row_step;
    t.last = kLanes<T>;
    t.b = b.b;
    int64_t column = 0;
    const auto run = Table::at(along, rows, kTileVectors, true);
    for (; column + kTileColumns<T> <= b.columns; column += kTileColumns<T>) {
      t.c = c + column * p_.c.column_step;
      place(run, t, rows, kTileColumns<T>);
      t.b += b.panel_step;
    }
    if (column == b.columns) return;
    const int64_t rest = b.columns - column;
    const int64_t vectors = gemm::pieces(rest, kLanes<T>);
    t.last = rest - (vectors - 1) * kLanes<T>;
    t.c = c + column * p_.c.column_step;
    place(Table::at(along, rows, vectors, t.last == kLanes<T>), t, rows, rest);
  }

  void place(typename Table::Run run, Tile<T>& t, int64_t rows, int64_t columns) const {
    if (!plan_.spread_c) {
      run(t, finish_);
    } else {
      spread(run, t, rows, columns);
    }
  }

  // Through a tile of packed rows, where c has none.
  HWY_NOINLINE void spread(typename Table::Run run, Tile<T> t, int64_t rows,
                           int64_t columns) const {
    T packed[kTileRows * kTileColumns<T>];
    T* const c = t.c;
    const auto walk = [&](auto&& each) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          each(packed[i * kTileColumns<T> + j], c[i * p_.c.row_step + j * p_.c.column_step]);
        }
      }
    };
    if (t.goes_on) walk([](T& in, const T& out) { in = out; });
    t.c = packed;
    t.c_step = kTileColumns<T>;
    run(t, finish_);
    walk([](const T& in, T& out) { out = in; });
  }

  const sdk::Launch& l_;
  const Problem& p_;
  const Plan& plan_;
  const Finish finish_;
  const T* const a_;
  const T* const b_;
  T* const c_;
  T* const packed_;
};

bool empty(const Problem& p) { return p.m() == 0 || p.n() == 0 || p.batches() == 0; }

template <class T>
void few_elements(const sdk::Launch& l, const Problem& p) {
  const int64_t products = p.m() * p.n() * std::max<int64_t>(p.k(), 1);
  l.parallel_for(p.batches(), gemm::pieces(gemm::kTaskProducts, products),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     multiply_by_lanes(p, l.data<const T>(0) + p.offset(p.a, i),
                                       l.data<const T>(1) + p.offset(p.b, i),
                                       l.out_data<T>() + p.offset(p.c, i));
                   }
                 });
}

bool by_lanes(const Problem& p) { return p.m() * p.n() < kFewElements; }

void arrange(Problem& p) {
  gemm::fold_batches(p);
  gemm::choose_direction(p);
}

template <class T>
void run_typed(const sdk::Launch& l, Problem& p) {
  if (by_lanes(p)) return few_elements<T>(l, p);
  arrange(p);
  const Plan plan = gemm::plan_of(p, kShapes<T>);
  Product<T, Store>(l, p, plan, Store()).compute_all();
}

void matmul(const sdk::Launch& l) {
  Problem p = gemm::problem_of(l);
  if (empty(p)) return;
  if (l.out().dtype == TENON_DTYPE_F32) return run_typed<float>(l, p);
  run_typed<double>(l, p);
}

uint64_t workspace(const sdk::Args& args) {
  Problem p = gemm::problem_of(args);
  if (empty(p) || by_lanes(p)) return 0;
  arrange(p);
  const gemm::Shapes& shapes =
      args.out().dtype == TENON_DTYPE_F32 ? kShapes<float> : kShapes<double>;
  return static_cast<uint64_t>(gemm::plan_of(p, shapes).packed(shapes) * shapes.bytes);
}

constexpr uint32_t kInFlags = TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE;
constexpr tenon_slot_rule slots[] = {
    sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED, kInFlags),
    sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED, kInFlags),
    sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE)};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.matmul",
                 .device = kDevice,
                 .slots = slots,
                 .rows = rows,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<matmul>,
                 .workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

std::span<const tenon_kernel_desc> matmul_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(matmul) = {.chosen_kernels = TENON_CPU_CHOOSE(matmul_kernels)};
#endif
