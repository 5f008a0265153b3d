// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/scan.cc: cumsum, cumprod and linear_recurrence along an axis.
//
//   cumsum              y_i = y_{i-1} + x_i
//   cumprod             y_i = y_{i-1} x_i
//   linear_recurrence   y_i = a_i y_{i-1} + b_i, the product rounded before the sum
// One element after another in double (integers: 64 wrapping bits), each result rounded where it is
// stored. A line by itself would wait for every addition: neighbouring lines are taken side by
// side, as vectors if their elements lie next to each other. Loops of constant length are what
// the compiler makes vectors of; none is fused, so all instruction sets round alike.

#include <tenon/sdk/plugin/narrow.hpp>

#include <cstdlib>

#include "kernels/geometry.h"

namespace tenon::cpu {
namespace {

enum Attribute : uint32_t { kAxis, kReverse, kExclusive };

// Lines whose elements lie next to each other: many, so that memory is read in long rows, or what
// is left of them.
inline constexpr int64_t kMany = 256;
inline constexpr int64_t kSome = 32;
inline constexpr int64_t kFew = 8;  // lines anywhere

// Operand 0 is the output. A reversed scan starts at the other end, with steps turned round.
template <size_t N>
struct Scan {
  Geometry<N> lines;
  int64_t count = 0;
  std::array<int64_t, N> step{};

  explicit Scan(const sdk::Launch& l) {
    const tenon_view& out = l.out();
    const auto axis =
        static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis"));
    count = out.shape[axis];
    std::array<sdk::Strided, N> operands;
    for (size_t o = 0; o < N; ++o) {
      operands[o] = sdk::strided(o == 0 ? out : l.view(static_cast<uint32_t>(o - 1)));
      step[o] = operands[o].step[axis];
      lines.operand(o).data = operands[o].data;
      // Where there is nothing, there may be no address either.
      if (!operands[o].data || !l.attrs.flag(kReverse)) continue;
      lines.operand(o).data += (count - 1) * step[o];
      step[o] = -step[o];
    }
    for (size_t d = 0; d < static_cast<size_t>(out.rank); ++d) {
      std::array<int64_t, N> steps{};
      for (size_t o = 0; o < N; ++o) steps[o] = operands[o].step[d];
      if (d != axis) lines.push(out.shape[d], steps);
    }
  }

