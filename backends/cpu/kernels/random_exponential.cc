// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/random_exponential.cc: exponential in f32: -ln(u + 2^-24) / rate, with the
// bits of tenon.ref.
//
// tenon.ref computes this in f64 with the C library's logarithm and rounds once. So does this with
// vectors; both logarithms are within 1 ULP, which decides the f32 unless the result is within a
// few f64 ULP of the middle between two f32: one number in many millions, which is then computed as
// tenon.ref computes it. An f64 shows every ULP, so it is left to tenon.ref.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random_exponential.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

float exponential_of(uint32_t word, double rate) {
  const double u = static_cast<double>(word >> 8) * 0x1p-24 + 0x1p-24;
  return static_cast<float>((0.0 - std::log(u)) / rate);
}

// kWordsAtOnce numbers from as many words.
void exponentials(const uint32_t* words, double rate, float* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto unit = hn::Set(d, 0x1p-24);
  const auto divisor = hn::Set(d, rate);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kWordsAtOnce; i += lanes) {
    const auto top = hn::BitCast(di, hn::ShiftRight<8>(hn::Load(du, words + i)));
    const auto u = hn::MulAdd(hn::PromoteTo(d, top), unit, unit);
    const auto y = hn::Div(hn::Sub(hn::Zero(d), math::Log()(u)), divisor);
    // Two logarithms of 1 ULP and a quotient each differ by less than 4 ULP.
    const auto off = hn::Mul(hn::Abs(y), hn::Set(d, 0x1p-50));
    const auto least = hn::DemoteTo(narrow, hn::Sub(y, off));
    const auto most = hn::DemoteTo(narrow, hn::Add(y, off));
    hn::StoreU(most, narrow, out + i);
    if (HWY_LIKELY(hn::AllTrue(narrow, hn::Eq(least, most)))) continue;
    for (int64_t k = i; k < i + lanes; ++k) out[k] = exponential_of(words[k], rate);
  }
}

enum Attribute : uint32_t { kShape, kRate, kDtype, kAttributes };

void exponential(const sdk::Launch& l) {
  const double rate = l.attrs.real(kRate);
  fill_from_words<float>(
      l, [rate](const uint32_t* words, float* out) HWY_ATTR { exponentials(words, rate, out); });
}

constexpr tenon_dtype dtypes[] = {TENON_DTYPE_F32};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.exponential", slots, dtypes, kAttributes, sdk::launch_fn<exponential>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> random_exponential_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(random_exponential) = {.chosen_kernels = TENON_CPU_CHOOSE(random_exponential_kernels)};
#endif
