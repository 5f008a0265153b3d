// SPDX-License-Identifier: Apache-2.0
// tests/conformance/random_test.cc: uniform numbers against an implementation of Philox4x32-10 of
// this test's own, after the contract in tenon/plugin.h (tenon_rng).
#include <array>
#include <cstring>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

struct Stream {
  uint64_t seed, stream, offset;
  uint32_t word(uint64_t index) const {
    const uint64_t block = offset + index / 4;
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                  static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32))[index % 4];
  }
  float f32(uint64_t i) const { return static_cast<float>(word(i) >> 8) * 0x1p-24f; }
  double f64(uint64_t i) const {
    const uint64_t bits = uint64_t{word(2 * i)} << 32 | word(2 * i + 1);
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
};

constexpr Stream kStreams[] = {
    {0, 0, 0}, {kSeed, 7, 3}, {0xFFFFFFFF00000001u, 0x123456789ABCDEFu, 0xFFFFFFFEu}};

template <class T>
std::vector<T> values(const Array& array) {
  std::vector<T> out(array.count());
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

class ConformanceRandom : public testing::Test {
 protected:
  void start(const Stream& stream) {
    session.must(tenon_context_set_seed(session, stream.seed, stream.stream));
    session.must(tenon_context_set_counter(session, stream.offset));
  }
  uint64_t counter() {
    uint64_t counter = 0;
    session.must(tenon_context_get_seed(session, nullptr, nullptr, &counter));
    return counter;
  }
  Array draw(const char* text) {
    const Case each = make_case({"tenon.uniform", text, "", TENON_OK});
    std::vector<Tensor> made;
    session.must(call(session, each, {}, 1, made));
    return made.empty() ? Array() : contents_of(session, made[0].get());
  }
  Session session;
};

// From the reference implementation's kat_vectors.
TEST(ConformancePhilox, ThisTestsOwnWordsAreRight) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_F(ConformanceRandom, UniformIsTheTop24BitsOfAWord) {
  for (const Stream& stream : kStreams) {
    start(stream);
    const std::vector<float> found = values<float>(draw("| shape=[7,143]"));
    ASSERT_EQ(found.size(), 1001u);
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], stream.f32(i)) << i;
    EXPECT_EQ(counter(), stream.offset + 251);  // ceil(1001 words / 4)
  }
}

TEST_F(ConformanceRandom, UniformF64TakesTwoWords) {
  for (const Stream& stream : kStreams) {
    start(stream);
    const std::vector<double> found = values<double>(draw("| shape=[501], dtype=f64"));
    ASSERT_EQ(found.size(), 501u);
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], stream.f64(i)) << i;
    EXPECT_EQ(counter(), stream.offset + 251);  // ceil(1002 words / 4)
  }
}

TEST_F(ConformanceRandom, TheNextCallGoesOn) {
  start(kStreams[1]);
  draw("| shape=[5]");  // two blocks
  const std::vector<float> found = values<float>(draw("| shape=[3]"));
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], kStreams[1].f32(8 + i));
}

TEST_F(ConformanceRandom, EmptyDrawsNothing) {
  start(kStreams[0]);
  draw("| shape=[3,0]");
  EXPECT_EQ(counter(), 0u);
}

TEST_F(ConformanceRandom, TheSameForAnyThreadsAndLayout) {
  start(kStreams[1]);
  const char* text = "| shape=[40,50,3]";
  const Array wanted = draw(text);
  const Case each = make_case({"tenon.uniform", text, "", TENON_OK});
  for (const Layout layout : kLayouts) {
    const Placed output(
        session,
        Array{wanted.dtype, wanted.shape, std::vector<unsigned char>(wanted.bytes.size(), 1)},
        layout);
    start(kStreams[1]);
    tenon_tensor* handle = output.get();
    session.must(apply(session, each, {}, {&handle, 1}));
    EXPECT_EQ(output.read(), wanted) << name_of(layout);
    EXPECT_TRUE(output.outside_untouched()) << name_of(layout);
  }
}

}  // namespace
}  // namespace tenon::tests
