// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/gru_steps.cc: gru_steps, the steps of a GRU whose inputs are multiplied
// already; the gradients in gru_steps_grad.
//
// r, z = sigmoid(x + h w_hh^T), n = tanh(x_n + r (h w_n^T)), h = n + z (h - n). Source: K. Cho and
// others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.gru_steps";

constexpr std::string_view doc =
    R"(The steps of a GRU, given what they make of their inputs: `gates` is `x w_ih^T`, for each
step of each sequence 3 H numbers, those of r, z and n in turn. With `h` of the step before, which
begins as `h0` (0 if absent), and the rows `w_rz` and `w_n` of `w_hh`, a step is with `reset_after`

    s = gates + b_ih,  p = h w_hh^T + b_hh
    r, z = sigmoid(s_r + p_r), sigmoid(s_z + p_z)
    q = p_n,  n = tanh(s_n + r q),  h = n + z (h - n)

and without

    s = gates + (b_ih + b_hh)
    r, z = sigmoid(s_r + h w_r^T), sigmoid(s_z + h w_z^T)
    q = r h,  n = tanh(s_n + q w_n^T),  h = n + z (h - n)

`y` has each step's `h`, `h_n` the last one. The aux output keeps `r, z, n, q` of each step for the
gradient. `reverse`, `batch_first` and `lengths` are as in `tenon.lstm_steps`.

`tenon.gru` is the whole layer.

Gradient: `tenon.gru_steps_grad`; of `w_hh` products over all steps.

Source: K. Cho and others, "Learning Phrase Representations using RNN Encoder-Decoder", 2014;
PyTorch, `nn.GRU` (`reset_after`); ONNX, `GRU` (`linear_before_reset`).

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64, states too: as the formulas are
written, each operation rounded by itself; products `acc = fma(h_k, w_k, acc)` with `k` ascending;
rounded to T where it is stored.)";

enum Input : uint32_t { kGates, kHidden, kH0, kBiasIh, kBiasHh, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter, kAttributes };
enum Output : uint32_t { kY, kLastH, kKept, kOutputs };
constexpr int64_t kPerUnit = 3;
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .h0 = kH0, .b_ih = kBiasIh, .b_hh = kBiasHh, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes = recurrent::check_gates(args, slots, args.attrs.flag(kBatchFirst), kPerUnit);
  const std::span<const int64_t> shape = args.shape(kGates);
  recurrent::set_sequence(out[kY], shape, sizes.state);
  recurrent::set_state(out[kLastH], sizes.batch, sizes.state);
  recurrent::set_sequence(out[kKept], shape, 4 * sizes.hidden);
}

// What all steps have in common: w_hh^T and the biases of its products and of their inputs.
struct Weights {
  tenon_tensor* turned;
  sdk::Value own_bias, product_bias;
  int64_t hidden;
  bool reset_after;
};

struct State {
  tenon_tensor* h;
  tenon_tensor* kept;
};

State step_of(sdk::Compose& c, const Weights& w, sdk::Value gates, tenon_tensor* h) {
  const auto part = [&](sdk::Value x, int64_t from, int64_t to) {
    return recurrent::columns(c, x, from * w.hidden, to * w.hidden);
  };
  const auto add = [&](sdk::Value a, sdk::Value b) { return c.call("tenon.add", {a, b}); };
  const sdk::Value own = recurrent::sum_of(c, gates, w.own_bias);
  sdk::Value weight = w.turned;
  if (!w.reset_after) weight = part(w.turned, 0, 2);
  sdk::Value p = rules::upward_product(c, h, weight);
  p = recurrent::sum_of(c, p, w.product_bias);
  tenon_tensor* r_z = c.call("tenon.sigmoid", {add(part(own, 0, 2), part(p, 0, 2))});
  tenon_tensor* const r = part(r_z, 0, 1);
  tenon_tensor* const q = w.reset_after ? part(p, 2, 3) : c.call("tenon.mul", {r, h});
  tenon_tensor* const s = w.reset_after ? c.call("tenon.mul", {r, q})
                                        : rules::upward_product(c, q, part(w.turned, 2, 3));
  tenon_tensor* const n = c.call("tenon.tanh", {add(part(own, 2, 3), s)});
  tenon_tensor* const far = c.call("tenon.sub", {h, n});
  tenon_tensor* all[] = {r_z, n, q};
  return {add(n, c.call("tenon.mul", {part(r_z, 1, 2), far})), recurrent::joined(c, all, -1)};
}

void compose(sdk::Compose& c) {
  const tenon_meta gates = c.meta(c.in(kGates).tensor());
  recurrent::Walk walk(c, gates, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const sdk::Value all = in(kGates);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  Weights w{recurrent::transposed(c, in(kHidden)), in(kBiasIh), in(kBiasHh),
            gates.shape[2] / kPerUnit, c.attrs.flag(kResetAfter)};
  if (!w.reset_after) {
    w.own_bias = recurrent::sum_of(c, w.own_bias, w.product_bias);
    w.product_bias = {};
  }
  const sdk::Value h0 = in(kH0);
  tenon_tensor* h =
      h0.is_none() ? recurrent::zeros(c, {walk.batch(), w.hidden}, wide) : h0.tensor();
  std::vector<tenon_tensor*> y, kept;
  for (int64_t i = 0; i < walk.steps(); ++i) {
    const State after = step_of(c, w, walk.at(all, i), h);
    y.push_back(walk.or_zero(i, after.h));
    kept.push_back(walk.or_zero(i, after.kept));
    h = walk.choose(i, after.h, h);
  }
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(gates.dtype)));
  };
  put(kY, walk.sequence(y, w.hidden, wide));
  put(kLastH, h);
  put(kKept, walk.sequence(kept, 4 * w.hidden, wide));
}

