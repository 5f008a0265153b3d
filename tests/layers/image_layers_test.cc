// SPDX-License-Identifier: Apache-2.0
// tests/layers/image_layers_test.cc: layers of convolution networks, each against a formula written
// out here, their wrong uses, and a block of a ResNet that is made of them and trained.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/layers/layers_support.h"

namespace tenon::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

const Shape kOne = {1};

class ImageLayers : public Layers {
 protected:
  // 0, 1, 2, ...
  Tensor counted(const Shape& shape) {
    std::vector<double> values(count(shape));
    std::iota(values.begin(), values.end(), 0.0);
    return tensor<double>(shape, values);
  }
  // Numbers without a pattern that a window could have too.
  Tensor mixed(const Shape& shape) {
    std::vector<double> values;
    for (size_t i = 0; i < count(shape); ++i)
      values.push_back(std::sin(static_cast<double>(i * i)));
    return tensor<double>(shape, values);
  }
  static size_t count(const Shape& shape) {
    return static_cast<size_t>(
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
  }
  Shape shape_of(const Tensor& tensor) {
    const tenon_view view = view_of(tensor.get());
    return {view.shape, view.shape + view.rank};
  }
  std::vector<double> values(const Tensor& tensor) { return values_of<double>(tensor.get()); }
  Layer wide(const char* name, std::vector<Option> options) {
    options.emplace_back("dtype", dtype_value(TENON_DTYPE_F64));
    return layer(name, options);
  }
  std::string call_refused(const Layer& layer, const Tensor& x, tenon_status expected) {
    const tenon_value input = one(x.get());
    tenon_tensor* out = nullptr;
    return refused(tenon_layer_call(context, layer.get(), &input, 1, &out, 1), expected);
  }
  std::string create_refused(const char* name, const std::vector<Option>& options) {
    tenon_layer* out = nullptr;
    return refused(create(name, options, &out), TENON_E_ATTRIBUTE);
  }
};

// ---- flatten, dropout_channels, residual --------------------------------------------------------

TEST_F(ImageLayers, FlattenKeepsTheBatch) {
  const Tensor x = counted({2, 3, 2, 2});
  const Tensor y = run(layer("tenon.flatten"), x.get());
  EXPECT_THAT(shape_of(y), ElementsAre(2, 12));
  EXPECT_EQ(values(y), values(x));
  const Layer middle =
      layer("tenon.flatten", {{"start_axis", integer(1)}, {"end_axis", integer(2)}});
  EXPECT_THAT(shape_of(run(middle, x.get())), ElementsAre(2, 6, 2));
}

TEST_F(ImageLayers, DropoutLeavesOutWholeChannels) {
  const Layer drop = layer("tenon.dropout_channels", {{"p", real(0.75)}});
  const Tensor x = parameter(tensor<double>({40, 50, 3}, std::vector<double>(6000, 2)));
  seed(7);
  const Tensor y = run(drop, x.get());
  const std::vector<double> found = values(y);
  int kept = 0;
  for (size_t channel = 0; channel < 2000; ++channel) {
    const double first = found[3 * channel];
    ASSERT_TRUE(first == 0 || first == 8) << first;
    EXPECT_EQ(found[3 * channel + 1], first);
    EXPECT_EQ(found[3 * channel + 2], first);
    kept += first != 0;
  }
  EXPECT_NEAR(kept, 500, 5 * std::sqrt(2000 * 0.25 * 0.75));
  backward(call("tenon.sum", {one(y.get())}));
  tenon_tensor* grad = nullptr;
  must(tenon_tensor_get_grad(context, x.get(), &grad));
  std::vector<double> expected = found;
  for (double& each : expected) each /= 2;
  EXPECT_EQ(values_of<double>(grad), expected);
  set_training(drop, false);
  EXPECT_EQ(values(run(drop, x.get())), values(x));
}

// What is left out is 0 whatever was there, and its gradient too where all is left out.
TEST_F(ImageLayers, DroppedChannelsLeaveNothing) {
  const Layer drop = layer("tenon.dropout_channels", {{"p", real(1)}});
  const Tensor x = parameter(tensor<double>({1, 2, 2}, {1, INFINITY, NAN, -3}));
  const Tensor y = run(drop, x.get());
  EXPECT_THAT(values(y), Each(0));
  backward(call("tenon.sum", {one(y.get())}));
  tenon_tensor* grad = nullptr;
  must(tenon_tensor_get_grad(context, x.get(), &grad));
  EXPECT_THAT(values_of<double>(grad), Each(0));
}

TEST_F(ImageLayers, ResidualAddsWhatItWasGiven) {
  const Tensor x = tensor<double>({1, 3}, {-2, 0.5, 1});
  const Layer plain = layer("tenon.residual");
  add(plain, activation("square"));
  add(plain, activation("neg"));
  EXPECT_THAT(values(run(plain, x.get())), ElementsAre(-6, 0.25, 0));
  const Layer rectified = layer("tenon.residual", {{"activation", text("relu")}});
  add(rectified, activation("square"));
  add(rectified, activation("neg"));
  EXPECT_THAT(values(run(rectified, x.get())), ElementsAre(0, 0.25, 0));
  const Layer with_shortcut = layer("tenon.residual", {{"shortcut", flag(true)}});
  add(with_shortcut, activation("square"));
  add(with_shortcut, activation("neg"), "downsample");
  EXPECT_THAT(values(run(with_shortcut, x.get())), ElementsAre(6, -0.25, 0));
  const Layer shortcut_only = layer("tenon.residual", {{"shortcut", flag(true)}});
  add(shortcut_only, activation("square"));
  EXPECT_THAT(values(run(shortcut_only, x.get())), ElementsAre(2, 0.75, 2));
}

TEST_F(ImageLayers, ResidualSaysWhatDoesNotFit) {
  const Tensor x = counted({1, 2});
  const Layer narrow = layer("tenon.residual");
  add(narrow, wide("tenon.linear", {{"inputs", integer(2)}, {"outputs", integer(1)}}));
  const std::string words = call_refused(narrow, x, TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("the branch must give the shape of what is added to it"));
  EXPECT_THAT(words, HasSubstr("[1,2]"));
  EXPECT_THAT(words, HasSubstr("[1,1]"));
  EXPECT_THAT(words, HasSubstr("with the option shortcut the last child"));
  const Layer empty = layer("tenon.residual", {{"shortcut", flag(true)}});
  EXPECT_THAT(call_refused(empty, x, TENON_E_STATE), HasSubstr("no child to be the shortcut"));
  add(empty, wide("tenon.linear", {{"inputs", integer(2)}, {"outputs", integer(1)}}));
  EXPECT_THAT(call_refused(empty, x, TENON_E_SHAPE), HasSubstr("the last child is the shortcut"));
}

}  // namespace
}  // namespace tenon::tests
