// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/mean.h: tenon.mean in parts, for the cases that get one of them wrong.
#pragma once

#include "mutant.h"

namespace mutants {

// The elements of input 0 behind each output element; attribute 0 holds the axes that go.
class Groups {
 public:
  explicit Groups(const sdk::Launch& l) : x_(l.view(0)) {
    std::array<bool, TENON_MAX_RANK> gone{};
    gone.fill(!l.attrs.given(0));
    for (const int64_t axis : l.attrs.ints(0)) {
      gone[static_cast<size_t>(sdk::normal_axis(axis, x_.rank, "axes"))] = true;
    }
    int64_t step = 1;
    for (int32_t d = x_.rank; d-- > 0; step *= x_.shape[d]) {
      Dims& dims = gone[static_cast<size_t>(d)] ? reduced_ : kept_;
      dims.shape[dims.rank] = x_.shape[d];
      dims.step[dims.rank] = step;
      ++dims.rank;
    }
  }
  // The number, row-major, of the k-th input element behind output element `o`.
  int64_t element(int64_t o, int64_t k) const { return kept_.place(o) + reduced_.place(k); }
  // How many elements meet in one.
  int64_t size() const { return reduced_.count(); }

 private:
  struct Dims {  // last dimension first
    std::array<int64_t, TENON_MAX_RANK> shape{};
    std::array<int64_t, TENON_MAX_RANK> step{};
    size_t rank = 0;

    int64_t count() const { return sdk::count_of({shape.data(), rank}); }
    int64_t place(int64_t i) const {
      int64_t at = 0;
      for (size_t d = 0; d < rank; i /= shape[d++]) at += i % shape[d] * step[d];
      return at;
    }
  };

  tenon_view x_;
  Dims kept_;
  Dims reduced_;
};

// The sum behind output element `o`, in logical order.
inline double sum_of(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  double sum = 0;
  for (int64_t k = 0; k < groups.size(); ++k) sum += get(x, place(x, groups.element(o, k)));
  return sum;
}

inline void put_mean(const sdk::Launch& l, const Groups& groups, int64_t o, double sum) {
  put(l.out(), place(l.out(), o), sum / static_cast<double>(groups.size()));
}

inline void write_means(const sdk::Launch& l, const Groups& groups) {
  for (int64_t o = 0; o < elements(l.out()); ++o) put_mean(l, groups, o, sum_of(l, groups, o));
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc mean_kernel(std::span<const tenon_slot_rule> slots = kUnarySlots) {
  return kernel<Run>("tenon.mean", slots, 2);
}

}  // namespace mutants
