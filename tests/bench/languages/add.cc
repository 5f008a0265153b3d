// SPDX-License-Identifier: Apache-2.0
// tests/bench/languages/add.cc: add of 64 from C++; see languages.py.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <tenon/tenon.hpp>

int main() {
  constexpr int n = 20'000, times = 50;
  tenon::set_threads(1);
  const tenon::Tensor a = tenon::zeros({64}), b = tenon::zeros({64});
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < n; ++k) a + b;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / n);
  }
  std::cout << "- " << best << "\n";
}
