// SPDX-License-Identifier: Apache-2.0
// plugins/layers/linear.cc: linear, a weight matrix and a bias.
//
// y = x W^T + b, the op tenon.linear. Initial values as torch.nn.Linear's: uniform between
// -1/sqrt(inputs) and 1/sqrt(inputs).
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kInputs, kOutputs, kBias, kInit, kGain, kDtype };

void describe(sdk::Describe& d) {
  const int64_t inputs = d.size(kInputs, "inputs");
  const int64_t outputs = d.size(kOutputs, "outputs");
  const tenon_dtype dtype = d.options.dtype(kDtype);
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  const std::string_view init = d.options.text(kInit);
  d.parameter("weight", {outputs, inputs},
              init == "default" ? sdk::uniform(-bound, bound)
                                : sdk::initialiser_by_name(init, {inputs, outputs},
                                                           d.options.real(kGain), "init"),
              dtype);
  if (d.options.flag(kBias)) d.parameter("bias", {outputs}, sdk::uniform(-bound, bound), dtype);
}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.linear", {f.in(0), f.tensor("weight"), f.tensor("bias")}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("inputs", TENON_VALUE_I64, "size of the last dimension of x"),
    sdk::required_option("outputs", TENON_VALUE_I64, "size of the last dimension of y"),
    sdk::option("bias", true, "is there a bias?"),
    sdk::option("init", sdk::text_value("default"),
                "of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, "
                "kaiming_normal, uniform, normal, truncated_normal, orthogonal or constant"),
    tenon::layers::kGainOption,
    tenon::layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3] | inputs=3, outputs=2, dtype=f64"),
    sdk::layer_sample("f64[2,3,5] | inputs=5, outputs=1, bias=false, dtype=f64"),
    sdk::layer_sample("f64[3] | inputs=3, outputs=4, init=\"xavier_normal\", dtype=f64"),
    sdk::layer_sample("f64[0,3] | inputs=3, outputs=4, init=\"kaiming_uniform\", dtype=f64"),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"xavier_uniform\", gain=2.0"),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"kaiming_normal\""),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"uniform\", gain=0.1"),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"normal\", gain=0.02"),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"constant\", gain=0.5"),
    sdk::layer_sample("f64[2,3] | inputs=3, outputs=2, init=\"orthogonal\", dtype=f64"),
    sdk::layer_sample("bf16[2,3] | inputs=3, outputs=5, init=\"orthogonal\", dtype=bf16"),
    sdk::layer_sample("f32[2,3] | inputs=3, outputs=2, init=\"truncated_normal\", gain=0.02"),
    sdk::layer_sample("bf16[2,3] | inputs=3, outputs=2, dtype=bf16"),
    sdk::layer_refused("f32[4,3] | inputs=3", TENON_E_ATTRIBUTE, "\"outputs\" is required"),
    sdk::layer_refused("f32[4,3] | inputs=0, outputs=2", TENON_E_ATTRIBUTE,
                       "inputs must be at "
                       "least 1"),
    sdk::layer_refused("f32[4,3] | inputs=3, outputs=-1", TENON_E_ATTRIBUTE,
                       "outputs must be at least 1"),
    sdk::layer_refused("f32[4,3] | inputs=3, outputs=2, init=\"lucky\"", TENON_E_ATTRIBUTE,
                       "init is not an initialiser"),
    sdk::layer_refused("f32[4,3] | inputs=3, outputs=2, init=\"truncated_normal\", gain=0.0",
                       TENON_E_ATTRIBUTE, "std"),
    sdk::layer_refused("f32[4,3] | inputs=3, outputs=2, dtype=i32", TENON_E_DTYPE, "\"weight\""),
    sdk::layer_refused("f32[4,2] | inputs=3, outputs=2", TENON_E_SHAPE, "last dimension of x"),
    sdk::layer_refused("f32[4,3], f32[4,3] | inputs=3, outputs=2", TENON_E_ARGUMENT,
                       "number of inputs"),
};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "tenon.linear",
                .doc = R"(A matrix and a bias: `y = x weight^T + bias`, the op `tenon.linear`.

    x [...,inputs], weight [outputs,inputs], bias [outputs] -> y [...,outputs]

Initial values: uniform between `-1/sqrt(inputs)` and `1/sqrt(inputs)`, as `torch.nn.Linear`, or
those that `init` names, for the weight alone.)",
                .options = options,
                .samples = samples,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(linear) = {.layers = kLayers};
