// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/product-inl.h: one product, by the way that serves its shape and layout.
//
// Tiles of c are held in registers (micro-kernel-inl.h) and a block of k at a time is added to
// them. b is read in place where its rows are packed and it stays in the second cache, else columns
// of it are packed, mostly by the first tiles that need them (pack-inl.h, plan.h). Sources: Goto
// and van de Geijn, "Anatomy of High-Performance Matrix Multiplication"; Van Zee and van de Geijn,
// "BLIS"; Heinecke et al., "LIBXSMM", for small products without packing.

#if defined(TENON_CPU_GEMM_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_PRODUCT_INL_H
#undef TENON_CPU_GEMM_PRODUCT_INL_H
#else
#define TENON_CPU_GEMM_PRODUCT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/lanes-inl.h"
#include "gemm/micro-kernel-inl.h"
#include "gemm/pack-inl.h"
#include "gemm/plan.h"
#include "gemm/problem.h"
#include "gemm/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {

using gemm::PackB;
using gemm::Plan;
using gemm::Problem;

template <class T>
inline constexpr gemm::Shapes kShapes = {kTileRows, kTileColumns<T>,
                                         gemm::round_up(kTileRows, kLanes<T>), sizeof(T)};

// Where the problem's a, b and c begin, and scratch where its plan packs.
template <class T>
struct Operands {
  const T* a;
  const T* b;
  T* c;
  T* scratch;
};

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
  bool has_rows;  // a's packed rows are there from a round before
};

