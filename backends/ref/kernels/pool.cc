// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/pool.cc: max_pool, avg_pool, adaptive_avg_pool and what adds their gradients
// up. Windows w of an image x over places p = w stride - padding + t dilation, taps t:
//
//   max_pool            y[w] = max over t of x[p], and the place of the first of the largest
//   max_pool_grad       y[positions[w]] += dy[w]
//   avg_pool            y[w] = (sum over t of x[p]) / count(w);  adaptive: over its own places
//   avg_pool_grad       y[p] += dy[w] / count(w);                adaptive: likewise
// Each output is looked at by itself, and sums are kept in double.

#include <tenon/sdk/plugin/pools.hpp>

#include "common/indices.h"
#include "kernels/places.h"

namespace tenon::ref {
namespace {

constexpr size_t kFirst = 2;  // dimension of the image that windows slide over
constexpr size_t kAxes = sdk::kMaxWindowRank;

// Three dimensions, of which an image has the last ones: those before are 1.
using Axes = std::array<int64_t, kAxes>;

// The places of an operand, image by image.
struct Images {
  sdk::Strided strided;
  int64_t channels;
  Axes step{};

  explicit Images(const tenon_view& view) : strided(sdk::strided(view)), channels(view.shape[1]) {
    for (size_t d = kFirst; d < static_cast<size_t>(view.rank); ++d) {
      step[d - kFirst] = strided.step[d];
    }
  }
  char* at(int64_t image, const Axes& place) const {
    char* to =
        strided.data + image / channels * strided.step[0] + image % channels * strided.step[1];
    for (size_t d = 0; d < kAxes; ++d) to += place[d] * step[d];
    return to;
  }
};

std::span<const int64_t> image_of(const tenon_view& view) {
  return sdk::shape_of(view).subspan(kFirst);
}

// Calls body(place) for all places of ranges, in row-major order.
template <class Body>
void for_each_in(const std::array<sdk::Steps, kAxes>& ranges, Body&& body) {
  Axes place{};
  for (place[0] = ranges[0].begin; place[0] < ranges[0].end; ++place[0]) {
    for (place[1] = ranges[1].begin; place[1] < ranges[1].end; ++place[1]) {
      for (place[2] = ranges[2].begin; place[2] < ranges[2].end; ++place[2]) {
        body(static_cast<const Axes&>(place));
      }
    }
  }
}

std::array<sdk::Steps, kAxes> all_of(std::span<const int64_t> sizes) {
  std::array<sdk::Steps, kAxes> ranges{{{0, 1}, {0, 1}, {0, 1}}};
  for (size_t d = 0; d < sizes.size(); ++d) ranges[d] = {0, sizes[d]};
  return ranges;
}

// Calls body(image, place) for all images of a view and the places in each.
template <class Body>
void for_each_image_place(const tenon_view& view, Body&& body) {
  const int64_t images = view.shape[0] * view.shape[1];
  for (int64_t image = 0; image < images; ++image) {
    for_each_in(all_of(image_of(view)), [&](const Axes& place) { body(image, place); });
  }
}

// ---- Largest ------------------------------------------------------------------------------------

template <class T>
T lowest() {
  if constexpr (sdk::is_float_type<T>) {
    return sdk::convert<T>(-std::numeric_limits<float>::infinity());
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

void max_pool(const sdk::Launch& l) {
  const sdk::Windows windows = sdk::max_pool_windows(image_of(l.view(0)), l.attrs);
  const Images x(l.view(0));
  const Images y(l.out());
  const auto size = image_of(l.view(0));
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    for_each_image_place(l.out(), [&](int64_t image, const Axes& window) {
      std::array<sdk::Steps, kAxes> taps;
      for (size_t d = 0; d < kAxes; ++d) taps[d] = windows[d].taps_inside(window[d]);
      T most = lowest<T>();
      int64_t position = -1;
      for_each_in(taps, [&](const Axes& tap) {
        Axes place{};
        int64_t number = 0;
        for (size_t d = 0; d < windows.rank(); ++d) {
          place[d] = windows[d].place(window[d], tap[d]);
          number = number * size[d] + place[d];
        }
        const T value = sdk::load<T>(x.at(image, place));
        // A NaN is larger than any number, and not than another NaN.
        const bool nan = value != value;     // NOLINT(misc-redundant-expression)
        const bool most_nan = most != most;  // NOLINT(misc-redundant-expression)
        if (position >= 0 && !(most < value) && (!nan || most_nan)) return;
        most = value;
        position = number;
      });
      sdk::store(y.at(image, window), most);
      if (l.wants_out(1)) sdk::store(Images(l.out(1)).at(image, window), position);
    });
  });
}

void max_pool_grad(const sdk::Launch& l) {
  const Images dy(l.view(0));
  const Images positions(l.view(1));
  const Images y(l.out());
  const auto size = image_of(l.out());
  const int64_t places = sdk::count_of(size);
  int64_t linear = 0;
  for_each_image_place(l.view(1), [&](int64_t image, const Axes& window) {
    const auto position = sdk::load<int64_t>(positions.at(image, window));
    if (position < -1 || position >= places) {
      backends::refuse_index("positions", sdk::shape_of(l.view(1)), linear, position, places, -1);
    }
    ++linear;
  });
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for_each_image_place(l.out(), [&](int64_t image, const Axes& place) {
      int64_t number = 0;
      for (size_t d = 0; d < size.size(); ++d) number = number * size[d] + place[d];
      double sum = 0;
      for_each_in(all_of(image_of(l.view(0))), [&](const Axes& window) {
        if (sdk::load<int64_t>(positions.at(image, window)) != number) return;
        sum += static_cast<double>(sdk::load<T>(dy.at(image, window)));
      });
      sdk::store(y.at(image, place), sdk::narrow<T>(sum));
    });
  });
}

