// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/unfold.cu: unfold_add: out[..., c, ...] = the sum of all x[..., i, ..., j]
// with i step + j = c, windows in order.
//
// A thread sums one element, in f32 for the floats up to 32 bits and f64 for f64; which windows
// reach it follows from its coordinate c, which one more operand tells.
#include "elementwise.h"

namespace tenon::cuda::unfold_unit {
namespace {

enum Attribute : uint32_t { kAxis, kLength, kStep, kAttributes };

struct Windows {
  int64_t count;
  int64_t length;
  int64_t step;  // from one window to the next, along the axis
  int64_t stride;
  int64_t inner_stride;  // within a window
};

template <class T>
using Sum = std::conditional_t<sdk::is_float_type<T>, Arithmetic<T>, uint64_t>;

template <class T>
__global__ void __launch_bounds__(kBlock)
    sum_windows(Geometry<3> g, int64_t first, Windows windows, T* out, const T* x) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[3];
  g.offsets(number, at);
  const int64_t c = first + at[2];
  // The first window that has not ended before c, and past the last that has begun.
  const int64_t late = c - windows.length + 1;
  const int64_t begin = late > 0 ? (late + windows.step - 1) / windows.step : 0;
  const int64_t end = min(c / windows.step + 1, windows.count);
  Sum<T> sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t j = c - i * windows.step;
    sum += static_cast<Sum<T>>(widen(x[at[1] + i * windows.stride + j * windows.inner_stride]));
  }
  out[at[0]] = narrow<T>(sum);
}

void unfold_add(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const auto axis = sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis");
  const int32_t last = x.rank - 1;
  // A step that leaves the axis comes with one window alone.
  const int64_t step = std::min(l.attrs.integer(kStep), std::max<int64_t>(1, out.shape[axis]));
  const Windows windows{x.shape[axis], x.shape[last], step, x.strides[axis], x.strides[last]};
  Layout<3> layout;
  for (int32_t d = 0; d < out.rank; ++d) {
    layout.push(out.shape[d], {out.strides[d], d == axis ? 0 : x.strides[d], d == axis ? 1 : 0});
  }
  sdk::dispatch_dtype<sdk::NumberTypes>(out.dtype, [&]<class T>() {
    for_parts<3>(layout, {}, [&](const Layout<3>& part, const std::array<int64_t, 3>& at) {
      enqueue(l, &sum_windows<T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
              at[2], windows, static_cast<T*>(out.data) + at[0],
              static_cast<const T*>(x.data) + at[1]);
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.unfold_add", slots, sdk::kNumbers, sdk::launch_fn<unfold_add>,
           {.n_attrs = kAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::unfold_unit

TENON_UNIT(unfold) = {.kernels = tenon::cuda::unfold_unit::kernels};
