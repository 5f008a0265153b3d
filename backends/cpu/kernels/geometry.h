// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/geometry.h: operands of any layout, with as few dimensions as describe them.
#pragma once

#include <array>

#include "common/slots.h"
#include "cpu.h"

namespace tenon::cpu {

using backends::any_in;
using backends::any_inout;
using backends::any_out;

// Dimensions that N operands share, in logical order. Sizes of 1 are left out, and neighbours that
// are evenly spaced in every operand are one dimension, so that what is packed is one run.
template <size_t N>
class Geometry {
 public:
  Geometry() = default;
  Geometry(std::span<const int64_t> shape, const std::array<sdk::Strided, N>& operands) {
    for (size_t o = 0; o < N; ++o) operands_[o].data = operands[o].data;
    for (size_t d = 0; d < shape.size(); ++d) {
      std::array<int64_t, N> steps{};
      for (size_t o = 0; o < N; ++o) steps[o] = operands[o].step[d];
      push(shape[d], steps);
    }
  }

  void push(int64_t size, const std::array<int64_t, N>& steps) {
    count_ *= size;
    if (size == 1) return;
    if (rank_ > 0 && continues(size, steps)) {
      shape_[rank_ - 1] *= size;
    } else {
      shape_[rank_++] = size;
    }
    for (size_t o = 0; o < N; ++o) operands_[o].step[rank_ - 1] = steps[o];
  }

  std::span<const int64_t> shape() const { return {shape_.data(), rank_}; }
  size_t rank() const { return rank_; }
  int64_t count() const { return count_; }
  const std::array<sdk::Strided, N>& operands() const { return operands_; }
  sdk::Strided& operand(size_t o) { return operands_[o]; }

 private:
  // Is one step of the last dimension the way through all of this one?
  bool continues(int64_t size, const std::array<int64_t, N>& steps) const {
    for (size_t o = 0; o < N; ++o) {
      if (operands_[o].step[rank_ - 1] != size * steps[o]) return false;
    }
    return true;
  }

  std::array<int64_t, TENON_MAX_RANK> shape_{};
  std::array<sdk::Strided, N> operands_{};
  size_t rank_ = 0;
  int64_t count_ = 1;
};

}  // namespace tenon::cpu