// ---- Averages -----------------------------------------------------------------------------------

// Which places a window averages over, and by which number their sum is divided.
struct Average {
  std::array<sdk::Steps, kAxes> places{{{0, 1}, {0, 1}, {0, 1}}};
  double count = 1;
};

// Windows of one size, of an image of `size`. `own` attributes come before those of the windows.
class SlidAverages {
 public:
  SlidAverages(const sdk::Launch& l, std::span<const int64_t> size, uint32_t own)
      : windows_(sdk::avg_pool_windows(size, l.attrs, own)),
        include_pad_(l.attrs.flag(own + sdk::kAvgPoolCountIncludePad)) {}

  Average operator()(const Axes& window) const {
    Average average;
    for (size_t d = 0; d < windows_.rank(); ++d) {
      const sdk::WindowAxis& axis = windows_[d];
      const sdk::Steps taps = axis.taps_inside(window[d]);
      const int64_t first = axis.place(window[d], 0);
      average.places[d] = {first + taps.begin, first + taps.end};
      average.count *=
          static_cast<double>(include_pad_ ? axis.taps_padded(window[d]) : taps.count());
    }
    return average;
  }

 private:
  sdk::Windows windows_;
  bool include_pad_;
};

// As many windows as the pooled image has places, which cover the image of `size`.
class AdaptiveAverages {
 public:
  AdaptiveAverages(std::span<const int64_t> size, std::span<const int64_t> count)
      : size_(size), count_(count) {}

  Average operator()(const Axes& window) const {
    Average average;
    for (size_t d = 0; d < size_.size(); ++d) {
      average.places[d] = sdk::adaptive_window(window[d], size_[d], count_[d]);
      average.count *= static_cast<double>(average.places[d].count());
    }
    return average;
  }

 private:
  std::span<const int64_t> size_, count_;
};

void average(const sdk::Launch& l, const auto& averages) {
  const Images x(l.view(0));
  const Images y(l.out());
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for_each_image_place(l.out(), [&](int64_t image, const Axes& window) {
      const Average own = averages(window);
      double sum = 0;
      bool any = false;
      for_each_in(own.places, [&](const Axes& place) {
        sum += static_cast<double>(sdk::load<T>(x.at(image, place)));
        any = true;
      });
      sdk::store(y.at(image, window), sdk::narrow<T>(any ? sum / own.count : 0.0));
    });
  });
}

bool holds(const Average& average, const Axes& place) {
  for (size_t d = 0; d < kAxes; ++d) {
    if (place[d] < average.places[d].begin || place[d] >= average.places[d].end) return false;
  }
  return true;
}

void spread(const sdk::Launch& l, const auto& averages) {
  const Images dy(l.view(0));
  const Images y(l.out());
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    for_each_image_place(l.out(), [&](int64_t image, const Axes& place) {
      double sum = 0;
      for_each_in(all_of(image_of(l.view(0))), [&](const Axes& window) {
        const Average own = averages(window);
        if (!holds(own, place)) return;
        sum += static_cast<double>(sdk::load<T>(dy.at(image, window))) / own.count;
      });
      sdk::store(y.at(image, place), sdk::narrow<T>(sum));
    });
  });
}

void avg_pool(const sdk::Launch& l) { average(l, SlidAverages(l, image_of(l.view(0)), 0)); }
void avg_pool_grad(const sdk::Launch& l) { spread(l, SlidAverages(l, image_of(l.out()), 1)); }
void adaptive_avg_pool(const sdk::Launch& l) {
  average(l, AdaptiveAverages(image_of(l.view(0)), image_of(l.out())));
}
void adaptive_avg_pool_grad(const sdk::Launch& l) {
  spread(l, AdaptiveAverages(image_of(l.out()), image_of(l.view(0))));
}

constexpr tenon_slot_rule max_slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};
constexpr tenon_slot_rule max_grad_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.max_pool", max_slots, sdk::kNumbers, sdk::kMaxPoolAttributes,
           sdk::launch_fn<max_pool>),
    kernel("tenon.max_pool_grad", max_grad_slots, sdk::kFloats, 1, sdk::launch_fn<max_pool_grad>,
           {.flags = kOracle}),
    kernel("tenon.avg_pool", kMapSlots, sdk::kFloats, sdk::kAvgPoolAttributes,
           sdk::launch_fn<avg_pool>, {.flags = kOracle}),
    kernel("tenon.avg_pool_grad", kMapSlots, sdk::kFloats, 1 + sdk::kAvgPoolAttributes,
           sdk::launch_fn<avg_pool_grad>, {.flags = kOracle}),
    kernel("tenon.adaptive_avg_pool", kMapSlots, sdk::kFloats, 1, sdk::launch_fn<adaptive_avg_pool>,
           {.flags = kOracle}),
    kernel("tenon.adaptive_avg_pool_grad", kMapSlots, sdk::kFloats, 1,
           sdk::launch_fn<adaptive_avg_pool_grad>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(pool) = {.kernels = tenon::ref::kernels};