// Without reset_after the rows of n are multiplied by q, those of r and z by the states before.
tenon_tensor* hidden_grad(sdk::Vjp& v, tenon_tensor* dgates, tenon_tensor* states,
                          bool reset_after) {
  if (reset_after) return recurrent::weight_grad(v, dgates, states);
  const int64_t hidden = v.out_meta(kY).shape[2];
  tenon_tensor* of_r_z = recurrent::columns(v, dgates, 0, 2 * hidden);
  tenon_tensor* of_n = recurrent::part_of(v, dgates, 2, hidden);
  tenon_tensor* q = recurrent::part_of(v, v.out(kKept), 3, hidden);
  tenon_tensor* parts[] = {recurrent::weight_grad(v, of_r_z, states),
                           recurrent::weight_grad(v, of_n, q)};
  return recurrent::joined(v, parts, 0);
}

// The aux output is an output like any other when the rule is differentiated again.
void vjp(sdk::Vjp& v) {
  const sdk::Value attrs[] = {v.attr(kReverse), v.attr(kBatchFirst), v.attr(kResetAfter)};
  const bool reset_after = attrs[kResetAfter].as.i64 != 0;
  recurrent::Walk walk(v, v.out_meta(kY), v.in(kLengths), attrs[kReverse].as.i64 != 0,
                       attrs[kBatchFirst].as.i64 != 0);
  tenon_tensor* states = walk.states_before(v.out(kY), v.in(kH0));
  const sdk::Value inputs[] = {v.out(kKept), states,         v.in(kHidden), v.dy(kY),
                               v.dy(kLastH), v.in(kLengths), v.dy(kKept)};
  tenon_tensor* grads[3] = {};
  const bool apart = reset_after && (v.wants(kHidden) || v.wants(kBiasHh));
  const size_t of_state = v.wants(kH0) ? 2 : 1;
  v.call_many("tenon.gru_steps_grad", inputs, attrs, std::span(grads, apart ? 3 : of_state));
  tenon_tensor* const of_products = apart ? grads[2] : grads[0];
  if (v.wants(kGates)) v.grad(kGates, grads[0]);
  if (v.wants(kH0)) v.grad(kH0, grads[1]);
  if (v.wants(kBiasIh)) v.grad(kBiasIh, recurrent::bias_grad(v, grads[0]));
  if (v.wants(kBiasHh)) v.grad(kBiasHh, recurrent::bias_grad(v, of_products));
  if (v.wants(kHidden)) v.grad(kHidden, hidden_grad(v, of_products, states, reset_after));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "gru_steps(gates: T[M,N,G], w_hh: T[G,H], h0: T[B,H]?, b_ih: T[G]?, b_hh: "
                       "T[G]?, lengths: i64[B]?, *, reverse: bool=false, batch_first: bool=false, "
                       "reset_after: bool=true) -> (y: T[M,N,H], h_n: T[B,H], aux kept: "
                       "T[M,N,4*H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need need =
    sdk::need({.inputs = sdk::bit(kHidden) | sdk::bit(kH0) | sdk::bit(kLengths),
               .outputs = sdk::bit(kY) | sdk::bit(kKept),
               .output_metas = sdk::bit(kY)});
constexpr tenon_vjp_need needs[] = {need, need, need, need, need, {}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = kOutputs,
                                             .n_attrs = kAttributes,
                                             .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                                             .non_differentiable = sdk::bit(kLengths)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,6], f64[6,2], f64[2,2], f64[6], f64[6]"),
    sdk::sample(name, "f64[3,2,6], f64[6,2], f64[2,2], f64[6], f64[6] | reset_after=false"),
    sdk::sample(name, "f64[2,3,3], f64[3,1]"),
    sdk::sample(name, "f64[2,3,6], f64[6,2], f64[2,2], f64[6] | batch_first=true"),
    sdk::sample(name, "f64[3,2,3], f64[3,1], f64[2,1], none, f64[3] | reverse=true"),
    sdk::sample(name,
                "f64[2,3,3], f64[3,1], none, none, f64[3] | reverse=true, batch_first=true, "
                "reset_after=false"),
    sdk::sample(name, "f64[3,3,3], f64[3,1], f64[3,1], none, none, i64[3]{1,0,3}"),
    sdk::sample(name, "f64[3,3,3], f64[3,1], f64[3,1], none, none, i64[3]{2,3,0} | reverse=true"),
    sdk::sample(name,
                "f64[2,3,3]{1,2,3,-1,-2,-3,0,1,2,1,0,1,nan,inf,nan,nan,nan,nan}, f64[3,1], "
                "f64[2,1], f64[3], f64[3], i64[2]{3,1} | batch_first=true, reset_after=false"),
    sdk::sample(name, "f64[0,2,3], f64[3,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,3], f64[3,1]"),
    sdk::sample(name, "f64[2,2,0], f64[0,0]"),
    sdk::sample(name, "f32[2,2,6], f32[6,2]"),
    sdk::sample(name, "f32[2,2,6], f32[6,2] | reset_after=false"),
    sdk::refused(name, "f32[2,6], f32[6,2]", TENON_E_SHAPE, "gates"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(gru_steps) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
