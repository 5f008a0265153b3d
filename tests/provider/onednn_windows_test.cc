// SPDX-License-Identifier: Apache-2.0
// tests/provider/onednn_windows_test.cc: convolutions and averages of tenon.onednn beside the
// reference, for sizes at which oneDNN takes its vector kernels: other sizes are those of samples,
// by which `tenon verify` judges it.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/provider/provider_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;

constexpr const char* kOneDnn = "tenon.onednn";

// Channels are those of a group. 32 images are 16 parts, 17 are one.
struct Layer {
  int64_t images, groups, in, out;
  Shape size, kernel, stride, padding;
  int64_t dilation = 1;
};

const Layer kLayers[] = {
    {32, 1, 16, 32, {9, 10}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {17, 1, 16, 24, {11, 9}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {4, 1, 3, 16, {16, 15}, {7, 7}, {2, 2}, {3, 3, 3, 3}},
    {8, 1, 32, 16, {7, 7}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {6, 1, 16, 16, {8, 8}, {1, 1}, {2, 2}, {0, 0, 0, 0}},
    {8, 16, 1, 1, {9, 9}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {2, 24, 1, 1, {12, 11}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {4, 2, 8, 8, {9, 9}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {3, 2, 3, 5, {9, 9}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {4, 1, 8, 8, {12, 13}, {3, 3}, {1, 1}, {2, 2, 2, 2}, 2},
    {4, 1, 16, 8, {30}, {5}, {1}, {2, 2}},
    {2, 1, 8, 8, {6, 7, 5}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}},
    {2, 1, 8, 8, {9, 9}, {3, 3}, {1, 1}, {2, 0, 0, 1}},
};

tenon_value list(const Shape& numbers) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(numbers.size()), {}};
  value.as.ints = numbers.data();
  return value;
}
tenon_value number(int64_t i) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = i;
  return value;
}
tenon_value flag(bool yes) {
  tenon_value value{TENON_VALUE_BOOL, 0, {}};
  value.as.i64 = yes ? 1 : 0;
  return value;
}

Shape joined(int64_t first, int64_t second, const Shape& rest) {
  Shape all{first, second};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

class ProviderOneDnnWindows : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(plugin_dir()) / kOneDnn)) {
      GTEST_SKIP() << "tenon.onednn was not built: oneDNN was not found";
    }
  }

  Tensor drawn(const Shape& shape) {
    return placed(cx, TENON_DTYPE_F32, shape, Layout::RowMajor, random);
  }

  // The same as the reference but for rounding, not a number in the same places, and the same bits
  // with another number of threads.
  void check(std::string_view op, const std::vector<const Tensor*>& operands,
             const std::vector<tenon_value>& attrs) {
    std::vector<tenon_tensor*> inputs;
    for (const Tensor* each : operands) inputs.push_back(each->get());
    cx.must(cx.pin(op, kReference));
    const std::vector<double> wanted = cx.values(cx.call(op, inputs, attrs).get());
    cx.must(cx.pin(op, kOneDnn));
    Tensor found;
    ASSERT_THAT(cx.ran([&] { found = cx.call(op, inputs, attrs); }, op), ElementsAre(kOneDnn));
    const std::vector<double> values = cx.values(found.get());
    ASSERT_EQ(values.size(), wanted.size());
    double largest = 0;
    for (const double each : wanted) {
      if (std::isfinite(each)) largest = std::max(largest, std::fabs(each));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      const double bound = std::isfinite(wanted[i]) ? 1e-5 * largest : 0;
      const auto is_near = testing::NanSensitiveDoubleNear(wanted[i], bound);
      ASSERT_THAT(values[i], is_near) << "element " << i;
    }
    EXPECT_TRUE(alone_bytes(op, operands, attrs) == cx.bytes(found.get()));
  }

  std::string alone_bytes(std::string_view op, const std::vector<const Tensor*>& operands,
                          const std::vector<tenon_value>& attrs) {
    std::vector<Tensor> copies;
    std::vector<tenon_tensor*> inputs;
    for (const Tensor* each : operands) {
      tenon_view view{};
      cx.must(tenon_tensor_get_view(cx, each->get(), &view));
      const Shape shape(view.shape, view.shape + view.rank);
      copies.push_back(alone.make(TENON_DTYPE_F32, shape, cx.values(each->get())));
      inputs.push_back(copies.back().get());
    }
    alone.must(alone.pin(op, kOneDnn));
    return alone.bytes(alone.call(op, inputs, attrs).get());
  }

  void check_layer(const Layer& layer, bool infinite) {
    const Shape dilation(layer.size.size(), layer.dilation);
    std::vector<tenon_value> attrs{list(layer.stride), list(layer.padding), list(dilation),
                                   number(layer.groups)};
    const Tensor x = drawn(joined(layer.images, layer.groups * layer.in, layer.size));
    const Shape weight_shape = joined(layer.groups * layer.out, layer.in, layer.kernel);
    Tensor weight = drawn(weight_shape);
    if (infinite) {  // the first tap, which reads the padding at the edges, if there is any
      std::vector<double> values = cx.values(weight.get());
      values[0] = std::numeric_limits<double>::infinity();
      weight = cx.make(TENON_DTYPE_F32, weight_shape, values);
    }
    const Tensor bias = drawn({layer.groups * layer.out});
    check("tenon.conv", {&x, &weight}, attrs);
    check("tenon.conv", {&x, &weight, &bias}, attrs);
    Tensor dy = cx.call("tenon.conv", {x.get(), weight.get()}, attrs);
    tenon_view view{};
    cx.must(tenon_tensor_get_view(cx, dy.get(), &view));
    const Shape y_shape(view.shape, view.shape + view.rank);
    dy = drawn(y_shape);
    if (infinite) {
      std::vector<double> values = cx.values(dy.get());
      values[0] = std::numeric_limits<double>::infinity();
      dy = cx.make(TENON_DTYPE_F32, y_shape, values);
    }
    attrs.insert(attrs.begin(), list(layer.kernel));
    check("tenon.conv_weight_grad", {&dy, &x}, attrs);
    attrs[0] = list(layer.size);
    if (infinite) dy = drawn(y_shape);
    check("tenon.conv_input_grad", {&dy, &weight}, attrs);
  }

  Runtime runtime{{.threads = 3}};
  Runtime one_thread{{.threads = 1}};
  Context cx{runtime};
  Context alone{one_thread};
  std::mt19937_64 random{kSeed};
};

