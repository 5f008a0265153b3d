// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/frame-inl.h: what the steps of recurrent layers share: rows of numbers,
// packed weights, products of some rows, vectors along a row.

#if defined(TENON_CPU_RECURRENT_FRAME_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_RECURRENT_FRAME_INL_H
#undef TENON_CPU_RECURRENT_FRAME_INL_H
#else
#define TENON_CPU_RECURRENT_FRAME_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/multiply-inl.h"
#include "gemm/pack-inl.h"
#include "kernels/math-inl.h"
#include "kernels/numbers-inl.h"
#include "recurrent/call.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace recurrent {

using cpu::recurrent::Rows;
using cpu::recurrent::Walk;
namespace cut = cpu::recurrent;

// ---- Scratch ------------------------------------------------------------------------------------

// Elements of scratch, taken one after another; without memory it only counts them.
template <class C>
class Scratch {
 public:
  explicit Scratch(C* memory) : memory_(memory) {}
  C* take(int64_t elements) {
    C* const at = memory_ ? memory_ + used_ : nullptr;
    used_ += gemm::round_up(elements, 16);
    return at;
  }
  int64_t used() const { return used_; }

 private:
  C* memory_;
  int64_t used_ = 0;
};

// A row of numbers for each row of the batch.
template <class C>
struct Matrix {
  Matrix() = default;
  Matrix(Scratch<C>& scratch, int64_t rows, int64_t columns)
      : step(cut::row_step(columns)), data(scratch.take(rows * step)) {}
  C* row(int64_t b) const { return data + b * step; }

  int64_t step = 0;
  C* data = nullptr;
};

// ---- Operands -----------------------------------------------------------------------------------

template <class T>
const Number<T>* get(const Rows& rows, int64_t t, int64_t b, Number<T>* room) {
  return rows::get_numbers<T>(rows.at(t, b), rows.column, rows.columns, room);
}
template <class T>
void put(const Rows& rows, int64_t t, int64_t b, const Number<T>* numbers) {
  if (rows.data) rows::put_numbers<T>(numbers, rows.columns, rows.at(t, b), rows.column);
}
template <class T>
void put_zeros(const Rows& rows, int64_t t, int64_t b) {
  if (!rows.data) return;
  char* to = rows.at(t, b);
  for (int64_t i = 0; i < rows.columns; ++i) sdk::store(to + i * rows.column, T{});
}
// Where row b is best written before put(): in place or in `room`.
template <class T>
Number<T>* place(const Rows& rows, int64_t t, int64_t b, Number<T>* room) {
  if (!rows.data) return room;
  return rows::place_numbers<T>(rows.at(t, b), rows.column, rows.columns, room);
}

// A state that is given, else 0.
template <class T, class C = Number<T>>
void load_state(const Rows& from, int64_t b, C* to, int64_t columns) {
  if (!from.data) {
    std::fill_n(to, columns, C{0});
    return;
  }
  const C* numbers = get<T>(from, 0, b, to);
  if (numbers != to) std::copy_n(numbers, columns, to);
}

// The biases that are given, summed; or no data if none is.
template <class T, class C = Number<T>>
const C* sum_biases(const Rows& first, const Rows& second, C* sum, C* room) {
  if (!first.data && !second.data) return nullptr;
  const Rows& one = first.data ? first : second;
  load_state<T>(one, 0, sum, one.columns);
  if (first.data && second.data) {
    const C* other = get<T>(second, 0, 0, room);
    for (int64_t i = 0; i < second.columns; ++i) sum[i] += other[i];
  }
  return sum;
}

// ---- Products -----------------------------------------------------------------------------------

// A weight [rows, columns] as it lies in memory, or some of its rows. Steps are in elements.
template <class T>
struct Stored {
  Stored() = default;
  explicit Stored(const tenon_view& view)
      : data(static_cast<const T*>(view.data)),
        rows(view.shape[0]),
        columns(view.shape[1]),
        row(view.strides[0]),
        column(view.strides[1]) {}
  Stored part(int64_t first, int64_t count) const {
    Stored part = *this;
    part.data += first * row;
    part.rows = count;
    return part;
  }
  Stored transposed() const {
    Stored t = *this;
    std::swap(t.rows, t.columns);
    std::swap(t.row, t.column);
    return t;
  }

