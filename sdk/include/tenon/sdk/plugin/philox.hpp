// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/philox.hpp: the counter-based random words of tenon_rng (plugin.h), on the host.
// philox.h has the generator and its source.
#pragma once

#include <tenon/plugin.h>
#include <tenon/sdk/philox.h>

#include <array>
#include <cstdint>

namespace tenon::sdk {

using PhiloxBlock = std::array<uint32_t, 4>;

// Ten rounds over a 128-bit counter with a 64-bit key (low word first).
constexpr PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  tenon_sdk_philox(counter.data(), uint64_t{key[1]} << 32 | key[0]);
  return counter;
}

// The words of one launch. Word w is word w mod 4 of block w / 4. Remembers the last block, so each
// thread needs a copy of its own.
class RandomWords {
 public:
  explicit RandomWords(const tenon_rng& rng)
      : key_{low(rng.key), high(rng.key)},
        stream_(rng.stream),
        base_(rng.offset + (rng.device_base ? *rng.device_base : 0)) {}

  uint32_t word(uint64_t w) {
    if (w / 4 != block_number_) {
      block_number_ = w / 4;
      const uint64_t counter = base_ + block_number_;
      block_ = philox({low(counter), high(counter), low(stream_), high(stream_)}, key_);
    }
    return block_[w % 4];
  }
  // Words w (high half) and w + 1.
  uint64_t two_words(uint64_t w) {
    const uint64_t upper = word(w);
    return upper << 32 | word(w + 1);
  }

 private:
  static constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

  std::array<uint32_t, 2> key_;
  uint64_t stream_;
  uint64_t base_;
  uint64_t block_number_ = UINT64_MAX;
  PhiloxBlock block_{};
};

}  // namespace tenon::sdk
