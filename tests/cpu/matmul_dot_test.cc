// SPDX-License-Identifier: Apache-2.0
// tests/cpu/matmul_dot_test.cc: matmul of tenon.cpu_bf16 is right to a rounding: for odd sizes, for
// sizes around those of tiles and of what is packed at a time, for any layout, batch and number of
// threads, whose number changes no bits.
#include <tenon/sdk/plugin/dtypes.hpp>

#include <cstring>
#include <optional>

#include "tests/cpu/matmul_support.h"

namespace tenon::tests::matmul {
namespace {

namespace sdk = tenon::sdk;

// Nothing if the plugin was not built or this processor cannot run it.
std::optional<Provider> dot_provider() {
#if defined(__x86_64__)
  Provider p{"tenon.cpu_bf16", plugin_dir()};
  const bool built = std::filesystem::exists(p.folder + "/" + p.id + "/plugin.json");
  if (built && __builtin_cpu_supports("avx512bf16")) return p;
#endif
  return std::nullopt;
}

struct Bf16Array {
  Bf16Array(const Dims& dims, Layout layout, std::mt19937& random)
      : array(Array<float>(dims, layout).drawn(random)), bits(array.buffer.size()) {
    for (size_t i = 0; i < bits.size(); ++i) {
      sdk::store(&bits[i], sdk::narrow<sdk::BF16>(array.buffer[i]));
    }
    widen();
  }
  void widen() {
    for (size_t i = 0; i < bits.size(); ++i) {
      array.buffer[i] = static_cast<float>(sdk::load<sdk::BF16>(&bits[i]));
    }
  }
  Array<float> array;
  std::vector<uint16_t> bits;
};

void multiply_bf16(const Engine& engine, Bf16Array& a, Bf16Array& b, Bf16Array& c) {
  tenon_tensor* tensors[3] = {};
  Bf16Array* const all[] = {&a, &b, &c};
  for (size_t i = 0; i < 3; ++i) {
    const Array<float>& array = all[i]->array;
    engine.must(tenon_tensor_create_external(
        engine.context(), TENON_DTYPE_BF16, static_cast<int32_t>(array.shape.size()),
        array.shape.data(), array.steps.data(), all[i]->bits.data() + array.first, 0, nullptr,
        nullptr, &tensors[i]));
  }
  apply(engine, tensors);
  c.widen();
}

// Half a unit in the last place of a bf16, and what sums of f32 may be off.
void expect_near(const Case<float>& s, Bf16Array& a, Bf16Array& b, Bf16Array& c) {
  for (int64_t i = 0; i < s.batches * s.m * s.n; ++i) {
    const int64_t row = i / s.n;
    const int64_t first = row / s.m * s.k * s.n;
    double sum = 0;
    double size = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      const double product = static_cast<double>(a.array.at(row * s.k + k)) *
                             static_cast<double>(b.array.at(first + k * s.n + i % s.n));
      sum += product;
      size += std::abs(product);
    }
    const double found = static_cast<double>(c.array.at(i));
    ASSERT_LE(std::abs(found - sum), std::abs(sum) * 0x1p-8 + size * 0x1p-18)
        << s.m << " x " << s.k << " x " << s.n << ", element " << i << ": " << found << ", not "
        << sum;
  }
}

TEST(MatmulDot, IsRightToARounding) {
  const auto provider = dot_provider();
  if (!provider) GTEST_SKIP() << "tenon.cpu_bf16 was not built, or cannot run here";
  const Engine engine(*provider);
  std::mt19937 random(20261126);
  const Case<float> sizes[] = {{1, 1, 1},     {1, 70, 40},     {40, 33, 1},   {14, 32, 32},
                               {15, 31, 33},  {29, 1, 65},     {64, 100, 70}, {20, 0, 9},
                               {3, 9001, 70}, {400, 3000, 21}, {5, 30, 40, 3}};
  for (const Case<float>& s : sizes) {
    const auto dims = [&](int64_t rows, int64_t columns) {
      return s.batches == 1 ? Dims{rows, columns} : Dims{s.batches, rows, columns};
    };
    for (const Layout layout : kLayouts) {
      for (const Layout other : {Layout::kRows, Layout::kColumns}) {
        Bf16Array a(dims(s.m, s.k), layout, random);
        Bf16Array b(dims(s.k, s.n), other, random);
        Bf16Array c(dims(s.m, s.n), layout, random);
        multiply_bf16(engine, a, b, c);
        expect_near(s, a, b, c);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(MatmulDot, NumberOfThreadsChangesNoBits) {
  const auto provider = dot_provider();
  if (!provider) GTEST_SKIP() << "tenon.cpu_bf16 was not built, or cannot run here";
  std::vector<uint16_t> one;
  for (const int32_t threads : {1, 2, 5}) {
    const Engine engine(*provider, threads);
    std::mt19937 random(20261127);
    Bf16Array a({300, 500}, Layout::kRows, random);
    Bf16Array b({500, 700}, Layout::kRows, random);
    Bf16Array c({300, 700}, Layout::kRows, random);
    multiply_bf16(engine, a, b, c);
    if (one.empty()) one = c.bits;
    ASSERT_EQ(one, c.bits) << threads << " threads";
  }
}

}  // namespace
}  // namespace tenon::tests::matmul
