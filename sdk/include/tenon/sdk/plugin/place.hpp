// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/place.hpp: how messages name an element of an operand.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <array>
#include <string>

namespace tenon::sdk {

// "x[1,0]": element `number` of an operand of that shape, in row-major order.
inline std::string place_in(const std::string& operand, std::span<const int64_t> shape,
                            int64_t number) {
  std::array<int64_t, TENON_MAX_RANK> at{};
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = number % shape[d];
    number /= shape[d];
  }
  return shape.empty() ? operand : operand + shape_text({at.data(), shape.size()});
}

}  // namespace tenon::sdk
