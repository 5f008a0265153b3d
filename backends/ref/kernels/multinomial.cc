// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/multinomial.cc: multinomial: the first k whose sum of weights up to it is
// above u times the sum of all; sums in double, in order.

#include <algorithm>
#include <cmath>

#include "kernels/random.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kNumSamples, kReplacement, kAttributes };

// The weights of one row and their sums, which fill the scratch.
struct Row {
  double* weights;
  double* sums;
  int64_t n;

  void add_up() const {
    double sum = 0.0;
    for (int64_t k = 0; k < n; ++k) sums[k] = sum += weights[k];
  }
  double total() const { return sums[n - 1]; }
  // Where u times the total is rounded to the total, the last category that has a weight.
  int64_t category(double u) const {
    int64_t k = std::upper_bound(sums, sums + n, u * total()) - sums;
    if (k == n) {
      do --k;
      while (weights[k] == 0.0);
    }
    return k;
  }
};

uint64_t bytes(const sdk::Args& args) {
  return 2 * sizeof(double) * static_cast<uint64_t>(args.shape(0).back());
}

[[noreturn]] void refuse(int64_t row, const std::string& what, const std::string& expected,
                         const std::string& found) {
  throw sdk::Failure{TENON_E_DATA, "row " + std::to_string(row) + " of the weights " + what,
                     "weights",    expected,
                     found,        "rows are counted over all axes but the last"};
}

template <class T>
void read_weights(const Row& row, const char* from, int64_t step, int64_t number, int64_t needed) {
  int64_t positive = 0;
  for (int64_t k = 0; k < row.n; ++k) {
    const auto weight = static_cast<double>(sdk::load<T>(from + k * step));
    if (!(weight >= 0.0 && std::isfinite(weight))) {
      refuse(number, "has one that is not a weight", "finite numbers of 0 or more",
             std::to_string(weight));
    }
    row.weights[k] = weight;
    if (weight > 0.0) ++positive;
  }
  if (positive < needed) {
    refuse(number, "has too few above 0", "at least " + std::to_string(needed),
           std::to_string(positive));
  }
  row.add_up();
  if (!std::isfinite(row.total()))
    refuse(number, "has no finite sum", "a sum below 1.8e308", "inf");
}

void multinomial(const sdk::Launch& l) {
  const int64_t draws = l.attrs.integer(kNumSamples);
  const bool replacement = l.attrs.flag(kReplacement);
  const auto shape = l.shape(0);
  const size_t last = shape.size() - 1;
  auto* const room = reinterpret_cast<double*>(l.scratch().data());
  const Row row{room, room + shape[last], shape[last]};
  const int64_t needed = draws == 0 ? 0 : replacement ? 1 : draws;
  sdk::RandomWords words(l.rng());
  const sdk::Strided in = sdk::strided(l.view(0));
  const sdk::Strided out = sdk::strided(l.out());
  if (draws == 0) return;
  const auto draw_all = [&]<class T>() {
    sdk::Cursor from(shape.first(last), in);
    sdk::Cursor to(shape.first(last), out);
    const int64_t rows = sdk::count_of(shape.first(last));
    for (int64_t r = 0; r < rows; ++r, from.next(), to.next()) {
      read_weights<T>(row, from.address(), in.step[last], r, needed);
      for (int64_t j = 0; j < draws; ++j) {
        const double u = unit_uniform<double>(words, static_cast<uint64_t>(r * draws + j));
        const int64_t k = row.category(u);
        sdk::store(to.address() + j * out.step[last], k);
        if (replacement || j + 1 == draws) continue;
        row.weights[k] = 0.0;
        row.add_up();
      }
    }
  };
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, draw_all);
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.multinomial", slots, sdk::kFloats, kAttributes, sdk::launch_fn<multinomial>,
           {.workspace = sdk::workspace_fn<bytes>}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(multinomial) = {.kernels = tenon::ref::kernels};
