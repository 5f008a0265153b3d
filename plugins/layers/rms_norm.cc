// SPDX-License-Identifier: Apache-2.0
// plugins/layers/rms_norm.cc: rms_norm, mean square 1 over the last dimensions.
#include "last_dims.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kSizes, kEps, kAffine, kDtype };

void describe(sdk::Describe& d) {
  const auto sizes = layers::checked_sizes(d.options, kSizes);
  if (d.options.flag(kAffine)) {
    d.parameter("weight", sizes, sdk::constant(1), d.options.dtype(kDtype));
  }
}

void forward(sdk::Forward& f) {
  const auto sizes = f.options.ints(kSizes);
  layers::need_last_dims(f, sizes);
  f.set(0, f.call("tenon.rms_norm", {f.in(0), f.tensor("weight")},
                  {static_cast<int64_t>(sizes.size()), f.options.real(kEps)}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("sizes", TENON_VALUE_INT_LIST, "of the last dimensions of x, as [64]"),
    sdk::option("eps", 1e-5, "added to the mean square"),
    sdk::option("affine", true, "is there a weight?"), layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3] | sizes=[3], dtype=f64"),
    sdk::layer_sample("f64[2,3,4] | sizes=[3,4], dtype=f64"),
    sdk::layer_sample("f64[2,5] | sizes=[5], affine=false, eps=0.1"),
    sdk::layer_sample("f16[2,5] | sizes=[5], dtype=f16"),
    sdk::layer_refused("f32[4,3] | sizes=[-3]", TENON_E_ATTRIBUTE, "sizes must name"),
    sdk::layer_refused("f32[4,3] | sizes=[4]", TENON_E_SHAPE, "last dimensions of x"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.rms_norm",
     .doc = R"(Mean square 1 over the last dimensions, then a weight: the op `tenon.rms_norm`.
`sizes` are those dimensions' sizes, and the shape of the weight (1 at first).)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(rms_norm) = {.layers = kLayers};
