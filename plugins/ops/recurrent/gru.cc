// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/gru.cc: gru, one layer of gated recurrent units in one direction.
//
// The inputs of all steps are one product; gru_steps has the formula of a step. Sources: K. Cho and
// others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014; PyTorch's `nn.GRU`.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.gru";

constexpr std::string_view doc =
    R"(One layer of a GRU in one direction, over sequences `x` of B batches: `[steps,B,I]`, with
`batch_first` `[B,steps,I]`. With `h` of the step before, which begins as `h0` (0 if absent), a step
is

    r, z = sigmoid(x w_r^T + b_r + h u_r^T + d_r), sigmoid(x w_z^T + b_z + h u_z^T + d_z)
    n = tanh(x w_n^T + b_n + r (h u_n^T + d_n)),  without reset_after
    n = tanh(x w_n^T + b_n + (r h) u_n^T + d_n)
    h = n + z (h - n)

`w_ih` `[3H,I]`, `w_hh` `[3H,H]`, `b_ih` and `b_hh` have the rows `w`, `u`, `b` and `d` of r, z and
n in turn. `reset_after` is PyTorch's GRU and ONNX's with `linear_before_reset`; without it, it is
the paper's. Operands may have any strides.

`y` has each step's `h`, `h_n` the last one. With `reverse` the last step comes first; `y` stays in
the order of `x`. With `lengths` sequence `b` has the first `lengths[b]` steps (0 to all of them, in
any order): `y` is 0 after them, `h_n` is that of its own last step, and what lies in `x` after them
has no part in results or gradients, even if it is not finite. With `reverse` it begins at its own
last step. These are PyTorch's packed sequences.

Layers and directions are stacked by calling it for each.

Gradient: that of the composition; `tenon.gru_steps_grad` goes back through the steps, and the
gradients of the weights are products over all of them.

Source: K. Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014;
PyTorch, `nn.GRU`; ONNX, `GRU`.

Canonical arithmetic: `tenon.matmul` of `x` and the transposed `w_ih`, rounded to T, then
`tenon.gru_steps`.)";

enum Input : uint32_t { kX, kInput, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter };
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .h0 = kH0, .b_ih = kBiasIh, .b_hh = kBiasHh, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes = recurrent::check_sequence(args, "x", slots, args.attrs.flag(kBatchFirst), 3);
  recurrent::check_input_weight(args, kInput, sizes);
  recurrent::set_sequence(out[0], args.shape(kX), sizes.state);
  recurrent::set_state(out[1], sizes.batch, sizes.state);
}

