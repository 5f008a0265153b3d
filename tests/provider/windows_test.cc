// SPDX-License-Identifier: Apache-2.0
// tests/provider/windows_test.cc: convolutions and averages of plugins that do not give canonical
// bits, beside the reference, for sizes at which they take their own kernels: other sizes are those
// of samples, by which `tenon verify` judges them.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

#include "tests/provider/provider_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;

constexpr const char* kOneDnn = "tenon.onednn";
constexpr const char* kWinograd = "tenon.cpu_winograd";

// Channels are those of a group.
struct Layer {
  int64_t images, groups, in, out;
  Shape size, kernel, stride, padding;
  int64_t dilation = 1;
};

// 32 images are 16 parts, 17 are one.
const Layer kOneDnnLayers[] = {
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

// Rows of tiles that end within one, more channels than a block, more tiles than a task, panels
// over several images.
const Layer kWinogradLayers[] = {
    {2, 1, 32, 32, {16, 16}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {5, 1, 35, 41, {13, 10}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {40, 1, 33, 32, {3, 5}, {3, 3}, {1, 1}, {0, 0, 0, 0}},
    {1, 1, 100, 90, {30, 31}, {3, 3}, {1, 1}, {2, 0, 0, 1}},
    {3, 1, 70, 129, {17, 19}, {3, 3}, {1, 1}, {3, 3, 3, 3}},
    {9, 1, 32, 50, {9, 8}, {3, 3}, {1, 1}, {0, 2, 1, 4}},
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

class Windows : public testing::Test {
 protected:
  Windows(const char* plugin, double error) : plugin_(plugin), error_(error) {}
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(plugin_dir()) / plugin_)) {
      GTEST_SKIP() << plugin_ << " was not built";
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
    cx.must(cx.pin(op, plugin_));
    Tensor found;
    ASSERT_THAT(cx.ran([&] { found = cx.call(op, inputs, attrs); }, op), ElementsAre(plugin_));
    const std::vector<double> values = cx.values(found.get());
    ASSERT_EQ(values.size(), wanted.size());
    double largest = 0;
    for (const double each : wanted) {
      if (std::isfinite(each)) largest = std::max(largest, std::fabs(each));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      const double bound = std::isfinite(wanted[i]) ? error_ * largest : 0;
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
    alone.must(alone.pin(op, plugin_));
    return alone.bytes(alone.call(op, inputs, attrs).get());
  }

  // One place that is not finite.
  Tensor holed(const Tensor& full, const Shape& shape, size_t place) {
    std::vector<double> values = cx.values(full.get());
    values[place] = std::numeric_limits<double>::infinity();
    return cx.make(TENON_DTYPE_F32, shape, values);
  }
  Shape shape_of(const Tensor& tensor) {
    tenon_view view{};
    cx.must(tenon_tensor_get_view(cx, tensor.get(), &view));
    return {view.shape, view.shape + view.rank};
  }

  void check_layer(const Layer& layer, bool infinite) {
    const Shape dilation(layer.size.size(), layer.dilation);
    std::vector<tenon_value> attrs{list(layer.stride), list(layer.padding), list(dilation),
                                   number(layer.groups)};
    const Shape x_shape = joined(layer.images, layer.groups * layer.in, layer.size);
    const Shape weight_shape = joined(layer.groups * layer.out, layer.in, layer.kernel);
    const Layout layouts[] = {Layout::RowMajor, Layout::Transposed, Layout::Spread};
    const Tensor x = placed(cx, TENON_DTYPE_F32, x_shape, layouts[random() % 3], random);
    Tensor weight = drawn(weight_shape);
    const Tensor bias = drawn({layer.groups * layer.out});
    if (infinite) {
      const Tensor other = holed(x, x_shape, 3);
      check("tenon.conv", {&other, &weight}, attrs);
      weight = holed(weight, weight_shape, 0);  // reads the padding at the edges, if there is any
    }
    check("tenon.conv", {&x, &weight}, attrs);
    check("tenon.conv", {&x, &weight, &bias}, attrs);
    const Shape y_shape = shape_of(cx.call("tenon.conv", {x.get(), weight.get()}, attrs));
    const Tensor dy = placed(cx, TENON_DTYPE_F32, y_shape, layouts[random() % 3], random);
    attrs.insert(attrs.begin(), list(layer.size));
    check("tenon.conv_input_grad", {&dy, &weight}, attrs);
    if (!has_weight_grad_) return;
    attrs[0] = list(layer.kernel);
    const Tensor other = infinite ? holed(dy, y_shape, 0) : drawn(y_shape);
    check("tenon.conv_weight_grad", {&other, &x}, attrs);
  }
  void check_layers(std::span<const Layer> layers, bool infinite) {
    for (const Layer& layer : layers) {
      SCOPED_TRACE(testing::PrintToString(layer.size) + ", " + std::to_string(layer.groups) +
                   " groups of " + std::to_string(layer.in) + " to " + std::to_string(layer.out));
      check_layer(layer, infinite);
      if (HasFatalFailure()) return;
    }
  }

  const char* const plugin_;
  const double error_;  // as a part of the largest value
  bool has_weight_grad_ = true;
  Runtime runtime{{.threads = 3}};
  Runtime one_thread{{.threads = 1}};
  Context cx{runtime};
  Context alone{one_thread};
  std::mt19937_64 random{kSeed};
};

class ProviderOneDnnWindows : public Windows {
 protected:
  ProviderOneDnnWindows() : Windows(kOneDnn, 1e-5) {}
};

TEST_F(ProviderOneDnnWindows, ConvolveAsTheReference) { check_layers(kOneDnnLayers, false); }

TEST_F(ProviderOneDnnWindows, PaddingIsNeverMultiplied) { check_layers(kOneDnnLayers, true); }

class ProviderWinograd : public Windows {
 protected:
  ProviderWinograd() : Windows(kWinograd, 1e-5) { has_weight_grad_ = false; }
};

TEST_F(ProviderWinograd, ConvolvesAsTheReference) { check_layers(kWinogradLayers, false); }

TEST_F(ProviderWinograd, WhatIsNotFiniteStaysWhereItIs) { check_layers(kWinogradLayers, true); }

TEST_F(ProviderWinograd, IsChosenForFastArithmeticAlone) {
  const Context fast(runtime, TENON_ARITHMETIC_FAST);
  const Tensor x = placed(fast, TENON_DTYPE_F32, {2, 32, 16, 16}, Layout::RowMajor, random);
  const Tensor weight = placed(fast, TENON_DTYPE_F32, {32, 32, 3, 3}, Layout::RowMajor, random);
  const auto ran = [&](const Context& context, const Tensor& by) {
    return context.ran(
        [&] {
          (void)context.call("tenon.conv", {x.get(), by.get()});
        },
        "tenon.conv");
  };
  EXPECT_THAT(ran(fast, weight), ElementsAre(kWinograd));
  EXPECT_THAT(ran(cx, weight), ElementsAre(kReference));
  const Tensor wide = placed(fast, TENON_DTYPE_F32, {32, 32, 5, 5}, Layout::RowMajor, random);
  EXPECT_THAT(ran(fast, wide), ElementsAre(testing::Ne(std::string(kWinograd))));
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
