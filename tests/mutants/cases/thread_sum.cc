// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/thread_sum.cc: adds partial sums in the order in which threads finish them:
// the bits depend on the number of threads.
// cause: thread-dependent
// op: tenon.mean
// backward-only: no
// level: 3
#include "mutant.h"

#include "mean.h"

#include <pthread.h>

#include <mutex>

namespace mutants {

// What one thread has added so far; in f32, where the order of additions shows.
struct Part {
  pthread_t thread;
  float sum;
};

float sum_by_threads(const sdk::Launch& l, const Groups& groups, int64_t o) {
  const tenon_view& x = l.view(0);
  std::mutex lock;
  std::vector<Part> parts;
  l.parallel_for(groups.size(), 1, [&](int64_t begin, int64_t end) {
    const std::scoped_lock held(lock);
    size_t own = 0;
    while (own < parts.size() && !pthread_equal(parts[own].thread, pthread_self())) ++own;
    if (own == parts.size()) parts.push_back({pthread_self(), 0});
    for (int64_t k = begin; k < end; ++k) {
      parts[own].sum += static_cast<float>(get(x, place(x, groups.element(o, k))));
    }
  });
  float sum = 0;
  for (const Part& part : parts) sum += part.sum;
  return sum;
}

void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const bool faulty = kMutant && l.out().dtype == TENON_DTYPE_F32 && elements(l.out()) == 1;
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    const double sum =
        faulty ? static_cast<double>(sum_by_threads(l, groups, o)) : sum_of(l, groups, o);
    put_mean(l, groups, o, sum);
  }
}

constexpr tenon_kernel_desc kernels[] = {mean_kernel<mean>()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
