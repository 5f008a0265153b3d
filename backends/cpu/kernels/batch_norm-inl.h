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

using norm::Itself;

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

// T and the dtype of given statistics; f32 does not compute with those of f64.
constexpr tenon_dtype kMomentRows[] = {
    TENON_DTYPE_F16, TENON_DTYPE_F32, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F32,
    TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_F32,  TENON_DTYPE_F64, TENON_DTYPE_F64};

}  // namespace batch
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
