// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/batch_norm.cc: batch_norm.
//
//   y = ((x - m) s) w + b,  s = 1 / sqrt(v + eps);  m and v of each channel given, or mean and mean
//                           squared difference
// Each operation is rounded by itself; the order of sums: batch_norm-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/batch_norm.cc"  // NOLINT(bugprone-suspicious-include)
#include "each_target.h"

#include "kernels/batch_norm-inl.h"
#include "kernels/batch_norm_moments-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace rows::batch;

enum Slot : uint32_t { kX, kWeight, kBias, kMean };

template <class C, Off kOff>
struct Shift {
  Centre<C> centre;
  C scale, weight, bias;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V normal = hn::Mul(without<kOff>(d, x, centre), hn::Set(d, scale));
    return hn::Add(hn::Mul(normal, hn::Set(d, weight)), hn::Set(d, bias));
  }
};

template <class C, Off kOff>
HWY_INLINE void shift_all(const C* x, C* y, int64_t n, const Shift<C, kOff>& shift) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(shift(d, hn::LoadU(d, x + i)), d, y + i);
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  hn::BlendedStore(shift(d, hn::MaskedLoad(some, d, x + i)), some, d, y + i);
}

template <class C>
void put_moment(const sdk::Launch& l, uint32_t output, int64_t c, C number) {
  if (l.wants_out(output)) l.out_data<float>(output)[c] = static_cast<float>(number);
}

// Those of channel `c` of the batch.
template <class T>
Moments<Number<T>> batch_moments(const sdk::Launch& l, const Extent& extent, const Plane& plane,
                                 LineOf<T>& x, int64_t c) {
  using C = Number<T>;
  const auto count = static_cast<C>(extent.numbers());
  norm::Moments<C> found{};
  found.centre.mean = sum_lines<C, 1>(extent,
                                      [&](int64_t sample) HWY_ATTR {
                                        x.move_to(sample, c);
                                        return std::array<C, 1>{sum_itself<T>(x, extent.line)};
                                      })[0] /
                      count;
  const Square<C, Off::Mean> square{nullptr, found.centre};
  found.square = sum_lines<C, 1>(extent,
                                 [&](int64_t sample) HWY_ATTR {
                                   x.move_to(sample, c);
                                   return std::array<C, 1>{sum_of<T>(x, extent.line, square)};
                                 })[0] /
                 count;
  return moments_of<T>(extent, plane, x, c, found, l.attrs.real(0));
}

template <class T>
HWY_NOINLINE void forward_channel(const sdk::Launch& l, const Extent& extent, const Plane& plane,
                                  LineOf<T>& x, LineOf<T>& y, int64_t c) {
  using C = Number<T>;
  const Moments<C> known =
      l.given(kMean) ? given_moments<C>(l, kMean, c) : batch_moments(l, extent, plane, x, c);
  const C weight = number_of<C>(l, kWeight, c, C{1});
  const C bias = number_of<C>(l, kBias, c, -C{});  // leaves a zero's sign as it is
  once_or_twice<true>(known.has_rest(), [&](auto off) HWY_ATTR {
    const Shift<C, off> shift{known.centre, known.scale, weight, bias};
    for (int64_t sample = 0; sample < extent.samples; ++sample) {
      x.move_to(sample, c);
      y.move_to(sample, c);
      for (int64_t i = 0; i < extent.line; i += kTile) {
        const int64_t n = std::min(kTile, extent.line - i);
        C* const to = y.place(i, n);
        shift_all(x.get(i, n), to, n, shift);
        y.put(to, i, n);
      }
    }
  });
  put_moment(l, 1, c, known.centre.mean);
  put_moment(l, 2, c, known.variance);
}

template <class T, size_t K, bool kWhole>
HWY_NOINLINE void forward_group(const sdk::Launch& l, const Extent& extent, const Plane& x,
                                const Plane& y, const Abreast<T, K, kWhole>& like, int64_t first) {
  using C = Number<T>;
  using V = hn::Vec<hn::ScalableTag<C>>;
  GroupMoments<C, K> known;
  known.find(l, extent, x, kMean, like, first);
  V weight[K], bias[K];
  fill<C>(
      like.lines, [&](int64_t i) { return number_of<C>(l, kWeight, first + i, C{1}); }, weight);
  fill<C>(
      like.lines, [&](int64_t i) { return number_of<C>(l, kBias, first + i, -C{}); }, bias);
  once_or_twice<true>(known.has_rest, [&](auto off) HWY_ATTR {
    for (int64_t sample = 0; sample < extent.samples; ++sample) {
      const auto from = lines_of(like, x, sample, first);
      const auto to = lines_of(like, y, sample, first);
      for (int64_t k = 0; k < extent.line; ++k) {
        for (size_t j = 0; j < K; ++j) {
          const V normal = hn::Mul(known.template centred<off>(from.get(k, j), j), known.scale[j]);
          to.put(k, j, hn::Add(hn::Mul(normal, weight[j]), bias[j]));
        }
      }
    }
  });
  each_number<C>(known.mean, like.lines,
                 [&](int64_t i, C number) { put_moment(l, 1, first + i, number); });
  each_number<C>(known.variance, like.lines,
                 [&](int64_t i, C number) { put_moment(l, 2, first + i, number); });
}

template <class T>
void forward_typed(const sdk::Launch& l) {
  const Extent extent(l.shape(kX));
  const Plane x(l.view(kX));
  const Plane y(l.out());
  if (are_abreast<T>(extent, x, y)) {
    return for_each_group<T>(l, extent, x, [&](const auto& like, int64_t first) HWY_ATTR {
      forward_group(l, extent, x, y, like, first);
    });
  }
  l.parallel_for(extent.channels, grain_of(extent.numbers()),
                 [&](int64_t begin, int64_t end) HWY_ATTR {
                   LineOf<T> from(x), to(y);
                   for (int64_t c = begin; c < end; ++c) {
                     forward_channel<T>(l, extent, x, from, to, c);
                   }
                 });
}

void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() HWY_ATTR { forward_typed<T>(l); });
}

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule slots[] = {any_in(), in, in, in, in, any_out(), out, out};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.batch_norm", slots, kMomentRows, 1, sdk::launch_fn<forward>, {.n_variables = 2})};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> batch_norm_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(batch_norm) = {.chosen_kernels = TENON_CPU_CHOOSE(batch_norm_kernels)};
#endif
