// SPDX-License-Identifier: Apache-2.0
// plugins/layers/lstm_cell.cc: lstm_cell, one step of tenon.lstm.
//
// As torch.nn.LSTMCell; the op tenon.lstm_cell.
#include "recurrent.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;
namespace recurrent = tenon::layers::recurrent;

constexpr uint32_t kDtype = recurrent::kCellOwn;

void describe(sdk::Describe& d) { recurrent::describe_cell(d, 4, kDtype); }
void forward(sdk::Forward& f) {
  const sdk::Value inputs[] = {f.in(0), f.tensor("weight_ih"), f.tensor("weight_hh"), f.in(1),
                               f.in(2), f.tensor("bias_ih"),   f.tensor("bias_hh")};
  tenon_tensor* states[2] = {};
  f.call_many("tenon.lstm_cell", inputs, {}, states);
  f.set(0, states[0]);
  f.set(1, states[1]);
}

constexpr tenon_layer_option options[] = {recurrent::kInputsOption, recurrent::kHiddenOption,
                                          recurrent::kBiasOption, layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f64[2,3], f64[2,2], f64[2,2] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f64[2,3], f64[2,2], f64[2,2] | inputs=3, hidden=2, bias=false, dtype=f64"),
    sdk::layer_sample("f64[0,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f32[2,2] | inputs=2, hidden=3"),
    sdk::layer_refused("f32[2,3] | inputs=0, hidden=2", TENON_E_ATTRIBUTE,
                       "inputs must be at least 1"),
    sdk::layer_refused("f32[2,3] | inputs=3, hidden=0", TENON_E_ATTRIBUTE,
                       "hidden must be at least 1"),
    sdk::layer_refused("f32[2,3] | inputs=3", TENON_E_ATTRIBUTE, "\"hidden\" is required"),
    sdk::layer_refused("f32[2,4] | inputs=3, hidden=2", TENON_E_SHAPE, "w_ih"),
    sdk::layer_refused("f32[3] | inputs=3, hidden=2", TENON_E_SHAPE, "operand \"x\""),
    sdk::layer_refused("f32[2,3], f32[2,3] | inputs=3, hidden=2", TENON_E_SHAPE, "h0"),
    sdk::layer_refused("f64[2,3] | inputs=3, hidden=2", TENON_E_DTYPE, "w_ih"),
    sdk::layer_refused("f32[2,3], f32[2,2], f32[3,2] | inputs=3, hidden=2", TENON_E_SHAPE, "c0"),
    sdk::layer_refused("f32[2,3], f32[2,2], f32[2,2], f32[2,2] | inputs=3, hidden=2",
                       TENON_E_ARGUMENT, "number of inputs"),
};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "tenon.lstm_cell",
                .doc = R"(One step of `tenon.lstm` with one layer: the op `tenon.lstm_cell`.

    x [B,inputs], h0 [B,hidden], c0 [B,hidden] -> h [B,hidden], c [B,hidden]

Inputs after `x` may be absent: they are then 0. A program gives what it gets to the next step.
Tensors have the names of `torch.nn.LSTMCell`: `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`.
Initial values: uniform between `-1/sqrt(hidden)` and `1/sqrt(hidden)`, as there.)",
                .options = options,
                .samples = samples,
                .max_inputs = 3,
                .n_outputs = 2,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(lstm_cell) = {.layers = kLayers};
