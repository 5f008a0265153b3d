// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/lstm_cell.cc: lstm_cell, one step of an LSTM.
//
// Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; PyTorch's `nn.LSTMCell`.
#include "recurrent/cells.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.lstm_cell";

constexpr std::string_view doc =
    R"(One step of `tenon.lstm`, over the rows of `x` `[B,I]`: the new `h` `[B,P]` and `c` `[B,H]`
from `h0` and `c0` (0 if absent). Weights and biases are those of `tenon.lstm`.

Gradient: that of the composition.

Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; PyTorch, `nn.LSTMCell`.

Canonical arithmetic: `tenon.lstm` of a sequence of one step.)";

enum Input : uint32_t { kX, kInput, kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection };
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .h0 = kH0, .c0 = kC0, .b_ih = kBiasIh, .b_hh = kBiasHh, .w_hr = kProjection};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes = recurrent::check_cell(args, kInput, slots, 4);
  recurrent::set_state(out[0], sizes.batch, sizes.state);
  recurrent::set_state(out[1], sizes.batch, sizes.hidden);
}

void compose(sdk::Compose& c) {
  const sdk::Value inputs[] = {recurrent::one_step(c, c.in(kX)),
                               c.in(kInput),
                               c.in(kHidden),
                               c.in(kH0),
                               c.in(kC0),
                               c.in(kBiasIh),
                               c.in(kBiasHh),
                               c.in(kProjection)};
  tenon_tensor* results[3] = {};
  c.call_many("tenon.lstm", inputs, {}, results);
  c.set(0, results[1]);
  c.set(1, results[2]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "lstm_cell(x: T[B,I], w_ih: T[G,I], w_hh: T[G,P], h0: T[B,P]?, c0: "
                       "T[B,H]?, b_ih: T[G]?, b_hh: T[G]?, w_hr: T[P,H]?) -> (h: T[B,P], c: "
                       "T[B,H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[8,3], f64[8,2], f64[2,2], f64[2,2], f64[8], f64[8]"),
    sdk::sample(name, "f64[3,2], f64[4,2], f64[4,1]"),
    sdk::sample(name, "f64[2,3], f64[8,3], f64[8,1], f64[2,1], f64[2,2], none, f64[8], f64[1,2]"),
    sdk::sample(name, "f64[0,3], f64[4,3], f64[4,1]"),
    sdk::sample(name, "f64[2,0], f64[4,0], f64[4,1], f64[2,1]"),
    sdk::sample(name, "f64[2,3], f64[0,3], f64[0,0]"),
    sdk::sample(name, "f32[2,3], f32[8,3], f32[8,2], f32[2,2], f32[2,2], f32[8], f32[8]"),
    sdk::sample(name, "f32[1,2]{nan,1.0}, f32[4,2], f32[4,1]"),
    sdk::sample(name, "f32[1,1]{inf}, f32[4,1]{1.0,1.0,-1.0,1.0}, f32[4,1]"),
    sdk::sample(name, "f32[2,1]{3.4028235e38,1e-45}, f32[4,1]{1.0,1.0,1.0,1.0}, f32[4,1]"),
    sdk::sample(name,
                "f64[2,1]{1.7976931348623157e308,5e-324}, f64[4,1]{1.0,1.0,1.0,1.0}, f64[4,1]"),
    sdk::sample(name, "f16[2,1]{65504.0,6e-8}, f16[4,1]{1.0,1.0,1.0,1.0}, f16[4,1]"),
    sdk::sample(name, "bf16[2,1]{3.39e38,9.2e-41}, bf16[4,1]{1.0,1.0,1.0,1.0}, bf16[4,1]"),
    sdk::refused(name, "f32[1,2,3], f32[4,3], f32[4,1]", TENON_E_SHAPE, "x"),
    sdk::refused(name, "2.0, f32[4,3], f32[4,1]", TENON_E_SHAPE, "x must have 2 dimensions"),
    sdk::refused(name, "f32[2,3], f32[6,3], f32[6,1]", TENON_E_SHAPE, "row for each gate"),
    sdk::refused(name, "f32[2,3], f32[8,3], f32[8,1]", TENON_E_SHAPE, "w_hh"),
    sdk::refused(name, "f32[2,3], f32[8,2], f32[8,2]", TENON_E_SHAPE, "w_ih"),
    sdk::refused(name, "f32[2,3], f32[4,3], f32[4,1], f32[3,1]", TENON_E_SHAPE, "h0"),
    sdk::refused(name, "f32[2,3], f32[4,3], f32[4,1], none, f32[2,2]", TENON_E_SHAPE, "c0"),
    sdk::refused(name, "f32[2,3], f32[4,3], f32[4,1], none, none, f32[3]", TENON_E_SHAPE, "b_ih"),
    sdk::refused(name, "f32[2,3], f32[4,3], f64[4,1]", TENON_E_DTYPE, "w_hh"),
    sdk::refused(name, "f32[2,3], f32[4,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = recurrent::layer_tolerances(name);

}  // namespace

TENON_UNIT(lstm_cell) = {.ops = ops, .samples = samples, .tolerances = tolerances};
