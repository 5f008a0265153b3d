// SPDX-License-Identifier: Apache-2.0
// tests/python/plugins/acme.cells/elman.cc: a recurrent cell: a layer of two inputs, one of which
// may be left out, and two outputs.
#include <tenon/sdk/plugin/layer.hpp>

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kInputs, kWidth };

void describe(sdk::Describe& d) {
  const int64_t inputs = d.size(kInputs, "inputs");
  const int64_t width = d.size(kWidth, "width");
  d.parameter("weight", {width, inputs}, sdk::uniform(-1, 1), TENON_DTYPE_F32);
  d.parameter("recurrent", {width, width}, sdk::uniform(-1, 1), TENON_DTYPE_F32);
}

void forward(sdk::Forward& f) {
  sdk::Value sum = f.call("tenon.linear", {f.in(0), f.tensor("weight")});
  if (!f.in(1).is_none()) {
    sum = f.call("tenon.add", {sum, f.call("tenon.linear", {f.in(1), f.tensor("recurrent")})});
  }
  const sdk::Value state = f.call("tenon.tanh", {sum});
  f.set(0, f.call("tenon.mul", {state, 2.0}));
  f.set(1, state);
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("inputs", TENON_VALUE_I64, "size of the last dimension of x"),
    sdk::required_option("width", TENON_VALUE_I64, "size of the last dimension of the state")};

constexpr tenon_layer_sample samples[] = {sdk::layer_sample("f32[4,3] | inputs=3, width=2")};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "acme.elman",
                .doc = R"(`state = tanh(x weight^T + state recurrent^T)`, and twice that.

    x [B,inputs], state [B,width] -> output [B,width], state [B,width])",
                .options = options,
                .samples = samples,
                .max_inputs = 2,
                .n_outputs = 2,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(elman) = {.layers = kLayers};
