// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/clip_grad_norm.cc: clip_grad_norm by the root of squares: gradients are read
// once for the norm and, if they are too long, read and written once more.
// Formulas and arithmetic: plugins/optim/clip_grad_norm.cc.

#include "common/clip_grad_norm.h"
#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/clip_grad_norm.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

namespace clip = backends::clip;

// What sum_mapped adds up.
template <class C>
struct Squares {
  const C* x;
  Squares map_from(int64_t) const { return *this; }

  template <class D, class V>
  HWY_INLINE V operator()(D, V v, size_t, int64_t = 0) const {
    return hn::Mul(v, v);
  }
};

template <class C>
C sum_of_squares(const AnyLine<C>& line, int64_t begin, int64_t end) {
  HWY_ALIGN C room[kTile];
  return sum_mapped<C>(end - begin, line.tile(kLaneBlock), [&](int64_t at, int64_t n) HWY_ATTR {
    return Squares<C>{line.get(begin + at, n, room)};
  });
}

// The elements of a gradient in logical order.
Geometry<1> elements_of(const tenon_view& grad) {
  return Geometry<1>(sdk::shape_of(grad), {sdk::strided(grad)});
}

template <class T>
Number<T> norm_of(const sdk::Launch& l, const tenon_view& grad) {
  using C = Number<T>;
  const Geometry<1> elements = elements_of(grad);
  const Line<T> line(elements, static_cast<char*>(grad.data));
  const auto piece = [&](int64_t begin, int64_t end)
                         HWY_ATTR { return sum_of_squares<C>(line, begin, end); };
  return std::sqrt(sum_in_pieces<C>(l, elements.count(), piece));
}

// The norm of all norms.
template <class C>
C joined(std::span<const C> norms) {
  const auto n = static_cast<int64_t>(norms.size());
  const auto all = [&](int64_t at, int64_t) HWY_ATTR { return Squares<C>{norms.data() + at}; };
  return std::sqrt(sum_mapped<C>(n, n, all));
}

template <class T>
void scale_run(const sdk::Run<1>& run, Number<T> factor) {
  using C = Number<T>;
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN C room[kTile];
  for (int64_t begin = 0; begin < run.count; begin += kTile) {
    const int64_t n = std::min(kTile, run.count - begin);
    char* const address = run.data[0] + begin * run.step[0];
    // What is not packed f32 or f64 is scaled in `room`.
    C* const x = const_cast<C*>(get_numbers<T>(address, run.step[0], n, room));
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, x + i);
    }
    for (; i < n; ++i) x[i] *= factor;
    put_numbers<T>(x, n, address, run.step[0]);
  }
}

// Gradients that are short enough keep their bits: times 1 they are what they were.
template <class T>
void scale(const sdk::Launch& l, const tenon_view& grad, Number<T> factor) {
  if (factor == 1) return;
  const Geometry<1> elements = elements_of(grad);
  sdk::walk_parallel(l, elements.shape(), elements.operands(),
                     [&](const sdk::Run<1>& run) HWY_ATTR { scale_run<T>(run, factor); });
}

template <class T>
void clip_all(const sdk::Launch& l) {
  using C = Number<T>;
  const uint32_t count = l.count(0);
  const std::span<C> norms(reinterpret_cast<C*>(l.scratch().data()), count);
  for (uint32_t i = 0; i < count; ++i) norms[i] = norm_of<T>(l, l.view(0, i));
  const C total = joined<C>(norms);
  const C max_norm = static_cast<C>(l.attrs.real(clip::kMaxNorm));
  const bool each = l.attrs.flag(clip::kEach);
  for (uint32_t i = 0; i < count; ++i) {
    scale<T>(l, l.view(0, i), clip::factor_of(each ? norms[i] : total, max_norm));
  }
  put_number<T>(static_cast<char*>(l.out().data), total);
}

void clip_grad_norm(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR { clip_all<T>(l); });
}

uint64_t scratch_bytes(const sdk::Args& args) { return args.count(0) * sizeof(double); }

constexpr tenon_slot_rule slots[] = {any_inout(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.clip_grad_norm", slots, sdk::kFloats, clip::kAttrs,
           sdk::launch_fn<clip_grad_norm>,
           {.workspace = sdk::workspace_fn<scratch_bytes>, .predicate = clip::is_root_of_squares}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> clip_grad_norm_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(clip_grad_norm) = {.chosen_kernels = TENON_CPU_CHOOSE(clip_grad_norm_kernels)};
#endif
