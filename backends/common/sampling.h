// SPDX-License-Identifier: Apache-2.0
// backends/common/sampling.h: the numbers of filter_logits and sample, with the same bits on every
// backend, and the refusals of those that read host memory.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace tenon::backends {

enum Filtering : uint32_t { kTemperature, kTopK, kTopP, kMinP, kFilteringAttributes };

// Which tokens stay.
struct Filters {
  double temperature;
  uint64_t top_k;  // 2^63 where all stay
  double top_p;
  double min_p;

  constexpr bool is_greedy() const { return temperature == 0.0; }
};
inline Filters filters_of(const sdk::Attrs& a) {
  const auto top_k = static_cast<uint64_t>(a.integer(kTopK));
  return {a.real(kTemperature), top_k == 0 ? uint64_t{1} << 63 : top_k, a.real(kTopP),
          a.real(kMinP)};
}

// exp(x) for x <= 0, within 2 ULP; 0 below -700, so that every result is a normal number or 0.
// exp(x) = 2^n exp(r), r = x - n ln 2, |r| <= ln(2) / 2, and exp(r) by its series, whose rest is
// below 2^-62. Rounding is that of single products and sums, wherever this is compiled.
constexpr double weight_of(double x) {
  constexpr double terms[] = {1.0 / 2,          1.0 / 6,        1.0 / 24,        1.0 / 120,
                              1.0 / 720,        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                              1.0 / 3628800,    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                              1.0 / 87178291200};
  constexpr double to_whole = 0x1.8p52;  // a sum with it has no digits after the point
  if (!(x >= -700.0)) return 0.0;
  const double shifted = x * 0x1.71547652b82fep+0 + to_whole;
  const double n = shifted - to_whole;
  // ln 2 in two parts, the first short enough that its product with n is exact.
  const double r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  double bend = terms[12];
  for (int k = 11; k >= 0; --k) bend = bend * r + terms[k];
  const double part = 1.0 + (r + r * r * bend);
  const auto exponent = static_cast<uint64_t>(1023 + static_cast<int64_t>(n));
  return part * std::bit_cast<double>(exponent << 52);
}

// Weights as whole numbers, so that the order of their sum does not matter: of `tokens` weights,
// none above 1, it is at most 2^62.
struct Masses {
  double scale;

  explicit constexpr Masses(uint64_t tokens)
      : scale(static_cast<double>(uint64_t{1} << (62 - std::bit_width(tokens - 1)))) {}
  constexpr uint64_t of(double weight) const { return static_cast<uint64_t>(weight * scale); }
  // Of all tokens before one that stays there is less.
  static constexpr uint64_t limit(double top_p, uint64_t total) {
    const double share = top_p * static_cast<double>(total);
    const auto whole = static_cast<uint64_t>(share);
    const uint64_t above = whole + (static_cast<double>(whole) < share ? 1 : 0);
    return above == 0 ? 1 : above;
  }
};

// ---- In host memory -----------------------------------------------------------------------------

template <class T>
T scaled_logit(T x, double temperature) {
  if (temperature == 0.0) return x;
  return sdk::narrow<T>(static_cast<double>(x) / temperature);
}

[[noreturn]] inline void refuse_row(int64_t row, const std::string& what,
                                    const std::string& found) {
  throw sdk::Failure{
      TENON_E_DATA, "row " + std::to_string(row) + " of the logits " + what,
      "logits",     "finite numbers, or -inf for tokens that are out; one that is finite",
      found,        "rows are counted over all axes but the last"};
}

// Of one row, `step` bytes from one logit to the next.
template <class T>
void check_row(const char* logits, int64_t step, int64_t n, double temperature, int64_t row) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool all_below = true;
  double largest = -infinity;
  for (int64_t k = 0; k < n; ++k) {
    const auto x = static_cast<double>(sdk::load<T>(logits + k * step));
    all_below = all_below && x < infinity;  // NaN is not
    largest = x > largest ? x : largest;
  }
  if (!all_below) refuse_row(row, "has one that is not a logit", "NaN or infinity");
  if (largest == -infinity) refuse_row(row, "has nothing left to draw", "-inf alone");
  const auto scaled = static_cast<double>(scaled_logit<T>(sdk::narrow<T>(largest), temperature));
  if (scaled < infinity) return;
  refuse_row(row, "is infinite when divided by the temperature", std::to_string(largest));
}

// Refuses the first wrong row, before anything is written.
inline void check_logits(const sdk::Launch& l, double temperature) {
  const tenon_view& logits = l.view(0);
  const auto shape = sdk::shape_of(logits);
  const sdk::Strided in = sdk::strided(logits);
  const size_t last = shape.size() - 1;
  const auto rows = shape.first(last);
  sdk::dispatch_dtype<sdk::FloatTypes>(logits.dtype, [&]<class T>() {
    l.parallel_for(sdk::count_of(rows), 4, [&](int64_t begin, int64_t end) {
      sdk::walk_range<1>(rows, {in}, begin, end, [&](const sdk::Run<1>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          check_row<T>(run.data[0] + i * run.step[0], in.step[last], shape[last], temperature,
                       run.first + i);
        }
      });
    });
  });
}

}  // namespace tenon::backends
