// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/limits.cc: what this machine can do at most: fused multiply-adds of f32 in
// registers and the triad a = b + s c, on one thread and on several at once.
//
// usage    bench_limits [THREADS]
// Prints JSON: FLOP/s of one thread and of all, bytes/s of the triad in L1, L2 and memory (counted
// as STREAM does, without the line read before a write).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "../multiply_add.h"

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void triad(float* a, const float* b,
                                                                        const float* c, float s,
                                                                        long count) {
  for (long i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
}

struct Arrays {
  explicit Arrays(long count) : count_(count) {
    memory_.reset(static_cast<float*>(
        std::aligned_alloc(64, static_cast<size_t>(3 * count) * sizeof(float))));
    if (!memory_) throw std::bad_alloc();
    for (long i = 0; i < 3 * count; ++i) memory_.get()[i] = 1.0f + static_cast<float>(i % 7);
  }
  double run() {
    float* a = memory_.get();
    triad(a, a + count_, a + 2 * count_, 0.5f, count_);
    asm volatile("" ::"r"(a) : "memory");
    return 3.0 * static_cast<double>(count_) * sizeof(float);
  }
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> memory_;
  long count_;
};

// The most work a second that `threads` threads at once do in five rounds of 50 ms.
template <class Make>
double best_rate(int threads, Make make) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> ready{0};
    std::vector<double> rates(static_cast<size_t>(threads));
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        auto work = make();
        work();
        ++ready;
        while (ready < threads) {
        }
        const double start = now();
        double done = 0;
        while (now() - start < 0.05) done += work();
        rates[static_cast<size_t>(t)] = done / (now() - start);
      });
    }
    for (std::thread& thread : all) thread.join();
    double sum = 0;
    for (double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

double triad_rate(int threads, long bytes) {
  const long count = bytes / 3 / static_cast<long>(sizeof(float)) / 16 * 16;
  return best_rate(threads, [count] {
    auto arrays = std::make_shared<Arrays>(count);
    return [arrays] { return arrays->run(); };
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  if (threads < 1) {
    std::fprintf(stderr, "usage: bench_limits [THREADS]\n");
    return 2;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f");
  const auto flops = [] { return [] { return tenon::bench::run_multiply_adds(20000); }; };
  std::printf("{\"avx512\": %s, \"threads\": %d,\n", avx512 ? "true" : "false", threads);
  std::printf(" \"fma_1\": %.4g, \"fma_all\": %.4g,\n", best_rate(1, flops),
              best_rate(threads, flops));
  std::printf(" \"triad_l1\": %.4g, \"triad_l2\": %.4g, \"triad_memory_1\": %.4g,\n",
              triad_rate(1, 24 << 10), triad_rate(1, 384 << 10), triad_rate(1, 192 << 20));
  std::printf(" \"triad_memory_all\": %.4g}\n", triad_rate(threads, 192 << 20));
}
