// SPDX-License-Identifier: Apache-2.0
// tests/provider/provider_support.h: the providers of matmul that wrap a library, runtimes with
// and without them, matrices in any layout, and which plugin's kernel ran.
#pragma once

#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

inline constexpr uint64_t kSeed = 20270304;
inline constexpr const char* kReference = "tenon.ref";
inline constexpr const char* kMatmul = "tenon.matmul";

struct ReleaseTensor {
  void operator()(tenon_tensor* tensor) const { tenon_tensor_release(tensor); }
};
using Tensor = std::unique_ptr<tenon_tensor, ReleaseTensor>;

// A runtime on the tree's own plugins, but for the vector kernels of tenon.cpu: with the plain ones
// alone it is known who wins.
class Runtime {
 public:
  struct Options {
    int32_t threads = 2;
    std::vector<std::string> exclude = {};
    std::string check = {};
    std::vector<std::string> first = {};  // folders searched before the tree's
  };
  Runtime() : Runtime(Options()) {}
  explicit Runtime(const Options& options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  tenon_runtime* get() const { return runtime_; }

 private:
  tenon_runtime* runtime_ = nullptr;
};

// A context; canonical unless told.
class Context {
 public:
  explicit Context(const Runtime& runtime, uint32_t arithmetic = TENON_ARITHMETIC_CANONICAL);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator tenon_context*() const { return context_; }

  void must(tenon_status status) const;  // a test failure with the error record's words
  tenon_error error() const;
  Json query(std::string_view topic) const;
  const tenon_op* find(std::string_view op) const;

  // An empty `op` is every op, an empty `plugin` takes the pin back.
  tenon_status pin(std::string_view op, std::string_view plugin) const;

  Tensor make(tenon_dtype dtype, const Shape& shape, const std::vector<double>& values) const;
  std::vector<double> values(const tenon_tensor* tensor) const;
  std::string bytes(const tenon_tensor* tensor) const;

  Tensor call(std::string_view op, const std::vector<tenon_tensor*>& operands,
              const std::vector<tenon_value>& attrs = {}) const;
  Tensor matmul(const Tensor& a, const Tensor& b) const;
  void matmul_into(const Tensor& a, const Tensor& b, const Tensor& out) const;
  Json explain(const Tensor& a, const Tensor& b) const;
  // The plugin whose kernel explain names for matmul.
  std::string chosen(const Tensor& a, const Tensor& b) const;
  // Plugins of the kernels of `op` that `body` launches, in order.
  std::vector<std::string> ran(const std::function<void()>& body,
                               std::string_view op = kMatmul) const;

 private:
  tenon_context* context_ = nullptr;
};

// What tests must know of a plugin that wraps a library's matmul.
struct Wrapped {
  const char* id;
  const char* library;              // part of the library's name
  std::vector<tenon_dtype> dtypes;  // on this machine
  tenon_dtype finest;
  bool reads_strides;  // large transposed operands, and windows
};
std::vector<Wrapped> providers();
std::string short_name(const testing::TestParamInfo<Wrapped>& provider);

// Runs for each provider; skipped where the plugin was not built.
class Provider : public testing::TestWithParam<Wrapped> {
 protected:
  void SetUp() override;
  static const char* id() { return GetParam().id; }
  static const std::vector<tenon_dtype>& dtypes() { return GetParam().dtypes; }
  // Beside this provider there is the reference alone.
  static Runtime::Options only(Runtime::Options options = {});
};

enum class Layout {
  RowMajor,
  Transposed,   // columns are packed
  Window,       // part of a larger matrix
  Spread,       // every second element of rows and columns
  Flipped,      // columns run backwards
  Expanded,     // all rows are one row
  Sliding,      // rows overlap
  BatchInside,  // batches are packed, matrices are not
};
inline constexpr Layout kLayouts[] = {Layout::RowMajor, Layout::Transposed, Layout::Window,
                                      Layout::Spread,   Layout::Flipped,    Layout::Expanded,
                                      Layout::Sliding,  Layout::BatchInside};
// Those that do not overlap themselves.
inline constexpr Layout kWritable[] = {Layout::RowMajor, Layout::Transposed, Layout::Window,
                                       Layout::Spread,   Layout::Flipped,    Layout::BatchInside};
const char* name_of(Layout layout);
// Values drawn from [-1, 1), read through strides of this layout.
Tensor placed(const Context& cx, tenon_dtype dtype, const Shape& shape, Layout layout,
              std::mt19937_64& random);

// How far a sum of k products may be from another order of the same sum: `absolute` is the product
// of the operands' absolute values.
double tolerance(tenon_dtype dtype, int64_t k, double absolute);
// Every element of `found` is within tolerance of `wanted`.
void expect_near(const Context& cx, const Tensor& a, const Tensor& b,
                 const std::vector<double>& wanted, const std::vector<double>& found);

}  // namespace tenon::tests
