// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/rnn_steps.cc: rnn_steps, the steps of a plain recurrent layer whose inputs
// are multiplied already; the gradients in rnn_steps_grad.
//
// h = f(x + h w_hh^T). Source: J. Elman, "Finding Structure in Time", 1990.
#include "recurrent/activation.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.rnn_steps";

constexpr std::string_view doc =
    R"(The steps of a plain recurrent layer, given what they make of their inputs: `gates` is
`x w_ih^T`, for each step of each sequence H numbers. With `h` of the step before, which begins as
`h0` (0 if absent), a step is `h = f(gates + b_ih + b_hh + h w_hh^T)`; `f` is the `activation`,
"tanh" or "relu".

`y` has each step's `h`, `h_n` the last one. `reverse`, `batch_first` and `lengths` are as in
`tenon.lstm_steps`.

`tenon.rnn` is the whole layer.

Gradient: `tenon.rnn_steps_grad`; of `w_hh` one product over all steps. That of "relu" is 0 at 0.

Source: J. Elman, "Finding Structure in Time", 1990; PyTorch, `nn.RNN`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64, states too; `(gates + (b_ih +
b_hh)) + p`, where the products `p` of a row are `acc = fma(h_k, w_k, acc)` with `k` ascending;
rounded to T where it is stored.)";

enum Input : uint32_t { kGates, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum Attribute : uint32_t { kActivation, kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kY, kLastH, kOutputs };
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .h0 = kH0, .b_ih = kBiasIh, .b_hh = kBiasHh, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  recurrent::is_relu(args.attrs.text(kActivation));
  const auto sizes = recurrent::check_gates(args, slots, args.attrs.flag(kBatchFirst), 1);
  recurrent::set_sequence(out[kY], args.shape(kGates), sizes.state);
  recurrent::set_state(out[kLastH], sizes.batch, sizes.state);
}

void compose(sdk::Compose& c) {
  const tenon_meta gates = c.meta(c.in(kGates).tensor());
  recurrent::Walk walk(c, gates, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const std::string_view f =
      recurrent::is_relu(c.attrs.text(kActivation)) ? "tenon.relu" : "tenon.tanh";
  const sdk::Value all = in(kGates), h0 = in(kH0);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  const int64_t hidden = gates.shape[2];
  const sdk::Value bias = recurrent::sum_of(c, in(kBiasIh), in(kBiasHh));
  tenon_tensor* const turned = recurrent::transposed(c, in(kHidden));
  tenon_tensor* h = h0.is_none() ? recurrent::zeros(c, {walk.batch(), hidden}, wide) : h0.tensor();
  std::vector<tenon_tensor*> y;
  for (int64_t i = 0; i < walk.steps(); ++i) {
    const sdk::Value own = recurrent::sum_of(c, walk.at(all, i), bias);
    tenon_tensor* s = c.call("tenon.add", {own, rules::upward_product(c, h, turned)});
    tenon_tensor* after = c.call(f, {s});
    y.push_back(walk.or_zero(i, after));
    h = walk.choose(i, after, h);
  }
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(gates.dtype)));
  };
  put(kY, walk.sequence(y, hidden, wide));
  put(kLastH, h);
}

void vjp(sdk::Vjp& v) {
  const sdk::Value inputs[] = {v.out(kY), v.in(kHidden), v.dy(kY), v.dy(kLastH), v.in(kLengths)};
  const sdk::Value attrs[] = {v.attr(kActivation), v.attr(kReverse), v.attr(kBatchFirst)};
  tenon_tensor* grads[2] = {};
  v.call_many("tenon.rnn_steps_grad", inputs, attrs, std::span(grads, v.wants(kH0) ? 2 : 1));
  if (v.wants(kGates)) v.grad(kGates, grads[0]);
  if (v.wants(kH0)) v.grad(kH0, grads[1]);
  if (v.wants(kBiasIh) || v.wants(kBiasHh)) {
    tenon_tensor* sum = recurrent::bias_grad(v, grads[0]);
    for (const uint32_t i : {kBiasIh, kBiasHh}) {
      if (v.wants(i)) v.grad(i, sum);
    }
  }
  if (!v.wants(kHidden)) return;
  recurrent::Walk walk(v, v.out_meta(kY), v.in(kLengths), attrs[kReverse].as.i64 != 0,
                       attrs[kBatchFirst].as.i64 != 0);
  v.grad(kHidden, recurrent::hidden_grad(v, walk, grads[0], v.out(kY), v.in(kH0)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rnn_steps(gates: T[M,N,H], w_hh: T[H,H], h0: T[B,H]?, b_ih: T[H]?, b_hh: "
                       "T[H]?, lengths: i64[B]?, *, activation: str=\"tanh\", reverse: "
                       "bool=false, batch_first: bool=false) -> (y: T[M,N,H], h_n: T[B,H]) where "
                       "T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need need = sdk::need({.inputs = sdk::bit(kHidden) | sdk::bit(kLengths),
                                           .outputs = sdk::bit(kY),
                                           .output_metas = sdk::bit(kY)});
constexpr tenon_vjp_need of_hidden =
    sdk::need({.inputs = sdk::bit(kHidden) | sdk::bit(kH0) | sdk::bit(kLengths),
               .outputs = sdk::bit(kY),
               .output_metas = sdk::bit(kY)});
constexpr tenon_vjp_need needs[] = {need, of_hidden, need, need, need, {}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = kOutputs,
                                             .n_attrs = kAttributes,
                                             .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                                             .non_differentiable = sdk::bit(kLengths)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,2], f64[2,2], f64[2,2], f64[2], f64[2]"),
    sdk::sample(name, "f64[3,2,2], f64[2,2], f64[2,2], f64[2], f64[2] | activation=\"relu\""),
    sdk::sample(name, "f64[2,3,1], f64[1,1]"),
    sdk::sample(name, "f64[2,3,2], f64[2,2], f64[2,2], f64[2] | batch_first=true"),
    sdk::sample(name, "f64[3,2,1], f64[1,1], f64[2,1], none, f64[1] | reverse=true"),
    sdk::sample(name, "f64[3,3,1], f64[1,1], f64[3,1], none, none, i64[3]{1,0,3}"),
    sdk::sample(name, "f64[3,3,1], f64[1,1], f64[3,1], none, none, i64[3]{2,3,0} | reverse=true"),
    sdk::sample(name,
                "f64[2,3,1]{1,2,3,-1,nan,inf}, f64[1,1], f64[2,1], f64[1], f64[1], i64[2]{3,1} | "
                "batch_first=true"),
    sdk::sample(name, "f64[0,2,1], f64[1,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,1], f64[1,1]"),
    sdk::sample(name, "f64[2,2,0], f64[0,0]"),
    sdk::sample(name, "f32[2,2,3], f32[3,3]"),
    sdk::refused(name, "f32[2,3], f32[3,3]", TENON_E_SHAPE, "gates"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(rnn_steps) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
