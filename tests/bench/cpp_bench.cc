// SPDX-License-Identifier: Apache-2.0
// tests/bench/cpp_bench.cc: what one small op costs through the C++ headers: the calls of
// eager_bench.cc, which is to be run beside it.
#include <benchmark/benchmark.h>
#include <tenon/tenon.hpp>

namespace {

tenon::Tensor operand() {
  std::array<float, 64> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * static_cast<float>(i) - 3.0f;
  return tenon::Tensor::from(values);
}

void cpp_add_64_out(benchmark::State& state) {
  const tenon::Tensor a = operand(), b = operand();
  tenon::Tensor out = operand();
  for (auto _ : state) tenon::add(a, b, tenon::into(out));
}
BENCHMARK(cpp_add_64_out);

void cpp_add_64_returned(benchmark::State& state) {
  const tenon::Tensor a = operand(), b = operand();
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(cpp_add_64_returned);

void cpp_add_64_recorded(benchmark::State& state) {
  const tenon::Tensor a = operand().set_requires_grad(), b = operand();
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(cpp_add_64_recorded);

// An op with attributes, and the same without a look at them.
void cpp_softmax_64(benchmark::State& state) {
  const tenon::Tensor x = operand();
  for (auto _ : state) benchmark::DoNotOptimize(tenon::softmax(x, {.axis = -1}));
}
BENCHMARK(cpp_softmax_64);

void cpp_mul_sum_backward_64(benchmark::State& state) {
  tenon::Tensor a = operand().set_requires_grad();
  const tenon::Tensor b = operand();
  for (auto _ : state) {
    tenon::sum(a * b).backward();
    a.set_grad();
  }
}
BENCHMARK(cpp_mul_sum_backward_64);

}  // namespace
