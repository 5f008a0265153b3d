// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/norm-inl.h: what layer_norm, rms_norm and their gradients share: rows, and
// what is summed over them.
//
//   h  = (x - m) s      m = mean x (0 for rms_norm),  s = 1 / sqrt(mean (x - m)^2 + eps)
//   y  = h w + b
//   dx = s ((g - mean g) - h mean(g h)),  g = dy w      (without mean g for rms_norm)
//   dw = sum dy h,  db = sum dy                         over all rows
// x is R rows of N elements, and the means are over a row. Each operation is rounded by itself, and
// every sum is in the order of tenon.sum: over a row by lanes, over rows in blocks.

#if defined(TENON_CPU_NORM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_NORM_INL_H
#undef TENON_CPU_NORM_INL_H
#else
#define TENON_CPU_NORM_INL_H
#endif

#include <cmath>

#include "kernels/lanes-inl.h"
#include "kernels/reduction.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace norm {

enum Attribute : uint32_t { kDims, kEps, kAttributes };

template <class C>
struct Statistics {
  C mean;
  C scale;
};

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

// (x - mean)^2
template <class C>
struct Square {
  const C* x;
  C mean;
  Square map_from(int64_t) const { return *this; }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t) const {
    const V difference = hn::Sub(v, hn::Set(d, mean));
    return hn::Mul(difference, difference);
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t i, int64_t n) const {
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), (*this)(d, v, i));
  }
};

template <class C, bool Centred>
struct Normalised {
  Statistics<C> known;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    if constexpr (Centred) v = hn::Sub(v, hn::Set(d, known.mean));
    return hn::Mul(v, hn::Set(d, known.scale));
  }
};

template <class C>
C scale_of(C squares, int64_t columns, double eps) {
  return C{1} / std::sqrt(squares / static_cast<C>(columns) + static_cast<C>(eps));
}

template <class T, bool Centred>
HWY_NOINLINE Statistics<Number<T>> statistics(Row<T>& x, int64_t columns, double eps) {
  using C = Number<T>;
  C mean{};
  if constexpr (Centred) {
    mean = sum_mapped<C>(columns, kTile,
                         [&](int64_t i, int64_t n) HWY_ATTR { return Itself<C>{x.get(i, n)}; }) /
           static_cast<C>(columns);
  }
  const C squares = sum_mapped<C>(columns, kTile, [&](int64_t i, int64_t n) HWY_ATTR {
    return Square<C>{x.get(i, n), mean};
  });
  return {mean, scale_of(squares, columns, eps)};
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
