// SPDX-License-Identifier: Apache-2.0
// plugins/layers/layer_norm.cc: layer_norm, mean 0 and variance 1 over the last dimensions.
#include "last_dims.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kSizes, kEps, kAffine, kBias, kDtype };

void describe(sdk::Describe& d) {
  const auto sizes = layers::checked_sizes(d.options, kSizes);
  const tenon_dtype dtype = d.options.dtype(kDtype);
  if (!d.options.flag(kAffine)) return;
  d.parameter("weight", sizes, sdk::constant(1), dtype);
  if (d.options.flag(kBias)) d.parameter("bias", sizes, sdk::constant(0), dtype);
}

void forward(sdk::Forward& f) {
  const auto sizes = f.options.ints(kSizes);
  layers::need_last_dims(f, sizes);
  f.set(0, f.call("tenon.layer_norm", {f.in(0), f.tensor("weight"), f.tensor("bias")},
                  {static_cast<int64_t>(sizes.size()), f.options.real(kEps)}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("sizes", TENON_VALUE_INT_LIST, "of the last dimensions of x, as [64]"),
    sdk::option("eps", 1e-5, "added to the variance"),
    sdk::option("affine", true, "are there a weight and a bias?"),
    sdk::option("bias", true, "with affine: is there a bias?"), layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3] | sizes=[3], dtype=f64"),
    sdk::layer_sample("f64[2,3,4] | sizes=[3,4], bias=false, dtype=f64"),
    sdk::layer_sample("f64[2,5] | sizes=[5], affine=false, eps=0.1"),
    sdk::layer_sample("bf16[2,5] | sizes=[5], dtype=bf16"),
    sdk::layer_refused("f32[4,3] | sizes=[]", TENON_E_ATTRIBUTE, "sizes must name"),
    sdk::layer_refused("f32[4,3] | sizes=[0]", TENON_E_ATTRIBUTE, "sizes must name"),
    sdk::layer_refused("f32[4,3] | sizes=[4]", TENON_E_SHAPE, "last dimensions of x"),
    sdk::layer_refused("f32[3] | sizes=[3,3], affine=false", TENON_E_SHAPE, "last dimensions of x"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.layer_norm",
     .doc = R"(Mean 0 and variance 1 over the last dimensions, then a weight and a bias: the op
`tenon.layer_norm`. `sizes` are those dimensions' sizes, and the shape of weight (1 at first) and
bias (0 at first).)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(layer_norm) = {.layers = kLayers};
