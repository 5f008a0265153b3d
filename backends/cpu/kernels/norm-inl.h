// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/norm-inl.h: what layer_norm, rms_norm and their gradients share: rows, and
// what is summed over them.
//
//   d  = x - m          m = mean x (0 for rms_norm)
//   h  = d s            s = 1 / sqrt(mean d^2 + eps)
//   y  = h w + b
//   c  = g - (g_0 + mean(g - g_0)),  g = dy w            (c = g for rms_norm)
//   dx = s (c - h mean(c h))
//   dw = sum dy h,  db = sum dy                         over all rows
// x is R rows of N elements, and the means are over a row. Each operation is rounded by itself, and
// every sum is in the order of tenon.sum: over a row by lanes, over rows in blocks.
//
// A rounded m is not exact enough where it is large beside d: if m^2 > 64 mean d^2, mean d is taken
// off d as well. If s is no usual number then, since squares left the range, all three are found
// again in f64. Both are rare, so that d is x - m by one subtraction elsewhere (once_or_twice).

#if defined(TENON_CPU_NORM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_NORM_INL_H
#undef TENON_CPU_NORM_INL_H
#else
#define TENON_CPU_NORM_INL_H
#endif

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/lanes-inl.h"
#include "kernels/reduction.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace norm {

enum Attribute : uint32_t { kDims, kEps, kAttributes };

// What is taken off: the mean, then what its rounding left of it, which is 0 as a rule.
template <class C>
struct Centre {
  C mean;
  C rest;

  C operator()(C x) const { return (x - mean) - rest; }
};

template <class C>
struct Statistics {
  Centre<C> centre;
  C scale;
};

// How d is found.
enum class Off { Nothing, Mean, MeanAndRest };

template <Off kOff, class C, class D, class V>
HWY_INLINE V without(D d, V v, const Centre<C>& centre) {
  if constexpr (kOff != Off::Nothing) v = hn::Sub(v, hn::Set(d, centre.mean));
  if constexpr (kOff == Off::MeanAndRest) v = hn::Sub(v, hn::Set(d, centre.rest));
  return v;
}

template <Off kOff>
using OffConstant = std::integral_constant<Off, kOff>;

// body(OffConstant) by whether anything is taken off, and a rest, too.
template <bool Centred, class Body>
HWY_INLINE void once_or_twice(bool has_rest, const Body& body) {
  if constexpr (!Centred) {
    body(OffConstant<Off::Nothing>());
  } else if (has_rest) {
    body(OffConstant<Off::MeanAndRest>());
  } else {
    body(OffConstant<Off::Mean>());
  }
}

// Row-major operands: R rows of N elements.
struct Extent {
  int64_t rows;
  int64_t columns;

  Extent(const sdk::Args& args, uint32_t x) {
    const auto shape = args.shape(x);
    const auto dims = static_cast<size_t>(args.attrs.integer(kDims));
    rows = sdk::count_of(shape.first(shape.size() - dims));
    columns = sdk::count_of(shape.last(dims));
  }
};

// The numbers of a row, or one number that stands for all of them.
template <class T>
class Row {
 public:
  using C = Number<T>;

  explicit Row(const void* data) : data_(static_cast<const char*>(data)) {}
  // Of the operand in `slot`, or `number` where it is absent.
  Row(const sdk::Launch& l, uint32_t slot, C number)
      : data_(slot < l.launch().n_inputs && l.given(slot) ? l.data<char>(slot) : nullptr) {
    if (!data_) std::fill(room_, room_ + kTile, number);
  }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  bool is_given() const { return data_ != nullptr; }
  const void* data() const { return data_; }
  void move_to(const void* data) { data_ = static_cast<const char*>(data); }
  // Elements [i, i + n), at most kTile of them.
  const C* get(int64_t i, int64_t n) {
    if (!data_) return room_;
    return get_numbers<T>(data_ + i * int64_t{sizeof(T)}, sizeof(T), n, room_);
  }

 private:
  const char* data_;
  HWY_ALIGN C room_[kTile];
};

// ---- Sums over a row: what is added, as sum_mapped asks for it ----------------------------------

template <class C>
struct Itself {
  const C* x;
  Itself map_from(int64_t i) const { return {x + i}; }

  template <class D, class V>
  HWY_INLINE V operator()(D, V v, size_t, int64_t = 0) const {
    return v;
  }
};

