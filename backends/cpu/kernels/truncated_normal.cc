// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/truncated_normal.cc: truncated_normal in f32, with the bits of tenon.ref:
//
//   y = mean + std F^-1(F(a) + u (F(b) - F(a))),  a = (low - mean) / std,  b = (high - mean) / std
//
// tenon.ref computes this in f64 and rounds once. So does this with vectors, by the same operations
// except for the logarithm of a tail's probability. That of vectors is within 1 ULP as the C
// library's, which decides the f32 unless the result is within a few f64 ULP of the middle between
// two f32: one number in many millions, which is then computed as tenon.ref computes it. So are
// those in a far tail. An f64 shows every ULP, so it is left to tenon.ref.
// Source of F^-1: tenon/sdk/plugin/normal_part.hpp.

#include "vectors.h"

#include <tenon/sdk/plugin/normal_part.hpp>
#include <tenon/sdk/plugin/rounding.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/truncated_normal.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Numbers {
  double mean, deviation;
  float least, most;
  sdk::NormalPart part;

  float of(uint32_t word) const {
    const double u = (static_cast<double>(word >> 8) + 0.5) * 0x1p-24;
    return std::clamp(static_cast<float>(mean + deviation * part.quantile(u)), least, most);
  }
};

// Products and sums are rounded each, as those of the scalar code.
template <class V>
HWY_INLINE V polynomial(const double (&coefficients)[8], V x) {
  const hn::DFromV<V> d;
  V sum = hn::Set(d, coefficients[0]);
  for (size_t k = 1; k < 8; ++k) sum = hn::Add(hn::Mul(sum, x), hn::Set(d, coefficients[k]));
  return sum;
}
template <class V>
HWY_INLINE V ratio(const sdk::QuantileRatio& of, V x) {
  return hn::Div(polynomial(of.above, x), polynomial(of.below, x));
}

// Quantiles in a tail, and the lanes where the C library's logarithm may decide.
template <class V>
struct Tail {
  V z;
  math::Mask<V> far;
};
template <class V>
HWY_INLINE Tail<V> tail_quantiles(const sdk::NormalPart& part, V p, V u) {
  const hn::DFromV<V> d;
  const auto inside = hn::Set(d, part.inside);
  const V from_left = hn::Add(hn::Set(d, part.left), hn::Mul(u, inside));
  const V rest = hn::Sub(hn::Set(d, 1.0), u);
  const V from_right = hn::Add(hn::Set(d, part.right), hn::Mul(rest, inside));
  const auto is_left = hn::Lt(p, hn::Zero(d));
  const V r = hn::Sqrt(hn::Neg(math::Log()(hn::IfThenElse(is_left, from_left, from_right))));
  const V z = ratio(sdk::kTailRatio, hn::Sub(r, hn::Set(d, sdk::kTailFrom)));
  return {hn::IfThenElse(is_left, hn::Neg(z), z), hn::Gt(r, hn::Set(d, 4.99))};
}

// kWordsAtOnce numbers from as many words.
void truncated_normals(const uint32_t* words, const Numbers& of, float* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto middle = hn::Set(d, sdk::kMiddle);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kWordsAtOnce; i += lanes) {
    const auto top = hn::BitCast(di, hn::ShiftRight<8>(hn::Load(du, words + i)));
    const auto u = hn::MulAdd(hn::PromoteTo(d, top), hn::Set(d, 0x1p-24), hn::Set(d, 0x1p-25));
    const auto p = hn::Add(hn::Set(d, of.part.middle), hn::Mul(u, hn::Set(d, of.part.inside)));
    const auto at = hn::Sub(hn::Mul(middle, middle), hn::Mul(p, p));
    auto z = hn::Mul(p, ratio(sdk::kMiddleRatio, at));
    auto doubt = hn::Gt(hn::Abs(p), middle);
    const bool any_tail = !hn::AllFalse(d, doubt);
    if (any_tail) {
      const auto tail = tail_quantiles(of.part, p, u);
      z = hn::IfThenElse(doubt, tail.z, z);
      doubt = hn::And(doubt, tail.far);
    }
    const auto part = hn::Mul(hn::Set(d, of.deviation), z);
    const auto y = hn::Add(hn::Set(d, of.mean), part);
    const auto rounded = hn::DemoteTo(narrow, y);
    const auto clamped =
        hn::Min(hn::Max(rounded, hn::Set(narrow, of.least)), hn::Set(narrow, of.most));
    hn::StoreU(clamped, narrow, out + i);
    if (!any_tail) continue;
    // A logarithm of 1 ULP more or less moves z by less than 8 ULP, and the sum by one.
    const auto off =
        hn::MulAdd(hn::Abs(part), hn::Set(d, 0x1p-48), hn::Mul(hn::Abs(y), hn::Set(d, 0x1p-51)));
    const auto least = hn::DemoteTo(narrow, hn::Sub(y, off));
    const auto most = hn::DemoteTo(narrow, hn::Add(y, off));
    const auto differ = hn::Ne(hn::PromoteTo(d, least), hn::PromoteTo(d, most));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(doubt, differ)))) continue;
    for (int64_t k = i; k < i + lanes; ++k) out[k] = of.of(words[k]);
  }
}

enum Attribute : uint32_t { kShape, kMean, kStd, kLow, kHigh, kDtype, kAttributes };

void truncated_normal(const sdk::Launch& l) {
  const double mean = l.attrs.real(kMean), deviation = l.attrs.real(kStd);
  const double low = l.attrs.real(kLow), high = l.attrs.real(kHigh);
  const Numbers of = {
      mean, deviation, sdk::round_up<float>(low), sdk::round_down<float>(high),
      sdk::NormalPart::between((low - mean) / deviation, (high - mean) / deviation)};
  fill_from_words<float>(
      l, [&of](const uint32_t* words, float* out) HWY_ATTR { truncated_normals(words, of, out); });
}

constexpr tenon_dtype dtypes[] = {TENON_DTYPE_F32};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.truncated_normal",
                 .device = kDevice,
                 .slots = slots,
                 .rows = dtypes,
                 .n_attrs = kAttributes,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<truncated_normal>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> truncated_normal_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(truncated_normal) = {.chosen_kernels = TENON_CPU_CHOOSE(truncated_normal_kernels)};
#endif
