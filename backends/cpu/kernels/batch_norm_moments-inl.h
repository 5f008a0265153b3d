// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/batch_norm_moments-inl.h: mean and variance of channels, those of the batch
// or given ones, for one channel and for channels abreast.
//
// What a mean's rounding left of it is taken off as well where that matters, and statistics whose
// squares leave the range are found again in f64: norm-inl.h.

// Without a guard: a kernel file is read once for each target (each_target.h), and this with it,
// after batch_norm-inl.h.

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace batch {

using norm::Centre;
using norm::Difference;
using norm::Off;
using norm::once_or_twice;
using norm::Square;
using norm::without;

// Of a Difference.
template <class T, class F>
Number<T> sum_of(LineOf<T>& line, int64_t n, const F& f) {
  return sum_mapped<Number<T>>(n, kTile, [&](int64_t i, int64_t count) HWY_ATTR {
    return F{line.get(i, count), f.centre};
  });
}

// Number `c` of an operand with one for each channel, packed; `otherwise` where it is absent.
template <class C>
C number_of(const sdk::Launch& l, uint32_t slot, int64_t c, C otherwise) {
  if (!l.given(slot)) return otherwise;
  C number{};
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(slot).dtype, [&]<class T>() {
    number = static_cast<C>(sdk::load<T>(l.data<char>(slot) + c * int64_t{sizeof(T)}));
  });
  return number;
}

template <class C>
struct Moments {
  Centre<C> centre;
  C variance;
  C scale;

  bool has_rest() const { return centre.rest != C{}; }
};
template <class C>
Moments<C> given_moments(const sdk::Launch& l, uint32_t slot, int64_t c) {
  const C variance = number_of<C>(l, slot + 1, c, C{});
  return {
      {number_of<C>(l, slot, c, C{}), C{}}, variance, norm::scale_of(variance, l.attrs.real(0))};
}

// In f64.
template <class T>
Moments<Number<T>> wide_moments(const Extent& extent, const Plane& x, int64_t c, double eps) {
  using C = Number<T>;
  const auto [centre, square] =
      norm::wide_moments<C, true>(extent.numbers(), [&](const auto& body) {
        for (int64_t sample = 0; sample < extent.samples; ++sample) {
          sdk::Strided line = x.line.operands()[0];
          line.data = x.at(sample, c);
          sdk::walk_range<1>(x.line.shape(), {line}, 0, extent.line, [&](const sdk::Run<1>& run) {
            for (int64_t i = 0; i < run.count; ++i) {
              body(static_cast<C>(sdk::load<T>(run.data[0] + i * run.step[0])));
            }
          });
        }
      });
  return {centre, static_cast<C>(square), static_cast<C>(1.0 / std::sqrt(square + eps))};
}

// Those of channel `c` of the batch, of which mean and mean square have been found.
template <class T>
Moments<Number<T>> moments_of(const Extent& extent, const Plane& plane, LineOf<T>& x, int64_t c,
                              norm::Moments<Number<T>> found, double eps) {
  using C = Number<T>;
  const auto mean_of = [&](const auto& f) HWY_ATTR {
    const auto sums = sum_lines<C, 1>(extent, [&](int64_t sample) HWY_ATTR {
      x.move_to(sample, c);
      return std::array<C, 1>{sum_of<T>(x, extent.line, f)};
    });
    return sums[0] / static_cast<C>(extent.numbers());
  };
  if (found.needs_rest()) {
    found.centre.rest = mean_of(Difference<C, Off::Mean, false>{nullptr, found.centre});
    found.square = mean_of(Square<C, Off::MeanAndRest>{nullptr, found.centre});
  }
  const C scale = norm::scale_of(found.square, eps);
  if (sizeof(C) < sizeof(double) && !norm::is_usual(scale)) {
    return wide_moments<T>(extent, plane, c, eps);
  }
  return {found.centre, found.square, scale};
}

template <class C, size_t K>
struct GroupMoments {
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;

