// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/call-inl.h: all sweeps of one call, for any type: f16 and bf16 are widened.
//
// Widening is exact and sums are f32's, each rounded once when it is stored. Images that have to be
// copied are copied a few at a time, so that they stay in the caches.

#if defined(TENON_CPU_CONV_CALL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_CALL_INL_H
#undef TENON_CPU_CONV_CALL_INL_H
#else
#define TENON_CPU_CONV_CALL_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/depthwise-inl.h"
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
  int64_t images = 1;  // copied at a time
  int64_t weights = 0;
  int64_t bias = 0;
  int64_t frame = 0;
  int64_t packed = 0;
  int64_t taps = 0;  // numbers of 64 bits
  int64_t before_taps() const { return weights + bias + frame + packed; }
};

// The part of a sweep that has this many images.
inline conv::Sweep part_of_images(const conv::Sweep& s, int64_t images) {
  conv::Sweep part = s;
  part.images = images;
  return part;
}

inline constexpr int64_t kRoomUnit = 16;

// Images that are copied at a time: those stay in the second cache.
inline int64_t copied_images(int64_t elements, int64_t images) {
  constexpr int64_t kElements = 1 << 17;
  return std::clamp(kElements / std::max<int64_t>(elements, 1), int64_t{1},
                    std::max<int64_t>(images, 1));
}

// Room for all sweeps: they are computed one after the other, but for the images that are copied.
template <class T, class Sweeps>
Room room_of(const Sweeps& sweeps, const conv::Frame& frame, int64_t weights, int64_t bias) {
  Room room;
  room.images = sweeps.all.images;
  if constexpr (is_16_bit_float<T>) {
    room.weights = gemm::round_up(weights, kRoomUnit);
    room.bias = gemm::round_up(bias, kRoomUnit);
  }
  if (frame.copies) {
    room.images = copied_images(frame.steps.image, room.images);
    room.frame = gemm::round_up(room.images * frame.steps.image, kRoomUnit);
  }
  constexpr gemm::Shapes shapes = kShapes<sdk::Compute<T>>;
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const conv::Sweep s = sweeps.sweep(i);
    room.packed +=
        s.is_empty() ? 0 : conv::packed<shapes>(s, conv::plan_of<shapes>(s, room.images));
    room.taps += s.taps();
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
const float* widen_all(const sdk::Launch& l, const H* from, int64_t count, float* to) {
  constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
  l.parallel_for(count, kElements, [&](int64_t begin, int64_t end) {
    widen_line(from + begin, 1, end - begin, to + begin);
  });
  return to;
}

// All sweeps of a call over results of type H.
template <class H, class Sweeps>
class Call {
 public:
  using T = sdk::Compute<H>;

  Call(const sdk::Launch& launch, const Sweeps& sweeps, const CallOperands<H>& operands)
      : l_(launch),
        sweeps_(sweeps),
        o_(operands),
        frame_(frame_of(sweeps)),
        room_(room_of<H>(sweeps, frame_, operands.n_weights, operands.n_bias)) {
    T* const weights = reinterpret_cast<T*>(launch.scratch().data());
    T* const bias = weights + room_.weights;
    copy_ = bias + room_.bias;
    packed_ = copy_ + room_.frame;
    taps_ = reinterpret_cast<int64_t*>(weights + room_.before_taps());
    if constexpr (is_16_bit_float<H>) {
      weights_ = widen_all(l_, o_.weights, o_.n_weights, weights);
      if (o_.bias) bias_ = widen_all(l_, o_.bias, o_.n_bias, bias);
    } else {
      weights_ = o_.weights;
      bias_ = o_.bias;
    }
  }

  void compute() const {
    const conv::Sweep& all = sweeps_.all;
    for (int64_t n = 0; n < all.images; n += room_.images) {
      const int64_t images = std::min(room_.images, all.images - n);
      const T* image = copy_;
      if (frame_.copies) {
        FrameCopy<H, T>(all, frame_).copy(l_, o_.image + n * all.from.image, images, copy_);
      } else if constexpr (!is_16_bit_float<H>) {
        image = o_.image;
      }
      sweep_all(image, n, images);
    }
  }

  static conv::Frame frame_of(const Sweeps& sweeps) {
    return conv::frame_of(sweeps, true, is_16_bit_float<H>);
  }

 private:
  void sweep_all(const T* image, int64_t first, int64_t images) const {
    T* packed = packed_;
    int64_t* taps = taps_;
    for (int64_t i = 0; i < sweeps_.count(); ++i) {
      const conv::Sweep s = part_of_images(sweeps_.sweep(i), images);
      if (s.is_empty()) continue;
      const conv::Plan plan = conv::plan_of<kShapes<T>>(s, room_.images);
      if (first == 0) frame_.set_taps(s, taps);
      const SweepProduct<T, H> product(l_, s, frame_, plan,
                                       SweepOperands<T>{image, taps, weights_, bias_, packed},
                                       o_.out + first * s.to.image);
      if (first == 0) product.pack_weights();
      product.compute();
      packed += conv::packed<kShapes<T>>(s, plan);
      taps += s.taps();
    }
  }

  const sdk::Launch& l_;
  const Sweeps& sweeps_;
  const CallOperands<H> o_;
  const conv::Frame frame_;
  const Room room_;
  const T* weights_ = nullptr;
  const T* bias_ = nullptr;
  T* copy_;
  T* packed_;
  int64_t* taps_;
};

template <class H, class Sweeps>
bool all_depthwise(const Sweeps& sweeps) {
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    if (!is_depthwise<sdk::Compute<H>>(sweeps.sweep(i))) return false;
  }
  return true;
}

template <class H, class Sweeps>
void run_call(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<H>& o) {
  if (sweeps.all.images == 0) return;
  if (!all_depthwise<H>(sweeps)) return Call<H, Sweeps>(l, sweeps, o).compute();
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const conv::Sweep s = sweeps.sweep(i);
    if (!s.is_empty()) Depthwise<H>(l, s, o.image, o.weights, o.bias, o.out).compute();
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
  return for_type(dtype, [&]<class H>(H) -> uint64_t {
    if (all_depthwise<H>(sweeps)) return 0;
    const conv::Frame frame = Call<H, Sweeps>::frame_of(sweeps);
    const Room room = room_of<H>(sweeps, frame, weights, bias);
    return static_cast<uint64_t>(room.before_taps()) * sizeof(sdk::Compute<H>) +
           static_cast<uint64_t>(room.taps) * sizeof(int64_t);
  });
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
