// SPDX-License-Identifier: Apache-2.0
// tests/layouts/plugins/test.layouts/seen.h: what the kernels of test.layouts write down of their
// launches, for the test that gave them its address as an attribute.
#pragma once

#include <tenon/types.h>

#include <algorithm>
#include <cstdint>

namespace tenon::tests {

struct SeenView {
  const void* data = nullptr;
  int32_t rank = 0;
  int64_t shape[TENON_MAX_RANK] = {};
  int64_t strides[TENON_MAX_RANK] = {};

  void set(const tenon_view& view) {
    data = view.data;
    rank = view.rank;
    std::copy_n(view.shape, rank, shape);
    std::copy_n(view.strides, rank, strides);
  }
};

// Of the last launch; input and output.
struct Seen {
  int64_t launches = 0;
  SeenView views[2];
};

// Which effects took place, in their order.
struct Effects {
  static constexpr int64_t kCapacity = 64;
  int64_t count = 0;
  int64_t tags[kCapacity] = {};

  void add(int64_t tag) {
    if (count < kCapacity) tags[count] = tag;
    ++count;
  }
};

}  // namespace tenon::tests
