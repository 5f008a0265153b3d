// SPDX-License-Identifier: Apache-2.0
// tests/cpu/matmul_narrow_test.cc: matmul of f16 and bf16 sums in f32 and rounds once: the bits of
// its canonical arithmetic, for sizes that are computed whole and in parts, and for any layout.
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/cpu/matmul_support.h"
#include "tests/support/paths.h"

namespace tenon::tests::matmul {
namespace {

namespace sdk = tenon::sdk;

const bool kSanitized = sanitizer() != TENON_SANITIZER_NONE;

// The 16-bit values nearest to an array's, where the array has its own; back in wide().
template <class H>
struct Narrow {
  explicit Narrow(Array<float>& like) : array(like), bits(like.buffer.size()) {
    for (size_t i = 0; i < bits.size(); ++i) sdk::store(&bits[i], sdk::narrow<H>(like.buffer[i]));
    wide();
  }
  void wide() {
    for (size_t i = 0; i < bits.size(); ++i) {
      array.buffer[i] = static_cast<float>(sdk::load<H>(&bits[i]));
    }
  }
  Array<float>& array;
  std::vector<uint16_t> bits;
};

// Sums in f32, rounded once.
template <class H>
void check_narrow(const Engine& engine, tenon_dtype dtype, const Case<float>& s, Layout layout,
                  Layout other) {
  std::mt19937 random(20261125);
  const auto dims = [&](int64_t rows, int64_t columns) {
    return s.batches == 1 ? Dims{rows, columns} : Dims{s.batches, rows, columns};
  };
  Array<float> a = Array<float>(dims(s.m, s.k), layout).drawn(random);
  Array<float> b = Array<float>(s.b_shared ? Dims{s.k, s.n} : dims(s.k, s.n), other).drawn(random);
  Array<float> c(dims(s.m, s.n), layout);
  Narrow<H> narrow[] = {Narrow<H>(a), Narrow<H>(b), Narrow<H>(c)};
  tenon_tensor* tensors[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const Array<float>& array = narrow[i].array;
    engine.must(tenon_tensor_create_external(
        engine.context(), dtype, static_cast<int32_t>(array.shape.size()), array.shape.data(),
        array.steps.data(), narrow[i].bits.data() + array.first, 0, nullptr, nullptr, &tensors[i]));
  }
  apply(engine, tensors);
  narrow[2].wide();
  expect_canonical<float>(s, a, b, c,
                          [](float sum) { return static_cast<float>(sdk::narrow<H>(sum)); });
}

TEST(MatmulNarrow, SumsInF32AndRoundsOnce) {
  if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  const Case<float> sizes[] = {{1, 3, 1},
                               {3, 200, 5},
                               {1, 70, 40},
                               {40, 33, 2},
                               {17, 40, 33},
                               {30, 1, 20},
                               {64, 300, 70},
                               {20, 0, 9},
                               {130, 9000, 9},
                               {9, 9000, 140},
                               {1100, 20, 1030},
                               {5, 30, 40, 3},
                               {5, 30, 40, 3, false, true},
                               {2, 9, 3, 4}};
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Case<float>& s : sizes) {
      for (const Layout layout : {Layout::kRows, Layout::kColumns, Layout::kSpread}) {
        if (kSanitized && (layout != Layout::kRows || s.m > 1000) && s.m * s.k * s.n > 1'000'000) {
          continue;
        }
        check_narrow<sdk::F16>(engine, TENON_DTYPE_F16, s, layout, Layout::kRows);
        check_narrow<sdk::BF16>(engine, TENON_DTYPE_BF16, s, Layout::kRows, layout);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests::matmul
