// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/conv_weight_grad.cc: the adjoint of a convolution in its weights, dw[o,c,t] =
// sum over images and positions p of dy[n,o,p] x[n,c,place(p,t)].
//
// The canonical arithmetic of plugins/ops/window/conv_weight_grad.cc: for each image acc = fma(dy,
// x, acc) from 0, positions ascending, those in the padding add nothing; images pairwise; then + 0.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv/conv_weight_grad.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/slots.h"
#include "conv/depthwise_grad-inl.h"
#include "conv/weight_grad-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

enum Slot : uint32_t { kDy, kX };
constexpr uint32_t kAttributes = 1 + sdk::kConvAttributes;

// Reads x through its windows; the result's steps are those of dy.
conv::Sweep sweep_of(const sdk::Args& args) {
  const tenon_view& dy = args.view(kDy);
  const tenon_view& x = args.view(kX);
  const tenon_view& out = args.out();
  const std::span<const int64_t> weight(out.shape, static_cast<size_t>(out.rank));
  const sdk::Convolution known(args.shape(kX), weight, args.attrs, 1);
  const auto axes = conv::axes_of(known.windows);
  conv::Sweep s;
  s.images = known.images;
  s.groups = known.groups;
  s.rows = known.out;
  s.channels = known.in;
  for (size_t d = 0; d < conv::kRank; ++d) s.axes[d] = conv::forward_axis(axes[d]);
  s.from = conv::steps_of(x);
  s.to = conv::steps_of(dy);
  conv::merge_plain(s);
  return s;
}

// One sum of dw[o,c,t], of which `row` is (c,t), as the canonical arithmetic says.
template <class T>
class ExactSum {
 public:
  using Sum = sdk::Compute<T>;

  ExactSum(const sdk::Launch& l, const conv::Sweep& s, int64_t group, int64_t o, int64_t row)
      : s_(s) {
    const auto& axes = s.axes;
    tap_ = {row / (axes[2].taps * axes[1].taps) % axes[0].taps, row / axes[2].taps % axes[1].taps,
            row % axes[2].taps};
    const int64_t c = row / s.taps();
    x_ = l.data<const T>(kX) + (group * s.channels + c) * s.from.channel;
    dy_ = l.data<const T>(kDy) + (group * s.rows + o) * s.to.channel;
  }

  // Of `count` images, a power of two, of which the last ones may not be there.
  Sum sum(int64_t first, int64_t count) const {
    if (count <= 1) return sum_of_image(first);
    const Sum lower = sum(first, count / 2);
    const int64_t half = first + count / 2;
    return half < s_.images ? lower + sum(half, count / 2) : lower;
  }

 private:
  Sum sum_of_image(int64_t image) const {
    const T* const x = x_ + image * s_.from.image;
    const T* const dy = dy_ + image * s_.to.image;
    Sum sum = 0;
    for (int64_t z = 0; z < s_.axes[0].count; ++z) {
      for (int64_t y = 0; y < s_.axes[1].count; ++y) {
        const int64_t in_z = s_.axes[0].place(z, tap_[0]);
        const int64_t in_y = s_.axes[1].place(y, tap_[1]);
        if (!s_.axes[0].inside(in_z) || !s_.axes[1].inside(in_y)) continue;
        sum = add_row(x + in_z * s_.from.place[0] + in_y * s_.from.place[1],
                      dy + z * s_.to.place[0] + y * s_.to.place[1], sum);
        if (std::isnan(sum)) return sum;  // and stays so
      }
    }
    return sum;
  }
  Sum add_row(const T* x, const T* dy, Sum sum) const {
    const conv::Axis& axis = s_.axes[2];
    for (int64_t i = 0; i < axis.count; ++i) {
      const int64_t place = axis.place(i, tap_[2]);
      if (!axis.inside(place)) continue;
      sum = std::fma(static_cast<Sum>(sdk::load<T>(dy + i * s_.to.place[2])),
                     static_cast<Sum>(sdk::load<T>(x + place * s_.from.place[2])), sum);
    }
    return sum;
  }

  const conv::Sweep& s_;
  std::array<int64_t, conv::kRank> tap_{};
  const T* x_;
  const T* dy_;
};

