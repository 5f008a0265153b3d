// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/lstm.cc: lstm, one layer of long short-term memory in one direction.
//
// The gates' inputs of all steps are one product; lstm_steps has the formula of a step. Sources: S.
// Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; PyTorch's `nn.LSTM`.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.lstm";

constexpr std::string_view doc =
    R"(One layer of an LSTM in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
`batch_first` `[B,steps,I]`. With `h` and `c` of the step before, which begin as `h0` and `c0` (0 if
absent), a step is

    s = x w_ih^T + b_ih + h w_hh^T + b_hh
    i, f, g, o = sigmoid(s_i), sigmoid(s_f), tanh(s_g), sigmoid(s_o)
    c = f c + i g,  h = o tanh(c)

`w_ih` `[4H,I]` and `w_hh` `[4H,P]` have the rows of i, f, g and o in turn. `w_hr` `[P,H]` makes the
state of P numbers from H hidden units: `h = (o tanh(c)) w_hr^T`; without it P is H. Operands may
have any strides.

`y` has each step's `h`, `h_n` and `c_n` the last ones. With `reverse` the last step comes first;
`y` stays in the order of `x`. With `lengths` sequence `b` has the first `lengths[b]` steps (0 to
all of them, in any order): `y` is 0 after them, `h_n` and `c_n` are those of its own last step, and
what lies in `x` after them has no part in results or gradients, even if it is not finite. With
`reverse` it begins at its own last step. These are PyTorch's packed sequences.

Layers and directions are stacked by calling it for each.

Gradient: that of the composition; `tenon.lstm_steps_grad` goes back through the steps, and the
gradient of each weight is one product over all of them.

Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; H. Sak and others, "Long
Short-Term Memory Based Recurrent Neural Network Architectures", 2014 (the projection); PyTorch,
`nn.LSTM`.

Canonical arithmetic: `tenon.matmul` of `x` and the transposed `w_ih`, rounded to T, then
`tenon.lstm_steps`.)";

enum Input : uint32_t { kX, kInput, kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst };
constexpr recurrent::Slots slots = {kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes = recurrent::check_sequence(args, "x", slots, args.attrs.flag(kBatchFirst), 4);
  recurrent::check_input_weight(args, kInput, sizes);
  recurrent::set_sequence(out[0], args.shape(kX), sizes.state);
  recurrent::set_state(out[1], sizes.batch, sizes.state);
  recurrent::set_state(out[2], sizes.batch, sizes.hidden);
}

