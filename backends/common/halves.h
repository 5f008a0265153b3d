// SPDX-License-Identifier: Apache-2.0
// backends/common/halves.h: the two halves of an operand along an axis, in host memory, where they
// lie.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>

namespace tenon::backends {

// Steps are those of the whole operand.
inline std::array<sdk::Strided, 2> halves_of(const tenon_view& whole, int64_t axis) {
  const auto d = static_cast<size_t>(sdk::normal_axis(axis, whole.rank, "axis"));
  std::array<sdk::Strided, 2> halves{sdk::strided(whole), sdk::strided(whole)};
  halves[1].data += whole.shape[d] / 2 * halves[1].step[d];
  return halves;
}

}  // namespace tenon::backends