  const T* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row = 0, column = 0;
};

// The right operand of products, packed into panels of kTileColumns columns.
template <class T, class C = Number<T>>
class Weight {
 public:
  Weight() = default;
  Weight(const Stored<T>& from, Scratch<C>& scratch)
      : depth(from.rows),
        columns(from.columns),
        data(scratch.take(depth * gemm::round_up(columns, kTileColumns<C>))),
        from_(from) {
    if (!rows::is_stored_as_number<T>) wide_ = scratch.take(depth * columns);
  }
  int64_t panel() const { return depth * kTileColumns<C>; }

  void pack(const sdk::Launch& l) const {
    constexpr int64_t kElements = 1 << 14;  // worth handing to another thread
    const int64_t panels = gemm::pieces(columns, kTileColumns<C>);
    l.parallel_for(panels, gemm::pieces(kElements, panel() + 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) pack_panel(i);
    });
  }

  int64_t depth = 0;
  int64_t columns = 0;
  C* data = nullptr;

 private:
  void pack_panel(int64_t i) const {
    const int64_t first = i * kTileColumns<C>;
    Lines<C> lines{nullptr, from_.column, from_.row, std::min(kTileColumns<C>, columns - first)};
    if constexpr (rows::is_stored_as_number<T>) {
      lines.from = from_.data + first * from_.column;
    } else {
      // Its columns as numbers, each packed.
      C* const numbers = wide_ + first * depth;
      for (int64_t j = 0; j < lines.count; ++j) {
        const auto* column = reinterpret_cast<const char*>(from_.data + (first + j) * from_.column);
        rows::get_numbers<T>(column, from_.row * int64_t{sizeof(T)}, depth, numbers + j * depth);
      }
      lines.from = numbers;
      lines.line_step = depth;
      lines.k_step = 1;
    }
    cpu::HWY_NAMESPACE::pack(lines, depth, data + i * panel(), kTileColumns<C>);
  }

  Stored<T> from_;
  C* wide_ = nullptr;  // its elements as numbers, if they are not numbers in memory
};

// c = a w for `rows` rows, in one thread: panels `first` to `last` of w.
template <class T, class C = Number<T>>
void multiply_panels(const C* a, int64_t a_step, int64_t rows, const Weight<T>& w, C* c,
                     int64_t c_step, int64_t first, int64_t last) {
  const int64_t column = first * kTileColumns<C>;
  const int64_t columns = std::min(last * kTileColumns<C>, w.columns) - column;
  attention::multiply(attention::Product<C>{Along::kDepth, a, a_step, w.data + first * w.panel(),
                                            kTileColumns<C>, w.panel(), c + column, c_step, rows,
                                            columns, w.depth, false});
}

// Rows [begin, end) of c = a w. Where these are the whole batch, no other thread has any, and the
// host may be called.
template <class T, class C = Number<T>>
void multiply(const sdk::Launch& l, bool is_whole, int64_t begin, int64_t end, const C* a,
              int64_t a_step, const Weight<T>& w, const Matrix<C>& c) {
  const int64_t panels = gemm::pieces(w.columns, kTileColumns<C>);
  const int64_t products = std::max<int64_t>((end - begin) * w.panel(), 1);
  const auto some = [&](int64_t first, int64_t last) {
    multiply_panels(a + begin * a_step, a_step, end - begin, w, c.row(begin), c.step, first, last);
  };
  if (!is_whole) return some(0, panels);
  constexpr int64_t kProducts = 4 * gemm::kTaskProducts;  // each step waits for the others
  l.parallel_for(panels, gemm::pieces(kProducts, products), some);
}
template <class T, class C = Number<T>>
void multiply(const sdk::Launch& l, bool is_whole, int64_t begin, int64_t end, const Matrix<C>& a,
              const Weight<T>& w, const Matrix<C>& c) {
  multiply(l, is_whole, begin, end, static_cast<const C*>(a.data), a.step, w, c);
}

