// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/softmax-inl.h: the largest element of a line and its sum of powers.
//
// The powers exp(x - m) are added in the order of tenon.sum, by math-inl.h's exp.

#if defined(TENON_CPU_SOFTMAX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_SOFTMAX_INL_H
#undef TENON_CPU_SOFTMAX_INL_H
#else
#define TENON_CPU_SOFTMAX_INL_H
#endif

#include <hwy/cache_control.h>

#include "kernels/lanes-inl.h"
#include "kernels/math-inl.h"
#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace softmax {

// Any number for NaN: it turns all of the line to NaN later.
template <class C>
C largest_packed(const C* x, int64_t n) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, -std::numeric_limits<C>::infinity());
  auto a = least, b = least, c = least, e = least;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::Max(a, hn::LoadU(d, x + i));
    b = hn::Max(b, hn::LoadU(d, x + i + lanes));
    c = hn::Max(c, hn::LoadU(d, x + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i < n; i += lanes) {
    const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
    a = hn::Max(a, hn::IfThenElse(some, load_first(d, x + i, n - i), least));
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
}

template <class C>
C largest(const AnyLine<C>& line, int64_t n) {
  HWY_ALIGN C room[kTile];
  const int64_t tile = line.tile(n);
  C most = -std::numeric_limits<C>::infinity();
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = std::min(tile, n - i);
    most = std::max(most, largest_packed(line.get(i, count, room), count));
  }
  return most;
}

// exp(x - most), which is also left at `keep` if that is wanted. Meanwhile the largest element
// of `next` is looked for, the line whose turn is next: it costs nothing beside exp, and brings
// that line into the first cache.
template <class C, bool kKeep>
struct Powers {
  using V = hn::Vec<hn::ScalableTag<C>>;

  const C* x;
  C most;
  C* keep;
  const C* next;
  V* largest;

  HWY_INLINE Powers map_from(int64_t i) const {
    return {x, most, kKeep ? keep + i : keep, next + i, largest};
  }
  template <class D>
  HWY_INLINE V operator()(D d, V v, size_t i) const {
    *largest = hn::Max(*largest, hn::LoadU(d, next + i));
    const V power = math::Exp()(hn::Sub(v, hn::Set(d, most)));
    if constexpr (kKeep) hn::StoreU(power, d, keep + i);
    return power;
  }
  template <class D>
  HWY_INLINE V operator()(D d, V v, size_t i, int64_t n) const {
    const auto some = hn::FirstN(d, static_cast<size_t>(n));
    const V least = hn::Set(d, -std::numeric_limits<C>::infinity());
    *largest = hn::Max(*largest, hn::IfThenElse(some, load_first(d, next + i, n), least));
    const V power = hn::IfThenElseZero(some, math::Exp()(hn::Sub(v, hn::Set(d, most))));
    if constexpr (kKeep) hn::BlendedStore(power, some, d, keep + i);
    return power;
  }
};

template <class C>
struct PowerSum {
  C sum;
  C next_most;  // the largest element of `next`
};

// The sum of exp(x - most) over a packed line; the powers are left at `keep` with kKeep. `next` is
// as long, and may be x.
template <class C, bool kKeep>
HWY_NOINLINE PowerSum<C> sum_of_packed_powers(const C* x, int64_t n, C most, C* keep,
                                              const C* next) {
  const hn::ScalableTag<C> d;
  auto largest = hn::Set(d, -std::numeric_limits<C>::infinity());
  const C sum = sum_mapped<C>(n, kLaneBlock, [&](int64_t i, int64_t) HWY_ATTR {
    return Powers<C, kKeep>{x + i, most, kKeep ? keep + i : keep, next + i, &largest};
  });
  return {sum, hn::GetLane(hn::MaxOfLanes(d, largest))};
}

// The sum of exp(x - most) over a line of any layout.
template <class C>
HWY_NOINLINE C sum_of_powers(const AnyLine<C>& line, int64_t n, C most) {
  const hn::ScalableTag<C> d;
  HWY_ALIGN C room[kTile];
  auto largest = hn::Zero(d);
  return sum_mapped<C>(n, line.tile(kLaneBlock), [&](int64_t i, int64_t count) HWY_ATTR {
    const C* x = line.get(i, count, room);
    return Powers<C, false>{x, most, nullptr, x, &largest};
  });
}

// out[i] = f(d, in[i]) for packed numbers; may be in place.
template <class C, class F>
HWY_INLINE void map_packed(const C* in, C* out, int64_t n, const F& f) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, in + i)), d, out + i);
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  hn::BlendedStore(f(d, hn::MaskedLoad(some, d, in + i)), some, d, out + i);
}

// The same with stores that bypass the caches, for results that these could not hold.
template <class C, class F>
HWY_INLINE void map_streamed(const C* in, C* out, int64_t n, const F& f) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) / sizeof(C)) % lanes;
  const int64_t head = std::min(n, past ? lanes - past : 0);
  map_packed(in, out, head, f);
  int64_t i = head;
  for (; i + lanes <= n; i += lanes) hn::Stream(f(d, hn::LoadU(d, in + i)), d, out + i);
  map_packed(in + i, out + i, n - i, f);
  hwy::FlushStream();  // other threads must see it
}

// The result of a whole launch is streamed from this size on.
inline constexpr int64_t kStreamBytes = int64_t{16} << 20;

// out[i] = f(d, in[i]) for lines of any layout.
template <class T, class F>
void map_line(const Line<T>& in, char* out, int64_t out_step, int64_t n, bool streamed,
              const F& f) {
  using C = Number<T>;
  HWY_ALIGN C in_room[kTile];
  HWY_ALIGN C out_room[kTile];
  const bool packed = is_stored_as_number<T> && out_step == int64_t{sizeof(T)};
  const int64_t tile = packed ? in.tile(n) : kTile;
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = std::min(tile, n - i);
    const C* x = in.get(i, count, in_room);
    C* y = place_numbers<T>(out + i * out_step, out_step, count, out_room);
    if (streamed && packed) {
      map_streamed(x, y, count, f);
    } else {
      map_packed(x, y, count, f);
      put_numbers<T>(y, count, out + i * out_step, out_step);
    }
  }
}

template <class C>
HWY_INLINE C log_of(C x) {
  const hn::ScalableTag<C> d;
  return hn::GetLane(math::Log()(hn::Set(d, x)));
}

// x - most - log_sum, each difference rounded.
template <class C>
struct LogProbability {
  C most;
  C log_sum;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Sub(hn::Sub(v, hn::Set(d, most)), hn::Set(d, log_sum));
  }
};

}  // namespace softmax
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_SOFTMAX_INL_H
