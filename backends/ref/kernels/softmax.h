// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/softmax.h: one line of numbers and its log-sum-exp, shared by the family.
#pragma once

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {

// Elements along one axis.
struct Line {
  char* data;
  int64_t step;

  template <class T>
  double get(int64_t i) const {
    return static_cast<double>(sdk::load<T>(data + i * step));
  }
  template <class T>
  void put(int64_t i, double value) const {
    sdk::store(data + i * step, sdk::narrow<T>(value));
  }
};

// log(sum exp x) = largest + log(sum), if no exp can overflow.
struct Normaliser {
  double largest;
  double sum;

  double log_probability(double x) const { return x - largest - std::log(sum); }
};

template <class T>
Normaliser normaliser(const Line& line, int64_t count) {
  Normaliser norm{line.get<T>(0), 0.0};
  for (int64_t i = 1; i < count; ++i) norm.largest = std::fmax(norm.largest, line.get<T>(i));
  // A NaN anywhere reaches the sum, and with it the whole line.
  for (int64_t i = 0; i < count; ++i) norm.sum += std::exp(line.get<T>(i) - norm.largest);
  return norm;
}

}  // namespace tenon::ref
