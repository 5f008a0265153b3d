// SPDX-License-Identifier: Apache-2.0
// plugins/layers/conv.cc: conv, a convolution over 1 to 3 dimensions with its weight and bias.
//
// The op tenon.conv. One layer for all ranks, as there is one op: kernel_size says which it is.
// Initial values as torch.nn.Conv2d's: uniform between -1/sqrt(n) and 1/sqrt(n), where n is how
// many numbers one number of y is made of.
#include "window_options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t {
  kInChannels,
  kOutChannels,
  kKernelSize,
  kStride,
  kPadding,
  kDilation,
  kGroups,
  kBias,
  kAutoPad,
  kInit,
  kGain,
  kDtype
};

int64_t checked_groups(const sdk::Describe& d, int64_t in, int64_t out) {
  const int64_t groups = d.size(kGroups, "groups");
  if (in % groups == 0 && out % groups == 0) return groups;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "groups must divide in_channels and out_channels", "groups",
                     "a divisor of " + std::to_string(in) + " and " + std::to_string(out),
                     std::to_string(groups)};
}

void describe(sdk::Describe& d) {
  const int64_t in = d.size(kInChannels, "in_channels");
  const int64_t out = d.size(kOutChannels, "out_channels");
  const int64_t groups = checked_groups(d, in, out);
  const auto kernel = layers::checked_kernel(d.options, kKernelSize);
  layers::check_windows(kernel.size(), kernel,
                        {.stride = d.options.ints(kStride),
                         .padding = d.options.ints(kPadding),
                         .dilation = d.options.ints(kDilation),
                         .auto_pad = d.options.text(kAutoPad)});
  std::vector<int64_t> shape = {out, in / groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  const int64_t taps = sdk::count_of(kernel);
  const sdk::Fans fans{in / groups * taps, out * taps};
  const double bound = 1.0 / std::sqrt(static_cast<double>(fans.in));
  const tenon_dtype dtype = d.options.dtype(kDtype);
  const std::string_view init = d.options.text(kInit);
  d.parameter("weight", shape,
              init == "default"
                  ? sdk::uniform(-bound, bound)
                  : sdk::initialiser_by_name(init, fans, d.options.real(kGain), "init"),
              dtype);
  if (d.options.flag(kBias)) d.parameter("bias", {out}, sdk::uniform(-bound, bound), dtype);
}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.conv", {f.in(0), f.tensor("weight"), f.tensor("bias")},
                  {f.options[kStride], f.options[kPadding], f.options[kDilation],
                   f.options[kGroups], f.options[kAutoPad]}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("in_channels", TENON_VALUE_I64, "size of the second dimension of x"),
    sdk::required_option("out_channels", TENON_VALUE_I64, "size of the second dimension of y"),
    sdk::required_option("kernel_size", TENON_VALUE_INT_LIST,
                         "of a window, one number for each dimension of an image: [3,3] in 2"),
    layers::ints_option("stride", layers::kOne, "from one window to the next, as [2] or [1,2]"),
    layers::kPaddingOption,
    layers::kDilationOption,
    sdk::option("groups", 1, "of channels that do not mix; in_channels of them: one each"),
    sdk::option("bias", true, "is there a bias?"),
    layers::kAutoPadOption,
    sdk::option("init", sdk::text_value("default"),
                "of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, "
                "kaiming_normal, uniform, normal, truncated_normal, orthogonal or constant"),
    layers::kGainOption,
    layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,2,4,3] | in_channels=2, out_channels=4, kernel_size=[3,2], dtype=f64"),
    sdk::layer_sample(
        "f64[2,2,5] | in_channels=2, out_channels=4, kernel_size=[3], padding=[1], dtype=f64"),
    sdk::layer_sample("f64[1,2,3,2,3] | in_channels=2, out_channels=4, kernel_size=[2,1,2], "
                      "stride=[1,2,1], dtype=f64"),
    sdk::layer_sample("f64[1,2,5,4] | in_channels=2, out_channels=4, kernel_size=[2,2], "
                      "stride=[2], padding=[1,0], dilation=[2,1], bias=false, dtype=f64"),
    sdk::layer_sample("f64[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], "
                      "padding=[0,1,1,0], groups=2, dtype=f64"),
    sdk::layer_sample("f64[1,2,4,3] | in_channels=2, out_channels=4, kernel_size=[2,3], "
                      "auto_pad=\"same\", init=\"xavier_normal\", dtype=f64"),
    sdk::layer_sample("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[3,3], "
                      "init=\"kaiming_uniform\", gain=1.414"),
    sdk::layer_sample(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[1,1], init=\"orthogonal\""),
    sdk::layer_sample("bf16[1,2,3] | in_channels=2, out_channels=4, kernel_size=[2], dtype=bf16"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4", TENON_E_ATTRIBUTE,
                       "\"kernel_size\" is required"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=0, out_channels=4, kernel_size=[3,3]",
                       TENON_E_ATTRIBUTE, "in_channels must be at least 1"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=-1, kernel_size=[3,3]",
                       TENON_E_ATTRIBUTE, "out_channels must be at least 1"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[]",
                       TENON_E_ATTRIBUTE, "kernel_size must be the sizes"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[3,0]",
                       TENON_E_ATTRIBUTE, "kernel_size must be the sizes"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2,2,2]",
                       TENON_E_ATTRIBUTE, "kernel_size must be the sizes"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], stride=[1,1,1]",
        TENON_E_ATTRIBUTE, "stride has the wrong number"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], stride=[0]",
        TENON_E_ATTRIBUTE, "stride is out of range"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], padding=[1,1,1]",
        TENON_E_ATTRIBUTE, "padding has the wrong number"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], padding=[-1]",
        TENON_E_ATTRIBUTE, "padding is out of range"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], dilation=[1,0]",
        TENON_E_ATTRIBUTE, "dilation is out of range"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], auto_pad=\"all\"",
        TENON_E_ATTRIBUTE, "no such auto_pad"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], "
                       "padding=[1], auto_pad=\"same\"",
                       TENON_E_ATTRIBUTE, "padding is given twice"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], groups=0",
                       TENON_E_ATTRIBUTE, "groups must be at least 1"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], groups=4",
                       TENON_E_ATTRIBUTE, "groups must divide"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=3, kernel_size=[2,2], groups=2",
                       TENON_E_ATTRIBUTE, "groups must divide"),
    sdk::layer_refused(
        "f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2], init=\"lucky\"",
        TENON_E_ATTRIBUTE, "init is not an initialiser"),
    sdk::layer_refused("f32[1,3,3,3] | in_channels=2, out_channels=4, kernel_size=[2,2]",
                       TENON_E_SHAPE, "channels"),
    sdk::layer_refused("f32[1,2,3] | in_channels=2, out_channels=4, kernel_size=[2,2]",
                       TENON_E_SHAPE, "dimensions"),
    sdk::layer_refused("f32[1,2,3,3] | in_channels=2, out_channels=4, kernel_size=[4,2]",
                       TENON_E_SHAPE, "does not fit"),
};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "tenon.conv",
                .doc = R"(Windows of an image, each times a weight and summed up, and a bias: the op
`tenon.conv`, a convolution over as many dimensions as `kernel_size` has numbers, 1 to 3.

    x [N,in_channels,W], [N,in_channels,H,W] or [N,in_channels,D,H,W]
    weight [out_channels,in_channels/groups,...kernel_size], bias [out_channels]
    y [N,out_channels,...], along each dimension
        (size + padding before and after - dilation (kernel_size - 1) - 1) / stride + 1

`stride`, `padding` and `dilation` are 1 number for all dimensions or one for each. Initial values:
uniform between `-1/sqrt(n)` and `1/sqrt(n)`, `n` the numbers that one number of y is made of, or
those that `init` names, for the weight alone. Names, shapes and initial values are those of
`torch.nn.Conv1d`, `Conv2d` and `Conv3d`.)",
                .options = options,
                .samples = samples,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(conv) = {.layers = kLayers};