// dw[o,c,t], any layout; `row` is (c,t).
template <class T>
class Result {
 public:
  Result(const sdk::Launch& l, const conv::Sweep& s)
      : l_(l), s_(s), view_(l.out()), steps_(conv::steps_of(view_)), out_(l.out_data<T>()) {
    for (int32_t d = 2; d < view_.rank; ++d) sizes_[conv::kRank - view_.rank + d] = view_.shape[d];
    const conv::Steps packed = conv::packed_steps(1, sizes_);
    is_packed_ = steps_.channel == packed.channel;
    for (size_t d = 0; d < conv::kRank; ++d) {
      is_packed_ &= sizes_[d] == 1 || steps_.place[d] == packed.place[d];
    }
  }
  // `count` rows from `row` on.
  template <class Sum>
  void store(int64_t group, int64_t o, int64_t row, int64_t count, const Sum* sums) const {
    int64_t i = 0;
    if constexpr (std::is_same_v<T, Sum>) {
      const hn::ScalableTag<T> d;
      T* const to = out_ + (group * s_.rows + o) * steps_.image + row;
      const int64_t whole = is_packed_ ? count - count % kLanes<T> : 0;
      for (; i < whole; i += kLanes<T>) {
        const auto v = hn::LoadU(d, sums + i);
        if (s_.has_padding() && !hn::AllFalse(d, hn::IsNaN(v))) break;
        hn::StoreU(hn::Add(v, hn::Zero(d)), d, to + i);
      }
    }
    for (; i < count; ++i) store_one(group, o, row + i, sums[i]);
  }

 private:
  template <class Sum>
  void store_one(int64_t group, int64_t o, int64_t row, Sum sum) const {
    if (std::isnan(sum) && s_.has_padding()) {
      const auto images = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(s_.images)));
      sum = ExactSum<T>(l_, s_, group, o, row).sum(0, images);
    }
    T* const to = out_ + (group * s_.rows + o) * steps_.image + offset(row);
    sdk::store(to, sdk::narrow<T>(sum + Sum(0)));
  }
  int64_t offset(int64_t row) const {
    if (is_packed_) return row;
    int64_t offset = 0;
    for (size_t d = conv::kRank; d-- > 0;) {
      offset += row % sizes_[d] * steps_.place[d];
      row /= sizes_[d];
    }
    return offset + row * steps_.channel;
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const tenon_view& view_;
  const conv::Steps steps_;
  std::array<int64_t, conv::kRank> sizes_{1, 1, 1};
  T* const out_;
  bool is_packed_;
};

// What a call needs beside its sweep. 16-bit dy is widened as x is.
template <class T>
struct Layout {
  using Sum = sdk::Compute<T>;

  explicit Layout(const conv::Sweep& s)
      : x(conv::frame_of(OneSweep{s}, false, is_16_bit_float<T>)),
        result{conv::result_sweep(s, s.images)},
        dy(conv::frame_of(result, false, is_16_bit_float<T>)) {
    const int64_t copied = (x.copies ? x.steps.image : 0) + (dy.copies ? dy.steps.image : 0);
    plan = conv::weight_plan_of<kShapes<Sum>, kLanes<Sum>>(s, copied);
    if (x.copies) x_elements = gemm::round_up(plan.images * x.steps.image, kRoomUnit);
    if (dy.copies) dy_elements = gemm::round_up(plan.images * dy.steps.image, kRoomUnit);
  }
  int64_t elements() const {
    return plan.parts * (x_elements + dy_elements + plan.dy + plan.levels);
  }

  conv::Frame x;
  OneSweep result;
  conv::Frame dy;
  conv::WeightPlan plan;
  int64_t x_elements = 0;  // of the copies of a part
  int64_t dy_elements = 0;
};

template <class T>
class Images {
 public:
  using Sum = sdk::Compute<T>;

  Images(const sdk::Launch& l, const conv::Sweep& s, const Layout<T>& layout)
      : l_(l),
        s_(s),
        layout_(layout),
        x_(reinterpret_cast<Sum*>(l.scratch().data())),
        dy_(x_ + layout.plan.parts * layout.x_elements) {}
  Sum* scratch() const { return dy_ + layout_.plan.parts * layout_.dy_elements; }

