// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/narrow-inl.h: products of f16 and bf16, which are computed as f32.
//
// Widening is exact, sums are f32's and each is rounded once, at the end: what the op's canonical
// arithmetic says. Parts of the operands that stay in the caches are widened, multiplied as any
// f32 matrices are, and the part of the result is narrowed: all values of k at once, so that no
// sum is ever rounded between. Widening costs one in some hundred multiply-adds.

#if defined(TENON_CPU_GEMM_NARROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_GEMM_NARROW_INL_H
#undef TENON_CPU_GEMM_NARROW_INL_H
#else
#define TENON_CPU_GEMM_NARROW_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "gemm/problem.h"
#include "gemm/product-inl.h"
#include "kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A part of a product: rows, columns and batches, and all of k.
struct Part {
  int64_t row = 0;
  int64_t column = 0;
  int64_t batch = 0;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t batches = 1;
};

// The largest part.
inline Part part_of(const Problem& p) {
  constexpr int64_t kElements = 1 << 20;  // of an operand
  constexpr int64_t kFewest = 128;        // so that each is widened for that many products
  constexpr int64_t kMaxRows = 1024;
  const int64_t k = std::max<int64_t>(p.k(), 1);
  const int64_t side = std::clamp(kElements / k, kFewest, kMaxRows);
  Part part;
  part.rows = std::min(p.m(), side);
  part.columns = std::min(p.n(), side);
  // Long operands beside few of the other's lines.
  if (p.n() <= kFewest) part.rows = std::min(p.m(), std::max(side, kElements / k));
  if (p.m() <= kFewest) part.columns = std::min(p.n(), std::max(side, kElements / k));
  if (part.rows == p.m() && part.columns == p.n()) {
    const int64_t largest = std::max({p.m() * k, k * p.n(), p.m() * p.n()});
    part.batches = std::clamp(kElements / largest, int64_t{1}, p.batches());
  }
  return part;
}

// Widened, a matrix is packed along the dimension along which it was, and one that all batches
// share stays one.
inline Matrix widened(const Matrix& from, int64_t rows, int64_t columns, size_t batch_rank) {
  Matrix m;
  m.rows = rows;
  m.columns = columns;
  const bool by_columns = from.row_step == 1 && from.column_step != 1;
  m.row_step = by_columns ? 1 : columns;
  m.column_step = by_columns ? rows : 1;
  const auto end = from.batch.begin() + static_cast<std::ptrdiff_t>(batch_rank);
  const bool shared = std::all_of(from.batch.begin(), end, [](int64_t step) { return step == 0; });
  m.batch[0] = shared ? 0 : rows * columns;
  return m;
}

inline Problem problem_of(const Problem& p, const Part& part) {
  Problem wide;
  wide.batch_rank = 1;
  wide.batch_shape[0] = part.batches;
  wide.a = widened(p.a, part.rows, p.k(), p.batch_rank);
  wide.b = widened(p.b, p.k(), part.columns, p.batch_rank);
  wide.c = widened(Matrix(), part.rows, part.columns, 0);
  wide.c.batch[0] = part.rows * part.columns;
  return wide;
}

inline int64_t elements_of(const Matrix& m, int64_t batches) {
  return gemm::round_up(m.rows * m.columns * (m.batch[0] == 0 ? 1 : batches), 16);
}

// Calls body(number of the matrix, number of the line) for the lines of `wide` matrices.
template <class Body>
void for_lines(const sdk::Launch& l, const Matrix& wide, int64_t batches, const Body& body) {
  constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
  const int64_t lines = wide.column_step == 1 ? wide.rows : wide.columns;
  const int64_t length = std::max<int64_t>(wide.column_step == 1 ? wide.columns : wide.rows, 1);
  l.parallel_for(batches * lines, gemm::pieces(kElements, length), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i / lines, i % lines);
  });
}

template <class H>
void widen_line(const H* from, int64_t step, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  if (step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(sdk::load<H>(from + i * step));
    return;
  }
  int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>) {
    hn::StoreU(load<H>(d, reinterpret_cast<const char*>(from + i)), d, to + i);
  }
  const auto rest = static_cast<size_t>(count - i);
  if (rest == 0) return;
  const auto last = load_first<H>(d, reinterpret_cast<const char*>(from + i), rest);
  store_first(d, hn::FirstN(d, rest), last, to + i, count - i);
}

