// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/fold.h: sums and products in double of an output's reduced elements, in one
// order for all layouts and any number of threads.
//
// The elements reduced into an output, in logical order, are cut into pieces (piece_of). In a piece
// element i goes to virtual lane i mod 64; lanes are then combined in halves, j + 32 with j, j + 16
// with j, ..., and pieces one after another. Loops of constant length are what the compiler makes
// vectors of; none is fused, so all instruction sets round alike.
//
// A Fold says what is done with an element:
//   start()           what a lane starts as
//   next(a, x, p)     the lane a after element x; p is a number that belongs to the output
//   combined(a, b)    of two lanes, or two pieces
#pragma once

#include <tenon/sdk/plugin/narrow.hpp>

#include "kernels/reduction.h"

namespace tenon::cpu::fold {

inline constexpr int64_t kLanes = 64;
inline constexpr int64_t kMaxPieces = 64;
inline constexpr int64_t kSide = 32;  // outputs that are computed side by side

constexpr int64_t piece_of(int64_t count) {
  int64_t piece = int64_t{1} << 16;
  while (piece * kMaxPieces < count) piece *= 2;
  return piece;
}

// All reduced elements of an output as one geometry.
inline Geometry<1> behind(const Reduction& r) {
  Geometry<1> all;
  for (const Geometry<1>* part : {&r.outer, &r.line}) {
    for (size_t d = 0; d < part->rank(); ++d) {
      all.push(part->shape()[d], {part->operands()[0].step[d]});
    }
  }
  if (r.count() == 0) all.push(0, {0});
  return all;
}

// `count` packed elements as wide numbers.
template <class T>
void widen(const char* from, int64_t count, sdk::Wide<T>* to) {
  T element[kLanes];
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::memcpy(element, from + i * int64_t{sizeof(T)}, sizeof element);
    for (int64_t k = 0; k < kLanes; ++k) to[i + k] = static_cast<sdk::Wide<T>>(element[k]);
  }
  for (; i < count; ++i) {
    to[i] = static_cast<sdk::Wide<T>>(sdk::load<T>(from + i * int64_t{sizeof(T)}));
  }
}

// The reduced elements of one output.
template <class T>
class Line {
 public:
  using W = sdk::Wide<T>;
  static constexpr int64_t kResults = 1;

  Line(const Geometry<1>& geometry, char* data) : geometry_(geometry) {
    start_ = geometry.operands()[0];
    start_.data = data;
  }
  // Elements [begin, end), which lie in one piece.
  template <class Fold>
  W piece(int64_t begin, int64_t end, W p) const {
    W lanes[kLanes];
    std::fill(lanes, lanes + kLanes, Fold::template start<W>());
    for (int64_t i = begin; i < end; i += kTile) {
      W room[kTile];
      const int64_t n = std::min(kTile, end - i);
      gather(i, n, room);
      int64_t k = 0;
      for (; k + kLanes <= n; k += kLanes) {
        for (int64_t j = 0; j < kLanes; ++j) lanes[j] = Fold::next(lanes[j], room[k + j], p);
      }
      for (int64_t j = 0; k + j < n; ++j) lanes[j] = Fold::next(lanes[j], room[k + j], p);
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t j = 0; j < half; ++j) lanes[j] = Fold::combined(lanes[j], lanes[j + half]);
    }
    return lanes[0];
  }
  template <class Fold>
  void total(const W* p, W* out) const {
    const int64_t count = geometry_.count();
    const int64_t size = piece_of(count);
    out[0] = piece<Fold>(0, std::min(size, count), p[0]);
    for (int64_t begin = size; begin < count; begin += size) {
      out[0] = Fold::combined(out[0], piece<Fold>(begin, std::min(begin + size, count), p[0]));
    }
  }
  int64_t count() const { return geometry_.count(); }

 private:
  static constexpr int64_t kTile = 1024;

  void gather(int64_t begin, int64_t n, W* to) const {
    sdk::walk_range<1>(geometry_.shape(), {start_}, begin, begin + n, [&](const sdk::Run<1>& run) {
      if (run.step[0] == int64_t{sizeof(T)}) {
        widen<T>(run.data[0], run.count, to);
      } else {
        for (int64_t i = 0; i < run.count; ++i) {
          to[i] = static_cast<W>(sdk::load<T>(run.data[0] + i * run.step[0]));
        }
      }
      to += run.count;
    });
  }

  const Geometry<1>& geometry_;
  sdk::Strided start_;
};

// The same with the pieces of one long line on the host's threads.
template <class T>
class LongLine {
 public:
  using W = sdk::Wide<T>;
  static constexpr int64_t kResults = 1;

  LongLine(const sdk::Launch& launch, const Line<T>& line) : launch_(launch), line_(line) {}
  template <class Fold>
  void total(const W* p, W* out) const {
    const int64_t size = piece_of(count());
    W pieces[kMaxPieces];
    launch_.parallel_for(count(), size, [&](int64_t begin, int64_t end) {
      pieces[begin / size] = line_.template piece<Fold>(begin, end, p[0]);
    });
    out[0] = pieces[0];
    for (int64_t k = 1; k * size < count(); ++k) out[0] = Fold::combined(out[0], pieces[k]);
  }
  int64_t count() const { return line_.count(); }

