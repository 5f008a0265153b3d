// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/batch_norm_grad.cc: the gradient of batch_norm.
//
//   d = x - m,  c = dy - (dy_0 + mean(dy - dy_0)),  q = sum c d    with m and v of the batch
//   dx = (s (c - d (((q s) s) / n))) w
//   d = x - m,  q = sum dy d,  dx = (s dy) w          with given ones
//   dw = q s,  db = sum dy
// Each operation is rounded by itself; the order of sums: batch_norm-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/batch_norm_grad.cc"  // NOLINT(bugprone-suspicious-include)
#include "each_target.h"

#include "kernels/batch_norm-inl.h"
#include "kernels/batch_norm_moments-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace rows::batch;

enum Slot : uint32_t { kDy, kX, kWeight, kMean };

// (dy - slope) d, where x is dy and row is x.
template <class C, Off kOff>
struct Along {
  const C* x;
  const C* row;
  C slope;
  Centre<C> centre;
  Along map_from(int64_t i) const { return {x, row + i, slope, centre}; }

  template <class D, class V>
  HWY_INLINE V product(D d, V dy, V v) const {
    return hn::Mul(hn::Sub(dy, hn::Set(d, slope)), without<kOff>(d, v, centre));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i) const {
    return product(d, dy, hn::LoadU(d, row + i));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, size_t i, int64_t n) const {
    const V whole = product(d, dy, rows::load_first(d, row + i, n));
    return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), whole);
  }
};

template <Off kOff, class T>
Number<T> sum_along(LineOf<T>& dy, LineOf<T>& x, int64_t n, Number<T> slope,
                    const Centre<Number<T>>& centre) {
  using C = Number<T>;
  return sum_mapped<C>(n, kTile, [&](int64_t i, int64_t count) HWY_ATTR {
    return Along<C, kOff>{dy.get(i, count), x.get(i, count), slope, centre};
  });
}

// What makes dx of dy and x; with given statistics only the factors do.
template <class C, Off kOff>
struct Slope {
  bool is_given;
  C scale;  // s
  C weight;
  C slope;  // mean dy
  Centre<C> centre;
  C share;  // ((q s) s) / n

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V x) const {
    const V apart = hn::Mul(without<kOff>(d, x, centre), hn::Set(d, share));
    return (*this)(d, hn::Sub(hn::Sub(dy, hn::Set(d, slope)), apart));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy) const {
    return hn::Mul(hn::Mul(hn::Set(d, scale), dy), hn::Set(d, weight));
  }
};

template <class C, Off kOff>
HWY_INLINE void write_slopes(const C* dy, const C* x, C* dx, int64_t n, const Slope<C, kOff>& f) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (f.is_given) {
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, dy + i)), d, dx + i);
  } else {
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(f(d, hn::LoadU(d, dy + i), hn::LoadU(d, x + i)), d, dx + i);
    }
  }
  if (i == n) return;
  const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
  const auto last = hn::MaskedLoad(some, d, dy + i);
  hn::BlendedStore(f.is_given ? f(d, last) : f(d, last, hn::MaskedLoad(some, d, x + i)), some, d,
                   dx + i);
}

template <class T>
struct Lines {
  LineOf<T> dy, x, dx;

  void move_to(int64_t sample, int64_t c) {
    dy.move_to(sample, c);
    x.move_to(sample, c);
    dx.move_to(sample, c);
  }
};

template <class C>
struct Sums {
  Moments<C> known;
  C total;  // sum dy
  C slope;  // mean dy, 0 with given statistics
  C along;  // q
};

