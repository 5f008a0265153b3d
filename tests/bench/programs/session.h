// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/session.h: a runtime with a context that ends the program on an error, and
// the time of calls.
#pragma once

#include <tenon/tenon.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace tenon::bench {

inline constexpr double kBatchSeconds = 1e-3;  // long against the clock's own cost

struct Runtime {
  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;

  Runtime() {
    tenon_diag diag{};
    if (tenon_runtime_create(nullptr, &diag, &runtime) != TENON_OK ||
        tenon_context_create(runtime, &diag, &context) != TENON_OK) {
      std::fprintf(stderr, "%s\n", diag.message);
      std::exit(1);
    }
  }
  ~Runtime() {
    tenon_context_release(context);
    tenon_runtime_release(runtime);
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  void require(tenon_status status) const {
    if (status == TENON_OK) return;
    tenon_error error{};
    error.struct_size = sizeof error;
    tenon_context_get_error(context, &error);
    std::fprintf(stderr, "%s\n", error.message);
    std::exit(1);
  }
};

// The median of batches of calls.
template <class Body>
double seconds_of(double seconds, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](uint64_t calls) {
    const auto start = Clock::now();
    for (uint64_t i = 0; i < calls; ++i) body();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  timed(1);
  const double one = std::max(timed(1), 1e-9);
  const auto batch = static_cast<uint64_t>(std::max(1.0, kBatchSeconds / one));
  std::vector<double> each;
  double spent = 0;
  while (spent < seconds || each.size() < 3) {
    const double taken = timed(batch);
    spent += taken;
    each.push_back(taken / static_cast<double>(batch));
  }
  std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
  return each[each.size() / 2];
}

}  // namespace tenon::bench
