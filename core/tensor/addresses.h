// SPDX-License-Identifier: Apache-2.0
// core/tensor/addresses.h: which addresses a view's elements lie between.
#pragma once

#include <tenon/plugin.h>

namespace tenon::tensor {

// From the first byte until the one after the last; nothing if there is no element.
struct Addresses {
  intptr_t begin = 0;
  intptr_t end = 0;
  bool meet(const Addresses& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};

// Bytes between the elements count too.
Addresses addresses_of(const tenon_view& view) noexcept;

}  // namespace tenon::tensor
