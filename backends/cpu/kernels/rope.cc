// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rope.cc: rope, pairs of elements rotated by an angle of their row's
// position.
//
//   y0 = x0 c - x1 s,  y1 = x1 c + x0 s
// Each product and each sum is rounded. Rows are independent and lie anywhere: x is most often a
// view whose heads and positions have changed places. Packed f32 and f64 are read and written where
// they are, all else in tiles.

#include "common/rotary.h"
#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rope.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace backends;

// A pair for each lane, turned in place.
template <class V>
HWY_INLINE void turn(V& x0, V& x1, V c, V s) {
  const V y0 = hn::Sub(hn::Mul(x0, c), hn::Mul(x1, s));
  x1 = hn::Add(hn::Mul(x1, c), hn::Mul(x0, s));
  x0 = y0;
}

// `count` pairs of packed numbers. `sign` is 1, or -1 to turn back.
template <class C>
HWY_INLINE void turn_halves(const C* x0, const C* x1, const C* cos, const C* sin, C* y0, C* y1,
                            int64_t count, C sign) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto times = hn::Set(d, sign);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto first = hn::LoadU(d, x0 + i), second = hn::LoadU(d, x1 + i);
    turn(first, second, hn::LoadU(d, cos + i), hn::Mul(hn::LoadU(d, sin + i), times));
    hn::StoreU(first, d, y0 + i);
    hn::StoreU(second, d, y1 + i);
  }
  if (i == count) return;
  const auto tail = hn::FirstN(d, static_cast<size_t>(count - i));
  auto first = hn::MaskedLoad(tail, d, x0 + i), second = hn::MaskedLoad(tail, d, x1 + i);
  turn(first, second, hn::MaskedLoad(tail, d, cos + i),
       hn::Mul(hn::MaskedLoad(tail, d, sin + i), times));
  hn::BlendedStore(first, tail, d, y0 + i);
  hn::BlendedStore(second, tail, d, y1 + i);
}

// The same where the elements of a pair are neighbours.
template <class C>
HWY_INLINE void turn_neighbours(const C* x, const C* cos, const C* sin, C* y, int64_t count,
                                C sign) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto times = hn::Set(d, sign);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> first, second;
    hn::LoadInterleaved2(d, x + 2 * i, first, second);
    turn(first, second, hn::LoadU(d, cos + i), hn::Mul(hn::LoadU(d, sin + i), times));
    hn::StoreInterleaved2(first, second, d, y + 2 * i);
  }
  for (; i < count; ++i) {
    const C x0 = x[2 * i], x1 = x[2 * i + 1], s = sin[i] * sign;
    y[2 * i] = x0 * cos[i] - x1 * s;
    y[2 * i + 1] = x1 * cos[i] + x0 * s;
  }
}

// What all rows share. Steps are bytes along the last dimension.
template <class T>
struct Task {
  using C = Number<T>;

  sdk::Strided cos, sin;
  int64_t size;   // elements of a row
  int64_t pairs;  // of which are rotated
  int64_t from_step, to_step;
  C sign;

  explicit Task(const sdk::Launch& l)
      : cos(sdk::strided(l.view(kRopeCos))),
        sin(sdk::strided(l.view(kRopeSin))),
        size(l.shape(kRopeX).back()),
        pairs(l.shape(kRopeCos)[1]),
        from_step(l.view(kRopeX).strides[l.view(kRopeX).rank - 1] * int64_t{sizeof(T)}),
        to_step(l.out().strides[l.out().rank - 1] * int64_t{sizeof(T)}),
        sign(l.attrs.flag(kRopeInverse) ? C{-1} : C{1}) {}

  const char* cosines(int64_t position) const { return cos.data + position * cos.step[0]; }
  const char* sines(int64_t position) const { return sin.data + position * sin.step[0]; }

