// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/softmax.cc: softmax, log_softmax. Three passes over a line, which the caches
// hold after the first: its largest element, the sum of powers, the result.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C>
struct Quotient {
  C sum;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V power) const {
    return hn::Div(power, hn::Set(d, sum));
  }
};

template <class C>
struct PowerQuotient {
  C most;
  C sum;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Div(math::Exp()(hn::Sub(v, hn::Set(d, most))), hn::Set(d, sum));
  }
};

// Lines along one axis, all other dimensions of output and input, and how the axis steps.
struct AlongAxis {
  Geometry<2> lines;
  Geometry<1> line;
  int64_t out_step = 0;
  int64_t bytes = 0;
};

AlongAxis along_axis(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), x.rank, "axis"));
  const sdk::Strided in = sdk::strided(x);
  const sdk::Strided out = sdk::strided(l.out());
  AlongAxis a;
  a.lines.operand(0).data = out.data;
  a.lines.operand(1).data = in.data;
  for (size_t d = 0; d < static_cast<size_t>(x.rank); ++d) {
    if (d != axis) a.lines.push(x.shape[d], {out.step[d], in.step[d]});
  }
  a.line.push(x.shape[axis], {in.step[axis]});
  a.out_step = out.step[axis];
  a.bytes = sdk::count_of(sdk::shape_of(x)) * sdk::size_of(x.dtype);
  return a;
}

template <class Body>
void for_each_line(const sdk::Launch& l, const AlongAxis& a, Body&& body) {
  if (a.line.count() == 0) return;
  l.parallel_for(
      a.lines.count(), grain_of(a.line.count()), [&](int64_t begin, int64_t end) HWY_ATTR {
        sdk::walk_range<2>(a.lines.shape(), a.lines.operands(), begin, end,
                           [&](const sdk::Run<2>& run) HWY_ATTR {
                             for (int64_t i = 0; i < run.count; ++i) {
                               body(run.data[0] + i * run.step[0], run.data[1] + i * run.step[1]);
                             }
                           });
      });
}

template <class T>
void softmax_line(const AlongAxis& a, char* out, char* in) {
  using C = Number<T>;
  const int64_t n = a.line.count();
  const Line<T> line(a.line, in);
  const C most = softmax::largest(line, n);
  if constexpr (is_stored_as_number<T>) {
    if (line.is_packed() && (a.out_step == int64_t{sizeof(T)} || n == 1)) {
      C* powers = reinterpret_cast<C*>(out);
      const int64_t ahead = a.bytes >= softmax::kFetchBytes ? n : 0;  // the next line, if packed
      const C sum = softmax::sum_of_powers<T, true>(line, n, most, powers, ahead);
      softmax::map_packed(powers, powers, n, Quotient<C>{sum});
      return;
    }
  }
  // The powers would not fit where the result goes: they are made twice.
  const C sum = softmax::sum_of_powers<T, false>(line, n, most, nullptr, 0);
  softmax::map_line(line, out, a.out_step, n, false, PowerQuotient<C>{most, sum});
}

template <class T>
void log_softmax_line(const AlongAxis& a, char* out, char* in) {
  using C = Number<T>;
  const int64_t n = a.line.count();
  const Line<T> line(a.line, in);
  const C most = softmax::largest(line, n);
  const C sum = softmax::sum_of_powers<T, false>(line, n, most, nullptr, 0);
  softmax::map_line(line, out, a.out_step, n, a.bytes >= softmax::kStreamBytes,
                    softmax::LogProbability<C>{most, softmax::log_of(sum)});
}

void run_softmax(const sdk::Launch& l) {
  const AlongAxis a = along_axis(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    for_each_line(l, a, [&](char* out, char* in) HWY_ATTR { softmax_line<T>(a, out, in); });
  });
}

void run_log_softmax(const sdk::Launch& l) {
  const AlongAxis a = along_axis(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    for_each_line(l, a, [&](char* out, char* in) HWY_ATTR { log_softmax_line<T>(a, out, in); });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc of_lines(std::string_view op,
                                     tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = sdk::kFloats,
                      .n_attrs = 1,
                      .flags = kCanonical,
                      .priority = kPriority,
                      .launch = launch});
}

constexpr tenon_kernel_desc kernels[] = {
    of_lines("tenon.softmax", sdk::launch_fn<run_softmax>),
    of_lines("tenon.log_softmax", sdk::launch_fn<run_log_softmax>),
};

}  // namespace

std::span<const tenon_kernel_desc> softmax_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(softmax) = {.chosen_kernels = TENON_CPU_CHOOSE(softmax_kernels)};
#endif