TEST_F(ProviderOneDnnWindows, ConvolveAsTheReference) {
  for (const Layer& layer : kLayers) {
    SCOPED_TRACE(testing::PrintToString(layer.size) + ", " + std::to_string(layer.groups) +
                 " groups of " + std::to_string(layer.in) + " to " + std::to_string(layer.out));
    check_layer(layer, false);
    if (HasFatalFailure()) return;
  }
}

TEST_F(ProviderOneDnnWindows, PaddingIsNeverMultiplied) {
  for (const Layer& layer : kLayers) {
    SCOPED_TRACE(testing::PrintToString(layer.size) + ", " + std::to_string(layer.groups) +
                 " groups of " + std::to_string(layer.in) + " to " + std::to_string(layer.out));
    check_layer(layer, true);
    if (HasFatalFailure()) return;
  }
}

TEST_F(ProviderOneDnnWindows, AverageAsTheReference) {
  const Tensor x = drawn({8, 16, 13, 12});
  const Shape kernel{3, 2};
  const Shape stride{2, 2};
  const Shape padding{1, 0, 1, 1};
  const Shape size{13, 12};
  for (const bool counts : {false, true}) {
    std::vector<tenon_value> attrs{list(kernel), list(stride), list(padding), flag(false),
                                   flag(counts)};
    check("tenon.avg_pool", {&x}, attrs);
    const Tensor dy = drawn({8, 16, 6, 7});
    attrs.insert(attrs.begin(), list(size));
    check("tenon.avg_pool_grad", {&dy}, attrs);
  }
}

}  // namespace
}  // namespace tenon::tests
