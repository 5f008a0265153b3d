// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/softmax.cc: softmax, log_softmax. Three passes over a line, which the caches
// hold after the first: its largest element, the sum of powers, the result. The first pass over a
// packed line is a part of the second one over the line before. Lines along another axis than the
// packed one are taken abreast.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

template <class C>
struct Scaled {
  C factor;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V power) const {
    return hn::Mul(power, hn::Set(d, factor));
  }
};

template <class C>
struct ScaledPower {
  C most;
  C factor;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V v) const {
    return hn::Mul(math::Exp()(hn::Sub(v, hn::Set(d, most))), hn::Set(d, factor));
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

// Calls body(run) for runs of lines: their first elements in the output and in the input.
template <class Body>
void for_each_run(const sdk::Launch& l, const AlongAxis& a, Body&& body) {
  if (a.line.count() == 0) return;
  l.parallel_for(a.lines.count(), grain_of(a.line.count()),
                 [&](int64_t begin, int64_t end) HWY_ATTR {
                   sdk::walk_range<2>(a.lines.shape(), a.lines.operands(), begin, end, body);
                 });
}

template <class T>
bool is_packed(const AlongAxis& a) {
  const bool packed_out = a.out_step == int64_t{sizeof(T)} || a.line.count() == 1;
  return is_stored_as_number<T> && packed_out && Line<T>(a.line, nullptr).is_packed();
}

// line(out, in, most, next) gives the largest element of `next`.
template <class C, class Body>
HWY_INLINE void for_packed_lines(const sdk::Run<2>& run, int64_t n, const Body& line) {
  const C* in = reinterpret_cast<const C*>(run.data[1]);
  C most = softmax::largest_packed(in, n);
  for (int64_t i = 0; i < run.count; ++i) {
    const char* from = run.data[1] + (i + 1 < run.count ? i + 1 : i) * run.step[1];
    const C* next = reinterpret_cast<const C*>(from);
    most = line(reinterpret_cast<C*>(run.data[0] + i * run.step[0]), in, most, next);
    in = next;
  }
}

template <class T>
bool is_abreast(const AlongAxis& a, const sdk::Run<2>& run) {
  constexpr int64_t kFew = 4;
  return run.count >= kFew && run.step[0] == int64_t{sizeof(T)} &&
         run.step[1] == int64_t{sizeof(T)} && a.line.rank() == 1 && a.line.count() <= kLaneBlock;
}

template <class T, bool kLog, class Lines>
HWY_INLINE void softmax_abreast(const Lines& in, const Lines& out, int64_t n) {
  using C = Number<T>;
  using V = typename Lines::V;
  constexpr size_t K = Lines::kVectors;
  constexpr bool kKeeps = is_stored_as_number<T> && !kLog;  // powers, where the result goes
  const hn::ScalableTag<C> d;
  V most[K], scale[K];
  for (size_t j = 0; j < K; ++j) most[j] = in.get(0, j);
  for (int64_t k = 1; k < n; ++k) {
    for (size_t j = 0; j < K; ++j) most[j] = hn::Max(most[j], in.get(k, j));
  }
  const auto power = [&](int64_t k, size_t j)
                         HWY_ATTR { return math::Exp()(hn::Sub(in.get(k, j), most[j])); };
  sum_abreast<C, K>(
      n,
      [&](int64_t k, size_t j) HWY_ATTR {
        const V p = power(k, j);
        if constexpr (kKeeps) out.put(k, j, p);
        return p;
      },
      scale);
  for (size_t j = 0; j < K; ++j) {
    scale[j] = kLog ? math::Log()(scale[j]) : hn::Div(hn::Set(d, C{1}), scale[j]);
  }
  for (int64_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < K; ++j) {
      if constexpr (kLog) {
        out.put(k, j, hn::Sub(hn::Sub(in.get(k, j), most[j]), scale[j]));
      } else {
        out.put(k, j, hn::Mul(kKeeps ? out.get(k, j) : power(k, j), scale[j]));
      }
    }
  }
}

