// SPDX-License-Identifier: Apache-2.0
// plugins/layers/rnn_cell.cc: rnn_cell, one step of tenon.rnn.
//
// As torch.nn.RNNCell; the op tenon.rnn_cell.
#include "recurrent.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;
namespace recurrent = tenon::layers::recurrent;

constexpr uint32_t kDtype = recurrent::kCellOwn + 1;

void describe(sdk::Describe& d) {
  recurrent::need_activation(d.options.text(recurrent::kCellOwn));
  recurrent::describe_cell(d, 1, kDtype);
}
void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.rnn_cell",
                  {f.in(0), f.tensor("weight_ih"), f.tensor("weight_hh"), f.in(1),
                   f.tensor("bias_ih"), f.tensor("bias_hh")},
                  {f.options[recurrent::kCellOwn]}));
}

constexpr tenon_layer_option options[] = {recurrent::kInputsOption, recurrent::kHiddenOption,
                                          recurrent::kBiasOption, recurrent::kActivationOption,
                                          layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f64[2,3], f64[2,2] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f64[2,3], f64[2,2] | inputs=3, hidden=2, bias=false, dtype=f64"),
    sdk::layer_sample("f64[0,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f32[2,2] | inputs=2, hidden=3"),
    sdk::layer_sample("f64[2,3], f64[2,2] | inputs=3, hidden=2, activation=\"relu\", dtype=f64"),
    sdk::layer_refused("f32[2,3] | inputs=0, hidden=2", TENON_E_ATTRIBUTE,
                       "inputs must be at least 1"),
    sdk::layer_refused("f32[2,3] | inputs=3, hidden=0", TENON_E_ATTRIBUTE,
                       "hidden must be at least 1"),
    sdk::layer_refused("f32[2,3] | inputs=3", TENON_E_ATTRIBUTE, "\"hidden\" is required"),
    sdk::layer_refused("f32[2,4] | inputs=3, hidden=2", TENON_E_SHAPE, "w_ih"),
    sdk::layer_refused("f32[3] | inputs=3, hidden=2", TENON_E_SHAPE, "operand \"x\""),
    sdk::layer_refused("f32[2,3], f32[2,3] | inputs=3, hidden=2", TENON_E_SHAPE, "h0"),
    sdk::layer_refused("f64[2,3] | inputs=3, hidden=2", TENON_E_DTYPE, "w_ih"),
    sdk::layer_refused("f32[2,3] | inputs=3, hidden=2, activation=\"gelu\"", TENON_E_ATTRIBUTE,
                       "activation names none"),
    sdk::layer_refused("f32[2,3], f32[2,2], f32[2,2] | inputs=3, hidden=2", TENON_E_ARGUMENT,
                       "number of inputs"),
};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "tenon.rnn_cell",
                .doc = R"(One step of `tenon.rnn` with one layer: the op `tenon.rnn_cell`.

    x [B,inputs], h0 [B,hidden] -> h [B,hidden]

Inputs after `x` may be absent: they are then 0. A program gives what it gets to the next step.
Tensors have the names of `torch.nn.RNNCell`: `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`.
Initial values: uniform between `-1/sqrt(hidden)` and `1/sqrt(hidden)`, as there.)",
                .options = options,
                .samples = samples,
                .max_inputs = 2,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(rnn_cell) = {.layers = kLayers};