void compose(sdk::Compose& c) {
  recurrent::Walk walk(c, c.meta(c.in(kX).tensor()), c.in(kLengths), c.attrs.flag(kReverse),
                       c.attrs.flag(kBatchFirst));
  const sdk::Value inputs[] = {recurrent::input_gates(c, walk, c.in(kX), c.in(kInput)),
                               c.in(kHidden),
                               c.in(kH0),
                               c.in(kC0),
                               c.in(kBiasIh),
                               c.in(kBiasHh),
                               c.in(kProjection),
                               c.in(kLengths)};
  const sdk::Value attrs[] = {c.attrs[kReverse], c.attrs[kBatchFirst]};
  tenon_tensor* results[3] = {};
  c.call_many("tenon.lstm_steps", inputs, attrs, results);
  for (uint32_t i = 0; i < 3; ++i) c.set(i, results[i]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "lstm(x: T[M,N,I], w_ih: T[G,I], w_hh: T[G,P], h0: T[B,P]?, c0: T[B,H]?, "
                       "b_ih: T[G]?, b_hh: T[G]?, w_hr: T[P,H]?, lengths: i64[B]?, *, reverse: "
                       "bool=false, batch_first: bool=false) -> (y: T[M,N,P], h_n: T[B,P], c_n: "
                       "T[B,H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,3], f64[8,3], f64[8,2], f64[2,2], f64[2,2], f64[8], f64[8]"),
    sdk::sample(name, "f64[2,3,2], f64[4,2], f64[4,1]"),
    sdk::sample(name, "f64[2,3,2], f64[8,2], f64[8,2], f64[2,2], none, f64[8] | batch_first=true"),
    sdk::sample(name, "f64[3,2,1], f64[4,1], f64[4,1], none, f64[2,1] | reverse=true"),
    sdk::sample(name,
                "f64[2,2,3], f64[8,3], f64[8,1], f64[2,1], f64[2,2], f64[8], f64[8], f64[1,2]"),
    sdk::sample(name,
                "f64[3,3,1], f64[4,1], f64[4,1], f64[3,1], f64[3,1], f64[4], f64[4], none, "
                "i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,1], f64[4,1], f64[4,1], f64[3,1], f64[3,1], f64[4], f64[4], none, "
                "i64[3]{2,3,0} | reverse=true"),
    sdk::sample(name,
                "f64[2,3,1]{0.5,-1.0,0.25,1.0,nan,inf}, f64[4,1], f64[4,1], none, none, none, "
                "none, none, i64[2]{3,1} | batch_first=true"),
    sdk::sample(name, "f64[0,2,3], f64[4,3], f64[4,1], f64[2,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,3], f64[4,3], f64[4,1]"),
    sdk::sample(name, "f64[2,2,0], f64[4,0], f64[4,1]"),
    sdk::sample(name, "f64[2,2,3], f64[0,3], f64[0,0]"),
    sdk::sample(name, "f32[2,2,3], f32[8,3], f32[8,2], none, none, f32[8], f32[8]"),
    sdk::sample(name, "f32[1,1,2]{nan,1.0}, f32[4,2], f32[4,1]"),
    sdk::sample(name, "f32[2,1,1]{inf,1.0}, f32[4,1]{1.0,1.0,-1.0,1.0}, f32[4,1]"),
    sdk::sample(name, "f32[2,1,1]{3.4028235e38,1e-45}, f32[4,1]{1.0,1.0,1.0,1.0}, f32[4,1]"),
    sdk::sample(name,
                "f64[2,1,1]{1.7976931348623157e308,5e-324}, f64[4,1]{1.0,1.0,1.0,1.0}, f64[4,1]"),
    sdk::sample(name, "f16[2,1,1]{65504.0,6e-8}, f16[4,1]{1.0,1.0,1.0,1.0}, f16[4,1]"),
    sdk::sample(name, "bf16[2,1,1]{3.39e38,9.2e-41}, bf16[4,1]{1.0,1.0,1.0,1.0}, bf16[4,1]"),
    sdk::refused(name, "2.0, f32[4,3], f32[4,1]", TENON_E_SHAPE, "x must have 3 dimensions"),
    sdk::refused(name, "f32[2,2,3], f32[6,3], f32[6,1]", TENON_E_SHAPE, "row for each gate"),
    sdk::refused(name, "f32[2,2,3], f32[8,3], f32[8,1]", TENON_E_SHAPE, "w_hh"),
    sdk::refused(name, "f32[2,2,3], f32[8,2], f32[8,2]", TENON_E_SHAPE, "w_ih"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], f32[3,1]", TENON_E_SHAPE, "h0"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, f32[2,2]", TENON_E_SHAPE, "c0"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, none, f32[3]", TENON_E_SHAPE, "b_ih"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, none, none, f32[5]", TENON_E_SHAPE,
                 "b_hh"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, none, none, none, f32[1,2]",
                 TENON_E_SHAPE, "w_hr"),
    sdk::refused(name,
                 "f32[2,2,3], f32[4,3], f32[4,1], none, none, none, none, none, i64[3]{1,1,1}",
                 TENON_E_SHAPE, "lengths"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, none, none, none, none, i64[2]{1,3}",
                 TENON_E_DATA, "lengths[1] is 3"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1], none, none, none, none, none, i64[2]{-1,2}",
                 TENON_E_DATA, "lengths[0] is -1"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1] | reverse=1", TENON_E_ATTRIBUTE, "reverse"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f64[4,1]", TENON_E_DTYPE, "w_hh"),
    sdk::refused(name, "i32[2,2,3], i32[4,3], i32[4,1]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,2,3], f32[4,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = recurrent::layer_tolerances(name);

}  // namespace

TENON_UNIT(lstm) = {.ops = ops, .samples = samples, .tolerances = tolerances};
