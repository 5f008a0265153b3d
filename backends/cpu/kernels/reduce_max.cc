// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce_max.cc: max, argmax. Exact in any order but for what is equal and not
// the same: NaN wins, and of equal elements (zeros of both signs) the first in logical order.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce_max.cc"
#include <cmath>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

// Elements of a line that are looked at together; those that hold the largest are searched again.
inline constexpr int64_t kPiece = 4096;

template <class C>
bool is_nan([[maybe_unused]] C x) {
  if constexpr (std::is_floating_point_v<C>) {
    return std::isnan(x);
  } else {
    return false;
  }
}

// Not Ne(v, v), which is false for NaN on some targets.
template <class D, class V>
HWY_INLINE auto nan_mask([[maybe_unused]] D d, V v) {
  if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
    return hn::IsNaN(v);
  } else {
    return hn::MaskFromVec(hn::Zero(d));
  }
}

// Of packed numbers, one or more: NaN if there is one, else the largest. Zeros have any sign.
template <class C>
C largest_packed(const C* x, int64_t n) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  C most = x[0];
  if (n < lanes) {
    for (int64_t i = 0; i < n; ++i) {
      if (is_nan(x[i])) return x[i];
      most = std::max(most, x[i]);
    }
    return most;
  }
  // The last vector may overlap others.
  auto a = hn::LoadU(d, x + n - lanes), b = a;
  auto nan = nan_mask(d, a);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto v = hn::LoadU(d, x + i), w = hn::LoadU(d, x + i + lanes);
    a = hn::Max(a, v);
    b = hn::Max(b, w);
    nan = hn::Or(nan, hn::Or(nan_mask(d, v), nan_mask(d, w)));
  }
  if (i + lanes <= n) {
    const auto v = hn::LoadU(d, x + i);
    a = hn::Max(a, v);
    nan = hn::Or(nan, nan_mask(d, v));
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<C>::quiet_NaN();
  if constexpr (sizeof(C) >= 4) {
    return hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b)));
  } else {
    HWY_ALIGN C each[hn::MaxLanes(hn::ScalableTag<C>())];
    hn::Store(hn::Max(a, b), d, each);
    return *std::max_element(each, each + lanes);
  }
}

// The first place that holds `value`, or a NaN where it is one. There is such a place.
template <class C>
int64_t first_place(const C* x, int64_t n, C value) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto wanted = hn::Set(d, value);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto found = is_nan(value) ? nan_mask(d, v) : hn::Eq(v, wanted);
    if (!hn::AllFalse(d, found)) return i + static_cast<int64_t>(hn::FindFirstTrue(d, found));
  }
  while (is_nan(value) ? !is_nan(x[i]) : x[i] != value) ++i;
  return i;
}

template <class C>
struct Largest {
  C value;
  int64_t place;
};

// The largest of a line, and the first of the elements looked at together with it.
template <class T>
Largest<Number<T>> largest_piece(const Line<T>& line, int64_t n, int64_t tile, Number<T>* room) {
  Largest<Number<T>> best{};
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = std::min(tile, n - i);
    const auto most = largest_packed(line.get(i, count, room), count);
    if (i == 0 || best.value < most || is_nan(most)) best = {most, i};
    if (is_nan(most)) break;
  }
  return best;
}

// The largest of a line and where it is first.
template <class T>
Largest<Number<T>> largest_of_line(const Line<T>& line, int64_t n) {
  using C = Number<T>;
  HWY_ALIGN C room[kTile];
  const int64_t tile = line.tile(kPiece);
  const Largest<C> best = largest_piece(line, n, tile, room);
  const int64_t count = std::min(tile, n - best.place);
  const C* x = line.get(best.place, count, room);
  const int64_t within = first_place(x, count, best.value);
  return {x[within], best.place + within};
}

// Which of equal elements comes first is to be seen in zeros alone.
template <class T>
Number<T> largest_value(const Line<T>& line, int64_t n) {
  using C = Number<T>;
  HWY_ALIGN C room[kTile];
  const C most = largest_piece(line, n, line.tile(kPiece), room).value;
  if (std::is_floating_point_v<C> && most == C{}) return largest_of_line(line, n).value;
  return most;
}

