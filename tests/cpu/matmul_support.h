// SPDX-License-Identifier: Apache-2.0
// tests/cpu/matmul_support.h: products by the kernels of tenon.cpu, and by its twin for AVX2 alone
// where that was built; and the op's canonical arithmetic, said as plain loops of fused
// multiply-adds.
#pragma once

#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace tenon::tests::matmul {

using Dims = std::vector<int64_t>;

struct Provider {
  std::string id;
  std::string folder;  // that holds the plugin's own
};

// Those that were built.
inline std::vector<Provider> providers() {
  std::vector<Provider> found;
  for (const Provider& p : {Provider{"tenon.cpu", plugin_dir()},
                            Provider{"test.cpu_avx2", std::string(test_plugin_dir()) + "/cpu"}}) {
    if (std::filesystem::exists(p.folder + "/" + p.id + "/plugin.json")) found.push_back(p);
  }
  return found;
}

// A runtime whose matmul is the provider's.
class Engine {
 public:
  explicit Engine(const Provider& provider, int32_t threads = 1) {
    const std::string own = plugin_dir();
    const tenon_string paths[] = {{provider.folder.data(), provider.folder.size()},
                                  {own.data(), own.size()}};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
    options.paths = paths;
    options.n_paths = 2;
    options.threads = threads;
    tenon_diag diag{};
    EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime_), TENON_OK) << diag.message;
    EXPECT_EQ(tenon_context_create(runtime_, &diag, &context_), TENON_OK) << diag.message;
    must(tenon_runtime_set_pin(context_, "tenon.matmul", TENON_NUL, provider.id.data(),
                               provider.id.size()));
    must(tenon_op_find(context_, "tenon.matmul", TENON_NUL, 0, &matmul_));
  }
  ~Engine() {
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void must(tenon_status status) const {
    if (status == TENON_OK) return;
    tenon_error record{};
    record.struct_size = sizeof record;
    EXPECT_EQ(tenon_context_get_error(context_, &record), TENON_OK);
    ADD_FAILURE() << tenon_status_get_name(status) << ": " << record.message;
  }
  tenon_context* context() const { return context_; }
  const tenon_op* matmul() const { return matmul_; }

 private:
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  const tenon_op* matmul_ = nullptr;
};

enum class Layout { kRows, kColumns, kSpread, kFlipped };
inline constexpr Layout kLayouts[] = {Layout::kRows, Layout::kColumns, Layout::kSpread,
                                      Layout::kFlipped};

template <class T>
inline constexpr tenon_dtype kDtype = sizeof(T) == 4 ? TENON_DTYPE_F32 : TENON_DTYPE_F64;

// Elements of some shape somewhere in a buffer;
template <class T>
struct Array {
  Array(Dims of, Layout layout) : shape(std::move(of)), steps(shape.size()) {
    const size_t rank = shape.size();
    int64_t step = layout == Layout::kSpread ? 3 : 1;
    std::vector<size_t> order;
    for (size_t d = rank; d-- > 0;) order.push_back(d);
    if (layout == Layout::kColumns && rank > 1) std::swap(order[0], order[1]);
    for (const size_t d : order) {
      steps[d] = step;
      step *= std::max<int64_t>(shape[d], 1) + (layout == Layout::kSpread ? 2 : 0);
    }
    buffer.assign(static_cast<size_t>(step), std::numeric_limits<T>::quiet_NaN());
    if (layout == Layout::kFlipped) {
      for (size_t d = 0; d < rank; ++d) {
        if (shape[d] > 0) first += (shape[d] - 1) * steps[d];
        steps[d] = -steps[d];
      }
    }
  }

  int64_t count() const {
    int64_t n = 1;
    for (const int64_t size : shape) n *= size;
    return n;
  }
  // Number `i` in row-major order.
  T& at(int64_t i) {
    int64_t place = first;
    for (size_t d = shape.size(); d-- > 0;) {
      place += i % shape[d] * steps[d];
      i /= shape[d];
    }
    return buffer[static_cast<size_t>(place)];
  }
  Array&& drawn(std::mt19937& random) && {
    std::uniform_real_distribution<T> values(-1, 1);
    for (int64_t i = 0; i < count(); ++i) at(i) = values(random);
    return std::move(*this);
  }