// d, or its square
template <class C, Off kOff, bool kSquared>
struct Difference {
  const C* x;
  Centre<C> centre;
  Difference map_from(int64_t) const { return *this; }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t) const {
    v = without<kOff>(d, v, centre);
    return kSquared ? hn::Mul(v, v) : v;
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t i, int64_t n) const {
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), (*this)(d, v, i));
  }
};
template <class C, Off kOff>
using Square = Difference<C, kOff, true>;

template <class C, Off kOff>
struct Normalised {
  Statistics<C> known;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Mul(without<kOff>(d, v, known.centre), hn::Set(d, known.scale));
  }
};

// ---- Statistics ---------------------------------------------------------------------------------

template <class C>
struct Moments {
  Centre<C> centre;
  C square;  // mean d^2

  bool needs_rest() const { return centre.mean * centre.mean > C{64} * square; }
};

// 1 / sqrt(square + eps) is not usual if squares left the range, or nothing was left of them.
template <class C>
C scale_of(C square, double eps) {
  return C{1} / std::sqrt(square + static_cast<C>(eps));
}
template <class C>
bool is_usual(C scale) {
  return scale > C{0} && scale < std::numeric_limits<C>::infinity();
}

// Of `count` numbers, in f64, one after another: each(body) calls body(x) for all of them. Their
// mean square may not be one of C.
template <class C, bool Centred, class Each>
HWY_NOINLINE std::pair<Centre<C>, double> wide_moments(int64_t count, const Each& each) {
  const auto n = static_cast<double>(count);
  double mean = 0, square = 0;
  if constexpr (Centred) {
    each([&](C x) { mean += static_cast<double>(x); });
    mean /= n;
  }
  each([&](C x) {
    const double apart = static_cast<double>(x) - mean;
    square += apart * apart;
  });
  const C rounded = static_cast<C>(mean);
  return {{rounded, static_cast<C>(mean - static_cast<double>(rounded))}, square / n};
}

// What is known of the elements of a row when their mean and mean square have been found: sum(f)
// is the sum of f<C>{x, centre} for a Difference f over the row.
template <class T, bool Centred, class Sum>
HWY_INLINE Statistics<Number<T>> known_of(Moments<Number<T>> found, const void* row,
                                          int64_t columns, double eps, const Sum& sum) {
  using C = Number<T>;
  if (Centred && found.needs_rest()) {
    const auto count = static_cast<C>(columns);
    found.centre.rest = sum(Difference<C, Off::Mean, false>{nullptr, found.centre}) / count;
    found.square = sum(Square<C, Off::MeanAndRest>{nullptr, found.centre}) / count;
  }
  const C scale = scale_of(found.square, eps);
  if (sizeof(C) == sizeof(double) || is_usual(scale)) return {found.centre, scale};
  const auto [centre, square] = wide_moments<C, Centred>(columns, [&](const auto& body) {
    const auto* x = static_cast<const T*>(row);
    for (int64_t i = 0; i < columns; ++i) body(static_cast<C>(x[i]));
  });
  return {centre, static_cast<C>(1.0 / std::sqrt(square + eps))};
}

template <class T, bool Centred>
HWY_NOINLINE Statistics<Number<T>> statistics(Row<T>& x, int64_t columns, double eps) {
  using C = Number<T>;
  const auto sum = [&](const auto& f) HWY_ATTR {
    return sum_mapped<C>(columns, kTile, [&](int64_t i, int64_t n) HWY_ATTR {
      auto here = f;
      here.x = x.get(i, n);
      return here;
    });
  };
  const auto count = static_cast<C>(columns);
  Moments<C> found{};
  if constexpr (Centred) found.centre.mean = sum(Itself<C>{}) / count;
  found.square =
      sum(Square < C, Centred ? Off::Mean : Off::Nothing > {nullptr, found.centre}) / count;
  return known_of<T, Centred>(found, x.data(), columns, eps, sum);
}

// The same of a row of packed numbers whose mean and square were found with those of others.
template <class C, bool Centred>
HWY_INLINE Statistics<C> known_of_packed(const Moments<C>& found, const C* row, int64_t columns,
                                         double eps) {
  return known_of<C, Centred>(found, row, columns, eps, [&](auto f) HWY_ATTR {
    f.x = row;
    return sums_of<C>(columns, f)[0];
  });
}

constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   LaunchFn launch, WorkspaceFn scratch = nullptr) {
  return cpu::kernel(op, slots, sdk::kFloats, kAttributes, launch, {.workspace = scratch});
}

}  // namespace norm
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_NORM_INL_H
