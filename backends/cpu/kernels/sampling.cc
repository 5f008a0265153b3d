// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/sampling.cc: filter_logits and sample, without sorting whole rows.
//
// top_k needs its last token alone: those after it in the order of entries (entries.h) are out. So
// does top_p, for which the tokens are sorted that may come before its border: all but those that
// have too little weight together. What is too little is a guess, and if it was too much, all are
// sorted; the result does not depend on it, since sums of masses (sampling.h) are exact.

#include <cmath>
#include <tenon/sdk/plugin/philox.hpp>

#include "common/sampling.h"
#include "kernels/entries.h"

namespace tenon::cpu {
namespace {

namespace common = tenon::backends;
using common::Filters;

// One row in scratch memory; C is float or double.
template <class C, class Entry>
struct Row {
  static constexpr C kOut = -std::numeric_limits<C>::infinity();
  static constexpr uint64_t kDescending = flip_of(true);

  double* weights;
  Entry* entries;  // twice as many as tokens
  C* z;
  int64_t n;
  double largest;

  Row(std::byte* room, int64_t count)
      : weights(reinterpret_cast<double*>(room)),
        entries(reinterpret_cast<Entry*>(weights + count)),
        z(reinterpret_cast<C*>(entries + 2 * count)),
        n(count),
        largest(0) {}
  static uint64_t bytes(int64_t n) {
    return (static_cast<uint64_t>(n) * (sizeof(double) + 2 * sizeof(Entry) + sizeof(C)) + 63) / 64 *
           64;
  }

  uint64_t key(int64_t k) const { return key_of(z[k], kDescending); }

  template <class T>
  void read(const char* from, int64_t step, double temperature) {
    const bool is_plain = temperature == 0.0 || temperature == 1.0;
    C most = kOut;
    for (int64_t k = 0; k < n; ++k) {
      T x = sdk::load<T>(from + k * step);
      if (!is_plain) x = common::scaled_logit(x, temperature);
      z[k] = static_cast<C>(x);
      most = z[k] > most ? z[k] : most;
    }
    largest = static_cast<double>(most);
  }
  int64_t first_of_largest() const {
    int64_t k = 0;
    while (static_cast<double>(z[k]) != largest) ++k;
    return k;
  }

  // Tokens after `last` are out.
  void drop_after(const Entry& last) {
    for (int64_t k = 0; k < n; ++k) {
      if (last < Entry::of(key(k), k)) z[k] = kOut;
    }
  }
  void keep_top_k(int64_t top_k) {
    const int64_t count = hold_first(n, top_k, entries, [this](int64_t k) { return key(k); });
    std::nth_element(entries, entries + (top_k - 1), entries + count);
    drop_after(entries[top_k - 1]);
  }
  void weigh() {
    for (int64_t k = 0; k < n; ++k) {
      const bool is_out = z[k] == kOut;
      weights[k] = is_out ? 0.0 : common::weight_of(static_cast<double>(z[k]) - largest);
    }
  }

  // Sorts the tokens from `least` on. Is the border of top_p among them? Then others are out.
  bool cut(double least, uint64_t limit, const common::Masses& masses) {
    int64_t count = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (static_cast<double>(z[k]) >= least) entries[count++] = Entry::of(key(k), k);
    }
    if (count < kLongLine) {
      std::sort(entries, entries + count);
    } else {
      sort_by_digits<sizeof(C)>(entries, entries + n, count);
    }
    uint64_t before = 0;
    for (int64_t i = 0; i < count; ++i) {
      before += masses.of(weights[entries[i].place()]);
      if (before < limit) continue;
      drop_after(entries[i]);
      return true;
    }
    return false;
  }
  void keep_top_p(double top_p) {
    const common::Masses masses(static_cast<uint64_t>(n));
    uint64_t total = 0;
    for (int64_t k = 0; k < n; ++k) total += masses.of(weights[k]);
    const uint64_t limit = common::Masses::limit(top_p, total);
    // Tokens below `little` have at most half of what may be left out, all of them together.
    const double rest = (1.0 - top_p) * static_cast<double>(total) / masses.scale;
    const double little = largest + std::log(rest / (2.0 * static_cast<double>(n)));
    if (!cut(little, limit, masses)) cut(static_cast<double>(kOut), limit, masses);
  }
  void keep_min_p(double min_p) {
    for (int64_t k = 0; k < n; ++k) {
      if (weights[k] < min_p) z[k] = kOut;
    }
  }
  void filter(const Filters& filters) {
    if (filters.top_k < static_cast<uint64_t>(n)) keep_top_k(static_cast<int64_t>(filters.top_k));
    if (filters.top_p == 1.0 && filters.min_p == 0.0) return;
    weigh();
    if (filters.top_p < 1.0) keep_top_p(filters.top_p);
    if (filters.min_p > 0.0) keep_min_p(filters.min_p);
  }