  // Those of the batch, or given ones from `slot` on.
  template <class T, bool kWhole>
  HWY_INLINE void find(const sdk::Launch& l, const Extent& extent, const Plane& x, uint32_t slot,
                       const Abreast<T, K, kWhole>& like, int64_t first) {
    const D d;
    for (size_t j = 0; j < K; ++j) rest[j] = hn::Zero(d);
    if (l.given(slot)) {
      fill<C>(
          like.lines, [&](int64_t i) { return number_of<C>(l, slot, first + i, C{}); }, mean);
      fill<C>(
          like.lines, [&](int64_t i) { return number_of<C>(l, slot + 1, first + i, C{}); },
          variance);
    } else {
      find_means(extent, x, like, first, mean, [](V v, size_t) HWY_ATTR { return v; });
      find_means(extent, x, like, first, variance, [&](V v, size_t j) HWY_ATTR {
        const V apart = hn::Sub(v, mean[j]);
        return hn::Mul(apart, apart);
      });
      if (need_rest()) find_rest(extent, x, like, first);
    }
    const V eps = hn::Set(d, static_cast<C>(l.attrs.real(0)));
    for (size_t j = 0; j < K; ++j) {
      scale[j] = hn::Div(hn::Set(d, C{1}), hn::Sqrt(hn::Add(variance[j], eps)));
    }
    if (sizeof(C) < sizeof(double) && !l.given(slot) && !are_usual()) {
      find_wide(extent, x, like, first, l.attrs.real(0));
    }
    has_rest = false;
    for (size_t j = 0; j < K; ++j) {
      has_rest = has_rest || !hn::AllTrue(d, hn::Eq(rest[j], hn::Zero(d)));
    }
  }

  // Channel vector `j` of x, without its mean.
  template <Off kOff>
  HWY_INLINE V centred(V x, size_t j) const {
    x = hn::Sub(x, mean[j]);
    return kOff == Off::MeanAndRest ? hn::Sub(x, rest[j]) : x;
  }

  V mean[K], rest[K], variance[K], scale[K];
  bool has_rest;

 private:
  // The mean over channels of f(number, vector).
  template <class T, bool kWhole, class F>
  HWY_INLINE void find_means(const Extent& extent, const Plane& x,
                             const Abreast<T, K, kWhole>& like, int64_t first, V (&to)[K],
                             const F& f) {
    sum_channels<C>(
        extent,
        [&](int64_t sample, int64_t k, size_t j)
            HWY_ATTR { return f(lines_of(like, x, sample, first).get(k, j), j); },
        to);
    const V count = hn::Set(D(), static_cast<C>(extent.numbers()));
    for (size_t j = 0; j < K; ++j) to[j] = hn::Div(to[j], count);
  }
  HWY_INLINE auto rest_mask(size_t j) const {
    return hn::Gt(hn::Mul(mean[j], mean[j]), hn::Mul(hn::Set(D(), C{64}), variance[j]));
  }
  HWY_INLINE bool need_rest() const {
    bool any = false;
    for (size_t j = 0; j < K; ++j) any = any || !hn::AllFalse(D(), rest_mask(j));
    return any;
  }
  template <class T, bool kWhole>
  HWY_NOINLINE void find_rest(const Extent& extent, const Plane& x,
                              const Abreast<T, K, kWhole>& like, int64_t first) {
    V left[K], square[K];
    find_means(extent, x, like, first, left,
               [&](V v, size_t j) HWY_ATTR { return hn::Sub(v, mean[j]); });
    for (size_t j = 0; j < K; ++j) rest[j] = hn::IfThenElseZero(rest_mask(j), left[j]);
    find_means(extent, x, like, first, square, [&](V v, size_t j) HWY_ATTR {
      const V apart = hn::Sub(hn::Sub(v, mean[j]), rest[j]);
      return hn::Mul(apart, apart);
    });
    for (size_t j = 0; j < K; ++j) {
      variance[j] = hn::IfThenElse(rest_mask(j), square[j], variance[j]);
    }
  }
  HWY_INLINE bool are_usual() const {
    const D d;
    bool all = true;
    for (size_t j = 0; j < K; ++j) {
      const auto usual = hn::And(hn::Gt(scale[j], hn::Zero(d)), hn::Lt(scale[j], hn::Inf(d)));
      all = all && hn::AllTrue(d, usual);
    }
    return all;
  }
  // Those that are not usual.
  template <class T, bool kWhole>
  HWY_NOINLINE void find_wide(const Extent& extent, const Plane& x,
                              const Abreast<T, K, kWhole>& like, int64_t first, double eps) {
    HWY_ALIGN C room[4][K * hn::MaxLanes(D())];
    V* const found[] = {mean, rest, variance, scale};
    for (size_t k = 0; k < 4; ++k) {
      for (size_t j = 0; j < K; ++j) hn::Store(found[k][j], D(), room[k] + j * hn::Lanes(D()));
    }
    for (int64_t i = 0; i < like.lines; ++i) {
      if (norm::is_usual(room[3][i])) continue;
      const Moments<C> wide = wide_moments<T>(extent, x, first + i, eps);
      room[0][i] = wide.centre.mean;
      room[1][i] = wide.centre.rest;
      room[2][i] = wide.variance;
      room[3][i] = wide.scale;
    }
    for (size_t k = 0; k < 4; ++k) {
      for (size_t j = 0; j < K; ++j) found[k][j] = hn::Load(D(), room[k] + j * hn::Lanes(D()));
    }
  }
};

}  // namespace batch
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
