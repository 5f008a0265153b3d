// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/sampling.cc: filter_logits, sample and repetition_penalty: the steps as the
// ops state them, with all tokens of a row in order.

#include <algorithm>
#include <tenon/sdk/plugin/place.hpp>
#include <vector>

#include "common/indices.h"
#include "common/sampling.h"
#include "kernels/random.h"

namespace tenon::ref {
namespace {

namespace common = tenon::backends;
using common::Filters;

// ---- filter_logits, sample ----------------------------------------------------------------------

constexpr double kOut = -std::numeric_limits<double>::infinity();

// One row: its logits, and those of its tokens that stay, in descending order.
struct Row {
  std::vector<double> z;
  std::vector<size_t> kept;
  std::vector<double> weights;

  explicit Row(size_t n) : z(n), weights(n) {}

  void keep_top_k(uint64_t top_k) {
    kept.clear();
    for (size_t k = 0; k < z.size(); ++k) {
      if (z[k] != kOut) kept.push_back(k);
    }
    std::stable_sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return z[a] > z[b]; });
    if (kept.size() > top_k) kept.resize(top_k);
  }
  void keep_top_p(double top_p) {
    const common::Masses masses(z.size());
    uint64_t total = 0;
    for (const size_t k : kept) total += masses.of(weight(k));
    const uint64_t limit = common::Masses::limit(top_p, total);
    uint64_t before = 0;
    size_t count = 0;
    while (count < kept.size() && before < limit) before += masses.of(weight(kept[count++]));
    kept.resize(count);
  }
  void keep_min_p(double min_p) {
    std::erase_if(kept, [&](size_t k) { return weight(k) < min_p; });
  }
  double weight(size_t k) const { return common::weight_of(z[k] - z[kept[0]]); }

  void filter(const Filters& filters) {
    keep_top_k(filters.is_greedy() ? 1 : filters.top_k);
    if (filters.top_p < 1.0) keep_top_p(filters.top_p);
    keep_min_p(filters.min_p);
  }
  int64_t draw(double u) {
    std::fill(weights.begin(), weights.end(), 0.0);
    for (const size_t k : kept) weights[k] = weight(k);
    double total = 0.0;
    for (const double each : weights) total += each;
    double sum = 0.0;
    size_t last = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      sum += weights[k];
      if (sum > u * total) return static_cast<int64_t>(k);
      if (weights[k] > 0.0) last = k;
    }
    return static_cast<int64_t>(last);
  }
};

// Calls put(row, its number, where its output begins) for each row, filtered.
template <class Put>
void each_row(const sdk::Launch& l, Put put) {
  const Filters filters = common::filters_of(l.attrs);
  common::check_logits(l, filters.temperature);
  const auto shape = l.shape(0);
  const size_t last = shape.size() - 1;
  const auto rows = shape.first(last);
  const sdk::Strided in = sdk::strided(l.view(0));
  Row row(static_cast<size_t>(shape[last]));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.view(0).dtype, [&]<class T>() {
    sdk::Cursor from(rows, in);
    sdk::Cursor to(rows, sdk::strided(l.out()));
    for (int64_t r = 0; r < sdk::count_of(rows); ++r, from.next(), to.next()) {
      for (size_t k = 0; k < row.z.size(); ++k) {
        const T x = sdk::load<T>(from.address() + static_cast<int64_t>(k) * in.step[last]);
        row.z[k] = static_cast<double>(common::scaled_logit(x, filters.temperature));
      }
      row.filter(filters);
      put.template operator()<T>(row, r, to.address());
    }
  });
}

void filter_logits(const sdk::Launch& l) {
  const int64_t step = sdk::strided(l.out()).step[l.shape(0).size() - 1];
  each_row(l, [&]<class T>(Row& row, int64_t, char* out) {
    const auto put = [&](size_t k, double value) {
      sdk::store(out + static_cast<int64_t>(k) * step, sdk::narrow<T>(value));
    };
    for (size_t k = 0; k < row.z.size(); ++k) put(k, kOut);
    for (const size_t k : row.kept) put(k, row.z[k]);
  });
}

void sample(const sdk::Launch& l) {
  sdk::RandomWords words(l.rng());
  each_row(l, [&]<class T>(Row& row, int64_t r, char* out) {
    sdk::store(out, row.draw(unit_uniform<double>(words, static_cast<uint64_t>(r))));
  });
}

// ---- repetition_penalty -------------------------------------------------------------------------

template <class I>
void check_tokens(const tenon_view& tokens, int64_t vocabulary) {
  const auto shape = sdk::shape_of(tokens);
  sdk::walk<1>(shape, {sdk::strided(tokens)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const auto token = static_cast<int64_t>(sdk::load<I>(run.data[0] + i * run.step[0]));
      if (token < vocabulary) continue;
      const std::string found = std::to_string(token);
      throw sdk::Failure{TENON_E_DATA,
                         sdk::place_in("tokens", shape, run.first + i) + " is " + found +
                             ", outside the " + std::to_string(vocabulary) + " logits of a row",
                         "tokens",
                         "less than " + std::to_string(vocabulary),
                         found,
                         "a token below 0 is padding and means nothing"};
    }
  });
}

template <class T>
T penalised(T x, double penalty) {
  const auto value = static_cast<double>(x);
  return sdk::narrow<T>(value < 0.0 ? value * penalty : value / penalty);
}

// Of x and not of y, so that a token that is there twice is penalised once.
template <class T, class I>
void penalise(const sdk::Launch& l, double penalty) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided tokens = sdk::strided(l.view(1));
  const sdk::Strided y = sdk::strided(l.out());
  for (int64_t b = 0; b < l.shape(1)[0]; ++b) {
    for (int64_t i = 0; i < l.shape(1)[1]; ++i) {
      const auto token =
          static_cast<int64_t>(sdk::load<I>(tokens.data + b * tokens.step[0] + i * tokens.step[1]));
      if (token < 0) continue;
      const T value = sdk::load<T>(x.data + b * x.step[0] + token * x.step[1]);
      sdk::store(y.data + b * y.step[0] + token * y.step[1], penalised(value, penalty));
    }
  }
}

void repetition_penalty(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  sdk::dispatch_dtype<sdk::TypeList<int32_t, int64_t>>(l.view(1).dtype, [&]<class I>() {
    check_tokens<I>(l.view(1), x.shape[1]);
    copy_elements(l.shape(0), x.dtype, sdk::strided(l.out()), sdk::strided(x));
    sdk::dispatch_dtype<sdk::FloatTypes>(x.dtype,
                                         [&]<class T>() { penalise<T, I>(l, l.attrs.real(0)); });
  });
}

constexpr tenon_slot_rule penalty_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                             sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.filter_logits", kMapSlots, sdk::kFloats, common::kFilteringAttributes,
           sdk::launch_fn<filter_logits>),
    kernel("tenon.sample", kMapSlots, sdk::kFloats, common::kFilteringAttributes,
           sdk::launch_fn<sample>),
    kernel("tenon.repetition_penalty", penalty_slots, common::kFloatsByIndex, 1,
           sdk::launch_fn<repetition_penalty>, {.n_variables = 2}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(sampling) = {.kernels = tenon::ref::kernels};
