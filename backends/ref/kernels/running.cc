// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/running.cc: cummax and cummin along an axis, one element after another.

#include <array>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Operand : size_t { kValues, kIndices, kX, kOperands };

struct NotBelow {
  template <class T>
  bool operator()(T x, T best) const {
    return x >= best;
  }
};
struct NotAbove {
  template <class T>
  bool operator()(T x, T best) const {
    return x <= best;
  }
};

// One line, given its first elements and the bytes between neighbours. A NaN is taken, and gives
// way to another NaN alone.
template <class T, class Wins>
void run_line(const std::array<char*, kOperands>& at, const std::array<int64_t, kOperands>& step,
              int64_t count) {
  T best = sdk::load<T>(at[kX]);
  int64_t place = 0;
  for (int64_t i = 0; i < count; ++i) {
    const T x = sdk::load<T>(at[kX] + i * step[kX]);
    const bool nan = x != x;  // NOLINT(misc-redundant-expression)
    if (nan || Wins()(x, best)) {
      best = x;
      place = i;
    }
    sdk::store(at[kValues] + i * step[kValues], best);
    sdk::store(at[kIndices] + i * step[kIndices], place);
  }
}

template <class Wins>
void running(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), x.rank, "axis"));
  const int64_t count = x.shape[axis];
  const std::array operands = {sdk::strided(l.out(0)), sdk::strided(l.out(1)), sdk::strided(x)};
  std::array<int64_t, kOperands> step{};
  for (size_t o = 0; o < kOperands; ++o) step[o] = operands[o].step[axis];
  std::array<int64_t, TENON_MAX_RANK> shape{};
  std::copy_n(x.shape, x.rank, shape.begin());
  const std::span<const int64_t> lines(shape.data(), static_cast<size_t>(x.rank));
  if (sdk::count_of(lines) == 0) return;
  shape[axis] = 1;
  const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / count);
  sdk::dispatch_dtype(x.dtype, [&]<class T>() {
    l.parallel_for(sdk::count_of(lines), grain, [&](int64_t begin, int64_t end) {
      sdk::walk_range<kOperands>(lines, operands, begin, end, [&](const sdk::Run<kOperands>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          std::array<char*, kOperands> at = run.data;
          for (size_t o = 0; o < kOperands; ++o) at[o] += i * run.step[o];
          run_line<T, Wins>(at, step, count);
        }
      });
    });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cummax", slots, sdk::kAllDtypes, 1, sdk::launch_fn<running<NotBelow>>),
    kernel("tenon.cummin", slots, sdk::kAllDtypes, 1, sdk::launch_fn<running<NotAbove>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(running) = {.kernels = tenon::ref::kernels};