  Dims shape;
  Dims steps;
  std::vector<T> buffer;
  int64_t first = 0;
};

// The third becomes the product of the others; all are released.
inline void apply(const Engine& engine, tenon_tensor* (&tensors)[3]) {
  tenon_value in[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    in[i].tag = TENON_VALUE_TENSOR;
    in[i].as.tensor = tensors[i];
  }
  engine.must(
      tenon_op_call_into(engine.context(), engine.matmul(), in, 2, nullptr, 0, &tensors[2], 1));
  for (tenon_tensor* tensor : tensors) tenon_tensor_release(tensor);
}

template <class T>
void multiply(const Engine& engine, Array<T>& a, Array<T>& b, Array<T>& c) {
  tenon_tensor* tensors[3] = {};
  Array<T>* const arrays[] = {&a, &b, &c};
  for (size_t i = 0; i < 3; ++i) {
    Array<T>& array = *arrays[i];
    engine.must(tenon_tensor_create_external(
        engine.context(), kDtype<T>, static_cast<int32_t>(array.shape.size()), array.shape.data(),
        array.steps.data(), array.buffer.data() + array.first, 0, nullptr, nullptr, &tensors[i]));
  }
  apply(engine, tensors);
}

// The canonical arithmetic of tenon.matmul: k ascending, or 64 lanes for fewer than 16 elements.
template <class T, class A, class B>
T element(int64_t k, bool lanes, const A& a, const B& b) {
  if (!lanes) {
    T sum = 0;
    for (int64_t i = 0; i < k; ++i) sum = std::fma(a(i), b(i), sum);
    return sum;
  }
  std::array<T, 64> sums{};
  for (int64_t i = 0; i < k; ++i) {
    T& sum = sums[static_cast<size_t>(i % 64)];
    sum = std::fma(a(i), b(i), sum);
  }
  for (size_t width = 32; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
  }
  return sums[0];
}

// Matrices m x k and k x n that follow each other in row-major order, or one that all share.
template <class T>
struct Case {
  int64_t m, k, n;
  int64_t batches = 1;
  bool a_shared = false;
  bool b_shared = false;
};

template <class T>
bool same(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y && std::signbit(x) == std::signbit(y);
}

// `round` makes of a sum what is stored.
template <class T, class Round = std::identity>
void expect_canonical(const Case<T>& s, Array<T>& a, Array<T>& b, Array<T>& c,
                      const Round& round = {}) {
  for (int64_t batch = 0; batch < s.batches; ++batch) {
    const int64_t a_first = s.a_shared ? 0 : batch * s.m * s.k;
    const int64_t b_first = s.b_shared ? 0 : batch * s.k * s.n;
    // Row-major copies: at() is slow.
    std::vector<T> rows(static_cast<size_t>(s.m * s.k));
    std::vector<T> columns(static_cast<size_t>(s.k * s.n));
    for (int64_t i = 0; i < s.m * s.k; ++i) rows[static_cast<size_t>(i)] = a.at(a_first + i);
    for (int64_t i = 0; i < s.k * s.n; ++i) columns[static_cast<size_t>(i)] = b.at(b_first + i);
    for (int64_t i = 0; i < s.m * s.n; ++i) {
      const T wanted = round(element<T>(
          s.k, s.m * s.n < 16,
          [&](int64_t k) { return rows[static_cast<size_t>(i / s.n * s.k + k)]; },
          [&](int64_t k) { return columns[static_cast<size_t>(k * s.n + i % s.n)]; }));
      const T found = c.at(batch * s.m * s.n + i);
      ASSERT_TRUE(same(wanted, found)) << s.m << " x " << s.k << " x " << s.n << ", batch " << batch
                                       << ", element " << i << ": " << found << ", not " << wanted;
    }
  }
}

}  // namespace tenon::tests::matmul