// Two passes over the batch, or one with given statistics.
template <class T>
Sums<Number<T>> sums_of_channel(const sdk::Launch& l, const Extent& extent, const Plane& plane,
                                Lines<T>& lines, int64_t c) {
  using C = Number<T>;
  const auto count = static_cast<C>(extent.numbers());
  if (l.given(kMean)) {
    const Moments<C> known = given_moments<C>(l, kMean, c);
    const auto sums = sum_lines<C, 2>(extent, [&](int64_t sample) HWY_ATTR {
      lines.move_to(sample, c);
      return std::array<C, 2>{
          sum_itself<T>(lines.dy, extent.line),
          sum_along<Off::Mean>(lines.dy, lines.x, extent.line, C{}, known.centre)};
    });
    return {known, sums[0], C{}, sums[1]};
  }
  lines.move_to(0, c);
  // Of equal numbers the mean is exact.
  const Difference<C, Off::Mean, false> apart{nullptr, {lines.dy.get(0, 1)[0], C{}}};
  const auto first = sum_lines<C, 3>(extent, [&](int64_t sample) HWY_ATTR {
    lines.move_to(sample, c);
    return std::array<C, 3>{sum_itself<T>(lines.x, extent.line),
                            sum_itself<T>(lines.dy, extent.line),
                            sum_of<T>(lines.dy, extent.line, apart)};
  });
  norm::Moments<C> found{};
  found.centre.mean = first[0] / count;
  const C slope = apart.centre.mean + first[2] / count;
  const Square<C, Off::Mean> square{nullptr, found.centre};
  const auto second = sum_lines<C, 2>(extent, [&](int64_t sample) HWY_ATTR {
    lines.move_to(sample, c);
    return std::array<C, 2>{
        sum_of<T>(lines.x, extent.line, square),
        sum_along<Off::Mean>(lines.dy, lines.x, extent.line, slope, found.centre)};
  });
  found.square = second[0] / count;
  const double eps = l.attrs.real(0);
  const Moments<C> known = moments_of<T>(extent, plane, lines.x, c, found, eps);
  if (!known.has_rest() && known.centre.mean == found.centre.mean) {
    return {known, first[1], slope, second[1]};
  }
  const auto again = sum_lines<C, 1>(extent, [&](int64_t sample) HWY_ATTR {
    lines.move_to(sample, c);
    return std::array<C, 1>{
        sum_along<Off::MeanAndRest>(lines.dy, lines.x, extent.line, slope, known.centre)};
  });
  return {known, first[1], slope, again[0]};
}

template <class T>
void put_channel(const sdk::Launch& l, uint32_t output, int64_t c, Number<T> number) {
  if (l.wants_out(output)) {
    put_number<T>(l.out_data<char>(output) + c * int64_t{sizeof(T)}, number);
  }
}

template <class T>
HWY_NOINLINE void backward_channel(const sdk::Launch& l, const Extent& extent, const Plane& plane,
                                   Lines<T>& lines, int64_t c) {
  using C = Number<T>;
  const Sums<C> sums = sums_of_channel(l, extent, plane, lines, c);
  const C scale = sums.known.scale;
  const C dweight = sums.along * scale;
  const C weight = number_of<C>(l, kWeight, c, C{1});
  const C share = (dweight * scale) / static_cast<C>(extent.numbers());
  once_or_twice<true>(sums.known.has_rest(), [&](auto off) HWY_ATTR {
    const Slope<C, off> slope{l.given(kMean), scale, weight, sums.slope, sums.known.centre, share};
    for (int64_t sample = 0; sample < extent.samples; ++sample) {
      lines.move_to(sample, c);
      for (int64_t i = 0; i < extent.line; i += kTile) {
        const int64_t n = std::min(kTile, extent.line - i);
        C* const to = lines.dx.place(i, n);
        write_slopes(lines.dy.get(i, n), lines.x.get(i, n), to, n, slope);
        lines.dx.put(to, i, n);
      }
    }
  });
  put_channel<T>(l, 1, c, dweight);
  put_channel<T>(l, 2, c, sums.total);
}

struct Planes {
  Plane dy, x, dx;
};

// The sums of dy over channels, and its means, 0 with given statistics: of equal numbers they are
// exact.
template <class T, size_t K, bool kWhole, class V>
HWY_INLINE void sum_slopes(const Extent& extent, const Plane& dy, const Abreast<T, K, kWhole>& like,
                           int64_t channel, bool is_given, V (&total)[K], V (&slope)[K]) {
  using C = Number<T>;
  const hn::ScalableTag<C> d;
  const V count = hn::Set(d, static_cast<C>(extent.numbers()));
  V first[K], sums[2 * K];
  for (size_t j = 0; j < K; ++j) {
    first[j] = is_given ? hn::Zero(d) : lines_of(like, dy, 0, channel).get(0, j);
  }
  sum_channels<C>(
      extent,
      [&](int64_t sample, int64_t k, size_t j) HWY_ATTR {
        const V slopes = lines_of(like, dy, sample, channel).get(k, j % K);
        return j < K ? slopes : hn::Sub(slopes, first[j % K]);
      },
      sums);
  for (size_t j = 0; j < K; ++j) {
    total[j] = sums[j];
    slope[j] = is_given ? hn::Zero(d) : hn::Add(first[j], hn::Div(sums[K + j], count));
  }
}

