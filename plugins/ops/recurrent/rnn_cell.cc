// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/rnn_cell.cc: rnn_cell, one step of a plain recurrent layer.
//
// Source: J. Elman, "Finding Structure in Time", 1990; PyTorch's `nn.RNNCell`.
#include "recurrent/activation.hpp"
#include "recurrent/cells.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.rnn_cell";

constexpr std::string_view doc =
    R"(One step of `tenon.rnn`, over the rows of `x` `[B,I]`: the new `h` `[B,H]` from `h0` (0 if
absent). Weights, biases and `activation` are those of `tenon.rnn`.

Gradient: that of the composition.
That of "relu" is 0 at 0.

Source: J. Elman, "Finding Structure in Time", 1990; PyTorch, `nn.RNNCell`.

Canonical arithmetic: `tenon.rnn` of a sequence of one step.)";

enum Input : uint32_t { kX, kInput, kHidden, kH0, kBiasIh, kBiasHh };
constexpr recurrent::Slots slots = {.w_hh = kHidden, .h0 = kH0, .b_ih = kBiasIh, .b_hh = kBiasHh};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  recurrent::is_relu(args.attrs.text(0));
  const auto sizes = recurrent::check_cell(args, kInput, slots, 1);
  recurrent::set_state(out[0], sizes.batch, sizes.state);
}

void compose(sdk::Compose& c) {
  const sdk::Value inputs[] = {recurrent::one_step(c, c.in(kX)),
                               c.in(kInput),
                               c.in(kHidden),
                               c.in(kH0),
                               c.in(kBiasIh),
                               c.in(kBiasHh)};
  const sdk::Value attrs[] = {c.attrs[0]};
  tenon_tensor* results[2] = {};
  c.call_many("tenon.rnn", inputs, attrs, results);
  c.set(0, results[1]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rnn_cell(x: T[B,I], w_ih: T[H,I], w_hh: T[H,H], h0: T[B,H]?, b_ih: "
                       "T[H]?, b_hh: T[H]?, *, activation: str=\"tanh\") -> T[B,H] where T: "
                       "float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,2], f64[2,2], f64[2], f64[2]"),
    sdk::sample(name,
                "f64[2,3], f64[2,3], f64[2,2], f64[2,2], f64[2], f64[2] | activation=\"relu\""),
    sdk::sample(name, "f64[3,2], f64[1,2], f64[1,1]"),
    sdk::sample(name, "f64[2,3], f64[1,3], f64[1,1], none, none, f64[1] | activation=\"relu\""),
    sdk::sample(name, "f64[0,3], f64[1,3], f64[1,1]"),
    sdk::sample(name, "f64[2,0], f64[1,0], f64[1,1]"),
    sdk::sample(name, "f64[2,3], f64[0,3], f64[0,0]"),
    sdk::sample(name, "f32[2,3], f32[2,3], f32[2,2], none, f32[2], f32[2]"),
    sdk::sample(name, "f32[1,2]{nan,1.0}, f32[1,2], f32[1,1]"),
    sdk::sample(name, "f32[2,1]{inf,1.0}, f32[1,1]{1.0}, f32[1,1]"),
    sdk::sample(name, "f32[2,1]{3.4028235e38,1e-45}, f32[1,1]{1.0}, f32[1,1]"),
    sdk::sample(name, "f64[2,1]{1.7976931348623157e308,5e-324}, f64[1,1]{1.0}, f64[1,1]"),
    sdk::sample(name, "f16[2,1]{65504.0,6e-8}, f16[1,1]{1.0}, f16[1,1]"),
    sdk::sample(name, "bf16[2,1]{3.39e38,9.2e-41}, bf16[1,1]{1.0}, bf16[1,1]"),
    sdk::refused(name, "2.0, f32[1,3], f32[1,1]", TENON_E_SHAPE, "x must have 2 dimensions"),
    sdk::refused(name, "f32[2,3], f32[2,3], f32[2,1]", TENON_E_SHAPE, "w_hh"),
    sdk::refused(name, "f32[2,3], f32[1,2], f32[1,1]", TENON_E_SHAPE, "w_ih"),
    sdk::refused(name, "f32[2,3], f32[1,3], f32[1,1], f32[3,1]", TENON_E_SHAPE, "h0"),
    sdk::refused(name, "f32[2,3], f32[1,3], f32[1,1], none, f32[2]", TENON_E_SHAPE, "b_ih"),
    sdk::refused(name, "f32[2,3], f32[1,3], f32[1,1], none, none, f32[2]", TENON_E_SHAPE, "b_hh"),
    sdk::refused(name, "f32[2,3], f32[1,3], f32[1,1] | activation=\"gelu\"", TENON_E_ATTRIBUTE,
                 "activation"),
    sdk::refused(name, "f32[2,3], f32[1,3], f64[1,1]", TENON_E_DTYPE, "w_hh"),
    sdk::refused(name, "i32[2,3], i32[1,3], i32[1,1]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,3], f32[1,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = recurrent::layer_tolerances(name);

}  // namespace

TENON_UNIT(rnn_cell) = {.ops = ops, .samples = samples, .tolerances = tolerances};
