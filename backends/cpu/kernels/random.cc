// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/random.cc: uniform: low + u (high - low) by the Philox words of tenon_rng.
//
// u(i) in [0,1): f32 the top 24 bits of word i; f64 the top 53 bits of words 2i (high) and 2i+1.
// Source of the generator: tenon/sdk/philox.h, here one block for each 64-bit lane, each of its
// four words in the lower half.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int64_t kBlock = 4;           // words
inline constexpr int64_t kBlocksAtOnce = 256;  // a multiple of any vector's lanes
inline constexpr int64_t kWordsAtOnce = kBlock * kBlocksAtOnce;

// The words of kBlocksAtOnce blocks, the first of them `counter`.
HWY_NOINLINE void philox(const tenon_rng& rng, uint64_t counter, uint32_t* words) {
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

// low + u (high - low) of kWordsAtOnce words.
HWY_INLINE void spread(const uint32_t* words, float low, float width, float* out) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> di;
  for (int64_t i = 0; i < kWordsAtOnce; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto top = hn::ShiftRight<8>(hn::Load(du, words + i));
    const auto unit = hn::Mul(hn::ConvertTo(d, hn::BitCast(di, top)), hn::Set(d, 0x1p-24f));
    hn::Store(hn::Add(hn::Set(d, low), hn::Mul(unit, hn::Set(d, width))), d, out + i);
  }
}
HWY_INLINE void spread(const uint32_t* words, double low, double width, double* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<uint64_t, decltype(d)> du;
  const hn::Rebind<int64_t, decltype(d)> di;
  const auto* pairs = reinterpret_cast<const uint64_t*>(words);
  for (int64_t i = 0; i < kWordsAtOnce / 2; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto swapped = hn::Load(du, pairs + i);
    const auto both = hn::Or(hn::ShiftLeft<32>(swapped), hn::ShiftRight<32>(swapped));
    const auto top = hn::BitCast(di, hn::ShiftRight<11>(both));
    const auto unit = hn::Mul(hn::ConvertTo(d, top), hn::Set(d, 0x1p-53));
    hn::Store(hn::Add(hn::Set(d, low), hn::Mul(unit, hn::Set(d, width))), d, out + i);
  }
}

enum Uniform : uint32_t { kShape, kLow, kHigh, kDtype, kAttributes };

template <class T>
void uniform_typed(const sdk::Launch& l) {
  constexpr int64_t kWords = sizeof(T) / sizeof(uint32_t);  // for each number
  constexpr int64_t kAtOnce = kWordsAtOnce / kWords;
  const tenon_rng rng = l.rng();
  const uint64_t base = rng.offset + (rng.device_base ? *rng.device_base : 0);
  const T low = static_cast<T>(l.attrs.real(kLow));
  const T width = static_cast<T>(l.attrs.real(kHigh)) - low;
  // Pieces begin with a block.
  static_assert(sdk::kElementwiseGrain % kAtOnce == 0);
  const int64_t count = sdk::count_of(sdk::shape_of(l.out()));
  l.parallel_for(count, sdk::kElementwiseGrain, [&](int64_t begin, int64_t end) HWY_ATTR {
    HWY_ALIGN uint32_t words[kWordsAtOnce];
    HWY_ALIGN T numbers[kAtOnce];
    for (int64_t i = begin; i < end; i += kAtOnce) {
      philox(rng, base + static_cast<uint64_t>(i * kWords / kBlock), words);
      spread(words, low, width, numbers);
      const int64_t n = std::min(kAtOnce, end - i);
      std::memcpy(l.out_data<T>() + i, numbers, static_cast<size_t>(n) * sizeof(T));
    }
  });
}

void uniform(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_F32) return uniform_typed<float>(l);
  uniform_typed<double>(l);
}

constexpr tenon_dtype random_dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.uniform",
                 .device = kDevice,
                 .slots = slots,
                 .rows = random_dtypes,
                 .n_attrs = kAttributes,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<uniform>}),
};

}  // namespace

std::span<const tenon_kernel_desc> random_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(random) = {.chosen_kernels = TENON_CPU_CHOOSE(random_kernels)};
#endif