template <class T, size_t K, bool kWhole>
HWY_NOINLINE void backward_group(const sdk::Launch& l, const Extent& extent, const Planes& planes,
                                 const Abreast<T, K, kWhole>& like, int64_t first) {
  using C = Number<T>;
  using V = hn::Vec<hn::ScalableTag<C>>;
  const hn::ScalableTag<C> d;
  const bool is_given = l.given(kMean);
  const V count = hn::Set(d, static_cast<C>(extent.numbers()));
  GroupMoments<C, K> known;
  known.find(l, extent, planes.x, kMean, like, first);
  V total[K], slope[K], along[K], weight[K], share[K];
  sum_slopes(extent, planes.dy, like, first, is_given, total, slope);
  once_or_twice<true>(known.has_rest, [&](auto off) HWY_ATTR {
    sum_channels<C>(
        extent,
        [&](int64_t sample, int64_t k, size_t j) HWY_ATTR {
          const V dy = lines_of(like, planes.dy, sample, first).get(k, j);
          const V x = lines_of(like, planes.x, sample, first).get(k, j);
          return hn::Mul(hn::Sub(dy, slope[j]), known.template centred<off>(x, j));
        },
        along);
  });
  fill<C>(
      like.lines, [&](int64_t i) { return number_of<C>(l, kWeight, first + i, C{1}); }, weight);
  for (size_t j = 0; j < K; ++j) {
    along[j] = hn::Mul(along[j], known.scale[j]);
    share[j] = hn::Div(hn::Mul(along[j], known.scale[j]), count);
  }
  once_or_twice<true>(known.has_rest, [&](auto off) HWY_ATTR {
    for (int64_t sample = 0; sample < extent.samples; ++sample) {
      const auto dy = lines_of(like, planes.dy, sample, first);
      const auto x = lines_of(like, planes.x, sample, first);
      const auto dx = lines_of(like, planes.dx, sample, first);
      for (int64_t k = 0; k < extent.line; ++k) {
        for (size_t j = 0; j < K; ++j) {
          V rest = dy.get(k, j);
          if (!is_given) {
            const V apart = hn::Mul(known.template centred<off>(x.get(k, j), j), share[j]);
            rest = hn::Sub(hn::Sub(rest, slope[j]), apart);
          }
          dx.put(k, j, hn::Mul(hn::Mul(known.scale[j], rest), weight[j]));
        }
      }
    }
  });
  each_number<C>(along, like.lines,
                 [&](int64_t i, C number) { put_channel<T>(l, 1, first + i, number); });
  each_number<C>(total, like.lines,
                 [&](int64_t i, C number) { put_channel<T>(l, 2, first + i, number); });
}

template <class T>
void backward_typed(const sdk::Launch& l) {
  const Extent extent(l.shape(kX));
  const Planes planes{Plane(l.view(kDy)), Plane(l.view(kX)), Plane(l.out())};
  if (are_abreast<T>(extent, planes.dy, planes.x, planes.dx)) {
    return for_each_group<T>(l, extent, planes.x, [&](const auto& like, int64_t first) HWY_ATTR {
      backward_group(l, extent, planes, like, first);
    });
  }
  l.parallel_for(extent.channels, grain_of(extent.numbers()),
                 [&](int64_t begin, int64_t end) HWY_ATTR {
                   Lines<T> lines{LineOf<T>(planes.dy), LineOf<T>(planes.x), LineOf<T>(planes.dx)};
                   for (int64_t c = begin; c < end; ++c)
                     backward_channel(l, extent, planes.x, lines, c);
                 });
}

void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() HWY_ATTR { backward_typed<T>(l); });
}

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule slots[] = {any_in(), any_in(), in, in, in, any_out(), out, out};

constexpr tenon_kernel_desc kernels[] = {kernel("tenon.batch_norm_grad", slots, kMomentRows, 1,
                                                sdk::launch_fn<backward>, {.n_variables = 2})};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> batch_norm_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(batch_norm_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(batch_norm_grad_kernels)};
#endif
