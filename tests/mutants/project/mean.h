// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/mean.h: tenon.mean in parts, for the cases that get one of them wrong.
#pragma once

#include "mutant.h"

namespace mutants {

// Which output element each input element is part of; attribute 0 holds the axes that go.
class Groups {
 public:
  explicit Groups(const sdk::Launch& l) : x_(l.view(0)) {
    gone_.fill(!l.attrs.given(0));
    for (const int64_t axis : l.attrs.ints(0)) {
      gone_[static_cast<size_t>(sdk::normal_axis(axis, x_.rank, "axes"))] = true;
    }
    for (int32_t d = 0; d < x_.rank; ++d) {
      if (gone_[static_cast<size_t>(d)]) size_ *= x_.shape[d];
    }
  }
  // The number of the output element, row-major, that input element i belongs to.
  int64_t of(int64_t i) const {
    int64_t out = 0;
    int64_t step = 1;
    for (int32_t d = x_.rank; d-- > 0; i /= x_.shape[d]) {
      if (gone_[static_cast<size_t>(d)]) continue;
      out += i % x_.shape[d] * step;
      step *= x_.shape[d];
    }
    return out;
  }
  // How many elements meet in one.
  double size() const { return static_cast<double>(size_); }

 private:
  tenon_view x_;
  std::array<bool, TENON_MAX_RANK> gone_{};
  int64_t size_ = 1;
};

// The sum behind output element `o`, in logical order.
inline double sum_of(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  double sum = 0;
  for (int64_t i = 0; i < elements(x); ++i) {
    if (groups.of(i) == o) sum += get(x, place(x, i));
  }
  return sum;
}

inline void write_means(const sdk::Launch& l, const Groups& groups) {
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put(l.out(), place(l.out(), o), sum_of(l, groups, o) / groups.size());
  }
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc mean_kernel(std::span<const tenon_slot_rule> slots = kUnarySlots) {
  return kernel<Run>("tenon.mean", slots, 2);
}

}  // namespace mutants