 private:
  const sdk::Launch& launch_;
  const Line<T>& line_;
};

// Those of kSide neighbouring outputs, whose elements lie next to each other; without kWhole
// the first `outputs` of them.
template <class T, bool kWhole>
class Side {
 public:
  using W = sdk::Wide<T>;
  static constexpr int64_t kResults = kSide;

  Side(const Geometry<1>& geometry, char* data, int64_t outputs)
      : geometry_(geometry), bytes_(static_cast<size_t>(kWhole ? kSide : outputs) * sizeof(T)) {
    start_ = geometry.operands()[0];
    start_.data = data;
  }
  template <class Fold>
  void total(const W* p, W* out) const {
    const int64_t size = piece_of(count());
    piece<Fold>(0, std::min(size, count()), p, out);
    for (int64_t begin = size; begin < count(); begin += size) {
      W next[kSide];
      piece<Fold>(begin, std::min(begin + size, count()), p, next);
      for (int64_t k = 0; k < kSide; ++k) out[k] = Fold::combined(out[k], next[k]);
    }
  }
  int64_t count() const { return geometry_.count(); }

 private:
  template <class Fold>
  void piece(int64_t begin, int64_t end, const W* p, W* out) const {
    W lanes[kLanes][kSide];
    std::fill(lanes[0], lanes[0] + kLanes * kSide, Fold::template start<W>());
    T element[kSide] = {};
    int64_t lane = 0;
    sdk::walk_range<1>(geometry_.shape(), {start_}, begin, end, [&](const sdk::Run<1>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        std::memcpy(element, run.data[0] + i * run.step[0], bytes_);
        W* const sum = lanes[lane];
        for (int64_t k = 0; k < kSide; ++k) {
          sum[k] = Fold::next(sum[k], static_cast<W>(element[k]), p[k]);
        }
        lane = (lane + 1) % kLanes;
      }
    });
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t j = 0; j < half; ++j) {
        for (int64_t k = 0; k < kSide; ++k) {
          lanes[j][k] = Fold::combined(lanes[j][k], lanes[j + half][k]);
        }
      }
    }
    std::copy(lanes[0], lanes[0] + kSide, out);
  }

  const Geometry<1>& geometry_;
  sdk::Strided start_;
  size_t bytes_;
};

// Calls body(source, out) for all outputs: source.total<Fold>(p, out) is of source.kResults outputs
// at once, and body leaves as many results at `out`.
template <class T, class Body>
void for_each_output(const sdk::Launch& l, const Reduction& r, const Body& body) {
  using W = sdk::Wide<T>;
  const Geometry<1> all = behind(r);
  const auto one = [&](char* out, const auto& source) {
    W result[1];
    body(source, result);
    sdk::store(out, sdk::narrow<sdk::WideNumber<T>>(result[0]));
  };
  const auto side = [&](char* out, int64_t step, int64_t n, const auto& source) {
    W results[kSide];
    body(source, results);
    for (int64_t k = 0; k < n; ++k)
      sdk::store(out + k * step, sdk::narrow<sdk::WideNumber<T>>(results[k]));
  };
  constexpr int64_t kFewOutputs = 8;
  if (all.count() > 2 * piece_of(0) && r.kept.count() < kFewOutputs) {
    return sdk::walk<2>(r.kept.shape(), r.kept.operands(), [&](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const Line<T> line(all, run.data[1] + i * run.step[1]);
        one(run.data[0] + i * run.step[0], LongLine<T>(l, line));
      }
    });
  }
  const bool packed_lines = all.rank() == 0 || all.operands()[0].step[all.rank() - 1] == sizeof(T);
  const auto outputs = [&](const sdk::Run<2>& run) {
    int64_t i = 0;
    if (!packed_lines && run.step[1] == int64_t{sizeof(T)} && run.count >= 4) {
      for (; i < run.count; i += kSide) {
        char* const out = run.data[0] + i * run.step[0];
        char* const in = run.data[1] + i * run.step[1];
        const int64_t n = std::min(kSide, run.count - i);
        if (n == kSide) side(out, run.step[0], n, Side<T, true>(all, in, n));
        if (n < kSide) side(out, run.step[0], n, Side<T, false>(all, in, n));
      }
      return;
    }
    for (; i < run.count; ++i) {
      one(run.data[0] + i * run.step[0], Line<T>(all, run.data[1] + i * run.step[1]));
    }
  };
  // Outputs that lie side by side stay so, however many elements each reduces.
  const int64_t grain = std::max<int64_t>(packed_lines ? 1 : 4 * kSide, grain_of(all.count()));
  l.parallel_for(r.kept.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<2>(r.kept.shape(), r.kept.operands(), begin, end, outputs);
  });
}

}  // namespace tenon::cpu::fold
