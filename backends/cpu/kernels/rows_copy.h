// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_copy.h: elements moved as they are, in the longest pieces that memory
// allows.
#pragma once

#include <cstring>

#include "kernels/geometry.h"

namespace tenon::cpu {

// `count` elements of `size` bytes.
inline void copy_run(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count,
                     int64_t size) {
  if (to_step == size && from_step == size) {
    std::memcpy(to, from, static_cast<size_t>(count * size));
    return;
  }
  const auto each = [&]<class T>() {
    for (int64_t i = 0; i < count; ++i) {
      sdk::store(to + i * to_step, sdk::load<T>(from + i * from_step));
    }
  };
  switch (size) {
    case 1:
      return each.template operator()<uint8_t>();
    case 2:
      return each.template operator()<uint16_t>();
    case 4:
      return each.template operator()<uint32_t>();
    default:
      return each.template operator()<uint64_t>();
  }
}

// out = in, both of `shape`, on the host's threads if there are many elements.
inline void copy_elements(const sdk::Launch& l, std::span<const int64_t> shape, int64_t size,
                          const sdk::Strided& out, const sdk::Strided& in) {
  const Geometry<2> geometry(shape, {out, in});
  sdk::walk_parallel<2>(l, geometry.shape(), geometry.operands(), [size](const sdk::Run<2>& run) {
    copy_run(run.data[0], run.step[0], run.data[1], run.step[1], run.count, size);
  });
}

}  // namespace tenon::cpu
