// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce_max.cc: max, min, argmax, argmin. Exact in any order, except what is
// equal and not the same: NaN wins, and of equal elements (zeros of both signs) the first in
// logical order.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce_max.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

// What is looked for: the largest element or the smallest. "Most" is either.
struct Largest {
  static bool wins(auto x, auto best) { return best < x; }
  template <class D, class V>
  static HWY_INLINE auto wins_mask(D, V x, V best) {
    return hn::Lt(best, x);
  }
  template <class V>
  static HWY_INLINE V most(V a, V b) {
    return hn::Max(a, b);
  }
  template <class D, class V>
  static HWY_INLINE V most_of_lanes(D d, V v) {
    return hn::MaxOfLanes(d, v);
  }
  template <class C>
  static C most_of(const C* x, int64_t n) {
    return *std::max_element(x, x + n);
  }
};
struct Smallest {
  static bool wins(auto x, auto best) { return x < best; }
  template <class D, class V>
  static HWY_INLINE auto wins_mask(D, V x, V best) {
    return hn::Lt(x, best);
  }
  template <class V>
  static HWY_INLINE V most(V a, V b) {
    return hn::Min(a, b);
  }
  template <class D, class V>
  static HWY_INLINE V most_of_lanes(D d, V v) {
    return hn::MinOfLanes(d, v);
  }
  template <class C>
  static C most_of(const C* x, int64_t n) {
    return *std::min_element(x, x + n);
  }
};

// Elements of a line that are looked at together; those that hold the most are searched again.
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

// Of packed numbers, one or more: NaN if there is one, else the most. Zeros have any sign.
template <class Order, class C>
HWY_NOINLINE C most_packed(const C* x, int64_t n) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n < lanes) {
    if constexpr (sizeof(C) >= 4) {
      const auto some = hn::FirstN(d, static_cast<size_t>(n));
      const auto v = hn::IfThenElse(some, load_first(d, x, n), hn::Set(d, x[0]));
      if (!hn::AllFalse(d, nan_mask(d, v))) return std::numeric_limits<C>::quiet_NaN();
      return hn::GetLane(Order::most_of_lanes(d, v));
    } else {
      return Order::most_of(x, n);
    }
  }
  // The last vector may overlap others.
  auto a = hn::LoadU(d, x + n - lanes), b = a;
  auto nan = nan_mask(d, a);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto v = hn::LoadU(d, x + i), w = hn::LoadU(d, x + i + lanes);
    a = Order::most(a, v);
    b = Order::most(b, w);
    nan = hn::Or(nan, hn::Or(nan_mask(d, v), nan_mask(d, w)));
  }
  if (i + lanes <= n) {
    const auto v = hn::LoadU(d, x + i);
    a = Order::most(a, v);
    nan = hn::Or(nan, nan_mask(d, v));
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<C>::quiet_NaN();
  if constexpr (sizeof(C) >= 4) {
    return hn::GetLane(Order::most_of_lanes(d, Order::most(a, b)));
  } else {
    HWY_ALIGN C each[hn::MaxLanes(hn::ScalableTag<C>())];
    hn::Store(Order::most(a, b), d, each);
    return Order::most_of(each, lanes);
  }
}

// The first place that holds `value`, or a NaN if it is one. There is such a place.
template <class C>
HWY_NOINLINE int64_t first_place(const C* x, int64_t n, C value) {
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
struct Found {
  C value;
  int64_t place;
};

// The most of elements `begin` to `end` of a line, and the first of those looked at together with
// it.
template <class Order, class C>
Found<C> most_piece(const AnyLine<C>& line, int64_t begin, int64_t end, int64_t tile, C* room) {
  Found<C> best{};
  for (int64_t i = begin; i < end; i += tile) {
    const int64_t count = std::min(tile, end - i);
    const auto most = most_packed<Order>(line.get(i, count, room), count);
    if (i == begin || Order::wins(most, best.value) || is_nan(most)) best = {most, i};
    if (is_nan(most)) break;
  }
  return best;
}

// The most of elements `begin` to `end` of a line and where it is first.
template <class Order, class C>
HWY_NOINLINE Found<C> most_of_line(const AnyLine<C>& line, int64_t begin, int64_t end) {
  HWY_ALIGN C room[kTile];
  const int64_t tile = line.tile(kPiece);
  const Found<C> best = most_piece<Order>(line, begin, end, tile, room);
  const int64_t count = std::min(tile, end - best.place);
  const C* x = line.get(best.place, count, room);
  const int64_t within = first_place(x, count, best.value);
  return {x[within], best.place + within};
}

// A long line is searched in pieces, side by side.
inline constexpr int64_t kLong = 1 << 15;
inline constexpr int64_t kMaxPieces = 64;

// The most of a line that is the only one, and where it is first.
template <class Order, class C>
HWY_NOINLINE Found<C> most_of_only_line(const sdk::Launch& l, const AnyLine<C>& line, int64_t n) {
  if (n < 2 * kLong) return most_of_line<Order>(line, 0, n);
  // Whole tiles: where the line is aligned, so is each piece.
  const int64_t step = std::max(kLong, (n / kMaxPieces / kPiece + 1) * kPiece);
  const int64_t pieces = (n + step - 1) / step;
  std::array<Found<C>, kMaxPieces> found{};
  l.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t i = begin; i < end; ++i) {
      found[i] = most_of_line<Order>(line, i * step, std::min(n, (i + 1) * step));
    }
  });
  Found<C> best = found[0];
  for (int64_t i = 1; i < pieces && !is_nan(best.value); ++i) {
    if (Order::wins(found[i].value, best.value) || is_nan(found[i].value)) best = found[i];
  }
  return best;
}