template <class T, class Finish>
class Product {
 public:
  Product(const sdk::Launch& launch, const Problem& problem, const Plan& plan,
          const Operands<T>& operands, Finish finish)
      : l_(launch),
        p_(problem),
        plan_(plan),
        finish_(finish),
        a_(operands.a),
        b_(operands.b),
        c_(operands.c),
        packed_(operands.scratch),
        packed_rows_(packed_ + gemm::packed_columns(plan, kShapes<T>)),
        is_large_(gemm::is_large(problem.b, sizeof(T))),
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
      for (int64_t k = 0; k == 0 || k < p_.k(); k += plan_.depth) {
        for (int64_t column = 0; column < p_.n(); column += plan_.columns) {
          round(batch, here, column, k);
        }
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
      at.c = all.c + first * p_.c.column_step;
      const T* from = all.b + first * p_.b.column_step;
      const Lines<T> lines{from, p_.b.column_step, p_.b.row_step, at.columns};
      first_rows(at, lines, block);
      row_blocks(at, block + 1, last);
    }
  }

  // Packs lines of b, which are a panel's, at at.b, and computes a block of rows: the tile itself
  // packs where it can, but not what comes from memory: it reads a cache line in parts.
  void first_rows(const Block<T>& at, const Lines<T>& lines, int64_t block) const {
    const bool transposes =
        lines.k_step == 1 && lines.count == kTileColumns<T> && p_.a.column_step == 1 && !is_large_;
    if (!transposes) {
      pack(lines, at.depth, const_cast<T*>(at.b), kTileColumns<T>);
      return row_blocks(at, block, block + 1);
    }
    const int64_t rows = rows_of(block);
    Tile<T> t = tile_at(at, block);
    t.a_step = p_.a.row_step;
    t.lines = lines;
    t.last = kLanes<T>;
    t.next = t.c;
    const auto run = TransposingTable<T, Finish>::kAll[static_cast<size_t>(rows - 1)];
    place(run, t, rows, kTileColumns<T>);
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
    all.has_rows = plan_.keep_a && column > 0;
    pack_columns(all, batch, batches, column, columns, k);
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

  // Panels of b's columns from `column` on, a few beside each other at a time.
  void pack_columns(const Block<T>& all, int64_t batch, int64_t batches, int64_t column,
                    int64_t columns, int64_t k) const {
    constexpr int64_t kWide = 4 * kTileColumns<T>;
    const int64_t strips = gemm::pieces(columns, kWide);
    const int64_t matrix = gemm::pieces(columns, kTileColumns<T>) * all.panel_step;
    const int64_t grain = gemm::pieces(kPackedElements, std::max<int64_t>(all.depth, 1) * kWide);
    l_.parallel_for(batches * strips, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % strips * kWide;
        const T* from = b_ + p_.offset(p_.b, batch + i / strips) + k * p_.b.row_step +
                        (column + first) * p_.b.column_step;
        const int64_t count = std::min(kWide, columns - first);
        pack_panels(Lines<T>{from, p_.b.column_step, p_.b.row_step, count}, all.depth,
                    packed_ + i / strips * matrix + first * all.depth);
      }
    });
  }

  int64_t row_of(int64_t block) const {
    return block * short_rows_ + std::min(block, long_blocks_);
  }
  int64_t rows_of(int64_t block) const { return short_rows_ + (block < long_blocks_ ? 1 : 0); }

  // The first tile of a block of rows, except for how a is read.
  Tile<T> tile_at(const Block<T>& at, int64_t block) const {
    Tile<T> t{};
    t.a = at.a + row_of(block) * p_.a.row_step;
    t.b = at.b;
    t.c = at.c + row_of(block) * p_.c.row_step;
    t.b_step = at.b_step;
    t.c_step = p_.c.row_step;
    t.depth = at.depth;
    t.goes_on = at.goes_on;
    return t;
  }

  void row_blocks(const Block<T>& at, int64_t block, int64_t last) const {
    for (; block < last; ++block) {
      const int64_t rows = rows_of(block);
      Tile<T> t = tile_at(at, block);
      if (plan_.pack_a) {
        if (block + 1 < last && !at.has_rows) {
          look_ahead(t, at, at.a + row_of(block + 1) * p_.a.row_step, rows);
        }
        packed_rows(t, at, block, rows);
      } else if (p_.a.column_step == 1) {
        t.a_step = p_.a.row_step;
        tiles(Along::kDepth, t, at, rows);
      } else {
        t.a_step = p_.a.column_step;
        tiles(Along::kRows, t, at, rows);
      }
    }
  }

  HWY_NOINLINE void packed_rows(Tile<T>& t, const Block<T>& at, int64_t block, int64_t rows) const {
    HWY_ALIGN T once[gemm::kPanelBytes / sizeof(T)];
    T* const panel = plan_.keep_a ? packed_rows_ + block * kPanelRows * plan_.depth : once;
    if (!at.has_rows) {
      pack(Lines<T>{t.a, p_.a.row_step, p_.a.column_step, rows}, at.depth, panel, kPanelRows);
    }
    t.a = panel;
    t.a_step = kPanelRows;
    tiles(Along::kRows, t, at, rows);
  }

  // What the tiles of one block of rows fetch of the next, which is about to be packed: each a
  // part.
  void look_ahead(Tile<T>& t, const Block<T>& at, const T* from, int64_t rows) const {
    const int64_t panels = gemm::pieces(at.columns, kTileColumns<T>);
    if (p_.a.column_step == 1) {
      constexpr int64_t kTwoLines = static_cast<int64_t>(128 / sizeof(T));
      const int64_t runs = gemm::pieces(gemm::pieces(at.depth, kTwoLines), panels);
      t.ahead = {from, p_.a.row_step, rows, kTwoLines / 2, runs, kTwoLines};
    } else if (p_.a.row_step == 1) {
      const int64_t count = gemm::pieces(at.depth, panels);
      t.ahead = {from, p_.a.column_step, count, rows - 1, 1, count * p_.a.column_step};
    }
  }

  // The tiles beside each other in one block of rows.
  void tiles(Along along, Tile<T>& t, const Block<T>& at, int64_t rows) const {
    int64_t rest = at.columns;
    t.last = kLanes<T>;
    const auto whole = Table::at(along, rows, kTileVectors, true);
    for (; rest >= kTileColumns<T>; rest -= kTileColumns<T>) {
      t.next = t.c + (rest > kTileColumns<T> ? kTileColumns<T> : 0);
      place(whole, t, rows, kTileColumns<T>);
      t.ahead.from += t.ahead.runs * t.ahead.run_step;
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
  T* const packed_rows_;
  const bool is_large_;  // b
  // Blocks of rows are as long as each other, except for one row that the first ones have more.
  const int64_t short_rows_;
  const int64_t long_blocks_;
};

using gemm::Matrix;

inline bool by_lanes(const Problem& p) { return p.m() * p.n() < kFewElements; }

template <class T>
bool needs_no_plan(const Problem& p) {
  return is_vector<T>(p) || is_outer<T>(p);
}

// Elements of scratch for such a product, if `lanes` is false.
template <class T>
int64_t scratch_of(const Problem& p) {
  if (needs_no_plan<T>(p)) return 0;
  const auto packed = [](const Problem& tiled) {
    return gemm::packed(gemm::plan_of<kShapes<T>>(tiled), kShapes<T>);
  };
  const int64_t last = last_columns<T>(p);
  return last == 0 ? packed(p) : packed(first_columns(p, last));
}

template <class T>
void multiply_few(const sdk::Launch& l, const Problem& p, const Operands<T>& o) {
  const int64_t products = p.m() * p.n() * std::max<int64_t>(p.k(), 1);
  l.parallel_for(p.batches(), gemm::pieces(gemm::kTaskProducts, products),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     multiply_by_lanes(p, o.a + p.offset(p.a, i), o.b + p.offset(p.b, i),
                                       o.c + p.offset(p.c, i));
                   }
                 });
}

template <class T>
void multiply_tiles(const sdk::Launch& l, const Problem& p, const Operands<T>& o) {
  const Plan plan = gemm::plan_of<kShapes<T>>(p);
  Product<T, Store>(l, p, plan, o, Store()).compute();
}

template <class T>
HWY_NOINLINE void multiply_apart(const sdk::Launch& l, const Problem& p, const Operands<T>& o,
                                 int64_t last) {
  const Problem first = first_columns(p, last);
  multiply_tiles(l, first, o);
  multiply_vector(l, last_rows(p, last), o.b + first.n() * p.b.column_step, o.a,
                  o.c + first.n() * p.c.column_step);
}

// `lanes` says by which of the two canonical arithmetics.
template <class T>
void multiply(const sdk::Launch& l, const Problem& p, const Operands<T>& o, bool lanes) {
  if (lanes) return multiply_few(l, p, o);
  if (is_outer<T>(p)) return multiply_outer(l, p, o.a, o.b, o.c);
  if (is_vector<T>(p)) return multiply_vector(l, p, o.a, o.b, o.c);
  // Without a copy of the problem, which small products would notice.
  const int64_t last = last_columns<T>(p);
  last == 0 ? multiply_tiles(l, p, o) : multiply_apart(l, p, o, last);
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
