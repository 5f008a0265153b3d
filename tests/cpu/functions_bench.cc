// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions_bench.cc: what vector functions cost per element in the nearest cache, and
// what the launch of a small kernel costs without the runtime around it.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <tenon/sdk/plugin/plugin.hpp>
#include <vector>

#include "tests/cpu/functions.h"

extern const tenon::sdk::Unit tenon_unit_binary;

namespace {

using tenon::tests::BinaryFunction;
using tenon::tests::Target;
using tenon::tests::targets;
using tenon::tests::UnaryFunction;

constexpr size_t kCount = 2048;

// Aligned as tensors are.
template <class T>
class Lines {
 public:
  explicit Lines(size_t count) : lines_((count + kLine - 1) / kLine) {}
  T* data() { return lines_.data()->values; }

 private:
  static constexpr size_t kLine = 64 / sizeof(T);
  struct alignas(64) Line {
    T values[kLine];
  };
  std::vector<Line> lines_;
};

// Fresh random numbers, positive where a logarithm asks for it.
template <class T>
Lines<T> numbers(bool positive, size_t count = kCount) {
  std::mt19937 random(1);
  std::uniform_real_distribution<T> draw(positive ? T(0.01) : T(-8), T(8));
  Lines<T> x(count);
  for (size_t i = 0; i < count; ++i) x.data()[i] = draw(random);
  return x;
}

template <class T, class Function>
void per_element(benchmark::State& state, Function f, bool positive) {
  Lines<T> x = numbers<T>(positive);
  Lines<T> y(kCount);
  for (auto _ : state) {
    f(x.data(), y.data(), kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kCount});
}

template <class T, class Function>
void per_pair(benchmark::State& state, Function f) {
  per_element<T>(
      state, [f](const T* x, T* y, size_t count) { f(x, x, y, count); }, true);
}

// add of `state.range(0)` packed f32.
void launch_add(benchmark::State& state) {
  const int64_t count = state.range(0);
  Lines<float> a = numbers<float>(false, static_cast<size_t>(count));
  Lines<float> b = numbers<float>(false, static_cast<size_t>(count));
  Lines<float> out(static_cast<size_t>(count));
  const int64_t stride = 1;
  std::array<tenon_view, 3> views{};
  float* const data[] = {a.data(), b.data(), out.data()};
  for (size_t i = 0; i < 3; ++i) {
    views[i].data = data[i];
    views[i].shape = &count;
    views[i].strides = &stride;
    views[i].rank = 1;
    views[i].dtype = TENON_DTYPE_F32;
  }
  const std::array<uint32_t, 4> slots = {0, 1, 2, 3};
  tenon_launch launch{};
  launch.slot_begin = slots.data();
  launch.views = views.data();
  launch.n_slots = 3;
  launch.n_inputs = 2;
  const tenon_kernel_desc* add = nullptr;
  for (const tenon_kernel_desc& kernel : tenon_unit_binary.chosen_kernels()) {
    if (std::string_view(kernel.op.data, kernel.op.length) == "tenon.add") add = &kernel;
  }
  if (add == nullptr) return state.SkipWithError("tenon.cpu has no kernel for add");
  for (auto _ : state) {
    if (add->launch(nullptr, &launch) != TENON_OK) std::abort();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

std::string bench_name(std::string_view function, std::string_view dtype, const Target& target) {
  std::string name = "cpu_function/";
  return name.append(function).append(dtype).append("/").append(target.name);
}

const int registered = [] {
  for (const Target& target : targets()) {
    for (const UnaryFunction& function : target.unary) {
      const bool positive = function.name.starts_with("log");
      benchmark::RegisterBenchmark(bench_name(function.name, "", target).c_str(),
                                   per_element<float, decltype(function.f32)>, function.f32,
                                   positive);
      benchmark::RegisterBenchmark(bench_name(function.name, "_f64", target).c_str(),
                                   per_element<double, decltype(function.f64)>, function.f64,
                                   positive);
    }
    for (const BinaryFunction& function : target.binary) {
      benchmark::RegisterBenchmark(bench_name(function.name, "", target).c_str(),
                                   per_pair<float, decltype(function.f32)>, function.f32);
      benchmark::RegisterBenchmark(bench_name(function.name, "_f64", target).c_str(),
                                   per_pair<double, decltype(function.f64)>, function.f64);
    }
  }
  if (!targets().empty()) {
    benchmark::RegisterBenchmark("cpu_launch/add", launch_add)
        ->Arg(16)
        ->Arg(64)
        ->Arg(60)
        ->Arg(4096);
  }
  return 0;
}();

}  // namespace
