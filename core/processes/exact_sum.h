// SPDX-License-Identifier: Apache-2.0
// core/processes/exact_sum.h: sums of squares without rounding, so that neither their order nor who
// adds what has a say. Each square is rounded to f64 (those of narrower floats are exact); then all
// is integers. Source: U. Kulisch, "Computer Arithmetic and Validity", 2008, chapter 8 (complete
// addition); with a counter for each exponent, which are joined at the end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace tenon::processes {

class SumOfSquares {
 public:
  // Digits of 32 bits, the lowest first, of a multiple of 2^-1074; then how many squares were
  // infinite, and NaN. Those of several processes are added one by one.
  static constexpr size_t kDigits = 70;
  using Number = std::array<int64_t, kDigits + 2>;

  SumOfSquares();
  // A float tensor in host memory whose elements lie without gaps, in any order.
  void add(const tensor::Tensor& tensor);
  Number number() const;
  // Rounded; NaN and infinity if a square was.
  static double root_of(Number number);

 private:
  static constexpr size_t kExponents = 2048;
  void settle();

  // Sums of the low and high halves of squares' digits, by exponent.
  std::vector<uint64_t> low_;
  std::vector<uint64_t> high_;
  int64_t room_;  // squares that they still hold
  Number number_{};
};

}  // namespace tenon::processes
