// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/thread_sum.cc: adds partial sums in the order in which threads finish them:
// the bits depend on the number of threads.
// cause: thread-dependent
// op: tenon.mean
// backward-only: no
// level: 3
#include "mutant.h"

#include "mean.h"

#include <atomic>
#include <mutex>

namespace mutants {

// In f32, where the order of additions shows.
float sum_by_threads(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  std::mutex lock;
  float sum = 0;
  std::atomic<int> threads{0};
  std::array<pthread_t, 64> seen{};
  std::array<float, 64> partial{};
  l.parallel_for(elements(x), 1, [&](int64_t begin, int64_t end) {
    const std::scoped_lock held(lock);
    size_t who = 0;
    const auto known = static_cast<size_t>(threads.load());
    while (who < known && !pthread_equal(seen[who], pthread_self())) ++who;
    if (who == known) {
      seen[who] = pthread_self();
      threads.fetch_add(1);
    }
    for (int64_t i = begin; i < end; ++i) {
      if (groups.of(i) == o) partial[who] += static_cast<float>(get(x, place(x, i)));
    }
  });
  for (int who = 0; who < threads.load(); ++who) sum += partial[static_cast<size_t>(who)];
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    const bool single = kMutant && l.out().dtype == TENON_DTYPE_F32;
    const double sum =
        single ? static_cast<double>(sum_by_threads(l, groups, o)) : sum_of(l, groups, o);
    put(l.out(), place(l.out(), o), sum / groups.size());
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
