// SPDX-License-Identifier: Apache-2.0
// plugins/layers/lstm.cc: lstm, long short-term memory over sequences.
//
// As torch.nn.LSTM; the op tenon.lstm for each layer and direction.
#include "recurrent.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;
namespace recurrent = tenon::layers::recurrent;

void run(sdk::Forward& f, const recurrent::Operands& o, std::span<tenon_tensor*> results) {
  const sdk::Value inputs[] = {o.x, o.w_ih, o.w_hh, o.h0, o.c0, o.b_ih, o.b_hh, o.w_hr, o.lengths};
  const sdk::Value attrs[] = {o.reverse, o.batch_first};
  f.call_many("tenon.lstm", inputs, attrs, results);
}

constexpr recurrent::Kind kKind{.gates = 4, .has_cell = true, .has_projection = true, .run = run};

void describe(sdk::Describe& d) { recurrent::describe(d, kKind); }
void forward(sdk::Forward& f) { recurrent::Stack(f, kKind).run(); }

constexpr tenon_layer_option options[] = {
    recurrent::kInputsOption,
    recurrent::kHiddenOption,
    recurrent::kLayersOption,
    recurrent::kBiasOption,
    recurrent::kBatchFirstOption,
    recurrent::kDropoutOption,
    recurrent::kBidirectionalOption,
    sdk::option("projection", 0, "how many numbers of state a matrix makes of hidden; 0: hidden"),
    layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[3,2,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample(
        "f64[2,2,3], f64[1,2,2], f64[1,2,2] | inputs=3, hidden=2, bias=false, dtype=f64"),
    sdk::layer_sample("f64[2,3,2], f64[4,2,2], f64[4,2,2] | inputs=2, hidden=2, layers=2, "
                      "batch_first=true, bidirectional=true, dtype=f64"),
    sdk::layer_sample("f64[3,3,2], f64[2,3,1], f64[2,3,1], i64[3]{2,3,0} | inputs=2, hidden=1, "
                      "bidirectional=true, dtype=f64"),
    sdk::layer_sample("f64[3,2] | inputs=2, hidden=2, batch_first=true, dtype=f64"),
    sdk::layer_sample("f64[3,2], f64[2,2], f64[2,2] | inputs=2, hidden=2, layers=2, dtype=f64"),
    sdk::layer_sample("f64[2,2,2], f64[2,2,1], f64[2,2,3] | inputs=2, hidden=3, layers=2, "
                      "projection=1, dtype=f64"),
    sdk::layer_sample("f64[3,2,1], f64[2,2,1], f64[2,2,2], i64[2]{1,3} | inputs=1, hidden=2, "
                      "bidirectional=true, projection=1, batch_first=false, dtype=f64"),
    sdk::layer_sample("f64[0,2,3] | inputs=3, hidden=2, dtype=f64"),
    sdk::layer_sample("f32[3,2,2] | inputs=2, hidden=3, layers=2, dropout=0.5"),
    sdk::layer_sample("f16[2,1,2] | inputs=2, hidden=2, dtype=f16"),
    sdk::layer_refused("f32[3,2,3] | inputs=0, hidden=2, layers=1", TENON_E_ATTRIBUTE,
                       "inputs must be at least 1"),
    sdk::layer_refused("f32[3,2,3] | inputs=3, hidden=0, layers=1", TENON_E_ATTRIBUTE,
                       "hidden must be at least 1"),
    sdk::layer_refused("f32[3,2,3] | inputs=3, hidden=2, layers=0", TENON_E_ATTRIBUTE,
                       "layers must be at least 1"),
    sdk::layer_refused("f32[3,2,3] | hidden=2", TENON_E_ATTRIBUTE, "\"inputs\" is required"),
    sdk::layer_refused("f32[3,2,3] | inputs=3, hidden=2, dropout=1.5", TENON_E_ATTRIBUTE,
                       "dropout is not a probability"),
    sdk::layer_refused("f32[3,2,3] | inputs=3, hidden=2, projection=2", TENON_E_ATTRIBUTE,
                       "projection must be smaller than hidden"),
    sdk::layer_refused("f32[3,2,3] | inputs=3, hidden=2, projection=-1", TENON_E_ATTRIBUTE,
                       "projection must be smaller than hidden"),
    sdk::layer_refused("f32[3,2,4] | inputs=3, hidden=2", TENON_E_SHAPE,
                       "x must have rows of the layer's inputs"),
    sdk::layer_refused("f32[3] | inputs=3, hidden=2", TENON_E_SHAPE,
                       "x must have rows of the layer's inputs"),
    sdk::layer_refused("f32[3,2,3], f32[1,3,2], f32[1,3,2] | inputs=3, hidden=2", TENON_E_SHAPE,
                       "h0 must have a row for each layer and direction"),
    sdk::layer_refused("f32[3,3], f32[1,1,2], f32[1,1,2] | inputs=3, hidden=2", TENON_E_SHAPE,
                       "h0 must have a row for each layer and direction"),
    sdk::layer_refused("f32[3,2,3], f32[1,2,2], f32[2,2,2] | inputs=3, hidden=2", TENON_E_SHAPE,
                       "c0 must have a row for each layer and direction"),
    sdk::layer_refused("f32[3,2,3], f32[1,2,2], f32[1,2,2], i64[2]{4,1} | inputs=3, hidden=2",
                       TENON_E_DATA, "lengths[0] is 4"),
    sdk::layer_refused("f32[3,2,3], f32[1,2,2], f32[1,2,2], i64[3]{1,1,1} | inputs=3, hidden=2",
                       TENON_E_SHAPE, "lengths"),
    sdk::layer_refused("f64[3,2,3] | inputs=3, hidden=2", TENON_E_DTYPE, "w_ih"),
    sdk::layer_refused(
        "f32[3,2,3], f32[1,2,2], f32[1,2,2], i64[2]{1,1}, f32[1] | inputs=3, hidden=2",
        TENON_E_ARGUMENT, "number of inputs"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.lstm",
     .doc = R"(Layers of long short-term memory over sequences, of which the op `tenon.lstm` is one.

    x [T,B,inputs], h0 [layers*D,B,P], c0 [layers*D,B,hidden], lengths: i64 [B]
      -> y [T,B,D*P], h_n [layers*D,B,P], c_n [layers*D,B,hidden]

with `P` = projection or hidden and `D` = 2 directions with `bidirectional`, else 1; with
`batch_first` `x` and `y` are [B,T,...]. One sequence may come as `x` [T,inputs]: B is then
missing everywhere. Inputs after `x` may be absent: `h0` and `c0` are then 0, and all sequences
have T steps. With `lengths` each has as many as it says, in any order: PyTorch's packed
sequences, and what comes after them in `x` has no part in anything.

The layer holds no state. A program that continues a sequence gives `h_n` and `c_n` to the next
call as `h0` and `c0`, detached if gradients are to end there, and begins anew by leaving them
out.

With `projection` a matrix makes that many numbers of state from the hidden units. In training
`dropout` makes results of each layer but the last 0.

Tensors have the names of `torch.nn.LSTM`, so that state dictionaries of either fit the other:
`weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, `weight_hr_l0`, then `_l1`, and
`_l0_reverse`. Initial values: uniform between `-1/sqrt(hidden)` and `1/sqrt(hidden)`, as there.)",
     .options = options,
     .samples = samples,
     .max_inputs = 4,
     .n_outputs = 3,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(lstm) = {.layers = kLayers};
