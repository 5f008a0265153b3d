// SPDX-License-Identifier: Apache-2.0
// tests/training/training_support.h: a context on the tree's own plugins, tensors and files to
// train with.
#pragma once

#include <gtest/gtest.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::tests {

struct ReleaseTensor {
  void operator()(tenon_tensor* tensor) const { tenon_tensor_release(tensor); }
};
using Tensor = std::unique_ptr<tenon_tensor, ReleaseTensor>;

struct ReleaseOptimizer {
  void operator()(tenon_optimizer* optimizer) const { tenon_optimizer_release(optimizer); }
};
using Optimizer = std::unique_ptr<tenon_optimizer, ReleaseOptimizer>;

struct ReleaseDataset {
  void operator()(tenon_dataset* dataset) const { tenon_dataset_release(dataset); }
};
using Dataset = std::unique_ptr<tenon_dataset, ReleaseDataset>;

struct ReleaseLoader {
  void operator()(tenon_loader* loader) const { tenon_loader_release(loader); }
};
using Loader = std::unique_ptr<tenon_loader, ReleaseLoader>;

struct ReleaseTransform {
  void operator()(tenon_transform* transform) const { tenon_transform_release(transform); }
};
using Transform = std::unique_ptr<tenon_transform, ReleaseTransform>;

inline tenon_value real(double number) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = number;
  return value;
}
inline tenon_value flag(bool on) {
  tenon_value value{TENON_VALUE_BOOL, 0, {}};
  value.as.i64 = on ? 1 : 0;
  return value;
}
inline tenon_value whole(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}
inline tenon_value text(std::string_view words) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(words.size()), {}};
  value.as.string = words.data();
  return value;
}
inline tenon_value floats(std::span<const double> numbers) {
  tenon_value value{TENON_VALUE_FLOAT_LIST, static_cast<uint32_t>(numbers.size()), {}};
  value.as.floats = numbers.data();
  return value;
}
inline tenon_value list(std::span<tenon_tensor* const> tensors) {
  tenon_value value{TENON_VALUE_TENSOR_LIST, static_cast<uint32_t>(tensors.size()), {}};
  value.as.tensors = tensors.data();
  return value;
}
inline tenon_value one(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}

template <class T>
constexpr tenon_dtype dtype_of();
template <>
constexpr tenon_dtype dtype_of<float>() {
  return TENON_DTYPE_F32;
}
template <>
constexpr tenon_dtype dtype_of<double>() {
  return TENON_DTYPE_F64;
}
template <>
constexpr tenon_dtype dtype_of<int64_t>() {
  return TENON_DTYPE_I64;
}
template <>
constexpr tenon_dtype dtype_of<uint8_t>() {
  return TENON_DTYPE_U8;
}
template <>
constexpr tenon_dtype dtype_of<uint16_t>() {  // the bits of a bf16
  return TENON_DTYPE_BF16;
}

// Names of all optimizers and of their states, as the registry has them.
using OptimizerStates = std::map<std::string, std::vector<std::string>>;

using Shape = std::vector<int64_t>;
using Option = std::pair<std::string, tenon_value>;

// Names and values side by side become the two arrays the API takes. Borrows `options`.
struct Options {
  explicit Options(const std::vector<Option>& options) {
    for (const auto& [name, value] : options) {
      names.push_back({name.data(), name.size()});
      values.push_back(value);
    }
  }
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
};

// A runtime and a context for each test, and a folder that is removed at its end.
class Training : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Fails the test with the error record.
  void must(tenon_status status);
  // The record's fields, joined by newlines, of a call that must fail with `expected`.
  std::string refused(tenon_status found, tenon_status expected);

  int64_t live_tensors() {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    must(tenon_runtime_get_stats(context, &stats));
    return stats.tensors;
  }
  template <class T>
  Tensor tensor(const Shape& shape, const std::vector<T>& values) {
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_from(context, dtype_of<T>(), nullptr,
                                  static_cast<int32_t>(shape.size()), shape.data(), values.data(),
                                  values.size() * sizeof(T), &out));
    return Tensor(out);
  }
  template <class T>
  std::vector<T> values_of(const tenon_tensor* tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor, &info));
    std::vector<T> values(static_cast<size_t>(info.elements));
    must(tenon_tensor_get_data(context, tensor, values.data(), values.size() * sizeof(T)));
    return values;
  }

  // The one output of an op; fails the test where the op does.
  Tensor call(const char* name, const std::vector<tenon_value>& inputs,
              const std::vector<std::pair<const char*, tenon_value>>& attributes = {});
  Tensor parameter(Tensor tensor) {
    must(tenon_tensor_set_requires_grad(context, tensor.get(), 1));
    return tensor;
  }
  Optimizer optimizer(std::string_view name, std::vector<tenon_tensor*> params,
                      const std::vector<Option>& hypers);
  OptimizerStates optimizer_states();
  Dataset dataset(std::string_view name, const std::vector<Option>& options);
  Dataset dataset(const std::vector<Option>& options) { return dataset("tenon.idx", options); }
  // The record of a dataset that must not open.
  std::string refused_dataset(std::string_view name, const std::vector<Option>& options,
                              tenon_status expected);
  Transform transform(std::string_view name, const std::vector<Option>& options = {});
  Loader loader(const Dataset& set, int64_t batch, uint64_t seed, uint32_t flags,
                uint32_t workers = 0);
  tenon_loader_info info(const Loader& loader) {
    tenon_loader_info found{};
    found.struct_size = sizeof found;
    must(tenon_loader_get_info(context, loader.get(), &found));
    return found;
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const;

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
  std::filesystem::path folder;
};

// The bytes of an idx file: header, then `payload` as it is.
std::string idx_file(unsigned char code, const std::vector<uint32_t>& sizes,
                     const std::string& payload);

}  // namespace tenon::tests