  // Do the elements of many lines lie next to each other, where an axis other than the last is
  // scanned?
  bool are_neighbours() const {
    if (lines.rank() == 0) return false;
    const size_t last = lines.rank() - 1;
    return std::abs(lines.operands()[0].step[last]) < std::abs(step[0]);
  }
};

struct Sum {
  static constexpr size_t kInputs = 1;
  template <class W>
  static W start() {
    return W{};
  }
  template <class W>
  static W next(W before, const W* x, bool) {
    return before + x[0];
  }
};
struct Product {
  static constexpr size_t kInputs = 1;
  template <class W>
  static W start() {
    return W{1};
  }
  template <class W>
  static W next(W before, const W* x, bool) {
    return before * x[0];
  }
};
struct Recurrence {
  static constexpr size_t kInputs = 2;
  template <class W>
  static W start() {
    return W{};
  }
  // The first factor is not looked at.
  template <class W>
  static W next(W before, const W* x, bool first) {
    return first ? x[1] : x[0] * before + x[1];
  }
};

// kLines lines, any number of bytes apart: as a constant, so that sums stay in registers.
template <class Step, class T, int64_t kLines, bool kExclusive, size_t N>
void scan_lines(const Scan<N>& s, const sdk::Run<N>& run, int64_t begin) {
  using W = sdk::Wide<T>;
  W y[kLines];
  std::fill(y, y + kLines, Step::template start<W>());
  std::array<char*, N> at;
  for (size_t o = 0; o < N; ++o) at[o] = run.data[o] + begin * run.step[o];
  for (int64_t i = 0; i < s.count; ++i) {
    for (int64_t line = 0; line < kLines; ++line) {
      W x[N - 1];
      for (size_t o = 1; o < N; ++o) {
        x[o - 1] = static_cast<W>(sdk::load<T>(at[o] + line * run.step[o]));
      }
      const W before = y[line];
      y[line] = Step::next(before, x, i == 0);
      sdk::store(at[0] + line * run.step[0],
                 sdk::narrow<sdk::WideNumber<T>>(kExclusive ? before : y[line]));
    }
    for (size_t o = 0; o < N; ++o) at[o] += s.step[o];
  }
}

template <class Step, class T, bool kExclusive, size_t N>
void scan_apart(const Scan<N>& s, const sdk::Run<N>& run) {
  int64_t i = 0;
  for (; i + kFew <= run.count; i += kFew) scan_lines<Step, T, kFew, kExclusive>(s, run, i);
  for (; i < run.count; ++i) scan_lines<Step, T, 1, kExclusive>(s, run, i);
}

// kSide lines or, without kWhole, the first `n` of them, with packed elements.
template <class Step, class T, int64_t kSide, bool kWhole, size_t N>
void scan_side(const Scan<N>& s, const sdk::Run<N>& run, int64_t begin, int64_t n, bool exclusive) {
  using W = sdk::Wide<T>;
  using Out = sdk::WideNumber<T>;
  const auto lines = static_cast<size_t>(kWhole ? kSide : n);
  W y[kSide];
  std::fill(y, y + kSide, Step::template start<W>());
  T element[kSide] = {};
  Out result[kSide];
  W x[kSide][N - 1];
  for (int64_t i = 0; i < s.count; ++i) {
    const auto at = [&](size_t o) { return run.data[o] + begin * run.step[o] + i * s.step[o]; };
    for (size_t o = 1; o < N; ++o) {
      std::memcpy(element, at(o), lines * sizeof(T));
      for (int64_t k = 0; k < kSide; ++k) x[k][o - 1] = static_cast<W>(element[k]);
    }
    if (exclusive) {
      for (int64_t k = 0; k < kSide; ++k) result[k] = sdk::narrow<Out>(y[k]);
    }
    for (int64_t k = 0; k < kSide; ++k) y[k] = Step::next(y[k], x[k], i == 0);
    if (!exclusive) {
      for (int64_t k = 0; k < kSide; ++k) result[k] = sdk::narrow<Out>(y[k]);
    }
    std::memcpy(at(0), result, lines * sizeof(Out));
  }
}

template <class Step, class T, size_t N>
void scan_run(const Scan<N>& s, const sdk::Run<N>& run, bool exclusive) {
  bool packed = run.count >= kFew && run.step[0] == int64_t{sizeof(sdk::WideNumber<T>)};
  for (size_t o = 1; o < N; ++o) packed = packed && run.step[o] == int64_t{sizeof(T)};
  int64_t i = 0;
  if (packed) {
    for (; i + kMany <= run.count; i += kMany) {
      scan_side<Step, T, kMany, true>(s, run, i, kMany, exclusive);
    }
    for (; i + kSome <= run.count; i += kSome) {
      scan_side<Step, T, kSome, true>(s, run, i, kSome, exclusive);
    }
    if (i < run.count) scan_side<Step, T, kSome, false>(s, run, i, run.count - i, exclusive);
    return;
  }
  if constexpr (Step::kInputs == 1) {
    if (exclusive) return scan_apart<Step, T, true>(s, run);
  }
  scan_apart<Step, T, false>(s, run);
}

template <class Step, class Types>
void scan(const sdk::Launch& l) {
  constexpr size_t kOperands = Step::kInputs + 1;
  const Scan<kOperands> s(l);
  const bool exclusive = Step::kInputs == 1 && l.attrs.flag(kExclusive);
  if (s.count == 0) return;
  // Whole rows of neighbouring lines, however long these are.
  const int64_t least = s.are_neighbours() ? kMany : 1;
  const int64_t grain = std::max<int64_t>(least, sdk::kElementwiseGrain / s.count);
  sdk::dispatch_dtype<Types>(l.view(0).dtype, [&]<class T>() {
    l.parallel_for(s.lines.count(), grain, [&](int64_t begin, int64_t end) {
      sdk::walk_range<kOperands>(
          s.lines.shape(), s.lines.operands(), begin, end,
          [&](const sdk::Run<kOperands>& run) { scan_run<Step, T>(s, run, exclusive); });
    });
  });
}

constexpr tenon_slot_rule one_input[] = {any_in(TENON_SLOT_NARROW), any_out()};
constexpr tenon_slot_rule two_inputs[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cumsum", one_input, sdk::kWideNumbers, 3,
           sdk::launch_fn<scan<Sum, sdk::AllTypes>>),
    kernel("tenon.cumprod", one_input, sdk::kWideNumbers, 3,
           sdk::launch_fn<scan<Product, sdk::AllTypes>>),
    kernel("tenon.linear_recurrence", two_inputs, sdk::kFloats, 2,
           sdk::launch_fn<scan<Recurrence, sdk::FloatTypes>>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(scan) = {.kernels = tenon::cpu::kernels};
