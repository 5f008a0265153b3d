// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/batch_norm-inl.h: what batch_norm and its gradient share: where the numbers
// of a channel lie, and their sums.
//
// Of x [N,C,...] a sample has a line for each channel. A sum over a channel has the order of
// tenon.sum: of a line by lanes, of the lines one after another in blocks of 256. One channel alone
// is one line. Lines that lie next to each other, as channels last or without dimensions after
// the channels, are summed abreast.

// Without a guard: a kernel file is read once for each target (each_target.h), and this with it.

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace batch {

using norm::Centre;
using norm::Difference;
using norm::Itself;
using norm::Off;
using norm::once_or_twice;
using norm::Square;
using norm::without;

struct Extent {
  int64_t samples;
  int64_t channels;
  int64_t line;

  explicit Extent(std::span<const int64_t> x) : channels(x[1]) {
    samples = channels == 1 ? 1 : x[0];
    line = sdk::count_of(x.subspan(2)) * (channels == 1 ? x[0] : 1);
  }
  int64_t numbers() const { return samples * line; }
};

// An operand with the shape of x.
struct Plane {
  char* data;
  int64_t sample_step;
  int64_t channel_step;
  Geometry<1> line;

  explicit Plane(const tenon_view& view) {
    const sdk::Strided all = sdk::strided(view);
    const bool is_one_line = view.shape[1] == 1;
    data = all.data;
    sample_step = is_one_line ? 0 : all.step[0];
    channel_step = all.step[1];
    for (size_t d = is_one_line ? 0 : 2; d < static_cast<size_t>(view.rank); ++d) {
      line.push(view.shape[d], {all.step[d]});
    }
  }

  char* at(int64_t sample, int64_t channel) const {
    return data + sample * sample_step + channel * channel_step;
  }
  int64_t step() const { return line.rank() == 0 ? 0 : line.operands()[0].step[0]; }
  // Do the lines of channels lie next to each other?
  bool is_abreast(int64_t bytes) const { return channel_step == bytes && line.rank() <= 1; }
};

template <class T, class... Planes>
bool are_abreast(const Extent& extent, const Planes&... planes) {
  return extent.channels > 1 && extent.line >= 1 && extent.line <= kLaneBlock &&
         (planes.is_abreast(sizeof(T)) && ...);
}

// A line of an operand, as packed numbers.
template <class T>
class LineOf {
 public:
  using C = Number<T>;

  explicit LineOf(const Plane& plane)
      : plane_(plane),
        is_packed_(plane.line.rank() == 0 ||
                   (plane.line.rank() == 1 && plane.step() == int64_t{sizeof(T)})) {}
  LineOf(const LineOf&) = delete;
  LineOf& operator=(const LineOf&) = delete;

  void move_to(int64_t sample, int64_t channel) { data_ = plane_.at(sample, channel); }
  // Elements [i, i + n), at most kTile of them.
  const C* get(int64_t i, int64_t n) {
    if (is_packed_) return get_numbers<T>(address(i), sizeof(T), n, room_);
    C* to = room_;
    for_runs(i, n, [&](const sdk::Run<1>& run) HWY_ATTR {
      const C* numbers = get_numbers<T>(run.data[0], run.step[0], run.count, to);
      if (numbers != to) std::copy(numbers, numbers + run.count, to);
      to += run.count;
    });
    return room_;
  }
  // Where to write them before `put` is called with what this gave.
  C* place(int64_t i, int64_t n) {
    return is_packed_ ? place_numbers<T>(address(i), sizeof(T), n, room_) : room_;
  }
  void put(const C* from, int64_t i, int64_t n) {
    if (is_packed_) return put_numbers<T>(from, n, address(i), sizeof(T));
    for_runs(i, n, [&](const sdk::Run<1>& run) HWY_ATTR {
      put_numbers<T>(from, run.count, run.data[0], run.step[0]);
      from += run.count;
    });
  }

 private:
  char* address(int64_t i) const { return data_ + i * int64_t{sizeof(T)}; }
  template <class Body>
  void for_runs(int64_t i, int64_t n, const Body& body) const {
    sdk::Strided line = plane_.line.operands()[0];
    line.data = data_;
    sdk::walk_range<1>(plane_.line.shape(), {line}, i, i + n, body);
  }

  const Plane& plane_;
  bool is_packed_;
  char* data_ = nullptr;
  HWY_ALIGN C room_[kTile];
};

// ---- One channel --------------------------------------------------------------------------------

// Sums over a channel, of which line(sample) gives those of a line.
template <class C, size_t K, class Line>
std::array<C, K> sum_lines(const Extent& extent, const Line& line) {
  if (extent.samples == 1) return line(0);
  PairwiseSum<C> blocks[K];
  for (int64_t begin = 0; begin < extent.samples; begin += kRowBlock) {
    const int64_t end = std::min(begin + kRowBlock, extent.samples);
    std::array<C, K> block{};
    for (int64_t sample = begin; sample < end; ++sample) {
      const std::array<C, K> sums = line(sample);
      for (size_t k = 0; k < K; ++k) block[k] += sums[k];
    }
    for (size_t k = 0; k < K; ++k) blocks[k].add(block[k]);
  }
  std::array<C, K> totals;
  for (size_t k = 0; k < K; ++k) totals[k] = blocks[k].total();
  return totals;
}

template <class T>
Number<T> sum_itself(LineOf<T>& line, int64_t n) {
  using C = Number<T>;
  return sum_mapped<C>(
      n, kTile, [&](int64_t i, int64_t count) HWY_ATTR { return Itself<C>{line.get(i, count)}; });
}
// Of a Difference.
template <class T, class F>
Number<T> sum_of(LineOf<T>& line, int64_t n, F f) {
  return sum_mapped<Number<T>>(n, kTile, [&](int64_t i, int64_t count) HWY_ATTR {
    f.x = line.get(i, count);
    return f;
  });
}

// ---- Channels abreast ---------------------------------------------------------------------------

// K vectors of channels: numbers are added pairwise, as they come.
template <class C, size_t K>
class PairwiseVectors {
 public:
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;

  void add(V (&values)[K]) {
    size_t level = 0;
    for (; (count_ >> level) & 1; ++level) add_waiting(level, values);
    for (size_t j = 0; j < K; ++j) hn::Store(values[j], D(), waiting_[level] + j * hn::Lanes(D()));
    ++count_;
  }
  // `totals` are 0 before.
  void total(V (&totals)[K]) const {
    for (size_t level = 0; (count_ >> level) != 0; ++level) {
      if ((count_ >> level) & 1) add_waiting(level, totals);
    }
  }

 private:
  void add_waiting(size_t level, V (&values)[K]) const {
    for (size_t j = 0; j < K; ++j) {
      const V waiting = hn::Load(D(), waiting_[level] + j * hn::Lanes(D()));
      values[j] = hn::Add(waiting, values[j]);
    }
  }

  HWY_ALIGN C waiting_[48][K * hn::MaxLanes(D())];
  uint64_t count_ = 0;
};

// The sums over channels of value(sample, k, j), vector j of K for element k of a line.
template <class C, size_t K, class Value>
HWY_INLINE void sum_channels(const Extent& extent, const Value& value,
                             hn::Vec<hn::ScalableTag<C>> (&sums)[K]) {
  const hn::ScalableTag<C> d;
  PairwiseVectors<C, K> blocks;
  for (int64_t begin = 0; begin < extent.samples; begin += kRowBlock) {
    const int64_t end = std::min(begin + kRowBlock, extent.samples);
    hn::Vec<decltype(d)> block[K];
    for (size_t j = 0; j < K; ++j) block[j] = hn::Zero(d);
    for (int64_t sample = begin; sample < end; ++sample) {
      if (extent.line == 1) {
        for (size_t j = 0; j < K; ++j) block[j] = hn::Add(block[j], value(sample, 0, j));
        continue;
      }
      hn::Vec<decltype(d)> line[K];
      sum_abreast<C>(
          extent.line, [&](int64_t k, size_t j) HWY_ATTR { return value(sample, k, j); }, line);
      for (size_t j = 0; j < K; ++j) block[j] = hn::Add(block[j], line[j]);
    }
    blocks.add(block);
  }
  for (size_t j = 0; j < K; ++j) sums[j] = hn::Zero(d);
  blocks.total(sums);
}

// The vectors of which number_of(i) gives number i of `lines`.
template <class C, size_t K, class NumberOf>
HWY_INLINE void fill(int64_t lines, const NumberOf& number_of,
                     hn::Vec<hn::ScalableTag<C>> (&to)[K]) {
  const hn::ScalableTag<C> d;
  HWY_ALIGN C room[K * hn::MaxLanes(d)] = {};
  for (int64_t i = 0; i < lines; ++i) room[i] = number_of(i);
  for (size_t j = 0; j < K; ++j) to[j] = hn::Load(d, room + j * hn::Lanes(d));
}
// put(i, number i) for each of `lines`.
template <class C, size_t K, class Put>
HWY_INLINE void each_number(const hn::Vec<hn::ScalableTag<C>> (&from)[K], int64_t lines,
                            const Put& put) {
  const hn::ScalableTag<C> d;
  HWY_ALIGN C room[K * hn::MaxLanes(d)];
  for (size_t j = 0; j < K; ++j) hn::Store(from[j], d, room + j * hn::Lanes(d));
  for (int64_t i = 0; i < lines; ++i) put(i, room[i]);
}

// Channels `first` and on, as many as `like` has lines, of a sample of a plane.
template <class Lines>
HWY_INLINE Lines lines_of(const Lines& like, const Plane& plane, int64_t sample, int64_t first) {
  return {plane.at(sample, first), plane.step(), like.lines};
}

// body(like, first) for groups of channels, on the host's threads; abreast as x is.
template <class T, class Body>
void for_each_group(const sdk::Launch& l, const Extent& extent, const Plane& x, const Body& body) {
  constexpr int64_t kFew = 64;
  const int64_t grain = std::max(kFew, grain_of(extent.numbers()));
  l.parallel_for(extent.channels, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for_each_abreast<T>(x.at(0, begin), x.step(), end - begin,
                        [&](const auto& like, int64_t first)
                            HWY_ATTR { body(like, begin + first); });
  });
}

// ---- What is known of channels ------------------------------------------------------------------

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

// T and the dtype of given statistics; f32 does not compute with those of f64.
constexpr tenon_dtype kMomentRows[] = {
    TENON_DTYPE_F16, TENON_DTYPE_F32, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F32,
    TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_F32,  TENON_DTYPE_F64, TENON_DTYPE_F64};

}  // namespace batch
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
