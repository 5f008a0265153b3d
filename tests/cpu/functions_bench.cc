// SPDX-License-Identifier: Apache-2.0
// tests/cpu/functions_bench.cc: what vector functions cost per element in the nearest cache, and
// what the launch of a small kernel costs without the runtime around it.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <tenon/sdk/plugin.hpp>
#include <vector>

#include "tests/cpu/functions.h"

extern const tenon::sdk::Unit tenon_unit_binary;

namespace {

using tenon::tests::Target;
using tenon::tests::targets;
using tenon::tests::UnaryFunction;

constexpr size_t kCount = 2048;

// Aligned as tensors are.
class Floats {
 public:
  explicit Floats(size_t count) : lines_((count + 15) / 16) {}
  float* data() { return lines_.data()->values; }

 private:
  struct alignas(64) Line {
    float values[16];
  };
  std::vector<Line> lines_;
};

// Fresh random numbers, positive where a logarithm asks for it.
Floats numbers(bool positive, size_t count = kCount) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(positive ? 0.01f : -8.0f, 8.0f);
  Floats x(count);
  for (size_t i = 0; i < count; ++i) x.data()[i] = draw(random);
  return x;
}

void per_element(benchmark::State& state, const UnaryFunction& function) {
  Floats x = numbers(function.name.starts_with("log"));
  Floats y(kCount);
  for (auto _ : state) {
    function.f32(x.data(), y.data(), kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kCount});
}

void pow_per_element(benchmark::State& state, const Target& target) {
  Floats x = numbers(true);
  Floats y(kCount);
  for (auto _ : state) {
    target.pow(x.data(), x.data(), y.data(), kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kCount});
}

// add of `state.range(0)` packed f32.
void launch_add(benchmark::State& state) {
  const int64_t count = state.range(0);
  Floats a = numbers(false, static_cast<size_t>(count));
  Floats b = numbers(false, static_cast<size_t>(count));
  Floats out(static_cast<size_t>(count));
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

const int registered = [] {
  for (const Target& target : targets()) {
    const std::string suffix = "/" + std::string(target.name);
    for (const UnaryFunction& function : target.unary) {
      const std::string name = "cpu_function/" + std::string(function.name) + suffix;
      benchmark::RegisterBenchmark(name.c_str(), per_element, function);
    }
    benchmark::RegisterBenchmark(("cpu_function/pow" + suffix).c_str(), pow_per_element, target);
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
