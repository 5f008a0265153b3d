// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/unfold.cc: unfold_add: out[..., i step + j, ...] = the sum of all
// x[..., i, ..., j], from 0 and window after window, in f32 or f64.
//
// Row after row of the result; each element is the sum over the windows that reach it, so nothing
// is written twice and threads need not agree.

#include "kernels/geometry.h"

namespace tenon::cpu {
namespace {

enum Attribute : uint32_t { kAxis, kLength, kStep, kAttributes };

template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, sdk::Compute<T>>;

// The windows along one axis of one row.
struct Windows {
  int64_t count, size, step;
  int64_t to_next;   // bytes from a window to the next
  int64_t to_place;  // and from a place in one to the next
};

template <class T>
T sum_at(const char* x, const Windows& windows, int64_t place) {
  // The windows that hold the place: i step <= place < i step + size.
  const int64_t last = std::min(place / windows.step, windows.count - 1);
  const int64_t past = place - windows.size;  // windows that begin up to here have ended
  const int64_t first = past < 0 ? 0 : past / windows.step + 1;
  Sum<T> sum = 0;
  for (int64_t i = first; i <= last; ++i) {
    const char* at = x + i * windows.to_next + (place - i * windows.step) * windows.to_place;
    sum += static_cast<Sum<T>>(sdk::load<T>(at));
  }
  return sdk::narrow<T>(sum);
}

template <class T>
void add_windows(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis"));
  const auto last = static_cast<size_t>(out.rank);
  sdk::Strided from = sdk::strided(x);
  sdk::Strided to = sdk::strided(out);
  const Windows windows{x.shape[axis], x.shape[last], l.attrs.integer(kStep), from.step[axis],
                        from.step[last]};
  const int64_t length = out.shape[axis];
  const int64_t stride = to.step[axis];
  // The other dimensions are walked together.
  std::array<int64_t, TENON_MAX_RANK> rows{};
  std::copy_n(out.shape, out.rank, rows.begin());
  rows[axis] = 1;
  const std::span<const int64_t> shape(rows.data(), last);
  const int64_t work = std::max<int64_t>(1, length * (windows.size / windows.step + 1));
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / work);
  l.parallel_for(sdk::count_of(shape), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<2>(shape, {to, from}, begin, end, [&](const sdk::Run<2>& run) {
      for (int64_t row = 0; row < run.count; ++row) {
        char* y = run.data[0] + row * run.step[0];
        const char* row_of_x = run.data[1] + row * run.step[1];
        for (int64_t place = 0; place < length; ++place) {
          sdk::store(y + place * stride, sum_at<T>(row_of_x, windows, place));
        }
      }
    });
  });
}

void unfold_add(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() { add_windows<T>(l); });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.unfold_add", slots, sdk::kNumbers, kAttributes, sdk::launch_fn<unfold_add>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(unfold) = {.kernels = tenon::cpu::kernels};
