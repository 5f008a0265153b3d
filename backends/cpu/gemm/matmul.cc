// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/matmul.cc: matmul of f32 and f64, c[m,n] = sum over k of a[m,k] b[k,n].
//
// The canonical arithmetic of plugins/ops/linalg/matmul.cc: acc = fma(a_k, b_k, acc), k ascending;
// 64 lanes where a matrix of the result has fewer than 16 elements (lanes-inl.h). Tiles of c are
// held in registers (micro-kernel-inl.h) and a block of k at a time is added to them. b is read in
// place where its rows are packed and it stays in the second cache, else columns of it are packed
// (pack-inl.h, plan.h). Sources: Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication"; Van Zee and van de Geijn, "BLIS"; Heinecke et al., "LIBXSMM", for small products
// without packing.

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

using gemm::PackB;
using gemm::Plan;
using gemm::Problem;

template <class T>
inline constexpr gemm::Shapes kShapes = {kTileRows, kTileColumns<T>,
                                         gemm::round_up(kTileRows, kLanes<T>), sizeof(T)};

// A block of k of a task: where its operands begin.
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
        packed_(plan.pack_b == PackB::kRound ? reinterpret_cast<T*>(launch.scratch().data())
                                             : nullptr),
        short_rows_(problem.m() / plan.row_blocks),
        long_blocks_(problem.m() % plan.row_blocks) {}

  void compute() const {
    if (plan_.pack_b != PackB::kRound) {
      run_tasks(plan_.batches, [&](int64_t i, int64_t first, int64_t block, int64_t last) {
        task(i, first, block, last);
      });
      return;
    }
    const int64_t batches = p_.batches();
    for (int64_t batch = 0; batch < batches; batch += plan_.batches) {
      const int64_t here = std::min(plan_.batches, batches - batch);
      for (int64_t column = 0; column < p_.n(); column += plan_.columns) {
        for (int64_t k = 0; k == 0 || k < p_.k(); k += plan_.depth) round(batch, here, column, k);
      }
    }
  }

 private:
  using Table = TileTable<T, Finish>;
  static constexpr int64_t kPanelRows = kShapes<T>.panel_rows;
  static constexpr int64_t kPackedElements = 1 << 15;  // worth handing to another thread

  // Calls body(batch, first column, block of rows, end of blocks) for the tasks of a round.
  template <class Body>
  void run_tasks(int64_t batches, const Body& body) const {
    if (batches * plan_.down * plan_.across == 1) return body(0, 0, 0, plan_.row_blocks);
    l_.parallel_for(batches * plan_.down * plan_.across, plan_.grain,
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const int64_t row_of_tasks = i / plan_.across;
                        const int64_t block = row_of_tasks % plan_.down * plan_.task_blocks;
                        body(row_of_tasks / plan_.down, i % plan_.across * plan_.task_columns,
                             block, std::min(block + plan_.task_blocks, plan_.row_blocks));
                      }
                    });
  }

  // Columns from `first` on, all of k.
  void task(int64_t batch, int64_t first, int64_t block, int64_t last) const {
    const T* a = a_ + p_.offset(p_.a, batch);
    const T* b = b_ + p_.offset(p_.b, batch) + first * p_.b.column_step;
    Block<T> at{};
    at.c = c_ + p_.offset(p_.c, batch) + first * p_.c.column_step;
    at.columns = std::min(plan_.task_columns, p_.n() - first);
    for (int64_t k = 0; k == 0 || k < p_.k(); k += plan_.depth) {
      at.a = a + k * p_.a.column_step;
      at.b = b + k * p_.b.row_step;
      at.depth = std::min(plan_.depth, p_.k() - k);
      at.goes_on = k > 0;
      if (plan_.pack_b == PackB::kTask) {
        packed_panels(at, block, last);
      } else {
        at.b_step = p_.b.row_step;
        at.panel_step = kTileColumns<T>;
        row_blocks(at, block, last);
      }
    }
  }

  void packed_panels(const Block<T>& all, int64_t block, int64_t last) const {
    HWY_ALIGN T panel[gemm::kPanelBytes / sizeof(T)];
    Block<T> at = all;
    at.b = panel;
    at.b_step = kTileColumns<T>;
    for (int64_t first = 0; first < all.columns; first += kTileColumns<T>) {
      at.columns = std::min(kTileColumns<T>, all.columns - first);
      pack(Lines<T>{all.b + first * p_.b.column_step, p_.b.column_step, p_.b.row_step, at.columns},
           at.depth, panel, kTileColumns<T>);
      at.c = all.c + first * p_.c.column_step;
      row_blocks(at, block, last);
    }
  }

  // A block of k of some columns of c: packs b, then computes.
  void round(int64_t batch, int64_t batches, int64_t column, int64_t k) const {
    const int64_t columns = std::min(plan_.columns, p_.n() - column);
    const int64_t panels = gemm::pieces(columns, kTileColumns<T>);
    Block<T> all{};
    all.depth = std::min(plan_.depth, p_.k() - k);
    all.b_step = kTileColumns<T>;
    all.panel_step = all.depth * kTileColumns<T>;
    all.goes_on = k > 0;
    const int64_t grain = gemm::pieces(kPackedElements, std::max<int64_t>(all.panel_step, 1));
    l_.parallel_for(batches * panels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % panels * kTileColumns<T>;
        const T* from = b_ + p_.offset(p_.b, batch + i / panels) + k * p_.b.row_step +
                        (column + first) * p_.b.column_step;
        pack(Lines<T>{from, p_.b.column_step, p_.b.row_step,
                      std::min(kTileColumns<T>, columns - first)},
             all.depth, packed_ + i * all.panel_step, kTileColumns<T>);
      }
    });
    run_tasks(batches, [&](int64_t i, int64_t first, int64_t block, int64_t last) {
      if (first >= columns) return;
      Block<T> at = all;
      at.a = a_ + p_.offset(p_.a, batch + i) + k * p_.a.column_step;
      at.b = packed_ + (i * panels + first / kTileColumns<T>)*all.panel_step;
      at.c = c_ + p_.offset(p_.c, batch + i) + (column + first) * p_.c.column_step;
      at.columns = std::min(plan_.task_columns, columns - first);
      row_blocks(at, block, last);
    });
  }

  void row_blocks(const Block<T>& at, int64_t block, int64_t last) const {
    for (; block < last; ++block) {
      const int64_t row = block * short_rows_ + std::min(block, long_blocks_);
      const int64_t rows = short_rows_ + (block < long_blocks_ ? 1 : 0);
      Tile<T> t{};
      t.a = at.a + row * p_.a.row_step;
      t.b = at.b;
      t.c = at.c + row * p_.c.row_step;
      t.b_step = at.b_step;
      t.c_step = p_.c.row_step;
      t.depth = at.depth;
      t.goes_on = at.goes_on;
      if (plan_.pack_a) {
        packed_rows(t, at, rows);
      } else if (p_.a.column_step == 1) {
        t.a_step = p_.a.row_step;
        tiles(Along::kDepth, t, at, rows);
      } else {
        t.a_step = p_.a.column_step;
        tiles(Along::kRows, t, at, rows);
      }
    }
  }

  HWY_NOINLINE void packed_rows(Tile<T>& t, const Block<T>& at, int64_t rows) const {
    HWY_ALIGN T panel[gemm::kPanelBytes / sizeof(T)];
    pack(Lines<T>{t.a, p_.a.row_step, p_.a.column_step, rows}, at.depth, panel, kPanelRows);
    t.a = panel;
    t.a_step = kPanelRows;
    tiles(Along::kRows, t, at, rows);
  }

  // The tiles beside each other in one block of rows.
  void tiles(Along along, Tile<T>& t, const Block<T>& at, int64_t rows) const {
    int64_t rest = at.columns;
    t.last = kLanes<T>;
    const auto whole = Table::at(along, rows, kTileVectors, true);
    for (; rest >= kTileColumns<T>; rest -= kTileColumns<T>) {
      t.next = t.c + (rest > kTileColumns<T> ? kTileColumns<T> : 0);
      place(whole, t, rows, kTileColumns<T>);
      t.b += at.panel_step;
      t.c += kTileColumns<T> * p_.c.column_step;
    }
    if (rest == 0) return;
    const int64_t vectors = gemm::pieces(rest, kLanes<T>);
    t.next = t.c;
    t.last = rest - (vectors - 1) * kLanes<T>;
    place(Table::at(along, rows, vectors, t.last == kLanes<T>), t, rows, rest);
  }

  void place(typename Table::Run run, Tile<T>& t, int64_t rows, int64_t columns) const {
    if (p_.c.column_step == 1) return run(t, finish_);
    spread(run, t, rows, columns);
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
    t.next = packed;
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
  // Blocks of rows are as long as each other, but for one row that the first ones have more.
  const int64_t short_rows_;
  const int64_t long_blocks_;
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
  const Plan plan = gemm::plan_of<kShapes<T>>(p);
  Product<T, Store>(l, p, plan, Store()).compute();
}

void matmul(const sdk::Launch& l) {
  Problem p = gemm::problem_of(l);
  if (empty(p)) return;
  if (l.out().dtype == TENON_DTYPE_F32) return run_typed<float>(l, p);
  run_typed<double>(l, p);
}

template <class T>
uint64_t packed_bytes(const Problem& p) {
  return static_cast<uint64_t>(gemm::packed(gemm::plan_of<kShapes<T>>(p), kShapes<T>)) * sizeof(T);
}

uint64_t workspace(const sdk::Args& args) {
  Problem p = gemm::problem_of(args);
  if (empty(p) || by_lanes(p)) return 0;
  arrange(p);
  return args.out().dtype == TENON_DTYPE_F32 ? packed_bytes<float>(p) : packed_bytes<double>(p);
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
