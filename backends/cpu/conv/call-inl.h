// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/call-inl.h: one call's sweeps, for any type: f16 and bf16 are widened first.
//
// Widening is exact and sums are f32's, each rounded once when it is stored. Images are widened a
// few at a time, so that they stay in the caches.

#if defined(TENON_CPU_CONV_CALL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_CALL_INL_H
#undef TENON_CPU_CONV_CALL_INL_H
#else
#define TENON_CPU_CONV_CALL_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {

// A convolution: one sweep.
struct OneSweep {
  conv::Sweep all;
  int64_t count() const { return 1; }
  const conv::Sweep& sweep(int64_t /*number*/) const { return all; }
};

// Elements of scratch, in the order in which they lie there.
struct Room {
  int64_t images = 1;  // widened at a time
  int64_t weights = 0;
  int64_t bias = 0;
  int64_t image = 0;
  int64_t packed = 0;
  int64_t total() const { return weights + bias + image + packed; }
};

inline int64_t image_elements(const conv::Sweep& s) {
  return s.groups * s.channels * s.axes[0].size * s.axes[1].size * s.axes[2].size;
}

// The part of a sweep that has this many images.
inline conv::Sweep part_of_images(const conv::Sweep& s, int64_t images) {
  conv::Sweep part = s;
  part.images = images;
  return part;
}

template <class T>
int64_t packed_elements(const conv::Sweep& s) {
  return s.is_empty() ? 0 : conv::packed<kShapes<T>>(s, conv::plan_of<kShapes<T>>(s));
}

template <class T, class Sweeps>
Room room_of(const Sweeps& sweeps, int64_t weights, int64_t bias) {
  using Sum = sdk::Compute<T>;
  constexpr int64_t kElements = 1 << 18;  // of images, widened at a time
  constexpr int64_t kUnit = 16;
  Room room;
  const conv::Sweep& all = sweeps.all;
  room.images = all.images;
  if constexpr (is_16_bit_float<T>) {
    const int64_t image = std::max<int64_t>(image_elements(all), 1);
    room.images = std::clamp(kElements / image, int64_t{1}, std::max<int64_t>(all.images, 1));
    room.weights = gemm::round_up(weights, kUnit);
    room.bias = gemm::round_up(bias, kUnit);
    room.image = gemm::round_up(room.images * image, kUnit);
  }
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const conv::Sweep s = sweeps.sweep(i);
    for (const int64_t images : {room.images, all.images % std::max<int64_t>(room.images, 1)}) {
      room.packed = std::max(room.packed, packed_elements<Sum>(part_of_images(s, images)));
    }
  }
  return room;
}

template <class T>
struct CallOperands {
  const T* image;
  const T* weights;
  const T* bias;  // or none
  T* out;
  int64_t n_weights;
  int64_t n_bias;
};

template <class H>
void widen_all(const sdk::Launch& l, const H* from, int64_t count, float* to) {
  constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
  l.parallel_for(count, kElements, [&](int64_t begin, int64_t end) {
    widen_line(from + begin, 1, end - begin, to + begin);
  });
}

// Images from `from` on, packed one after the other.
template <class H>
void widen_images(const sdk::Launch& l, const conv::Sweep& s, const H* from, float* to) {
  constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
  const int64_t rows = s.axes[1].size;
  const int64_t planes = s.axes[0].size;
  const int64_t length = std::max<int64_t>(s.axes[2].size, 1);
  const int64_t channels = s.groups * s.channels;
  const int64_t lines = s.images * channels * planes * rows;
  l.parallel_for(lines, gemm::pieces(kElements, length), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t plane = i / rows;
      const int64_t channel = plane / planes;
      const H* line = from + i % rows * s.from.place[1] + plane % planes * s.from.place[0] +
                      channel % channels * s.from.channel + channel / channels * s.from.image;
      widen_line(line, s.from.place[2], length, to + i * length);
    }
  });
}

template <class T, class Out>
void run_sweep(const sdk::Launch& l, const conv::Sweep& s, const SweepOperands<T>& o, Out* out) {
  if (s.is_empty()) return;
  const conv::Plan plan = conv::plan_of<kShapes<T>>(s);
  SweepProduct<T, Out>(l, s, plan, o, out).compute();
}

template <class T, class Sweeps>
void run_wide(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<T>& o) {
  T* const packed = reinterpret_cast<T*>(l.scratch().data());
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    run_sweep(l, sweeps.sweep(i), SweepOperands<T>{o.image, o.weights, o.bias, packed}, o.out);
  }
}

template <class H, class Sweeps>
void run_narrow(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<H>& o) {
  const Room room = room_of<H>(sweeps, o.n_weights, o.n_bias);
  const conv::Sweep& all = sweeps.all;
  float* const weights = reinterpret_cast<float*>(l.scratch().data());
  float* const bias = weights + room.weights;
  float* const image = bias + room.bias;
  widen_all(l, o.weights, o.n_weights, weights);
  if (o.bias) widen_all(l, o.bias, o.n_bias, bias);
  const SweepOperands<float> wide{image, weights, o.bias ? bias : nullptr, image + room.image};
  for (int64_t n = 0; n < all.images; n += room.images) {
    conv::Sweep part = part_of_images(all, std::min(room.images, all.images - n));
    widen_images(l, part, o.image + n * all.from.image, image);
    for (int64_t i = 0; i < sweeps.count(); ++i) {
      conv::Sweep s = part_of_images(sweeps.sweep(i), part.images);
      s.from = conv::packed_steps(s.groups * s.channels,
                                  {s.axes[0].size, s.axes[1].size, s.axes[2].size});
      run_sweep(l, s, wide, o.out + n * all.to.image);
    }
  }
}

template <class T, class Sweeps>
void run_call(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<T>& o) {
  if constexpr (is_16_bit_float<T>) {
    run_narrow(l, sweeps, o);
  } else {
    run_wide(l, sweeps, o);
  }
}

// Calls body(T()) for the type of the call.
template <class Body>
auto for_type(tenon_dtype dtype, const Body& body) {
  if (dtype == TENON_DTYPE_F32) return body(float());
  if (dtype == TENON_DTYPE_F64) return body(double());
  if (dtype == TENON_DTYPE_F16) return body(sdk::F16());
  return body(sdk::BF16());
}

template <class Sweeps>
uint64_t bytes_of(tenon_dtype dtype, const Sweeps& sweeps, int64_t weights, int64_t bias) {
  return for_type(dtype, [&]<class T>(T) {
    const int64_t elements = room_of<T>(sweeps, weights, bias).total();
    return static_cast<uint64_t>(elements) * sizeof(sdk::Compute<T>);
  });
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