// Which of equal elements comes first is to be seen in zeros alone.
template <class Order, class C>
C most_value(const AnyLine<C>& line, int64_t n) {
  HWY_ALIGN C room[kTile];
  const C most = most_piece<Order>(line, 0, n, line.tile(kPiece), room).value;
  if (std::is_floating_point_v<C> && most == C{}) return most_of_line<Order>(line, 0, n).value;
  return most;
}

// The most of all elements reduced into one output.
template <class Order, class C>
HWY_NOINLINE C most_behind(const Reduction& r, const AnyLine<C>& first) {
  const int64_t n = r.line.count();
  C best{};
  bool any = false;
  for_each_outer(r, first.data(), [&](const sdk::Run<1>& run) HWY_ATTR {
    for (int64_t i = 0; i < run.count; ++i) {
      const C most = most_value<Order>(first.at(run.data[0] + i * run.step[0]), n);
      if (!any || Order::wins(most, best) || is_nan(most)) best = most;
      any = true;
    }
  });
  return best;
}

template <class Order>
struct KeepMost {
  template <class D, class V>
  HWY_INLINE V operator()([[maybe_unused]] D d, V best, V x) const {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::IfThenElse(hn::Or(Order::wins_mask(d, x, best), hn::IsNaN(x)), x, best);
    } else {
      return Order::most(best, x);
    }
  }
};

// What the rest has to know of the dtype: a line of its elements, their size, and how they are
// moved and folded.
template <class C>
struct Stored {
  AnyLine<C> line;
  int64_t size;
  const C* (*get)(const char* from, int64_t step, int64_t count, C* room);
  void (*put)(const C* from, int64_t count, char* to, int64_t step);
  void (*fold)(C* best, const char* rows, int64_t row_step, int64_t n_rows, int64_t column_step,
               int64_t n_columns);
};
template <class Order, class T>
Stored<Number<T>> stored_as(const Geometry<1>& line) {
  return {Line<T>(line, nullptr), int64_t{sizeof(T)}, get_numbers<T>, put_numbers<T>,
          [](Number<T>* best, const char* rows, int64_t row_step, int64_t n_rows,
             int64_t column_step, int64_t n_columns) HWY_ATTR {
            fold_rows<T>(best, rows, row_step, n_rows, column_step, n_columns, KeepMost<Order>());
          }};
}

// Neighbouring outputs, `n` of them and kColumns at most, from rows that for_each_row(fold) brings
// one after another: fold(rows, row_step, count).
template <class C, class ForEachRow>
HWY_INLINE void most_abreast(const Stored<C>& stored, char* out, int64_t out_step, const char* in,
                             int64_t in_step, int64_t n, const ForEachRow& for_each_row) {
  HWY_ALIGN C best[kColumns];
  const C* first = stored.get(in, in_step, n, best);
  if (first != best) std::copy(first, first + n, best);
  std::fill(best + n, best + kColumns, C{});
  for_each_row([&](const char* rows, int64_t row_step, int64_t count)
                   HWY_ATTR { stored.fold(best, rows, row_step, count, in_step, n); });
  stored.put(best, n, out, out_step);
}