// ---- Vectors along a row ------------------------------------------------------------------------

// Where a vector of numbers lies in its rows: whole, or its first `count`.
struct Whole {
  int64_t i;
  template <class D, class C = hn::TFromD<D>>
  HWY_INLINE hn::Vec<D> load(D d, const C* row) const {
    return hn::LoadU(d, row + i);
  }
  template <class D, class C = hn::TFromD<D>>
  HWY_INLINE void store(D d, hn::Vec<D> v, C* row) const {
    hn::StoreU(v, d, row + i);
  }
};
struct First {
  int64_t i;
  size_t count;
  template <class D, class C = hn::TFromD<D>>
  HWY_INLINE hn::Vec<D> load(D d, const C* row) const {
    return hn::MaskedLoad(hn::FirstN(d, count), d, row + i);
  }
  template <class D, class C = hn::TFromD<D>>
  HWY_INLINE void store(D d, hn::Vec<D> v, C* row) const {
    hn::BlendedStore(v, hn::FirstN(d, count), d, row + i);
  }
};

// Calls unit(at) for the vectors of a row of n.
template <class C, class Unit>
HWY_INLINE void for_vectors(int64_t n, const Unit& unit) {
  int64_t i = 0;
  for (; i + kLanes<C> <= n; i += kLanes<C>) unit(Whole{i});
  if (i < n) unit(First{i, static_cast<size_t>(n - i)});
}

// g y (1 - y) and g (1 - y^2), as the compositions round them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_slope(D d, V g, V y) {
  return hn::Mul(g, hn::Mul(y, hn::Sub(hn::Set(d, 1), y)));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh_slope(D d, V g, V y) {
  return hn::Mul(g, hn::Sub(hn::Set(d, 1), hn::Mul(y, y)));
}

// Adds row `more` to `sum`.
template <class C>
struct AddRow {
  const C* more;
  C* sum;
  template <class At>
  HWY_INLINE void operator()(At at) const {
    const hn::ScalableTag<C> d;
    at.store(d, hn::Add(at.load(d, more), at.load(d, sum)), sum);
  }
};

// ---- Kernels ------------------------------------------------------------------------------------

// A kernel from an Op: Op::Steps<T> runs a call, Op::Memory<T> says what scratch it needs; where
// the sequence and the lengths are among the operands, and which attributes say how to walk. Op is
// of an unnamed namespace, which keeps kernels of several files apart.
template <class Op>
struct StepsOp {
  static Walk walk_of(const sdk::Args& args) {
    return {args, Op::kSequence, args.attrs.flag(Op::kReverse), args.attrs.flag(Op::kBatchFirst)};
  }

  static void run(const sdk::Launch& l) {
    Walk walk = walk_of(l);
    walk.read_lengths(l, Op::kLengths);
    sdk::dispatch_dtype<sdk::FloatTypes>(
        l.out().dtype, [&]<class T>() { typename Op::template Steps<T>(l, walk).run(); });
  }

  static uint64_t workspace(const sdk::Args& args) {
    uint64_t bytes = 0;
    sdk::dispatch_dtype<sdk::FloatTypes>(args.view(Op::kSequence).dtype, [&]<class T>() {
      const typename Op::template Memory<T> memory(args, walk_of(args).batch, nullptr);
      bytes = static_cast<uint64_t>(memory.scratch.used()) * sizeof(Number<T>);
    });
    return bytes;
  }

  static constexpr tenon_kernel_desc kernel(std::string_view op,
                                            std::span<const tenon_slot_rule> slots,
                                            uint32_t n_attrs) {
    return cpu::kernel(op, slots, sdk::kFloats, n_attrs, sdk::launch_fn<run>,
                       {.workspace = sdk::workspace_fn<workspace>});
  }
};

}  // namespace recurrent
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
