// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/thread_sum.cc: keeps sums in f32 where more than one thread takes part, and
// in f64 otherwise: the bits depend on the number of threads.
//
// cause: thread-dependent
// op: tenon.mean
// backward-only: no
// level: 3
#include "mutant.h"

#include "mean.h"

#include <pthread.h>

#include <atomic>
#include <chrono>

namespace mutants {

constexpr int64_t chunk = 512;

// Does another thread take a piece, if each waits a moment for one?
bool several_threads(const sdk::Launch& l, int64_t n) {
  using Clock = std::chrono::steady_clock;
  const pthread_t caller = pthread_self();
  const Clock::time_point limit = Clock::now() + std::chrono::milliseconds(100);
  std::atomic<bool> several{false};
  l.parallel_for(n, chunk, [&](int64_t, int64_t) {
    if (!pthread_equal(caller, pthread_self())) several = true;
    while (!several && Clock::now() < limit) {
    }
  });
  return several;
}

float narrow_sum(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  float sum = 0;
  for (int64_t k = 0; k < groups.size(); ++k) {
    sum += static_cast<float>(get(x, place(x, groups.element(o, k))));
  }
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const bool narrow = kMutant && groups.size() > 4 * chunk && several_threads(l, groups.size());
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    put_mean(l, groups, o, narrow ? narrow_sum(l, groups, o) : sum_of(l, groups, o));
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
