// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/normal.cc: normal in f32: mean + std z, z by Box and Muller from pairs of
// uniforms, with the bits of tenon.ref.
//
//   z(2j) = r cos t,  z(2j+1) = r sin t,  r = sqrt(-2 ln(u(2j) + 2^-24)),  t = 2 pi u(2j+1)
//
// tenon.ref computes this in f64 with the C library's functions and rounds once. So does this with
// vectors; both functions are within 1 ULP, which decides the f32 unless the result is within a few
// f64 ULP of the middle between two f32: one number in many millions, which is then computed as
// tenon.ref computes it. An f64 shows every ULP, so it is left to tenon.ref.
// Source: G. Box, M. Muller, "A Note on the Generation of Random Normal Deviates", 1958.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normal.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Distribution {
  double mean, deviation;
};

constexpr double kFullTurn = 2.0 * std::numbers::pi;

// A pair as tenon.ref computes it. `pair` is two words, the first of them the lower.
HWY_NOINLINE void pair_of(uint64_t pair, const Distribution& of, float* out) {
  const double first = static_cast<double>((pair & 0xFFFFFFFFu) >> 8) * 0x1p-24 + 0x1p-24;
  const double angle = kFullTurn * (static_cast<double>(pair >> 40) * 0x1p-24);
  const double radius = std::sqrt(-2.0 * std::log(first));
  out[0] = static_cast<float>(of.mean + of.deviation * (radius * std::cos(angle)));
  out[1] = static_cast<float>(of.mean + of.deviation * (radius * std::sin(angle)));
}

// mean + deviation z rounded to f32, and the lanes where the C library's z might round elsewhere.
template <class V>
struct Rounded {
  hn::VFromD<hn::Rebind<float, hn::DFromV<V>>> value;
  math::Mask<V> doubtful;
};
template <class V>
HWY_INLINE Rounded<V> rounded(V z, const Distribution& of) {
  const hn::DFromV<V> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const V part = hn::Mul(hn::Set(d, of.deviation), z);
  const V y = hn::Add(hn::Set(d, of.mean), part);
  // Logarithm, root, cosine and products differ by less than 6 ULP of z together, sums by one.
  const V off =
      hn::MulAdd(hn::Abs(part), hn::Set(d, 0x1p-49), hn::Mul(hn::Abs(y), hn::Set(d, 0x1p-51)));
  const auto least = hn::DemoteTo(narrow, hn::Sub(y, off));
  const auto most = hn::DemoteTo(narrow, hn::Add(y, off));
  const auto differ = hn::Ne(hn::PromoteTo(d, least), hn::PromoteTo(d, most));
  return {hn::DemoteTo(narrow, y), differ};
}

// kWordsAtOnce numbers from as many words.
void normals(const uint32_t* words, const Distribution& of, float* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<uint64_t, decltype(d)> du;
  const hn::Rebind<int64_t, decltype(d)> di;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto* pairs = reinterpret_cast<const uint64_t*>(words);
  const auto unit = hn::Set(d, 0x1p-24);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kWordsAtOnce / 2; i += lanes) {
    const auto pair = hn::Load(du, pairs + i);
    const auto low = hn::ShiftRight<8>(hn::And(pair, hn::Set(du, 0xFFFFFFFFu)));
    const auto first = hn::MulAdd(hn::ConvertTo(d, hn::BitCast(di, low)), unit, unit);
    const auto second = hn::Mul(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<40>(pair))), unit);
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0), math::Log()(first)));
    const auto at = math::full::turned(hn::Mul(hn::Set(d, kFullTurn), second));
    const auto even = rounded(hn::Mul(radius, math::full::sine<1>(at)), of);
    const auto odd = rounded(hn::Mul(radius, math::full::sine<0>(at)), of);
    hn::StoreInterleaved2(even.value, odd.value, narrow, out + 2 * i);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(even.doubtful, odd.doubtful)))) continue;
    for (int64_t k = i; k < i + lanes; ++k) pair_of(pairs[k], of, out + 2 * k);
  }
}

enum Normal : uint32_t { kShape, kMean, kStd, kDtype, kAttributes };

void normal(const sdk::Launch& l) {
  const Distribution of = {l.attrs.real(kMean), l.attrs.real(kStd)};
  fill_from_words<float>(
      l, [of](const uint32_t* words, float* out) HWY_ATTR { normals(words, of, out); });
}

constexpr tenon_dtype random_dtypes[] = {TENON_DTYPE_F32};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.normal", slots, random_dtypes, kAttributes, sdk::launch_fn<normal>),
};

}  // namespace

std::span<const tenon_kernel_desc> normal_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(normal) = {.chosen_kernels = TENON_CPU_CHOOSE(normal_kernels)};
#endif
