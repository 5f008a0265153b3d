// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/peak.cc: what the multiply-add units of several cores can do.
#include <thread>
#include <vector>

#include "../multiply_add.h"
#include "contender.h"

namespace tenon::bench {

double run_fma(int threads) {
  constexpr long kRounds = 15000;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run_multiply_adds, kRounds);
  const double each = run_multiply_adds(kRounds);
  for (std::thread& other : others) other.join();
  return each * threads;
}

}  // namespace tenon::bench
