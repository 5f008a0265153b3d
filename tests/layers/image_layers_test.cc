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
  Shape shape_of_state(const Layer& layer, size_t index) {
    const tenon_view view = view_of(states(layer)[index].tensor);
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

// ---- Convolution and pools ----------------------------------------------------------------------

// y[n,o,i,j] = bias[o] + the sum over c, k, l of weight[o,c,k,l] x[n,c of o's group,...]
TEST_F(ImageLayers, ConvIsItsFormula) {
  const Shape kernel = {3, 2};
  const Shape stride = {2, 1};
  const Shape padding = {1, 0, 0, 1};  // above, below, left, right
  const Shape dilation = {1, 2};
  const Layer conv = wide("tenon.conv", {{"in_channels", integer(4)},
                                         {"out_channels", integer(6)},
                                         {"kernel_size", ints(kernel)},
                                         {"stride", ints(stride)},
                                         {"padding", ints(padding)},
                                         {"dilation", ints(dilation)},
                                         {"groups", integer(2)}});
  EXPECT_THAT(names(conv), ElementsAre("weight", "bias"));
  EXPECT_THAT(shape_of_state(conv, 0), ElementsAre(6, 2, 3, 2));
  EXPECT_THAT(shape_of_state(conv, 1), ElementsAre(6));
  const Tensor x = mixed({2, 4, 6, 5});
  const Tensor y = run(conv, x.get());
  // (6 + 1 - 3) / 2 + 1 and (5 + 1 - 3) / 1 + 1, a window being 3 wide
  ASSERT_THAT(shape_of(y), ElementsAre(2, 6, 3, 4));
  const std::vector<double> in = values(x);
  const std::vector<double> out = values(y);
  const auto weight = values_of<double>(states(conv)[0].tensor);
  const auto bias = values_of<double>(states(conv)[1].tensor);
  const auto pixel = [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const bool inside = h >= 0 && h < 6 && w >= 0 && w < 5;
    return inside ? in[static_cast<size_t>(((n * 4 + c) * 6 + h) * 5 + w)] : 0.0;
  };
  size_t at = 0;
  for (int64_t i = 0; i < 2 * 6 * 3 * 4; ++i) {
    const int64_t n = i / 72;
    const int64_t o = i / 12 % 6;
    double sum = bias[static_cast<size_t>(o)];
    for (int64_t tap = 0; tap < 2 * 3 * 2; ++tap) {
      const int64_t c = tap / 6;
      const int64_t k = tap / 2 % 3;
      const int64_t l = tap % 2;
      sum += weight[static_cast<size_t>(o * 12 + tap)] *
             pixel(n, o / 3 * 2 + c, i / 4 % 3 * 2 - 1 + k, i % 4 + 2 * l);
    }
    EXPECT_NEAR(out[at++], sum, 1e-12) << i;
  }
}

TEST_F(ImageLayers, ConvHasAsManyDimensionsAsItsKernel) {
  for (const Shape& kernel : {Shape{3}, Shape{3, 1}, Shape{1, 2, 3}}) {
    Shape image = {1, 2};
    Shape weight = {4, 2};
    Shape out = {1, 4};
    for (const int64_t size : kernel) {
      image.push_back(5);
      weight.push_back(size);
      out.push_back(6 - size);
    }
    const Layer conv = wide("tenon.conv", {{"in_channels", integer(2)},
                                           {"out_channels", integer(4)},
                                           {"kernel_size", ints(kernel)},
                                           {"bias", flag(false)}});
    EXPECT_THAT(names(conv), ElementsAre("weight"));
    EXPECT_EQ(shape_of_state(conv, 0), weight);
    EXPECT_EQ(shape_of(run(conv, mixed(image).get())), out);
  }
}

// As torch.nn.Conv2d: uniform with the bound 1 / sqrt(in_channels / groups * 3 * 3) for both.
TEST_F(ImageLayers, ConvStartsAsPyTorchs) {
  const Shape kernel = {3, 3};
  const auto spread = [&](const char* init, double gain, size_t state) {
    const Layer conv = layer("tenon.conv", {{"in_channels", integer(32)},
                                            {"out_channels", integer(1000)},
                                            {"kernel_size", ints(kernel)},
                                            {"groups", integer(2)},
                                            {"init", text(init)},
                                            {"gain", real(gain)}});
    double sum = 0;
    double most = 0;
    const auto numbers = values_of<float>(states(conv)[state].tensor);
    for (const double number : numbers) {
      sum += number * number;
      most = std::max(most, std::abs(number));
    }
    return std::pair(std::sqrt(sum / static_cast<double>(numbers.size())), most);
  };
  seed(4);
  const double bound = 1.0 / 12;  // 16 channels of a group, 9 places
  for (const size_t state : {0u, 1u}) {
    const auto [deviation, most] = spread("default", 1, state);
    EXPECT_NEAR(deviation, bound / std::sqrt(3.0), 0.05 * bound) << state;
    EXPECT_LE(most, bound) << state;
    EXPECT_GT(most, 0.98 * bound) << state;
  }
  const double kaiming = std::sqrt(6.0) * bound;
  EXPECT_LE(spread("kaiming_uniform", std::sqrt(2.0), 0).second, kaiming * 1.0001);
  EXPECT_GT(spread("kaiming_uniform", std::sqrt(2.0), 0).second, 0.99 * kaiming);
  // All outputs count, whatever their group, as PyTorch counts them.
  EXPECT_NEAR(spread("xavier_normal", 1, 0).first, std::sqrt(2.0 / (144 + 9000)), 2e-4);
}

TEST_F(ImageLayers, ConvSaysWhatDoesNotFit) {
  const Shape kernel = {3, 3};
  const Shape three = {1, 1, 1};
  const auto options = [&](const char* name, tenon_value value) {
    return std::vector<Option>{{"in_channels", integer(2)},
                               {"out_channels", integer(3)},
                               {"kernel_size", ints(kernel)},
                               {name, value}};
  };
  std::string words = create_refused("tenon.conv", options("stride", ints(three)));
  EXPECT_THAT(words, HasSubstr("stride has the wrong number of elements"));
  EXPECT_THAT(words, HasSubstr("[1,1,1]"));
  words = create_refused("tenon.conv", options("groups", integer(2)));
  EXPECT_THAT(words, HasSubstr("groups must divide in_channels and out_channels"));
  EXPECT_THAT(words, HasSubstr("a divisor of 2 and 3"));
  const Layer conv = wide("tenon.conv", options("bias", flag(true)));
  words = call_refused(conv, mixed({1, 4, 5, 5}), TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("channels"));
  words = call_refused(conv, mixed({2, 5, 5}), TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("dimensions"));
  words = call_refused(conv, mixed({1, 2, 2, 5}), TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("does not fit"));
}

TEST_F(ImageLayers, PoolsAreTheirFormulas) {
  const Tensor x = mixed({2, 3, 5, 4});
  const std::vector<double> in = values(x);
  const Shape two = {2};
  const Shape step = {2, 1};
  const Shape pad = {1, 0};
  const auto options = [&](std::vector<Option> more) {
    more.insert(more.end(), {{"kernel_size", ints(two)}, {"stride", ints(step)}});
    more.emplace_back("padding", ints(pad));
    return more;
  };
  const std::vector<double> most = values(run(layer("tenon.max_pool", options({})), x.get()));
  const Layer mean = layer("tenon.avg_pool", options({}));
  const std::vector<double> all = values(run(mean, x.get()));
  const Layer inner = layer("tenon.avg_pool", options({{"count_include_pad", flag(false)}}));
  const std::vector<double> inside = values(run(inner, x.get()));
  // (5 + 2 - 2) / 2 + 1 rows, 4 - 2 + 1 columns
  ASSERT_EQ(most.size(), 2u * 3 * 3 * 3);
  for (int64_t i = 0; i < 54; ++i) {
    double greatest = -INFINITY;
    double sum = 0;
    int number = 0;
    for (int64_t row = i / 3 % 3 * 2 - 1; row <= i / 3 % 3 * 2; ++row) {
      if (row < 0 || row > 4) continue;
      for (int64_t column = i % 3; column <= i % 3 + 1; ++column) {
        const double pixel = in[static_cast<size_t>((i / 9 * 5 + row) * 4 + column)];
        greatest = std::max(greatest, pixel);
        sum += pixel;
        ++number;
      }
    }
    const auto at = static_cast<size_t>(i);
    EXPECT_EQ(most[at], greatest) << i;
    EXPECT_NEAR(all[at], sum / 4, 1e-15) << i;
    EXPECT_NEAR(inside[at], sum / number, 1e-15) << i;
  }
}

TEST_F(ImageLayers, PoolsTakeTheRankOfTheImage) {
  const Shape two = {2};
  for (const char* name : {"tenon.max_pool", "tenon.avg_pool"}) {
    const Layer pool = layer(name, {{"kernel_size", ints(two)}});
    EXPECT_THAT(shape_of(run(pool, mixed({1, 2, 6}).get())), ElementsAre(1, 2, 3));
    EXPECT_THAT(shape_of(run(pool, mixed({1, 2, 6, 5}).get())), ElementsAre(1, 2, 3, 2));
    EXPECT_THAT(shape_of(run(pool, mixed({1, 2, 2, 4, 6}).get())), ElementsAre(1, 2, 1, 2, 3));
    const Layer more = layer(name, {{"kernel_size", ints(two)}, {"ceil_mode", flag(true)}});
    EXPECT_THAT(shape_of(run(more, mixed({1, 2, 6, 5}).get())), ElementsAre(1, 2, 3, 3));
    EXPECT_THAT(call_refused(pool, mixed({6, 5}), TENON_E_SHAPE), HasSubstr("1 to 3 dimensions"));
    const Shape none = {};
    const std::string words = create_refused(name, {{"kernel_size", ints(none)}});
    EXPECT_THAT(words, HasSubstr("kernel_size must be the sizes of a window"));
  }
}

TEST_F(ImageLayers, PadsOfPoolsMayBePairs) {
  const Shape two = {2};
  const Shape pair = {0, 1};
  const Shape pairs = {0, 1, 1, 0};
  const Shape six = {0, 1, 0, 1, 0, 1};
  const auto pool = [&](const Shape& padding) {
    return layer("tenon.max_pool", {{"kernel_size", ints(two)}, {"padding", ints(padding)}});
  };
  EXPECT_THAT(shape_of(run(pool(pair), mixed({1, 1, 5}).get())), ElementsAre(1, 1, 3));
  EXPECT_THAT(shape_of(run(pool(pair), mixed({1, 1, 4, 4}).get())), ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(shape_of(run(pool(pairs), mixed({1, 1, 5, 5}).get())), ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(shape_of(run(pool(six), mixed({1, 1, 3, 3, 3}).get())), ElementsAre(1, 1, 2, 2, 2));
}

// Window i of n covers floor(i size / n) up to ceil((i + 1) size / n).
TEST_F(ImageLayers, AdaptivePoolCutsTheImage) {
  const Tensor x = counted({1, 1, 5, 2});
  const Shape sizes = {3, 1};
  const Layer pool = layer("tenon.adaptive_avg_pool", {{"output_size", ints(sizes)}});
  const Tensor y = run(pool, x.get());
  EXPECT_THAT(shape_of(y), ElementsAre(1, 1, 3, 1));
  // rows 0 and 1, 1 to 3, 3 and 4 of 2 numbers each
  EXPECT_THAT(values(y), ElementsAre(1.5, 4.5, 7.5));
  const Layer whole = layer("tenon.adaptive_avg_pool", {{"output_size", ints(kOne)}});
  EXPECT_THAT(values(run(whole, counted({2, 1, 2, 2}).get())), ElementsAre(1.5, 5.5));
  const Shape zero = {0};
  EXPECT_THAT(create_refused("tenon.adaptive_avg_pool", {{"output_size", ints(zero)}}),
              HasSubstr("output_size must say how many windows there are"));
}

// ---- Norms --------------------------------------------------------------------------------------

TEST_F(ImageLayers, GroupsAreNormalised) {
  const Layer norm = wide("tenon.group_norm",
                          {{"groups", integer(2)}, {"channels", integer(4)}, {"eps", real(2)}});
  EXPECT_THAT(names(norm), ElementsAre("weight", "bias"));
  const Tensor weight = tensor<double>({4}, {1, 2, 3, 4});
  const Tensor bias = tensor<double>({4}, {0, 0, 0, 10});
  must(tenon_layer_set_tensor(context, norm.get(), "weight", TENON_NUL, weight.get()));
  must(tenon_layer_set_tensor(context, norm.get(), "bias", TENON_NUL, bias.get()));
  // Groups of mean 5 and variance 2, of mean 0 and variance 7.
  const double a = std::sqrt(2.0);
  const Tensor x =
      tensor<double>({1, 4, 2}, {5 - a, 5 + a, 5 + a, 5 - a, -1, 1, std::sqrt(13), -std::sqrt(13)});
  const std::vector<double> y = values(run(norm, x.get()));
  const double b = a / 2;
  const double c = std::sqrt(13) / 3;
  const std::vector<double> expected = {-b, b, 2 * b, -2 * b, -1, 1, 10 + 4 * c, 10 - 4 * c};
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(y[i], expected[i], 1e-14) << i;
}

TEST_F(ImageLayers, InstancesAreNormalised) {
  const Layer norm = layer("tenon.instance_norm", {{"channels", integer(2)}, {"eps", real(0)}});
  EXPECT_THAT(names(norm), ElementsAre());
  const Tensor x = tensor<double>({1, 2, 2}, {3, 5, -20, 20});
  const std::vector<double> y = values(run(norm, x.get()));
  const std::vector<double> expected = {-1, 1, -1, 1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], expected[i], 1e-14) << i;
  const Layer affine =
      wide("tenon.instance_norm", {{"channels", integer(2)}, {"affine", flag(true)}});
  EXPECT_THAT(names(affine), ElementsAre("weight", "bias"));
}

TEST_F(ImageLayers, NormsKnowTheirChannels) {
  const Layer group =
      layer("tenon.group_norm",
            {{"groups", integer(2)}, {"channels", integer(4)}, {"affine", flag(false)}});
  const Layer instance = layer("tenon.instance_norm", {{"channels", integer(4)}});
  for (const Layer* norm : {&group, &instance}) {
    const std::string words = call_refused(*norm, mixed({1, 6, 2}), TENON_E_SHAPE);
    EXPECT_THAT(words, HasSubstr("x must have its channels in the second dimension"));
    EXPECT_THAT(words, HasSubstr("[N,4,...]"));
    EXPECT_THAT(words, HasSubstr("[1,6,2]"));
  }
  EXPECT_THAT(
      create_refused("tenon.group_norm", {{"groups", integer(3)}, {"channels", integer(4)}}),
      HasSubstr("groups must divide channels"));
}

}  // namespace
}  // namespace tenon::tests
