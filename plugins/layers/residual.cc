// SPDX-License-Identifier: Apache-2.0
// plugins/layers/residual.cc: residual, layers one after the other, and x added to what they give.
//
//   y = activation(branch(x) + shortcut(x))
//
// Source: K. He and others, "Deep Residual Learning for Image Recognition", 2016. The branch is not
// a child of its own but all of them: so parameters have the names that they have in PyTorch's
// ResNets, "layer1.0.conv1.weight", "layer1.0.downsample.0.weight".
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kShortcut, kActivation };

void describe(sdk::Describe& d) {
  const std::string_view activation = d.options.text(kActivation);
  if (!activation.empty()) d.need_op(layers::full_name(activation));
}

// Without it a branch that lost its dimensions would be spread over x.
void need_same_shape(sdk::Forward& f, sdk::Value branch, sdk::Value shortcut) {
  const tenon_meta a = f.meta(branch.tensor());
  const tenon_meta b = f.meta(shortcut.tensor());
  const std::span<const int64_t> found(a.shape, static_cast<size_t>(a.rank));
  const std::span<const int64_t> expected(b.shape, static_cast<size_t>(b.rank));
  if (std::equal(found.begin(), found.end(), expected.begin(), expected.end())) return;
  throw sdk::Failure{
      TENON_E_SHAPE,
      "the branch must give the shape of what is added to it",
      "branch",
      sdk::shape_text(expected),
      sdk::shape_text(found),
      f.options.flag(kShortcut)
          ? "the last child is the shortcut: its stride and channels, too"
          : "with the option shortcut the last child, as a convolution of 1, gives x "
            "the shape of the branch"};
}

void forward(sdk::Forward& f) {
  const uint32_t children = f.child_count();
  const bool has_shortcut = f.options.flag(kShortcut);
  if (has_shortcut && children == 0) {
    throw sdk::Failure{TENON_E_STATE, "there is no child to be the shortcut", "shortcut",
                       "one child or more", "none"};
  }
  const uint32_t in_branch = children - (has_shortcut ? 1 : 0);
  sdk::Value branch = f.in(0);
  for (uint32_t i = 0; i < in_branch; ++i) branch = f.call_child(i, branch);
  const sdk::Value shortcut = has_shortcut ? sdk::Value(f.call_child(in_branch, f.in(0))) : f.in(0);
  need_same_shape(f, branch, shortcut);
  sdk::Value y = f.call("tenon.add", {branch, shortcut});
  const std::string_view activation = f.options.text(kActivation);
  if (!activation.empty()) y = f.call(layers::full_name(activation), {y});
  f.set(0, y);
}

constexpr tenon_layer_option options[] = {
    sdk::option("shortcut", false, "is the last child the shortcut? Else that is x itself"),
    sdk::option("activation", sdk::text_value(""),
                "an op of one tensor, as \"relu\", of the sum; empty: none")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3]"),
    sdk::layer_sample("f64[2,3]{-2.0,-1.0,-0.5,0.5,1.0,2.0} | activation=\"relu\""),
    sdk::layer_sample("f64[5] | activation=\"tenon.tanh\""),
    sdk::layer_sample("bf16[2,3]"),
    sdk::layer_refused("f32[4,3] | shortcut=true", TENON_E_STATE, "no child to be the shortcut"),
    sdk::layer_refused("f32[4,3] | activation=\"no_such_op\"", TENON_E_NOT_FOUND, "no_such_op"),
    sdk::layer_refused("f32[4,3] | activation=\"add\"", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.residual",
     .doc = R"(Its children one after the other, as in `tenon.sequential`, and `x` added to what
they give; then an activation:

    y = activation(branch(x) + x)             shortcut=false
    y = activation(branch(x) + shortcut(x))   shortcut=true: the last child is the shortcut

A container: the program adds the children. Those of a block of a ResNet are named conv1, bn1, relu,
conv2, bn2 and, if its shape changes, downsample: then its tensors have the names of those of
`torchvision.models.resnet`'s BasicBlock and Bottleneck.

Source: He and others, "Deep Residual Learning for Image Recognition", 2016.)",
     .options = options,
     .samples = samples,
     .flags = TENON_LAYER_CONTAINER,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(residual) = {.layers = kLayers};