void compose(sdk::Compose& c) {
  recurrent::Walk walk(c, c.meta(c.in(kX).tensor()), c.in(kLengths), c.attrs.flag(kReverse),
                       c.attrs.flag(kBatchFirst));
  const sdk::Value inputs[] = {recurrent::input_gates(c, walk, c.in(kX), c.in(kInput)),
                               c.in(kHidden),
                               c.in(kH0),
                               c.in(kBiasIh),
                               c.in(kBiasHh),
                               c.in(kLengths)};
  const sdk::Value attrs[] = {c.attrs[kReverse], c.attrs[kBatchFirst], c.attrs[kResetAfter]};
  tenon_tensor* results[2] = {};
  c.call_many("tenon.gru_steps", inputs, attrs, results);
  for (uint32_t i = 0; i < 2; ++i) c.set(i, results[i]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "gru(x: T[M,N,I], w_ih: T[G,I], w_hh: T[G,H], h0: T[B,H]?, b_ih: "
                       "T[G]?, b_hh: T[G]?, lengths: i64[B]?, *, reverse: bool=false, "
                       "batch_first: bool=false, reset_after: bool=true) -> (y: T[M,N,H], "
                       "h_n: T[B,H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,3], f64[6,3], f64[6,2], f64[2,2], f64[6], f64[6]"),
    sdk::sample(name,
                "f64[3,2,3], f64[6,3], f64[6,2], f64[2,2], f64[6], f64[6] | reset_after=false"),
    sdk::sample(name, "f64[2,3,2], f64[3,2], f64[3,1]"),
    sdk::sample(name, "f64[2,3,2], f64[6,2], f64[6,2], f64[2,2], f64[6] | batch_first=true"),
    sdk::sample(name, "f64[3,2,1], f64[3,1], f64[3,1], f64[2,1], none, f64[3] | reverse=true"),
    sdk::sample(name, "f64[3,3,1], f64[3,1], f64[3,1], f64[3,1], f64[3], f64[3], i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,1], f64[3,1], f64[3,1], f64[3,1], f64[3], f64[3], i64[3]{2,3,0} | "
                "reverse=true, reset_after=false"),
    sdk::sample(name,
                "f64[2,3,1]{0.5,-1.0,0.25,1.0,nan,inf}, f64[3,1], f64[3,1], none, none, none, "
                "i64[2]{3,1} | batch_first=true"),
    sdk::sample(name, "f64[0,2,3], f64[3,3], f64[3,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,3], f64[3,3], f64[3,1]"),
    sdk::sample(name, "f64[2,2,0], f64[3,0], f64[3,1]"),
    sdk::sample(name, "f64[2,2,3], f64[0,3], f64[0,0]"),
    sdk::sample(name, "f32[2,2,3], f32[6,3], f32[6,2], none, f32[6], f32[6]"),
    sdk::sample(name, "f32[1,1,2]{nan,1.0}, f32[3,2], f32[3,1]"),
    sdk::sample(name, "f32[1,2,1]{inf,1.0}, f32[3,1]{1.0,1.0,1.0}, f32[3,1]"),
    sdk::sample(name, "f32[1,2,1]{3.4028235e38,1e-45}, f32[3,1]{1.0,1.0,1.0}, f32[3,1]"),
    sdk::sample(name, "f64[1,2,1]{1.7976931348623157e308,5e-324}, f64[3,1]{1.0,1.0,1.0}, f64[3,1]"),
    sdk::sample(name, "f16[1,2,1]{65504.0,6e-8}, f16[3,1]{1.0,1.0,1.0}, f16[3,1]"),
    sdk::sample(name, "bf16[1,2,1]{3.39e38,9.2e-41}, bf16[3,1]{1.0,1.0,1.0}, bf16[3,1]"),
    sdk::refused(name, "2.0, f32[3,3], f32[3,1]", TENON_E_SHAPE, "x must have 3 dimensions"),
    sdk::refused(name, "f32[2,2,3], f32[4,3], f32[4,1]", TENON_E_SHAPE, "row for each gate"),
    sdk::refused(name, "f32[2,2,3], f32[6,3], f32[6,1]", TENON_E_SHAPE, "w_hh"),
    sdk::refused(name, "f32[2,2,3], f32[3,2], f32[3,1]", TENON_E_SHAPE, "w_ih"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], f32[3,1]", TENON_E_SHAPE, "h0"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], none, f32[4]", TENON_E_SHAPE, "b_ih"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], none, none, f32[4]", TENON_E_SHAPE, "b_hh"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], none, none, none, i64[3]{1,1,1}",
                 TENON_E_SHAPE, "lengths"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], none, none, none, i64[2]{1,3}",
                 TENON_E_DATA, "lengths[1] is 3"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1], none, none, none, i64[2]{-1,2}",
                 TENON_E_DATA, "lengths[0] is -1"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f32[3,1] | reset_after=1", TENON_E_ATTRIBUTE,
                 "reset_after"),
    sdk::refused(name, "f32[2,2,3], f32[3,3], f64[3,1]", TENON_E_DTYPE, "w_hh"),
    sdk::refused(name, "i32[2,2,3], i32[3,3], i32[3,1]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,2,3], f32[3,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = recurrent::layer_tolerances(name);

}  // namespace

TENON_UNIT(gru) = {.ops = ops, .samples = samples, .tolerances = tolerances};
