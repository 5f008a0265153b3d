// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/logsumexp.cc: logsumexp: m + log(sum exp(x - m)), m = max x.
//
// What is reduced is one line, wherever it stands: its largest element, then the sum of powers in
// the order of lanes-inl.h, as in log_softmax. Neighbouring lines that are not packed are taken
// abreast.

#include "vectors.h"

#include "kernels/fold.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logsumexp.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

// x - m is not a number where both are infinite and of one sign; any number does for m there.
template <class C>
C finite_or_0(C m) {
  return std::isfinite(m) ? m : C{0};
}

template <class C>
C of_line(const AnyLine<C>& line, int64_t n) {
  const C most = finite_or_0(softmax::largest(line, n));
  return most + softmax::log_of(softmax::sum_of_powers(line, n, most));
}

template <class T, class Lines>
HWY_INLINE void of_lines_abreast(const Lines& in, int64_t n, Number<T>* out) {
  using C = Number<T>;
  using V = typename Lines::V;
  constexpr size_t K = Lines::kVectors;
  const hn::ScalableTag<C> d;
  V most[K], sum[K];
  for (size_t j = 0; j < K; ++j) most[j] = in.get(0, j);
  for (int64_t k = 1; k < n; ++k) {
    for (size_t j = 0; j < K; ++j) most[j] = hn::Max(most[j], in.get(k, j));
  }
  for (size_t j = 0; j < K; ++j) most[j] = hn::IfThenElseZero(hn::IsFinite(most[j]), most[j]);
  sum_abreast<C, K>(
      n, [&](int64_t k, size_t j) HWY_ATTR { return math::Exp()(hn::Sub(in.get(k, j), most[j])); },
      sum);
  for (size_t j = 0; j < K; ++j) {
    hn::StoreU(hn::Add(most[j], math::Log()(sum[j])), d, out + j * hn::Lanes(d));
  }
}

template <class T>
void outputs(const Geometry<1>& line, const sdk::Run<2>& run) {
  using C = Number<T>;
  const int64_t n = line.count();
  constexpr int64_t kFew = 4;
  const bool abreast = run.step[1] == int64_t{sizeof(T)} && run.count >= kFew && line.rank() == 1 &&
                       n <= kLaneBlock && !Line<T>(line, run.data[1]).is_packed();
  if (!abreast) {
    for (int64_t i = 0; i < run.count; ++i) {
      const C result = of_line(Line<T>(line, run.data[1] + i * run.step[1]), n);
      put_number<T>(run.data[0] + i * run.step[0], result);
    }
    return;
  }
  const int64_t step = line.operands()[0].step[0];
  for_each_abreast<T>(run.data[1], step, run.count, [&](const auto& in, int64_t first) HWY_ATTR {
    HWY_ALIGN C results[4 * hn::MaxLanes(hn::ScalableTag<C>())];
    of_lines_abreast<T>(in, n, results);
    put_numbers<T>(results, in.lines, run.data[0] + first * run.step[0], run.step[0]);
  });
}

void logsumexp(const sdk::Launch& l) {
  const Reduction r = reduce_axes(l.view(0), l.out(), axes_attribute(l, 0), l.attrs.flag(1));
  const Geometry<1> line = fold::behind(r);
  // Outputs whose lines are taken abreast stay together, however long these are.
  const int64_t least = r.is_columns() ? kColumns / 4 : 1;
  const int64_t grain = std::max(least, grain_of(line.count()));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    l.parallel_for(r.kept.count(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      sdk::walk_range<2>(r.kept.shape(), r.kept.operands(), begin, end,
                         [&](const sdk::Run<2>& run) HWY_ATTR { outputs<T>(line, run); });
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.logsumexp", slots, sdk::kFloats, 2, sdk::launch_fn<logsumexp>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> logsumexp_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(logsumexp) = {.chosen_kernels = TENON_CPU_CHOOSE(logsumexp_kernels)};
#endif