// Outputs whose lines are packed numbers, or whose lines' neighbours lie next to them; no other
// reduced dimensions.
template <class Order, class C>
bool most_simple_lines(const Stored<C>& stored, const Reduction& r, const sdk::Run<2>& run) {
  const int64_t n = r.line.count();
  if (r.outer.rank() != 0 || r.line.rank() != 1) return false;
  if (stored.line.is_packed() && n <= kPiece) {
    C best[kColumns];
    for (int64_t i = 0; i < run.count; i += kColumns) {
      const int64_t count = std::min(kColumns, run.count - i);
      for (int64_t k = 0; k < count; ++k) {
        const C* x = reinterpret_cast<const C*>(run.data[1] + (i + k) * run.step[1]);
        best[k] = most_packed<Order>(x, n);
        if (std::is_floating_point_v<C> && best[k] == C{}) best[k] = x[first_place(x, n, best[k])];
      }
      stored.put(best, count, run.data[0] + i * run.step[0], run.step[0]);
    }
    return true;
  }
  constexpr int64_t kFew = 4;
  if (run.step[1] != stored.size || run.count < kFew) return false;
  const int64_t step = r.line.operands()[0].step[0];
  for (int64_t i = 0; i < run.count; i += kColumns) {
    const char* in = run.data[1] + i * run.step[1];
    most_abreast(stored, run.data[0] + i * run.step[0], run.step[0], in, run.step[1],
                 std::min(kColumns, run.count - i),
                 [&](const auto& fold) HWY_ATTR { fold(in, step, n); });
  }
  return true;
}

template <class Order, class C>
HWY_NOINLINE void most_lines(const sdk::Launch& l, const Reduction& r, const Stored<C>& stored) {
  if (r.kept.count() == 1 && r.outer.rank() == 0 && r.line.count() >= 2 * kLong) {
    return for_each_output(r, 0, 1, [&](char* out, char* in) HWY_ATTR {
      const C most = most_of_only_line<Order>(l, stored.line.at(in), r.line.count()).value;
      stored.put(&most, 1, out, 0);
    });
  }
  l.parallel_for(r.kept.count(), grain_of(r.count()), [&](int64_t begin, int64_t end) HWY_ATTR {
    sdk::walk_range<2>(
        r.kept.shape(), r.kept.operands(), begin, end, [&](const sdk::Run<2>& run) HWY_ATTR {
          if (most_simple_lines<Order>(stored, r, run)) return;
          for (int64_t i = 0; i < run.count; ++i) {
            const C most = most_behind<Order>(r, stored.line.at(run.data[1] + i * run.step[1]));
            stored.put(&most, 1, run.data[0] + i * run.step[0], 0);
          }
        });
  });
}

template <class C>
HWY_NOINLINE void most_columns(const sdk::Launch& l, const Reduction& r, const Stored<C>& stored) {
  for_each_columns(
      l, r, [&](char* out, int64_t out_step, char* in, int64_t in_step, int64_t n) HWY_ATTR {
        most_abreast(stored, out, out_step, in, in_step, n, [&](const auto& fold) HWY_ATTR {
          for_each_outer(r, in, [&](const sdk::Run<1>& run) HWY_ATTR {
            fold(run.data[0], run.step[0], run.count);
          });
        });
      });
}

template <class Order>
void extreme(const sdk::Launch& l) {
  const Reduction r = reduce_axes(l.view(0), l.out(), axes_attribute(l, 0), l.attrs.flag(1));
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() HWY_ATTR {
    const auto stored = stored_as<Order, T>(r.line);
    if (r.is_columns()) return most_columns(l, r, stored);
    most_lines<Order>(l, r, stored);
  });
}

enum Place : uint32_t { kAxis, kKeepdims, kPlaceAttributes };

// The place of the most of each line.
template <class Order, class C>
HWY_NOINLINE void places(const sdk::Launch& l, const Reduction& r, int64_t n,
                         const AnyLine<C>& line) {
  if (r.kept.count() == 1) {
    return for_each_output(r, 0, 1, [&](char* out, char* in) HWY_ATTR {
      sdk::store(out, most_of_only_line<Order>(l, line.at(in), n).place);
    });
  }
  l.parallel_for(r.kept.count(), grain_of(n), [&](int64_t begin, int64_t end) HWY_ATTR {
    for_each_output(r, begin, end, [&](char* out, char* in) HWY_ATTR {
      sdk::store(out, most_of_line<Order>(line.at(in), 0, n).place);
    });
  });
}

// Without an axis the place is counted in the whole input, row by row.
template <class Order>
void place(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const Reduction r = reduce_axes(x, l.out(), axis_attribute(l, kAxis), l.attrs.flag(kKeepdims));
  // What is reduced is one line, wherever it stands.
  const Geometry<1>& line = r.outer.rank() ? r.outer : r.line;
  sdk::dispatch_dtype(x.dtype, [&]<class T>() HWY_ATTR {
    places<Order, Number<T>>(l, r, line.count(), Line<T>(line, nullptr));
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc reducer(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    reducer("tenon.max", 2, sdk::launch_fn<extreme<Largest>>),
    reducer("tenon.min", 2, sdk::launch_fn<extreme<Smallest>>),
    reducer("tenon.argmax", kPlaceAttributes, sdk::launch_fn<place<Largest>>),
    reducer("tenon.argmin", kPlaceAttributes, sdk::launch_fn<place<Smallest>>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> reduce_max_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(reduce_max) = {.chosen_kernels = TENON_CPU_CHOOSE(reduce_max_kernels)};
#endif
