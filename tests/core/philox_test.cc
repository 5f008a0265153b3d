// SPDX-License-Identifier: Apache-2.0
// tests/core/philox_test.cc: Philox4x32-10 against the known answers of Random123 (kat_vectors).
#include <gtest/gtest.h>
#include <tenon/sdk/plugin/philox.hpp>

#include <set>

namespace {

using tenon::sdk::philox;
using Words = std::array<uint32_t, 4>;

constexpr uint32_t kOnes = 0xffffffff;

// Usable in constant expressions: the first vector is checked by the compiler.
static_assert(philox({0, 0, 0, 0}, {0, 0}) ==
              Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});

TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryWordOfCounterAndKeyMatters) {
  std::set<Words> seen;
  for (size_t bit = 0; bit < 128; ++bit) {
    Words counter{};
    counter[bit / 32] = uint32_t{1} << (bit % 32);
    seen.insert(philox(counter, {0, 0}));
  }
  for (size_t bit = 0; bit < 64; ++bit) {
    std::array<uint32_t, 2> key{};
    key[bit / 32] = uint32_t{1} << (bit % 32);
    seen.insert(philox({0, 0, 0, 0}, key));
  }
  EXPECT_EQ(seen.size(), 192u);
}

}  // namespace
