// SPDX-License-Identifier: Apache-2.0
// tests/layers/resnet_test.cc: a small ResNet of layers: its names, its training, its state.
#include <gmock/gmock.h>

#include "tests/layers/layers_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class ResNet : public Layers {
 protected:
  Layer conv(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    const Shape sizes = {kernel, kernel};
    const Shape strides = {stride};
    const Shape padding = {kernel / 2};
    return layer("tenon.conv", {{"in_channels", integer(in)},
                                {"out_channels", integer(out)},
                                {"kernel_size", ints(sizes)},
                                {"stride", ints(strides)},
                                {"padding", ints(padding)},
                                {"bias", flag(false)},
                                {"init", text("kaiming_uniform")},
                                {"gain", real(std::sqrt(2.0))}});
  }
  Layer norm(int64_t features) {
    return layer("tenon.batch_norm", {{"features", integer(features)}});
  }
  // Conv, batch_norm, relu, conv, batch_norm; x or what a 1x1 convolution makes of it; relu.
  Layer block(int64_t in, int64_t out, int64_t stride) {
    const bool changes = in != out || stride != 1;
    Layer made =
        layer("tenon.residual", {{"shortcut", flag(changes)}, {"activation", text("relu")}});
    add(made, conv(in, out, 3, stride), "conv1");
    add(made, norm(out), "bn1");
    add(made, activation("relu"), "relu");
    add(made, conv(out, out, 3, 1), "conv2");
    add(made, norm(out), "bn2");
    if (!changes) return made;
    const Layer shortcut = layer("tenon.sequential");
    add(shortcut, conv(in, out, 1, stride));
    add(shortcut, norm(out));
    add(made, shortcut, "downsample");
    return made;
  }
  Layer model(int64_t width) {
    const Shape one = {1};
    Layer made = layer("tenon.sequential");
    add(made, conv(1, width, 3, 1), "conv1");
    add(made, norm(width), "bn1");
    add(made, activation("relu"), "relu");
    const Layer layer1 = layer("tenon.sequential");
    add(layer1, block(width, width, 1));
    add(made, layer1, "layer1");
    const Layer layer2 = layer("tenon.sequential");
    add(layer2, block(width, 2 * width, 2));
    add(made, layer2, "layer2");
    add(made, layer("tenon.adaptive_avg_pool", {{"output_size", ints(one)}}), "avgpool");
    add(made, layer("tenon.flatten"), "flatten");
    add(made, linear(2 * width, 10), "fc");
    return made;
  }
  Tensor images(int64_t batch, int64_t size) {
    seed(17);
    const Shape shape = {batch, 1, size, size};
    return call("tenon.normal", {}, {{"shape", ints(shape)}});
  }
};

// Those of torchvision's ResNet without num_batches_tracked, in its order.
TEST_F(ResNet, HasTheNamesOfPyTorchs) {
  const std::vector<std::string> found = names(model(4));
  std::vector<std::string> expected;
  const auto norm_of = [&](const std::string& path) {
    for (const char* each : {"weight", "bias", "running_mean", "running_var"}) {
      expected.push_back(path + "." + each);
    }
  };
  expected.emplace_back("conv1.weight");
  norm_of("bn1");
  for (const std::string block : {"layer1.0.", "layer2.0."}) {
    expected.push_back(block + "conv1.weight");
    norm_of(block + "bn1");
    expected.push_back(block + "conv2.weight");
    norm_of(block + "bn2");
  }
  expected.emplace_back("layer2.0.downsample.0.weight");
  norm_of("layer2.0.downsample.1");
  expected.emplace_back("fc.weight");
  expected.emplace_back("fc.bias");
  EXPECT_EQ(found, expected);
}

TEST_F(ResNet, LearnsABatch) {
  seed(2);
  const Layer net = model(8);
  const Tensor x = images(16, 8);
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < 16; ++i) classes.push_back(i * 7 % 10);
  const Tensor y = tensor<int64_t>({16}, classes);
  const Optimizer sgd =
      optimizer("tenon.sgd", parameters(net),
                {{"lr", real(0.1)}, {"momentum", real(0.9)}, {"weight_decay", real(1e-4)}});
  float first = 0;
  float last = 0;
  for (int step = 0; step < 20; ++step) {
    const Tensor logits = run(net, x.get());
    const Tensor loss = call("tenon.softmax_cross_entropy", {one(logits.get()), one(y.get())});
    backward(loss);
    must(tenon_optimizer_run(context, sgd.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    last = values_of<float>(loss.get())[0];
    if (step == 0) first = last;
  }
  EXPECT_GT(first, 2);
  EXPECT_LT(last, first / 2);
}

// Written by one model, read by another of other values: the same answers.
TEST_F(ResNet, KeepsItsStateInAFile) {
  seed(3);
  const Layer net = model(4);
  const Tensor x = images(2, 8);
  run(net, x.get());  // running statistics that are not those of the beginning
  set_training(net, false);
  const std::string file = path("net.safetensors");
  must(tenon_layer_save(context, net.get(), file.c_str(), TENON_NUL));
  seed(4);
  const Layer other = model(4);
  set_training(other, false);
  const std::string before = bytes_of(run(other, x.get()).get());
  must(tenon_layer_load(context, other.get(), file.c_str(), TENON_NUL));
  const std::string expected = bytes_of(run(net, x.get()).get());
  EXPECT_EQ(bytes_of(run(other, x.get()).get()), expected);
  EXPECT_NE(before, expected);
}

// A failure names the place in the model, as the names of its tensors do.
TEST_F(ResNet, SaysWhereAShapeDoesNotFit) {
  const Layer net = model(4);
  const Shape shape = {2, 3, 8, 8};
  const Tensor x = call("tenon.normal", {}, {{"shape", ints(shape)}});
  const tenon_value input = one(x.get());
  tenon_tensor* out = nullptr;
  EXPECT_THAT(refused(tenon_layer_call(context, net.get(), &input, 1, &out, 1), TENON_E_SHAPE),
              HasSubstr("channels"));
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  EXPECT_STREQ(error.scope, "conv1");
  EXPECT_STREQ(error.op, "tenon.conv");
}

}  // namespace
}  // namespace tenon::tests
