// SPDX-License-Identifier: Apache-2.0
// backends/common/sight.h: which keys a query of attention sees, with lengths and starts read in
// host memory.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>

#include <string>

#include "common/sight_rule.h"

namespace tenon::backends {

// Reads `lengths` and `start`, which need not be given, and refuses what is outside the keys.
class Sequences {
 public:
  Sequences(const sdk::Args& args, uint32_t lengths, uint32_t start, int64_t queries, int64_t keys)
      : keys_(keys) {
    lengths_ = numbers(args, lengths, "lengths", keys, "");
    starts_ = numbers(args, start, "start", keys - queries,
                      "start + queries is to be at most the number of keys");
  }

  Sequence operator[](int64_t batch) const {
    return {lengths_.data ? at(lengths_, batch) : keys_, starts_.data ? at(starts_, batch) : 0};
  }

 private:
  static int64_t at(const sdk::Strided& numbers, int64_t batch) {
    return sdk::load<int64_t>(numbers.data + batch * numbers.step[0]);
  }
  static sdk::Strided numbers(const sdk::Args& args, uint32_t slot, const char* operand,
                              int64_t limit, const char* hint) {
    if (!args.given(slot)) return {};
    const sdk::Strided numbers = sdk::strided(args.view(slot));
    for (int64_t b = 0; b < args.shape(slot)[0]; ++b) {
      const int64_t number = at(numbers, b);
      if (number >= 0 && number <= limit) continue;
      throw sdk::Failure{TENON_E_DATA,
                         std::string(operand) + "[" + std::to_string(b) + "] is " +
                             std::to_string(number) + ", outside the keys",
                         operand,
                         "a number from 0 to " + std::to_string(limit),
                         std::to_string(number),
                         hint};
    }
    return numbers;
  }

  int64_t keys_;
  sdk::Strided lengths_{};
  sdk::Strided starts_{};
};

}  // namespace tenon::backends