  // Bit for bit.
  void pass_rest(const RotaryRow& row) const {
    using Raw = Bits<T>;
    for (int64_t i = 2 * pairs; i < size; ++i) {
      sdk::store(row.to + i * to_step, sdk::load<Raw>(row.from + i * from_step));
    }
  }
};

// A row of any steps and dtype.
template <class T, bool kNeighbours>
HWY_NOINLINE void turn_tiles(const Task<T>& t, const RotaryRow& row) {
  using C = Number<T>;
  HWY_ALIGN C room[4][kTile], from[2 * kTile], to[2 * kTile];
  for (int64_t begin = 0; begin < t.pairs; begin += kTile) {
    const int64_t n = std::min(kTile, t.pairs - begin);
    const C* c =
        get_numbers<T>(t.cosines(row.position) + begin * t.cos.step[1], t.cos.step[1], n, room[0]);
    const C* s =
        get_numbers<T>(t.sines(row.position) + begin * t.sin.step[1], t.sin.step[1], n, room[1]);
    if constexpr (kNeighbours) {
      const C* x = get_numbers<T>(row.from + 2 * begin * t.from_step, t.from_step, 2 * n, from);
      turn_neighbours(x, c, s, to, n, t.sign);
      put_numbers<T>(to, 2 * n, row.to + 2 * begin * t.to_step, t.to_step);
    } else {
      const C* x[2];
      for (int64_t part = 0; part < 2; ++part) {
        x[part] = get_numbers<T>(row.from + (part * t.pairs + begin) * t.from_step, t.from_step, n,
                                 from + part * kTile);
      }
      turn_halves(x[0], x[1], c, s, room[2], room[3], n, t.sign);
      for (int64_t part = 0; part < 2; ++part) {
        put_numbers<T>(room[2 + part], n, row.to + (part * t.pairs + begin) * t.to_step, t.to_step);
      }
    }
  }
}

template <class T, bool kNeighbours>
HWY_INLINE void turn_packed(const Task<T>& t, const RotaryRow& row) {
  const auto* const x = reinterpret_cast<const T*>(row.from);
  const auto* const c = reinterpret_cast<const T*>(t.cosines(row.position));
  const auto* const s = reinterpret_cast<const T*>(t.sines(row.position));
  auto* const y = reinterpret_cast<T*>(row.to);
  if constexpr (kNeighbours) {
    turn_neighbours(x, c, s, y, t.pairs, t.sign);
  } else {
    turn_halves(x, x + t.pairs, c, s, y, y + t.pairs, t.pairs, t.sign);
  }
}

template <class T, bool kNeighbours>
void turn_rows(const RotaryRows& rows, const Task<T>& t, int64_t begin, int64_t end) {
  constexpr int64_t kStep = sizeof(T);
  const bool packed = is_stored_as_number<T> && t.from_step == kStep && t.to_step == kStep &&
                      t.cos.step[1] == kStep && t.sin.step[1] == kStep;
  rows.each(begin, end, [&](const RotaryRow& row) HWY_ATTR {
    if constexpr (is_stored_as_number<T>) {
      if (packed) turn_packed<T, kNeighbours>(t, row);
    }
    if (!packed) turn_tiles<T, kNeighbours>(t, row);
    t.pass_rest(row);
  });
}

void rope(const sdk::Launch& l) {
  const RotaryRows rows(l);
  const bool neighbours = l.attrs.text(kRopeLayout) == "pairs";
  const int64_t size = std::max<int64_t>(1, l.shape(kRopeX).back());
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / size);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    const Task<T> task(l);
    l.parallel_for(rows.count(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      neighbours ? turn_rows<T, true>(rows, task, begin, end)
                 : turn_rows<T, false>(rows, task, begin, end);
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rope", slots, sdk::kFloats, kRopeAttributes, sdk::launch_fn<rope>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> rope_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(rope) = {.chosen_kernels = TENON_CPU_CHOOSE(rope_kernels)};
#endif