  int64_t draw(double u) {
    weigh();
    double total = 0.0;
    for (int64_t k = 0; k < n; ++k) total += weights[k];
    const double bound = u * total;
    double sum = 0.0;
    for (int64_t k = 0; k < n; ++k) {
      sum += weights[k];
      if (sum > bound) return k;
    }
    // The product was rounded to the sum of all.
    int64_t k = n - 1;
    while (weights[k] == 0.0) --k;
    return k;
  }
};

// ---- Rows on threads ----------------------------------------------------------------------------

// Rows are shared by at most kShares pieces of work, each with room for one row.
struct Work {
  static constexpr int64_t kShares = 16;
  std::span<const int64_t> shape;  // of the rows
  int64_t n;
  int64_t rows;

  explicit Work(const sdk::Args& args)
      : shape(args.shape(0).first(args.shape(0).size() - 1)),
        n(args.shape(0).back()),
        rows(sdk::count_of(shape)) {}
  int64_t share() const { return std::max<int64_t>(1, (rows + kShares - 1) / kShares); }
  uint64_t shares() const { return static_cast<uint64_t>((rows + share() - 1) / share()); }
};

// Calls body.operator()<T, Row>() with the types of a row.
template <class Body>
void dispatch_row(tenon_dtype dtype, int64_t n, Body&& body) {
  sdk::dispatch_dtype<sdk::FloatTypes>(dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    dispatch_entry(std::is_same_v<C, float> ? TENON_DTYPE_F32 : TENON_DTYPE_F64, n,
                   [&]<class Entry>() { body.template operator()<T, Row<C, Entry>>(); });
  });
}

uint64_t workspace(const sdk::Args& args) {
  const Work work(args);
  uint64_t bytes = 0;
  dispatch_row(args.view(0).dtype, work.n, [&]<class T, class R>() { bytes = R::bytes(work.n); });
  return work.shares() * bytes;
}

// Calls put.operator()<T>(row, its number, where its output begins) for each row that was read.
template <class Put>
void each_row(const sdk::Launch& l, const Filters& filters, const Put& put) {
  common::check_logits(l, filters.temperature);
  const Work work(l);
  const sdk::Strided in = sdk::strided(l.view(0));
  const sdk::Strided out = sdk::strided(l.out());
  const int64_t step = in.step[work.shape.size()];
  const int64_t share = work.share();
  std::byte* const scratch = l.scratch().data();
  dispatch_row(l.view(0).dtype, work.n, [&]<class T, class R>() {
    l.parallel_for(work.rows, share, [&](int64_t begin, int64_t end) {
      R row(scratch + static_cast<uint64_t>(begin / share) * R::bytes(work.n), work.n);
      sdk::walk_range<2>(work.shape, {out, in}, begin, end, [&](const sdk::Run<2>& run) {
        for (int64_t i = 0; i < run.count; ++i) {
          row.template read<T>(run.data[1] + i * run.step[1], step, filters.temperature);
          put.template operator()<T>(row, run.first + i, run.data[0] + i * run.step[0]);
        }
      });
    });
  });
}

void filter_logits(const sdk::Launch& l) {
  const Filters filters = common::filters_of(l.attrs);
  const int64_t step = sdk::strided(l.out()).step[l.shape(0).size() - 1];
  each_row(l, filters, [&]<class T>(auto& row, int64_t, char* out) {
    if (filters.is_greedy()) {
      const int64_t first = row.first_of_largest();
      for (int64_t k = 0; k < row.n; ++k) {
        if (k != first) row.z[k] = row.kOut;
      }
    } else {
      row.filter(filters);
    }
    for (int64_t k = 0; k < row.n; ++k) sdk::store(out + k * step, sdk::narrow<T>(row.z[k]));
  });
}

void sample(const sdk::Launch& l) {
  const Filters filters = common::filters_of(l.attrs);
  const sdk::RandomWords start(l.rng());
  each_row(l, filters, [&]<class T>(auto& row, int64_t r, char* out) {
    if (filters.is_greedy()) return sdk::store(out, row.first_of_largest());
    row.filter(filters);
    sdk::RandomWords words = start;
    const uint64_t word = words.two_words(2 * static_cast<uint64_t>(r));
    sdk::store(out, row.draw(static_cast<double>(word >> 11) * 0x1p-53));
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.filter_logits", slots, sdk::kFloats, common::kFilteringAttributes,
           sdk::launch_fn<filter_logits>, {.workspace = sdk::workspace_fn<workspace>}),
    kernel("tenon.sample", slots, sdk::kFloats, common::kFilteringAttributes,
           sdk::launch_fn<sample>, {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(sampling) = {.kernels = tenon::cpu::kernels};
