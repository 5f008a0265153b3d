// SPDX-License-Identifier: Apache-2.0
// tests/cpp/counted_support.h: how often this program has asked for another owner of a tensor, and
// given one up.
#pragma once

#include <cstdint>

namespace tenon::tests {

struct Counts {
  int64_t retains;
  int64_t releases;
};
Counts counts();

}  // namespace tenon::tests
