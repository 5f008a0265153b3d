// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/places.h: places of a tensor, one number for each dimension.
#pragma once

#include "kernels/ref.h"

namespace tenon::ref {

using Place = std::array<int64_t, TENON_MAX_RANK>;

// To the next place in row-major order; from the last one to the first.
inline void step_on(Place& place, std::span<const int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++place[d] < shape[d]) return;
    place[d] = 0;
  }
}

// How many elements stand before it in row-major order.
inline int64_t linear(const Place& place, std::span<const int64_t> shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + place[d];
  return number;
}

// Calls body(place) for every place in row-major order.
template <class Body>
void for_each_place(std::span<const int64_t> shape, Body&& body) {
  Place place{};
  for (int64_t left = sdk::count_of(shape); left > 0; --left) {
    body(static_cast<const Place&>(place));
    step_on(place, shape);
  }
}

inline char* address(const sdk::Strided& operand, const Place& place) {
  char* at = operand.data;
  for (size_t d = 0; d < place.size(); ++d) at += place[d] * operand.step[d];
  return at;
}

}  // namespace tenon::ref