template <class T, bool kLog>
void run_abreast(const AlongAxis& a, const sdk::Run<2>& run) {
  const int64_t step = a.line.operands()[0].step[0];
  for_each_abreast<T>(run.data[1], step, run.count, [&](const auto& in, int64_t first) HWY_ATTR {
    auto out = in;
    out.data = run.data[0] + first * int64_t{sizeof(T)};
    out.step = a.out_step;
    softmax_abreast<T, kLog>(in, out, a.line.count());
  });
}

template <class T>
void softmax_lines(const AlongAxis& a, const sdk::Run<2>& run) {
  using C = Number<T>;
  const int64_t n = a.line.count();
  if (is_packed<T>(a)) {
    return for_packed_lines<C>(run, n, [&](C* out, const C* in, C most, const C* next) HWY_ATTR {
      const auto found = softmax::sum_of_packed_powers<C, true>(in, n, most, out, next);
      softmax::map_packed(out, out, n, Scaled<C>{C{1} / found.sum});
      return found.next_most;
    });
  }
  if (is_abreast<T>(a, run)) return run_abreast<T, false>(a, run);
  // The powers would not fit where the result goes: they are made twice.
  for (int64_t i = 0; i < run.count; ++i) {
    const Line<T> line(a.line, run.data[1] + i * run.step[1]);
    const C most = softmax::largest(line, n);
    const C sum = softmax::sum_of_powers(line, n, most);
    softmax::map_line(line, run.data[0] + i * run.step[0], a.out_step, n, false,
                      ScaledPower<C>{most, C{1} / sum});
  }
}

template <class T>
void log_softmax_lines(const AlongAxis& a, const sdk::Run<2>& run) {
  using C = Number<T>;
  const int64_t n = a.line.count();
  const bool streams = a.bytes >= softmax::kStreamBytes;
  if (is_packed<T>(a)) {
    return for_packed_lines<C>(run, n, [&](C* out, const C* in, C most, const C* next) HWY_ATTR {
      const auto found = softmax::sum_of_packed_powers<C, false>(in, n, most, nullptr, next);
      const softmax::LogProbability<C> f{most, softmax::log_of(found.sum)};
      if (streams) {
        softmax::map_streamed(in, out, n, f);
      } else {
        softmax::map_packed(in, out, n, f);
      }
      return found.next_most;
    });
  }
  if (is_abreast<T>(a, run)) return run_abreast<T, true>(a, run);
  for (int64_t i = 0; i < run.count; ++i) {
    const Line<T> line(a.line, run.data[1] + i * run.step[1]);
    const C most = softmax::largest(line, n);
    const C sum = softmax::sum_of_powers(line, n, most);
    softmax::map_line(line, run.data[0] + i * run.step[0], a.out_step, n, streams,
                      softmax::LogProbability<C>{most, softmax::log_of(sum)});
  }
}

void run_softmax(const sdk::Launch& l) {
  const AlongAxis a = along_axis(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    for_each_run(l, a, [&](const sdk::Run<2>& run) HWY_ATTR { softmax_lines<T>(a, run); });
  });
}

void run_log_softmax(const sdk::Launch& l) {
  const AlongAxis a = along_axis(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    for_each_run(l, a, [&](const sdk::Run<2>& run) HWY_ATTR { log_softmax_lines<T>(a, run); });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc of_lines(std::string_view op, LaunchFn launch) {
  return kernel(op, slots, sdk::kFloats, 1, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    of_lines("tenon.softmax", sdk::launch_fn<run_softmax>),
    of_lines("tenon.log_softmax", sdk::launch_fn<run_log_softmax>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> softmax_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(softmax) = {.chosen_kernels = TENON_CPU_CHOOSE(softmax_kernels)};
#endif