  // Of a part, by one thread or by all.
  void add_to(const WeightGrad<Sum>& grad, int64_t part, bool shared) const {
    const conv::WeightPlan& plan = layout_.plan;
    const int64_t begin = part * plan.part_images;
    const int64_t end = std::min(begin + plan.part_images, s_.images);
    Sum* const x = x_ + part * layout_.x_elements;
    Sum* const dy = dy_ + part * layout_.dy_elements;
    for (int64_t n = begin; n < end; n += plan.images) {
      const int64_t count = std::min(plan.images, end - n);
      const Sum* const images = read(kX, s_, layout_.x, {n, count, shared}, x);
      const Sum* const results = read(kDy, layout_.result.all, layout_.dy, {n, count, shared}, dy);
      grad.add(part, WeightImages<Sum>{images, results, n - begin, count}, shared);
    }
  }

 private:
  struct Some {
    int64_t first, count;
    bool shared;
  };
  // Images where they are, or a copy of them in `to`.
  const Sum* read(Slot slot, const conv::Sweep& s, const conv::Frame& frame, const Some& some,
                  Sum* to) const {
    const T* const from = l_.data<const T>(slot) + some.first * s.from.image;
    if (frame.copies) {
      const FrameCopy<T, Sum> images(s, frame);
      some.shared ? images.copy(l_, from, some.count, to) : images.copy(from, some.count, to);
    } else if constexpr (!is_16_bit_float<T>) {
      return from;
    }
    return to;
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const Layout<T>& layout_;
  Sum* const x_;
  Sum* const dy_;
};

template <class T>
void run(const sdk::Launch& l) {
  using Sum = sdk::Compute<T>;
  const conv::Sweep s = sweep_of(l);
  if (s.groups * s.rows == 0 || s.depth() == 0) return;
  const Result<T> result(l, s);
  if constexpr (!is_16_bit_float<T>) {
    if (is_depthwise_grad<T>(s)) {
      const DepthwiseGrad<T> grad(l, s, l.data<const T>(kX), l.data<const T>(kDy));
      return grad.compute(
          [&](int64_t channel, const T* sums) { result.store(channel, 0, 0, s.taps(), sums); });
    }
  }
  const Layout<T> layout(s);
  const conv::WeightPlan& plan = layout.plan;
  conv::Sweep read = s;
  if (layout.dy.copies) read.to = layout.dy.steps;
  const Images<T> images(l, s, layout);
  Sum* const dy = images.scratch();
  Sum* const levels = dy + plan.parts * plan.dy;
  auto* const offsets = reinterpret_cast<int64_t*>(levels + plan.parts * plan.levels);
  const WeightGrad<Sum> grad(l, read, layout.x, plan, {dy, levels, offsets});
  if (plan.parts == 1) {
    images.add_to(grad, 0, true);
  } else {
    l.parallel_for(plan.parts, plan.part_grain, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) images.add_to(grad, part, false);
    });
  }
  grad.finish([&](int64_t group, int64_t first, int64_t columns, int64_t row, int64_t rows,
                  const Sum* sums) {
    constexpr int64_t kRows = 64;  // stay in the first cache
    HWY_ALIGN Sum turned[kTileColumns<Sum> * kRows];
    for (int64_t i = 0; i < rows; i += kRows) {
      const int64_t count = std::min(kRows, rows - i);
      pack(Lines<Sum>{sums + i * plan.wide, plan.wide, 1, count}, columns, turned, kRows);
      for (int64_t o = 0; o < columns; ++o) {
        result.store(group, first + o, row + i, count, turned + o * kRows);
      }
    }
  });
}

void conv_weight_grad(const sdk::Launch& l) {
  for_type(l.out().dtype, [&]<class T>(T) { run<T>(l); });
}

uint64_t workspace(const sdk::Args& args) {
  const conv::Sweep s = sweep_of(args);
  if (s.groups * s.rows == 0 || s.depth() == 0) return 0;
  return for_type(args.out().dtype, [&]<class T>(T) -> uint64_t {
    using Sum = sdk::Compute<T>;
    if (!is_16_bit_float<T> && is_depthwise_grad<Sum>(s)) {
      return static_cast<uint64_t>(depthwise_grad_elements<Sum>(s)) * sizeof(Sum);
    }
    const Layout<T> layout(s);
    return static_cast<uint64_t>(layout.elements()) * sizeof(Sum) +
           static_cast<uint64_t>(layout.plan.offsets) * sizeof(int64_t);
  });
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), backends::any_in(), backends::any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.conv_weight_grad", slots, sdk::kFloats, kAttributes,
           sdk::launch_fn<conv_weight_grad>, {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> conv_weight_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(conv_weight_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(conv_weight_grad_kernels)};
#endif
