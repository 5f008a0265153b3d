// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/scan.cc: cumsum, cumprod and linear_recurrence along an axis.
//
//   cumsum              y_i = y_{i-1} + x_i
//   cumprod             y_i = y_{i-1} x_i
//   linear_recurrence   y_i = a_i y_{i-1} + b_i, the product rounded before the sum
// One element after another in double, which is the canonical arithmetic; integers wrap.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxis, kReverse, kExclusive };

// One scan: the elements along the axis, and how an operand gets from one to the next.
template <size_t N>
struct Scan {
  std::array<int64_t, TENON_MAX_RANK> shape{};  // of lines: 1 along the axis
  size_t rank = 0;
  int64_t count = 0;
  std::array<sdk::Strided, N> operands;
  std::array<int64_t, N> step{};

  // Output, then inputs. A reversed scan starts at the other end.
  explicit Scan(const sdk::Launch& l) {
    const tenon_view& out = l.out();
    rank = static_cast<size_t>(out.rank);
    std::copy_n(out.shape, rank, shape.begin());
    const auto axis =
        static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis"));
    count = shape[axis];
    if (sdk::count_of({shape.data(), rank}) == 0) count = 0;
    shape[axis] = 1;
    for (size_t o = 0; o < N; ++o) {
      operands[o] = sdk::strided(o == 0 ? out : l.view(static_cast<uint32_t>(o - 1)));
      step[o] = operands[o].step[axis];
      // Where there is nothing, there may be no address either.
      if (count == 0 || !l.attrs.flag(kReverse)) continue;
      operands[o].data += (count - 1) * step[o];
      step[o] = -step[o];
    }
  }

  // Calls body(addresses) with the first element of each line in each operand.
  template <class Body>
  void for_each_line(const sdk::Launch& l, Body&& body) const {
    if (count == 0) return;
    const std::span<const int64_t> lines(shape.data(), rank);
    const int64_t grain = std::max<int64_t>(1, sdk::kElementwiseGrain / count);
    l.parallel_for(sdk::count_of(lines), grain, [&](int64_t begin, int64_t end) {
      sdk::walk_range<N>(lines, operands, begin, end, [&](const sdk::Run<N>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          std::array<char*, N> at = run.data;
          for (size_t o = 0; o < N; ++o) at[o] += i * run.step[o];
          body(at);
        }
      });
    });
  }
};

struct Sum {
  template <class W>
  static constexpr W start() {
    return W{};
  }
  auto operator()(auto sum, auto x) const { return sum + x; }
};
struct Product {
  template <class W>
  static constexpr W start() {
    return W{1};
  }
  auto operator()(auto product, auto x) const { return product * x; }
};

template <class Step>
void scan(const sdk::Launch& l) {
  const bool exclusive = l.attrs.flag(kExclusive);
  const Scan<2> s(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    s.for_each_line(l, [&](std::array<char*, 2> at) {
      using W = sdk::Wide<T>;
      W before = Step::template start<W>();
      for (int64_t i = 0; i < s.count; ++i) {
        const W x = static_cast<W>(sdk::load<T>(at[1] + i * s.step[1]));
        const W y = Step()(before, x);
        sdk::store(at[0] + i * s.step[0], sdk::narrow<sdk::WideNumber<T>>(exclusive ? before : y));
        before = y;
      }
    });
  });
}

void linear_recurrence(const sdk::Launch& l) {
  const Scan<3> s(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    s.for_each_line(l, [&](std::array<char*, 3> at) {
      double y = 0;
      for (int64_t i = 0; i < s.count; ++i) {
        const auto a = static_cast<double>(sdk::load<T>(at[1] + i * s.step[1]));
        const auto b = static_cast<double>(sdk::load<T>(at[2] + i * s.step[2]));
        y = i == 0 ? b : a * y + b;
        sdk::store(at[0] + i * s.step[0], sdk::narrow<T>(y));
      }
    });
  });
}

constexpr tenon_slot_rule two_inputs[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cumsum", kWideningSlots, sdk::kWideNumbers, 3, sdk::launch_fn<scan<Sum>>),
    kernel("tenon.cumprod", kWideningSlots, sdk::kWideNumbers, 3, sdk::launch_fn<scan<Product>>),
    kernel("tenon.linear_recurrence", two_inputs, sdk::kFloats, 2,
           sdk::launch_fn<linear_recurrence>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(scan) = {.kernels = tenon::ref::kernels};
