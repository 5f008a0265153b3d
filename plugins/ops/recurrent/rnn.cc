// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/rnn.cc: rnn, one plain recurrent layer in one direction.
//
// The inputs of all steps are one product; rnn_steps has the formula of a step. Sources: J. Elman,
// "Finding Structure in Time", 1990; PyTorch's `nn.RNN`.
#include "recurrent/activation.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.rnn";

constexpr std::string_view doc =
    R"(One plain recurrent layer in one direction, over sequences `x` of B batches: `[steps,B,I]`,
with `batch_first` `[B,steps,I]`. With `h` of the step before, which begins as `h0` (0 if absent), a
step is `h = f(x w_ih^T + b_ih + h w_hh^T + b_hh)`; `f` is the `activation`, "tanh" or "relu".
Operands may have any strides.

`y` has each step's `h`, `h_n` the last one. With `reverse` the last step comes first; `y` stays in
the order of `x`. With `lengths` sequence `b` has the first `lengths[b]` steps (0 to all of them, in
any order): `y` is 0 after them, `h_n` is that of its own last step, and what lies in `x` after them
has no part in results or gradients, even if it is not finite. With `reverse` it begins at its own
last step. These are PyTorch's packed sequences.

Layers and directions are stacked by calling it for each.

Gradient: that of the composition; `tenon.rnn_steps_grad` goes back through the steps, and the
gradient of each weight is one product over all of them.
That of "relu" is 0 at 0.

Source: J. Elman, "Finding Structure in Time", 1990; PyTorch, `nn.RNN`.

Canonical arithmetic: `tenon.matmul` of `x` and the transposed `w_ih`, rounded to T, then
`tenon.rnn_steps`.)";

enum Input : uint32_t { kX, kInput, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum Attribute : uint32_t { kActivation, kReverse, kBatchFirst };
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .h0 = kH0, .b_ih = kBiasIh, .b_hh = kBiasHh, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  recurrent::is_relu(args.attrs.text(kActivation));
  const auto sizes = recurrent::check_sequence(args, "x", slots, args.attrs.flag(kBatchFirst), 1);
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
  const sdk::Value attrs[] = {c.attrs[kActivation], c.attrs[kReverse], c.attrs[kBatchFirst]};
  tenon_tensor* results[2] = {};
  c.call_many("tenon.rnn_steps", inputs, attrs, results);
  for (uint32_t i = 0; i < 2; ++i) c.set(i, results[i]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rnn(x: T[M,N,I], w_ih: T[H,I], w_hh: T[H,H], h0: T[B,H]?, b_ih: "
                       "T[H]?, b_hh: T[H]?, lengths: i64[B]?, *, activation: str=\"tanh\", "
                       "reverse: bool=false, batch_first: bool=false) -> (y: T[M,N,H], h_n: "
                       "T[B,H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,3], f64[2,3], f64[2,2], f64[2,2], f64[2], f64[2]"),
    sdk::sample(name,
                "f64[3,2,3], f64[2,3], f64[2,2], f64[2,2], f64[2], f64[2] | activation=\"relu\""),
    sdk::sample(name, "f64[2,3,2], f64[1,2], f64[1,1]"),
    sdk::sample(name, "f64[2,3,2], f64[2,2], f64[2,2], f64[2,2], f64[2] | batch_first=true"),
    sdk::sample(name, "f64[3,2,1], f64[1,1], f64[1,1], f64[2,1], none, f64[1] | reverse=true"),
    sdk::sample(name, "f64[3,3,1], f64[1,1], f64[1,1], f64[3,1], f64[1], f64[1], i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,1], f64[1,1], f64[1,1], f64[3,1], f64[1], f64[1], i64[3]{2,3,0} | "
                "reverse=true, activation=\"relu\""),
    sdk::sample(name,
                "f64[2,3,1]{0.5,-1.0,0.25,1.0,nan,inf}, f64[1,1], f64[1,1], none, none, none, "
                "i64[2]{3,1} | batch_first=true"),
    sdk::sample(name, "f64[0,2,3], f64[1,3], f64[1,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,3], f64[1,3], f64[1,1]"),
    sdk::sample(name, "f64[2,2,0], f64[1,0], f64[1,1]"),
    sdk::sample(name, "f64[2,2,3], f64[0,3], f64[0,0]"),
    sdk::sample(name, "f32[2,2,3], f32[2,3], f32[2,2], none, f32[2], f32[2]"),
    sdk::sample(name, "f32[1,1,2]{nan,1.0}, f32[1,2], f32[1,1]"),
    sdk::sample(name, "f32[1,2,1]{inf,1.0}, f32[1,1]{1.0}, f32[1,1]"),
    sdk::sample(name, "f32[1,2,1]{3.4028235e38,1e-45}, f32[1,1]{1.0}, f32[1,1]"),
    sdk::sample(name, "f64[1,2,1]{1.7976931348623157e308,5e-324}, f64[1,1]{1.0}, f64[1,1]"),
    sdk::sample(name, "f16[1,2,1]{65504.0,6e-8}, f16[1,1]{1.0}, f16[1,1]"),
    sdk::sample(name, "bf16[1,2,1]{3.39e38,9.2e-41}, bf16[1,1]{1.0}, bf16[1,1]"),
    sdk::refused(name, "2.0, f32[1,3], f32[1,1]", TENON_E_SHAPE, "x must have 3 dimensions"),
    sdk::refused(name, "f32[2,2,3], f32[2,3], f32[2,1]", TENON_E_SHAPE, "w_hh"),
    sdk::refused(name, "f32[2,2,3], f32[1,2], f32[1,1]", TENON_E_SHAPE, "w_ih"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], f32[3,1]", TENON_E_SHAPE, "h0"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], none, f32[2]", TENON_E_SHAPE, "b_ih"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], none, none, f32[2]", TENON_E_SHAPE, "b_hh"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], none, none, none, i64[3]{1,1,1}",
                 TENON_E_SHAPE, "lengths"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], none, none, none, i64[2]{1,3}",
                 TENON_E_DATA, "lengths[1] is 3"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1], none, none, none, i64[2]{-1,2}",
                 TENON_E_DATA, "lengths[0] is -1"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f32[1,1] | activation=\"gelu\"", TENON_E_ATTRIBUTE,
                 "activation"),
    sdk::refused(name, "f32[2,2,3], f32[1,3], f64[1,1]", TENON_E_DTYPE, "w_hh"),
    sdk::refused(name, "i32[2,2,3], i32[1,3], i32[1,1]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,2,3], f32[1,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = recurrent::layer_tolerances(name);

}  // namespace

TENON_UNIT(rnn) = {.ops = ops, .samples = samples, .tolerances = tolerances};
