// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/narrow_sums.cc: sums of bools and small integers, and how many elements are
// not zero: in 64 bits, whose order does not matter, so that each is added as the memory has it.
//
// Packed elements are added in runs of constant length, in lanes as narrow as that many allow, and
// outputs side by side: loops of constant length are what the compiler makes vectors of.
#include "kernels/narrow_sums.h"

#include "kernels/fold.h"

namespace tenon::cpu {
namespace {

// What is added, of an element.
struct Itself {
  template <class Lane, class T>
  static Lane of(T x) {
    return static_cast<Lane>(x);
  }
};
struct Truth {
  template <class Lane, class T>
  static Lane of(T x) {
    return static_cast<Lane>(sdk::convert<sdk::Bool>(x) ? 1 : 0);
  }
};

// So many 16-bit numbers and truth values have a sum of 32 bits.
inline constexpr int64_t kRun = 1024;
template <class Term, class T>
using Lane = std::conditional_t<std::is_same_v<Term, Truth> || sizeof(T) <= 2, int32_t, int64_t>;

// Element i of packed ones.
template <class Term, class L, class T>
L term_at(const char* from, int64_t i) {
  return Term::template of<L>(sdk::load<T>(from + i * int64_t{sizeof(T)}));
}

// kRun packed elements.
template <class Term, class T>
int64_t sum_run(const char* from) {
  using L = Lane<Term, T>;
  L sum = 0;
  for (int64_t i = 0; i < kRun; ++i) sum += term_at<Term, L, T>(from, i);
  return sum;
}

template <class Term, class T>
int64_t sum_strided(const char* from, int64_t step, int64_t count) {
  int64_t sum = 0;
  int64_t i = 0;
  if (step == int64_t{sizeof(T)}) {
    for (; i + kRun <= count; i += kRun) sum += sum_run<Term, T>(from + i * step);
  }
  for (; i < count; ++i) sum += Term::template of<int64_t>(sdk::load<T>(from + i * step));
  return sum;
}

// Of one output: elements [begin, end) of those behind it.
template <class Term, class T>
int64_t sum_behind(const Geometry<1>& all, char* first, int64_t begin, int64_t end) {
  sdk::Strided start = all.operands()[0];
  start.data = first;
  int64_t sum = 0;
  sdk::walk_range<1>(all.shape(), {start}, begin, end, [&](const sdk::Run<1>& run) {
    sum += sum_strided<Term, T>(run.data[0], run.step[0], run.count);
  });
  return sum;
}

inline constexpr int64_t kColumns = 512;

// Neighbouring outputs whose elements lie next to each other, row after row; `n` of kColumns.
template <class Term, class T, bool kWhole>
void sum_columns(const Geometry<1>& all, char* first, int64_t n, int64_t (&sums)[kColumns]) {
  sdk::Strided start = all.operands()[0];
  start.data = first;
  sdk::walk<1>(all.shape(), {start}, [&](const sdk::Run<1>& rows) {
    for (int64_t r = 0; r < rows.count; ++r) {
      const char* const row = rows.data[0] + r * rows.step[0];
      const int64_t count = kWhole ? kColumns : n;
      for (int64_t c = 0; c < count; ++c) sums[c] += term_at<Term, int64_t, T>(row, c);
    }
  });
}

template <class Term, class T>
void sum_side_by_side(const Geometry<1>& all, const sdk::Run<2>& run) {
  for (int64_t c = 0; c < run.count; c += kColumns) {
    const int64_t n = std::min(kColumns, run.count - c);
    char* const first = run.data[1] + c * run.step[1];
    int64_t sums[kColumns] = {};
    if (n == kColumns) sum_columns<Term, T, true>(all, first, n, sums);
    if (n < kColumns) sum_columns<Term, T, false>(all, first, n, sums);
    for (int64_t k = 0; k < n; ++k) sdk::store(run.data[0] + (c + k) * run.step[0], sums[k]);
  }
}

// One output of many elements, in pieces for the host's threads.
template <class Term, class T>
int64_t sum_long(const sdk::Launch& l, const Geometry<1>& all, char* first) {
  constexpr int64_t kMaxPieces = 64;
  const int64_t count = all.count();
  int64_t piece = sdk::kElementwiseGrain;
  while (piece * kMaxPieces < count) piece *= 2;
  int64_t sums[kMaxPieces] = {};
  l.parallel_for(count, piece, [&](int64_t begin, int64_t end) {
    sums[begin / piece] = sum_behind<Term, T>(all, first, begin, end);
  });
  int64_t sum = 0;
  for (const int64_t each : sums) sum += each;
  return sum;
}

template <class Term, class T>
void reduce_typed(const sdk::Launch& l, const Reduction& r) {
  const Geometry<1> all = fold::behind(r);
  const int64_t count = all.count();
  constexpr int64_t kFew = 8;
  const auto each = [&](const sdk::Run<2>& run, const auto& sum) {
    for (int64_t i = 0; i < run.count; ++i) {
      sdk::store(run.data[0] + i * run.step[0], sum(run.data[1] + i * run.step[1]));
    }
  };
  if (r.kept.count() < kFew && count > 2 * sdk::kElementwiseGrain) {
    return sdk::walk<2>(r.kept.shape(), r.kept.operands(), [&](const sdk::Run<2>& run) {
      each(run, [&](char* first) { return sum_long<Term, T>(l, all, first); });
    });
  }
  const bool packed_lines =
      all.rank() == 0 || all.operands()[0].step[all.rank() - 1] == int64_t{sizeof(T)};
  const auto outputs = [&](const sdk::Run<2>& run) {
    if (!packed_lines && run.step[1] == int64_t{sizeof(T)} && run.count >= kFew) {
      return sum_side_by_side<Term, T>(all, run);
    }
    each(run, [&](char* first) { return sum_behind<Term, T>(all, first, 0, count); });
  };
  // Outputs that lie side by side stay so.
  const int64_t grain = std::max<int64_t>(packed_lines ? 1 : kColumns, grain_of(count));
  l.parallel_for(r.kept.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<2>(r.kept.shape(), r.kept.operands(), begin, end, outputs);
  });
}

template <class Term, class Types>
void run(const sdk::Launch& l) {
  const Reduction r = reduce_axes(l.view(0), l.out(), axes_attribute(l, 0), l.attrs.flag(1));
  sdk::dispatch_dtype<Types>(l.view(0).dtype, [&]<class T>() { reduce_typed<Term, T>(l, r); });
}

using NarrowTypes = sdk::TypeList<sdk::Bool, uint8_t, int8_t, int16_t, int32_t>;

void count_nonzero(const sdk::Launch& l) { run<Truth, sdk::AllTypes>(l); }

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.count_nonzero", slots, sdk::kAllDtypes, 2, sdk::launch_fn<count_nonzero>),
};

}  // namespace

void sum_narrow(const sdk::Launch& l) { run<Itself, NarrowTypes>(l); }

}  // namespace tenon::cpu

TENON_UNIT(narrow_sums) = {.kernels = tenon::cpu::kernels};
