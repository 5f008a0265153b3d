// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/random.cc: uniform: low + u (high - low) by the Philox words of tenon_rng.
//
// u(i) in [0,1): f32 the top 24 bits of word i; f64 the top 53 bits of words 2i (high) and 2i+1.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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
  const T low = static_cast<T>(l.attrs.real(kLow));
  const T width = static_cast<T>(l.attrs.real(kHigh)) - low;
  fill_from_words<T>(
      l, [=](const uint32_t* words, T* numbers) HWY_ATTR { spread(words, low, width, numbers); });
}

void uniform(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_F32) return uniform_typed<float>(l);
  uniform_typed<double>(l);
}

constexpr tenon_dtype random_dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.uniform", slots, random_dtypes, kAttributes, sdk::launch_fn<uniform>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> random_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(random) = {.chosen_kernels = TENON_CPU_CHOOSE(random_kernels)};
#endif
