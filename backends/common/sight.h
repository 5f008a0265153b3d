// SPDX-License-Identifier: Apache-2.0
// backends/common/sight.h: which keys a query of attention sees, with lengths and starts read in
// host memory.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>

#include <string>

#include "common/sight_rule.h"

namespace tenon::backends {

// One number for each sequence, which need not be given.
class SequenceNumbers {
 public:
  SequenceNumbers() = default;
  // Refuses what is not from 0 to `limit`. places: what they are numbers of, for messages.
  SequenceNumbers(const sdk::Args& args, uint32_t slot, const char* operand, int64_t limit,
                  const char* places, const char* hint) {
    if (!args.given(slot)) return;
    numbers_ = sdk::strided(args.view(slot));
    for (int64_t b = 0; b < args.shape(slot)[0]; ++b) {
      const int64_t number = at(b, 0);
      if (number >= 0 && number <= limit) continue;
      throw sdk::Failure{TENON_E_DATA,
                         std::string(operand) + "[" + std::to_string(b) + "] is " +
                             std::to_string(number) + ", outside the " + places,
                         operand,
                         "a number from 0 to " + std::to_string(limit),
                         std::to_string(number),
                         hint};
    }
  }

  int64_t at(int64_t batch, int64_t absent) const {
    return numbers_.data ? sdk::load<int64_t>(numbers_.data + batch * numbers_.step[0]) : absent;
  }

 private:
  sdk::Strided numbers_{};
};

// `lengths` and `start` of an op that reads keys.
class Sequences {
 public:
  Sequences(const sdk::Args& args, uint32_t lengths, uint32_t start, int64_t queries, int64_t keys)
      : keys_(keys),
        lengths_(args, lengths, "lengths", keys, "keys", ""),
        starts_(args, start, "start", keys - queries, "keys",
                "start + queries is to be at most the number of keys") {}

  Sequence operator[](int64_t batch) const {
    return {lengths_.at(batch, keys_), starts_.at(batch, 0)};
  }

 private:
  int64_t keys_;
  SequenceNumbers lengths_;
  SequenceNumbers starts_;
};

}  // namespace tenon::backends
