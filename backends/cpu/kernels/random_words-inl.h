// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/random_words-inl.h: the Philox words of a launch, many at once.
//
// Source of the generator: tenon/sdk/philox.h, here one block for each 64-bit lane, each of its
// four words in the lower half.

#if defined(TENON_CPU_RANDOM_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_RANDOM_WORDS_INL_H
#undef TENON_CPU_RANDOM_WORDS_INL_H
#else
#define TENON_CPU_RANDOM_WORDS_INL_H
#endif

#include <hwy/highway.h>

#include "cpu.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int64_t kBlock = 4;           // words
inline constexpr int64_t kBlocksAtOnce = 256;  // a multiple of any vector's lanes
inline constexpr int64_t kWordsAtOnce = kBlock * kBlocksAtOnce;

// The words of kBlocksAtOnce blocks, the first of them `counter`.
HWY_NOINLINE inline void philox(const tenon_rng& rng, uint64_t counter, uint32_t* words) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<uint32_t, decltype(d)> d32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto lower = hn::Set(d, 0xFFFFFFFFu);
  const auto times = [&](auto v, uint32_t factor) HWY_ATTR {
    return hn::MulEven(hn::BitCast(d32, v), hn::Set(d32, factor));
  };
  for (int64_t block = 0; block < kBlocksAtOnce; block += lanes) {
    auto c0 = hn::Iota(d, counter + static_cast<uint64_t>(block));
    auto c1 = hn::ShiftRight<32>(c0);
    auto c2 = hn::Set(d, rng.stream);
    auto c3 = hn::Set(d, rng.stream >> 32);
    auto key0 = static_cast<uint32_t>(rng.key);
    auto key1 = static_cast<uint32_t>(rng.key >> 32);
    for (int round = 0; round < 10; ++round) {
      const auto product0 = times(c0, 0xD2511F53u);
      const auto product1 = times(c2, 0xCD9E8D57u);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), c1), hn::Set(d, key0));
      c1 = product1;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), c3), hn::Set(d, key1));
      c3 = product0;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    const auto first = hn::Or(hn::And(c0, lower), hn::ShiftLeft<32>(c1));
    const auto second = hn::Or(hn::And(c2, lower), hn::ShiftLeft<32>(c3));
    auto* to = reinterpret_cast<uint64_t*>(words + block * kBlock);
    hn::StoreInterleaved2(first, second, d, to);
  }
}

// Calls body(words, i, n) for pieces of `count` numbers of kWords words each: `words` are those of
// number i and of as many as kWordsAtOnce holds, of which n are wanted.
template <int64_t kWords, class Body>
HWY_INLINE void for_words(const sdk::Launch& l, int64_t count, const Body& body) {
  constexpr int64_t kAtOnce = kWordsAtOnce / kWords;
  const tenon_rng rng = l.rng();
  const uint64_t base = rng.offset + (rng.device_base ? *rng.device_base : 0);
  // Pieces begin with a block.
  static_assert(sdk::kElementwiseGrain % kAtOnce == 0);
  l.parallel_for(count, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) HWY_ATTR {
    HWY_ALIGN uint32_t words[kWordsAtOnce];
    for (int64_t i = begin; i < end; i += kAtOnce) {
      philox(rng, base + static_cast<uint64_t>(i * kWords / kBlock), words);
      body(static_cast<const uint32_t*>(words), i, std::min(kAtOnce, end - i));
    }
  });
}

// Fills the output with what numbers(words, to) makes of kWordsAtOnce words; of a T it takes one
// word for each 4 bytes.
template <class T, class Numbers>
HWY_INLINE void fill_from_words(const sdk::Launch& l, const Numbers& numbers) {
  constexpr int64_t kWords = sizeof(T) / sizeof(uint32_t);
  constexpr int64_t kAtOnce = kWordsAtOnce / kWords;
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  for_words<kWords>(l, count, [&](const uint32_t* words, int64_t i, int64_t n) HWY_ATTR {
    HWY_ALIGN T made[kAtOnce];
    numbers(words, made);
    std::memcpy(l.out_data<T>() + i, made, static_cast<size_t>(n) * sizeof(T));
  });
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_RANDOM_WORDS_INL_H