template <class H>
void narrow_line(const float* from, int64_t count, H* to, int64_t step) {
  const hn::ScalableTag<float> d;
  if (step != 1) {
    for (int64_t i = 0; i < count; ++i) sdk::store(to + i * step, sdk::narrow<H>(from[i]));
    return;
  }
  int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>) {
    store<H>(d, hn::LoadU(d, from + i), reinterpret_cast<char*>(to + i));
  }
  const auto rest = static_cast<size_t>(count - i);
  if (rest == 0) return;
  const auto last = load_first(d, hn::FirstN(d, rest), from + i, count - i);
  store_first<H>(d, last, reinterpret_cast<char*>(to + i), rest);
}

template <class H>
class NarrowProduct {
 public:
  NarrowProduct(const sdk::Launch& launch, const Problem& problem, const H* a, const H* b, H* c)
      : l_(launch), p_(problem), a_(a), b_(b), c_(c), most_(part_of(problem)) {
    const Problem wide = problem_of(p_, most_);
    wide_a_ = reinterpret_cast<float*>(launch.scratch().data());
    wide_b_ = wide_a_ + elements_of(wide.a, most_.batches);
    wide_c_ = wide_b_ + elements_of(wide.b, most_.batches);
    scratch_ = wide_c_ + elements_of(wide.c, most_.batches);
  }

  void compute(bool lanes) const {
    Part part = most_;
    for (; part.batch < p_.batches(); part.batch += most_.batches) {
      part.batches = std::min(most_.batches, p_.batches() - part.batch);
      for (part.column = 0; part.column < p_.n(); part.column += most_.columns) {
        part.columns = std::min(most_.columns, p_.n() - part.column);
        for (part.row = 0; part.row < p_.m(); part.row += most_.rows) {
          part.rows = std::min(most_.rows, p_.m() - part.row);
          compute(part, lanes);
        }
      }
    }
  }

 private:
  void compute(const Part& part, bool lanes) const {
    const Problem wide = problem_of(p_, part);
    if (part.row == 0) widen(p_.b, b_ + part.column * p_.b.column_step, part, wide.b, wide_b_);
    // Rows that all columns need are there after the first ones.
    if (part.column == 0 || part.rows < p_.m()) {
      widen(p_.a, a_ + part.row * p_.a.row_step, part, wide.a, wide_a_);
    }
    multiply(l_, wide, Operands<float>{wide_a_, wide_b_, wide_c_, scratch_}, lanes);
    H* const c = c_ + part.row * p_.c.row_step + part.column * p_.c.column_step;
    for_lines(l_, wide.c, part.batches, [&](int64_t batch, int64_t row) {
      narrow_line(wide_c_ + (batch * part.rows + row) * part.columns, part.columns,
                  c + p_.offset(p_.c, part.batch + batch) + row * p_.c.row_step, p_.c.column_step);
    });
  }

  void widen(const Matrix& matrix, const H* from, const Part& part, const Matrix& wide,
             float* to) const {
    const bool by_rows = wide.column_step == 1;
    const int64_t length = by_rows ? wide.columns : wide.rows;
    const int64_t batches = wide.batch[0] == 0 ? 1 : part.batches;
    for_lines(l_, wide, batches, [&](int64_t batch, int64_t line) {
      const H* first = from + p_.offset(matrix, part.batch + batch) +
                       line * (by_rows ? matrix.row_step : matrix.column_step);
      widen_line(first, by_rows ? matrix.column_step : matrix.row_step, length,
                 to + batch * wide.batch[0] + line * length);
    });
  }

  const sdk::Launch& l_;
  const Problem& p_;
  const H* const a_;
  const H* const b_;
  H* const c_;
  const Part most_;
  float* wide_a_;
  float* wide_b_;
  float* wide_c_;
  float* scratch_;
};

// Bytes of scratch: plans of the last, smaller parts may need more than those of the first.
inline uint64_t narrow_bytes(const Problem& p, bool lanes) {
  const Part most = part_of(p);
  const Problem wide = problem_of(p, most);
  int64_t packed = 0;
  for (int last = 0; last < 8 && !lanes; ++last) {
    Part part = most;
    if (last & 1) part.rows = p.m() % most.rows;
    if (last & 2) part.columns = p.n() % most.columns;
    if (last & 4) part.batches = p.batches() % most.batches;
    if (part.rows == 0 || part.columns == 0 || part.batches == 0) continue;
    packed = std::max(packed, scratch_of<float>(problem_of(p, part)));
  }
  const int64_t elements = elements_of(wide.a, most.batches) + elements_of(wide.b, most.batches) +
                           elements_of(wide.c, most.batches) + packed;
  return static_cast<uint64_t>(elements) * sizeof(float);
}

template <class H>
void multiply_narrow(const sdk::Launch& l, const Problem& p, const H* a, const H* b, H* c,
                     bool lanes) {
  NarrowProduct<H>(l, p, a, b, c).compute(lanes);
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
