// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/pool.h: which inputs each output of a pool is folded from.
#pragma once

#include <tenon/sdk/plugin/pools.hpp>

#include <algorithm>

#include "kernels/geometry.h"

namespace tenon::cpu {

inline constexpr size_t kFirst = 2;  // dimension of an image that windows slide over
inline constexpr size_t kAxes = sdk::kMaxWindowRank;

// Three dimensions, of which an image has the last ones.
using Steps3 = std::array<int64_t, kAxes>;

// ---- Where everything lies ----------------------------------------------------------------------

// What one output is folded from along one dimension.
struct Box {
  int64_t offset = 0;  // bytes to the first input
  int64_t taps = 1;
  int64_t counted = 1;  // how many an average counts
  int64_t place = 0;    // what it adds to the number of a place in the image
};

// Outputs of a row whose boxes are alike, `step` bytes and `places` places apart. There are others
// between them: they are `apart` places from each other.
struct Row {
  int64_t begin, count, apart, step, places;
};

struct Axis {
  std::span<Box> boxes;
  int64_t step = 0;    // bytes from a tap to the next
  int64_t places = 0;  // and how much the number of its place grows
};

struct Images {
  char* data = nullptr;
  int64_t batch = 0, channel = 0;
  Steps3 step{};

  Images() = default;
  explicit Images(const tenon_view& view) : data(static_cast<char*>(view.data)) {
    const sdk::Strided strided = sdk::strided(view);
    batch = strided.step[0];
    channel = strided.step[1];
    const size_t lead = kFirst + kAxes - static_cast<size_t>(view.rank);
    for (size_t d = kFirst; d < static_cast<size_t>(view.rank); ++d) {
      step[lead + d - kFirst] = strided.step[d];
    }
  }
};

inline Steps3 sizes_of(const tenon_view& view) {
  Steps3 sizes{1, 1, 1};
  const size_t lead = kFirst + kAxes - static_cast<size_t>(view.rank);
  for (size_t d = kFirst; d < static_cast<size_t>(view.rank); ++d) {
    sizes[lead + d - kFirst] = view.shape[d];
  }
  return sizes;
}

inline int64_t product(const Steps3& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

struct Plan {
  std::array<Axis, kAxes> axes;
  std::span<Row> rows;
  Images in, out, positions;
  int64_t batches, channels;
  bool has_positions = false;

  // Batches and channels are one, if images are evenly spaced in every operand.
  void merge() {
    bool even = true;
    const auto look = [&](const Images& images) {
      even = even && images.batch == channels * images.channel;
    };
    look(in);
    look(out);
    if (has_positions) look(positions);
    if (channels == 1) {
      for (Images* images : {&in, &out, &positions}) images->channel = images->batch;
    } else if (batches > 1 && !even) {
      return;
    }
    channels *= batches;
    batches = 1;
  }

  // Of outputs that are `apart` places from each other.
  void find_rows(int64_t apart) {
    const auto count = static_cast<int64_t>(axes[2].boxes.size());
    size_t n = 0;
    for (int64_t phase = 0; phase < std::min(apart, count); ++phase) {
      for (int64_t i = phase; i < count; i += rows[n++].count * apart) rows[n] = row_at(i, apart);
    }
    rows = rows.first(n);
  }

 private:
  Row row_at(int64_t begin, int64_t apart) const {
    const std::span<const Box> boxes = axes[2].boxes;
    Row row{begin, 1, apart, 0, 0};
    for (int64_t i = begin + apart; i < static_cast<int64_t>(boxes.size()); i += apart) {
      const Box& last = boxes[i - apart];
      const Box& next = boxes[i];
      const int64_t step = next.offset - last.offset;
      if (next.taps != last.taps || next.counted != last.counted) break;
      if (row.count > 1 && step != row.step) break;
      row.step = step;
      row.places = next.place - last.place;
      ++row.count;
    }
    return row;
  }
};

inline uint64_t bytes_of_boxes(const tenon_view& out) {
  const Steps3 sizes = sizes_of(out);
  return static_cast<uint64_t>(sizes[0] + sizes[1] + sizes[2]) * sizeof(Box) +
         static_cast<uint64_t>(sizes[2]) * sizeof(Row);
}

// A plan whose boxes are box(axis, output, place_of_one), in scratch.
template <class MakeBox>
Plan plan_of(const sdk::Launch& l, const Images& in, const Steps3& in_sizes, const MakeBox& make) {
  const tenon_view& out = l.out();
  const Steps3 sizes = sizes_of(out);
  Plan plan{.axes = {},
            .rows = {},
            .in = in,
            .out = Images(out),
            .positions = {},
            .batches = out.shape[0],
            .channels = out.shape[1]};
  auto* boxes = reinterpret_cast<Box*>(l.scratch().data());
  const Steps3 places{in_sizes[1] * in_sizes[2], in_sizes[2], 1};
  for (size_t d = 0; d < kAxes; ++d) {
    Axis& axis = plan.axes[d];
    axis.boxes = {boxes, static_cast<size_t>(sizes[d])};
    boxes += sizes[d];
    axis.step = in.step[d];
    axis.places = places[d];
    for (int64_t i = 0; i < sizes[d]; ++i) axis.boxes[i] = make(d, i);
  }
  plan.rows = {reinterpret_cast<Row*>(boxes), static_cast<size_t>(sizes[2])};
  return plan;
}

// The axis of a window that dimension d of three is, of `rank`; none is one place alone.
inline sdk::WindowAxis axis_of(const sdk::Windows& windows, size_t d) {
  const size_t lead = kAxes - windows.rank();
  return d < lead ? sdk::WindowAxis{} : windows[d - lead];
}

// ---- Largest ------------------------------------------------------------------------------------

// What is smaller than anything else: a NaN aside.
template <class T>
T lowest() {
  if constexpr (std::is_floating_point_v<T>) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

// ---- Averages -----------------------------------------------------------------------------------

// Which places window i averages over along dimension d of three, and how many are counted.
struct Averaged {
  sdk::Steps places;
  int64_t counted;
};

class SlidAverages {
 public:
  SlidAverages(const sdk::Launch& l, const tenon_view& image, uint32_t own)
      : windows_(sdk::avg_pool_windows(sdk::shape_of(image).subspan(kFirst), l.attrs, own)),
        include_pad_(l.attrs.flag(own + sdk::kAvgPoolCountIncludePad)) {}

  Averaged operator()(size_t d, int64_t i) const {
    const sdk::WindowAxis axis = axis_of(windows_, d);
    const sdk::Steps taps = axis.taps_inside(i);
    const int64_t first = axis.place(i, 0);
    return {{first + taps.begin, first + taps.end},
            include_pad_ ? axis.taps_padded(i) : taps.count()};
  }
  // How far places of a row are from each other that are held alike.
  int64_t apart() const { return axis_of(windows_, 2).stride; }
  // The windows that hold a place.
  sdk::Steps holding(size_t d, int64_t place) const {
    const sdk::WindowAxis axis = axis_of(windows_, d);
    const int64_t at = place + axis.before;
    const int64_t first = at < axis.taps ? 0 : (at - axis.taps) / axis.stride + 1;
    const int64_t end = std::min(at / axis.stride + 1, axis.count);
    return {std::min(first, end), end};
  }

 private:
  sdk::Windows windows_;
  bool include_pad_;
};

class AdaptiveAverages {
 public:
  AdaptiveAverages(const tenon_view& image, const tenon_view& averages)
      : sizes_(sizes_of(image)), counts_(sizes_of(averages)) {}

  Averaged operator()(size_t d, int64_t i) const {
    const sdk::Steps places = sdk::adaptive_window(i, sizes_[d], counts_[d]);
    return {places, places.count()};
  }
  int64_t apart() const { return sizes_[2] % counts_[2] == 0 ? sizes_[2] / counts_[2] : 1; }
  // Those that begin at the place or before, and end after it.
  sdk::Steps holding(size_t d, int64_t place) const {
    return sdk::adaptive_window(place, counts_[d], sizes_[d]);
  }

 private:
  Steps3 sizes_, counts_;
};

inline uint64_t bytes_of_shares(const sdk::Args& args) {
  const tenon_view& dy = args.view(0);
  const uint64_t size = dy.dtype == TENON_DTYPE_F64 ? sizeof(double) : sizeof(float);
  return static_cast<uint64_t>(sizes_of(dy)[2] + sdk::count_of(sdk::shape_of(dy))) * size;
}

// dy / count in packed memory, after the counts of a row, with channels as the last dimension if
// they are that of dy. divide(in, step, by, n, counts, out) divides n elements by `by`, each
// multiplied by its own of `counts` if there are any.
template <class T, class Divide>
Images shares_of(const sdk::Launch& l, char* memory, const auto& averages, const Divide& divide) {
  using C = sdk::Compute<T>;
  const tenon_view& dy = l.view(0);
  const Images from(dy);
  const Steps3 sizes = sizes_of(dy);
  const int64_t channels = dy.shape[1];
  constexpr int64_t size = sizeof(C);
  auto* counts = reinterpret_cast<C*>(memory);
  for (int64_t k = 0; k < sizes[2]; ++k) counts[k] = static_cast<C>(averages(2, k).counted);
  Images to;
  to.data = memory + sizes[2] * size;
  to.batch = channels * product(sizes) * size;
  const bool last = from.channel == int64_t{sizeof(T)} && channels > 1;
  const int64_t column = last ? channels * size : size;
  to.step = {sizes[1] * sizes[2] * column, sizes[2] * column, column};
  to.channel = last ? size : sizes[0] * to.step[0];
  const int64_t row = std::max<int64_t>(1, sizes[2] * channels);
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / row);
  l.parallel_for(dy.shape[0] * sizes[0] * sizes[1], grain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t j = at % sizes[1];
      const int64_t i = at / sizes[1] % sizes[0];
      const int64_t batch = at / (sizes[1] * sizes[0]);
      const auto row_of = [&](const Images& images) {
        return images.data + batch * images.batch + i * images.step[0] + j * images.step[1];
      };
      const char* in = row_of(from);
      char* out = row_of(to);
      const auto times = static_cast<C>(averages(0, i).counted * averages(1, j).counted);
      for (int64_t k = 0; last && k < sizes[2]; ++k) {
        divide(in + k * from.step[2], from.channel, times * counts[k], channels, nullptr,
               out + k * to.step[2]);
      }
      for (int64_t c = 0; !last && c < channels; ++c) {
        divide(in + c * from.channel, from.step[2], times, sizes[2], counts, out + c * to.channel);
      }
    }
  });
  return to;
}

}  // namespace tenon::cpu