// The largest of all elements behind one output.
template <class T>
Number<T> largest_behind(const Reduction& r, char* in) {
  const int64_t n = r.line.count();
  Number<T> best{};
  bool any = false;
  for_each_outer(r, in, [&](const sdk::Run<1>& run) HWY_ATTR {
    for (int64_t i = 0; i < run.count; ++i) {
      const Line<T> line(r.line, run.data[0] + i * run.step[0]);
      const Number<T> most = largest_value(line, n);
      if (!any || best < most || is_nan(most)) best = most;
      any = true;
    }
  });
  return best;
}

template <class T>
void max_lines(const sdk::Launch& l, const Reduction& r) {
  l.parallel_for(r.kept.count(), grain_of(r.count()), [&](int64_t begin, int64_t end) HWY_ATTR {
    for_each_output(r, begin, end, [&](char* out, char* in) HWY_ATTR {
      put_number<T>(out, largest_behind<T>(r, in));
    });
  });
}

struct KeepLargest {
  template <class D, class V>
  HWY_INLINE V operator()(D, V best, V x) const {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::IfThenElse(hn::Or(hn::Lt(best, x), hn::IsNaN(x)), x, best);
    } else {
      return hn::Max(best, x);
    }
  }
};

template <class T>
void max_columns(const sdk::Launch& l, const Reduction& r) {
  using C = Number<T>;
  for_each_columns(
      l, r, [&](char* out, int64_t out_step, char* in, int64_t in_step, int64_t n) HWY_ATTR {
        HWY_ALIGN C best[kColumns];
        std::fill(best, best + kColumns, C{});
        const C* first = get_numbers<T>(in, in_step, n, best);
        if (first != best) std::copy(first, first + n, best);
        for_each_outer(r, in, [&](const sdk::Run<1>& run) HWY_ATTR {
          fold_rows<T>(best, run.data[0], run.step[0], run.count, in_step, n, KeepLargest());
        });
        put_numbers<T>(best, n, out, out_step);
      });
}

void max(const sdk::Launch& l) {
  const Reduction r = reduce_axes(l.view(0), l.out(), axes_attribute(l, 0), l.attrs.flag(1));
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() HWY_ATTR {
    if (r.is_columns()) return max_columns<T>(l, r);
    max_lines<T>(l, r);
  });
}

enum Argmax : uint32_t { kAxis, kKeepdims, kArgmaxAttributes };

// Without an axis the place is counted in the whole input, row by row.
void argmax(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  uint64_t axes = all_axes(x);
  if (l.attrs.given(kAxis)) {
    axes =
        sdk::bit(static_cast<uint32_t>(sdk::normal_axis(l.attrs.integer(kAxis), x.rank, "axis")));
  }
  const Reduction r = reduce_axes(x, l.out(), axes, l.attrs.flag(kKeepdims));
  // What is reduced is one line, wherever it stands.
  const Geometry<1>& line = r.outer.rank() ? r.outer : r.line;
  sdk::dispatch_dtype(x.dtype, [&]<class T>() HWY_ATTR {
    l.parallel_for(r.kept.count(), grain_of(line.count()),
                   [&](int64_t begin, int64_t end) HWY_ATTR {
                     for_each_output(r, begin, end, [&](char* out, char* in) HWY_ATTR {
                       sdk::store(out, largest_of_line(Line<T>(line, in), line.count()).place);
                     });
                   });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc reducer(std::string_view op, uint32_t n_attrs,
                                    tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = sdk::kAllDtypes,
                      .n_attrs = n_attrs,
                      .flags = kCanonical,
                      .priority = kPriority,
                      .launch = launch});
}

constexpr tenon_kernel_desc kernels[] = {
    reducer("tenon.max", 2, sdk::launch_fn<max>),
    reducer("tenon.argmax", kArgmaxAttributes, sdk::launch_fn<argmax>),
};

}  // namespace

std::span<const tenon_kernel_desc> reduce_max_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(reduce_max) = {.chosen_kernels = TENON_CPU_CHOOSE(reduce_max_kernels)};
#endif
