// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/call-inl.h: all sweeps of one call, for any type: f16 and bf16 are widened.
//
// Widening is exact and sums are f32's, each rounded once when it is stored. Images that have to be
// copied are copied a few at a time, so that they stay in the caches: of many images by the thread
// that sums them, of few by all threads together.

#if defined(TENON_CPU_CONV_CALL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_CALL_INL_H
#undef TENON_CPU_CONV_CALL_INL_H
#else
#define TENON_CPU_CONV_CALL_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "conv/side_by_side-inl.h"
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
  int64_t images = 1;  // computed at a time
  int64_t parts = 1;   // of all images, each with a copy of its own; 1: threads share every image
  int64_t grain = 1;   // parts
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

// Images that are copied at a time are to stay in the second cache.
inline void set_copies(Room& room, const conv::Sweep& any, int64_t image) {
  constexpr int64_t kMinParts = 16;  // parts
  constexpr int64_t kFewParts = 8;   // if more would leave panels half empty
  constexpr int64_t kMaxParts = 24;  // 2, 3, 4, 6, 8 and 12 threads have equal shares
  constexpr int64_t kElements = 1 << 17;
  constexpr int64_t kPartElements = 1 << 16;
  constexpr int64_t kWindows = 256;  // fill panels
  const int64_t images = std::max<int64_t>(any.images, 1);
  image = std::max<int64_t>(image, 1);
  room.images = std::clamp<int64_t>(kElements / image, 1, images);
  if (images >= kMinParts) {
    const int64_t filling = gemm::pieces(kWindows, std::max<int64_t>(any.windows(), 1));
    const int64_t parts = filling > images / kMinParts ? kFewParts : kMinParts;
    room.images = std::clamp<int64_t>(std::max(kPartElements / image, filling), 1, images / parts);
    room.parts = std::min(gemm::pieces(images, room.images), kMaxParts);
    const int64_t products = any.groups * any.rows * any.columns() * any.depth() / room.parts;
    room.grain = gemm::pieces(gemm::kTaskProducts, std::max<int64_t>(products, 1));
  }
  room.frame = gemm::round_up(room.parts * room.images * image, kRoomUnit);
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
  if (frame.copies) set_copies(room, sweeps.sweep(0), frame.steps.image);
  constexpr gemm::Shapes shapes = kShapes<sdk::Compute<T>>;
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const conv::Sweep s = sweeps.sweep(i);
    room.packed += s.is_empty()
                       ? 0
                       : conv::packed<shapes>(s, conv::plan_of<shapes>(s, sweeps.all.images, true));
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
    if (clears()) clear();
    for_each_sweep(nullptr, 0, room_.images,
                   [&](const conv::Sweep& s, int64_t* taps, const auto& product) {
                     frame_.set_taps(s, taps);
                     product.pack_weights();
                   });
    const int64_t pieces = gemm::pieces(sweeps_.all.images, room_.images);
    if (shared()) {
      for (int64_t i = 0; i < pieces; ++i) compute(i, copy_);
      return;
    }
    l_.parallel_for(room_.parts, room_.grain, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        T* const copy = copy_ + part * room_.images * frame_.steps.image;
        const int64_t last = (part + 1) * pieces / room_.parts;
        for (int64_t i = part * pieces / room_.parts; i < last; ++i) compute(i, copy);
      }
    });
  }

  static conv::Frame frame_of(const Sweeps& sweeps) {
    return conv::frame_of(sweeps, true, is_16_bit_float<H>);
  }

 private:
  // Does a sweep of several have no taps? What it would write is cleared, with all else, at once:
  // a sweep writes every other element or less.
  bool clears() const {
    for (int64_t i = 0; i < sweeps_.count(); ++i) {
      if (is_clear(sweeps_.sweep(i))) return true;
    }
    return false;
  }
  bool is_clear(const conv::Sweep& s) const { return sweeps_.count() > 1 && s.taps() == 0; }
  void clear() const {
    constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
    const conv::Sweep& all = sweeps_.all;
    const auto& [depth, height, width] = all.axes;
    const int64_t channels = all.groups * all.rows;
    const int64_t plane = std::max<int64_t>(depth.count * height.count * width.count, 1);
    l_.parallel_for(
        all.images * channels, gemm::pieces(kElements, plane), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            H* const to = o_.out + i / channels * all.to.image + i % channels * all.to.channel;
            for (int64_t row = 0; row < depth.count * height.count; ++row) {
              clear_line(
                  to + row / height.count * all.to.place[0] + row % height.count * all.to.place[1],
                  all.to.place[2], width.count);
            }
          }
        });
  }
  static void clear_line(H* to, int64_t step, int64_t count) {
    if (step == 1) {
      std::fill_n(to, count, H());
    } else {
      for (int64_t i = 0; i < count; ++i) to[i * step] = H();
    }
  }

  // Do threads share every piece?
  bool shared() const { return room_.parts == 1; }

  void compute(int64_t piece, T* copy) const {
    const conv::Sweep& all = sweeps_.all;
    const int64_t first = piece * room_.images;
    const int64_t images = std::min(room_.images, all.images - first);
    const T* image = copy;
    if (frame_.copies) {
      const FrameCopy<H, T> frame(all, frame_);
      const H* const from = o_.image + first * all.from.image;
      shared() ? frame.copy(l_, from, images, copy) : frame.copy(from, images, copy);
    } else if constexpr (!is_16_bit_float<H>) {
      image = o_.image;
    }
    for_each_sweep(image, first, images,
                   [this](const conv::Sweep&, const int64_t*, const auto& product) {
                     product.compute(shared());
                   });
  }

  // Calls body(sweep, taps, product) for all that compute something.
  template <class Body>
  void for_each_sweep(const T* image, int64_t first, int64_t images, const Body& body) const {
    T* packed = packed_;
    int64_t* taps = taps_;
    for (int64_t i = 0; i < sweeps_.count(); ++i) {
      const conv::Sweep s = part_of_images(sweeps_.sweep(i), images);
      if (s.is_empty() || is_clear(s)) continue;
      const conv::Plan plan = conv::plan_of<kShapes<T>>(s, sweeps_.all.images, shared());
      body(s, taps,
           SweepProduct<T, H>(l_, s, frame_, plan,
                              SweepOperands<T>{image, taps, weights_, bias_, packed},
                              o_.out + first * s.to.image));
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

// Depthwise sweeps that write between each other's elements: a channel is finished before the next
// begins, so that its lines stay in a cache.
template <class H>
class Together {
 public:
  static constexpr int64_t kMaxSweeps = 4;

  bool is_full() const { return count_ == kMaxSweeps; }
  void add(const Depthwise<H>& sweep) { sweeps_[static_cast<size_t>(count_++)].emplace(sweep); }
  void compute(const sdk::Launch& l, int64_t images, int64_t groups) const {
    constexpr int64_t kTaskSums = 1 << 15;  // worth handing to another thread
    int64_t sums = 1;
    for (int64_t i = 0; i < count_; ++i) sums += at(i).sums();
    l.parallel_for(images * groups, gemm::pieces(kTaskSums, sums), [&](int64_t begin, int64_t end) {
      for (int64_t channel = begin; channel < end; ++channel) {
        run(channel / groups, channel % groups);
      }
    });
  }

 private:
  void run(int64_t image, int64_t group) const {
    for (int64_t i = 0; i < count_; ++i) {
      if (i + 1 < count_ && at(i).is_beside(at(i + 1))) {
        at(i).channel_of_both(image, group, at(i + 1));
        ++i;
      } else {
        at(i).channel(image, group);
      }
    }
  }
  const Depthwise<H>& at(int64_t i) const { return *sweeps_[static_cast<size_t>(i)]; }

  std::array<std::optional<Depthwise<H>>, kMaxSweeps> sweeps_;
  int64_t count_ = 0;
};

template <class H, class Sweeps>
void run_depthwise(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<H>& o) {
  std::optional<Together<H>> together;
  for (int64_t i = 0; i < sweeps.count(); ++i) {
    const conv::Sweep s = sweeps.sweep(i);
    if (s.is_empty()) continue;
    if constexpr (!is_16_bit_float<H>) {
      if (is_narrow<H>(s)) {
        NarrowDepthwise<H>(l, s, o.image, o.weights, o.bias, o.out).compute();
        continue;
      }
    }
    if (!together) together.emplace();
    together->add(Depthwise<H>(s, o.image, o.weights, o.bias, o.out));
    if (!together->is_full()) continue;
    together->compute(l, s.images, s.groups);
    together.reset();
  }
  if (together) together->compute(l, sweeps.all.images, sweeps.all.groups);
}

template <class H, class Sweeps>
void run_call(const sdk::Launch& l, const Sweeps& sweeps, const CallOperands<H>& o) {
  if (sweeps.all.images == 0) return;
  if (all_depthwise<H>(sweeps)) {
    run_depthwise(l, sweeps, o);
  } else {
    Call<H, Sweeps>(l, sweeps, o).compute();
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
