// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/batch_norm_grad.cc: the gradient of batch_norm.
//
//   d = x - m,  c = dy - mean dy,  q = sum c d        with m and v of the batch
//   dx = (s (c - d (((q s) s) / n))) w
//   d = x - m,  q = sum dy d,  dx = (s dy) w          with given ones
//   dw = q s,  db = sum dy
// Each operation is rounded by itself; the order of sums: batch_norm-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/batch_norm_grad.cc"  // NOLINT(bugprone-suspicious-include)
#include "each_target.h"

#include "kernels/batch_norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;
using namespace rows::batch;

enum Slot : uint32_t { kDy, kX, kWeight, kMean };

// (dy - slope) (x - mean), where x is dy and row is x.
template <class C>
struct Along {
  const C* x;
  const C* row;
  C slope;
  C mean;
  Along map_from(int64_t i) const { return {x, row + i, slope, mean}; }

  template <class D, class V>
  HWY_INLINE V product(D d, V dy, V v) const {
    return hn::Mul(hn::Sub(dy, hn::Set(d, slope)), hn::Sub(v, hn::Set(d, mean)));
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

template <class T>
Number<T> sum_along(LineOf<T>& dy, LineOf<T>& x, int64_t n, Number<T> slope, Number<T> mean) {
  using C = Number<T>;
  return sum_mapped<C>(n, kTile, [&](int64_t i, int64_t count) HWY_ATTR {
    return Along<C>{dy.get(i, count), x.get(i, count), slope, mean};
  });
}

// What makes dx of dy and x; with given statistics only the factors do.
template <class C>
struct Slope {
  bool is_given;
  C scale;  // s
  C weight;
  C slope;  // mean dy
  C mean;   // of x
  C share;  // ((q s) s) / n

  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy, V x) const {
    const V apart = hn::Mul(hn::Sub(x, hn::Set(d, mean)), hn::Set(d, share));
    return (*this)(d, hn::Sub(hn::Sub(dy, hn::Set(d, slope)), apart));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V dy) const {
    return hn::Mul(hn::Mul(hn::Set(d, scale), dy), hn::Set(d, weight));
  }
};

template <class C>
HWY_INLINE void write_slopes(const C* dy, const C* x, C* dx, int64_t n, const Slope<C>& f) {
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
Sums<Number<T>> sums_of_channel(const sdk::Launch& l, const Extent& extent, Lines<T>& lines,
                                int64_t c) {
  using C = Number<T>;
  const auto count = static_cast<C>(extent.numbers());
  if (l.given(kMean)) {
    const Moments<C> known = given_moments<C>(l, kMean, c);
    const auto sums = sum_lines<C, 2>(extent, [&](int64_t sample) HWY_ATTR {
      lines.move_to(sample, c);
      return std::array<C, 2>{sum_itself<T>(lines.dy, extent.line),
                              sum_along<T>(lines.dy, lines.x, extent.line, C{}, known.mean)};
    });
    return {known, sums[0], C{}, sums[1]};
  }
  const auto first = sum_lines<C, 2>(extent, [&](int64_t sample) HWY_ATTR {
    lines.move_to(sample, c);
    return std::array<C, 2>{sum_itself<T>(lines.x, extent.line),
                            sum_itself<T>(lines.dy, extent.line)};
  });
  const C mean = first[0] / count;
  const C slope = first[1] / count;
  const auto second = sum_lines<C, 2>(extent, [&](int64_t sample) HWY_ATTR {
    lines.move_to(sample, c);
    return std::array<C, 2>{sum_squares<T>(lines.x, extent.line, mean),
                            sum_along<T>(lines.dy, lines.x, extent.line, slope, mean)};
  });
  return {{mean, second[0] / count}, first[1], slope, second[1]};
}

template <class T>
void put_channel(const sdk::Launch& l, uint32_t output, int64_t c, Number<T> number) {
  if (l.wants_out(output)) {
    put_number<T>(l.out_data<char>(output) + c * int64_t{sizeof(T)}, number);
  }
}

template <class T>
HWY_NOINLINE void backward_channel(const sdk::Launch& l, const Extent& extent, Lines<T>& lines,
                                   int64_t c) {
  using C = Number<T>;
  const Sums<C> sums = sums_of_channel(l, extent, lines, c);
  const C scale = sums.known.scale(l.attrs.real(0));
  const C dweight = sums.along * scale;
  const Slope<C> slope{
      l.given(kMean), scale,           number_of<C>(l, kWeight, c, C{1}),
      sums.slope,     sums.known.mean, (dweight * scale) / static_cast<C>(extent.numbers())};
  for (int64_t sample = 0; sample < extent.samples; ++sample) {
    lines.move_to(sample, c);
    for (int64_t i = 0; i < extent.line; i += kTile) {
      const int64_t n = std::min(kTile, extent.line - i);
      C* const to = lines.dx.place(i, n);
      write_slopes(lines.dy.get(i, n), lines.x.get(i, n), to, n, slope);
      lines.dx.put(to, i, n);
    }
  }
  put_channel<T>(l, 1, c, dweight);
  put_channel<T>(l, 2, c, sums.total);
}

struct Planes {
  Plane dy, x, dx;
};

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
  sum_channels<C>(
      extent,
      [&](int64_t sample, int64_t k, size_t j)
          HWY_ATTR { return lines_of(like, planes.dy, sample, first).get(k, j); },
      total);
  for (size_t j = 0; j < K; ++j) slope[j] = is_given ? hn::Zero(d) : hn::Div(total[j], count);
  sum_channels<C>(
      extent,
      [&](int64_t sample, int64_t k, size_t j) HWY_ATTR {
        const V dy = lines_of(like, planes.dy, sample, first).get(k, j);
        const V x = lines_of(like, planes.x, sample, first).get(k, j);
        return hn::Mul(hn::Sub(dy, slope[j]), hn::Sub(x, known.mean[j]));
      },
      along);
  fill<C>(
      like.lines, [&](int64_t i) { return number_of<C>(l, kWeight, first + i, C{1}); }, weight);
  for (size_t j = 0; j < K; ++j) {
    along[j] = hn::Mul(along[j], known.scale[j]);
    share[j] = hn::Div(hn::Mul(along[j], known.scale[j]), count);
  }
  for (int64_t sample = 0; sample < extent.samples; ++sample) {
    const auto dy = lines_of(like, planes.dy, sample, first);
    const auto x = lines_of(like, planes.x, sample, first);
    const auto dx = lines_of(like, planes.dx, sample, first);
    for (int64_t k = 0; k < extent.line; ++k) {
      for (size_t j = 0; j < K; ++j) {
        V rest = dy.get(k, j);
        if (!is_given) {
          const V apart = hn::Mul(hn::Sub(x.get(k, j), known.mean[j]), share[j]);
          rest = hn::Sub(hn::Sub(rest, slope[j]), apart);
        }
        dx.put(k, j, hn::Mul(hn::Mul(known.scale[j], rest), weight[j]));
      }
    }
  }
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
                   for (int64_t c = begin; c < end; ++c) backward_channel(l, extent, lines, c);
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
