// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/lstm_steps.cc: lstm_steps, the steps of an LSTM whose inputs are multiplied
// already; the gradients in lstm_steps_grad.
//
// s = x + h w_hh^T, c = sigmoid(s_f) c + sigmoid(s_i) tanh(s_g), h = sigmoid(s_o) tanh(c). Sources:
// S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; F. Gers and others, "Learning to
// Forget", 2000.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.lstm_steps";

constexpr std::string_view doc =
    R"(The steps of an LSTM, given what they make of their inputs: `gates` is `x w_ih^T`, for each
step of each sequence 4 H numbers, those of the gates i, f, g and o in turn. With `h` and `c` of the
step before, which begin as `h0` and `c0` (0 if absent), a step is

    s = gates + b_ih + b_hh + h w_hh^T
    i, f, g, o = sigmoid(s_i), sigmoid(s_f), tanh(s_g), sigmoid(s_o)
    c = f c + i g,  h = o tanh(c), with w_hr: (o tanh(c)) w_hr^T

`y` has each step's `h`, `h_n` and `c_n` are the last ones. The aux outputs are kept for the
gradient: the gates `i, f, g, o` and the cells `c` of each step.

Steps are the first dimension, with `batch_first` the second; with `reverse` the last comes first.
With `lengths` sequence `b` has the first `lengths[b]` steps, in any order: nothing of a later one
is read, `y` and what is kept are 0 there, and the last state is that of its own last step. With
`reverse` it begins at step `lengths[b] - 1`.

`tenon.lstm` is the whole layer.

Gradient: `tenon.lstm_steps_grad`; of `w_hh` and `w_hr` one product over all steps.

Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997; PyTorch, `nn.LSTM`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64, states too; `(gates + (b_ih +
b_hh)) + p`, where the products `p` of a row are `acc = fma(h_k, w_k, acc)` with `k` ascending;
`(f c) + (i g)`, each operation rounded by itself; rounded to T where it is stored.)";

enum Input : uint32_t { kGates, kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths };
enum Attribute : uint32_t { kReverse, kBatchFirst, kAttributes };
enum Output : uint32_t { kY, kLastH, kLastC, kKept, kCells, kOutputs };
constexpr int64_t kPerUnit = 4;
constexpr recurrent::Slots slots = {kHidden, kH0, kC0, kBiasIh, kBiasHh, kProjection, kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes = recurrent::check_gates(args, slots, args.attrs.flag(kBatchFirst), kPerUnit);
  const std::span<const int64_t> shape = args.shape(kGates);
  recurrent::set_sequence(out[kY], shape, sizes.state);
  recurrent::set_state(out[kLastH], sizes.batch, sizes.state);
  recurrent::set_state(out[kLastC], sizes.batch, sizes.hidden);
  recurrent::set_sequence(out[kKept], shape, sizes.gates);
  recurrent::set_sequence(out[kCells], shape, sizes.hidden);
}

struct Weights {
  tenon_tensor* turned;   // w_hh^T
  sdk::Value projection;  // w_hr^T, or none
  sdk::Value bias;        // or none
  int64_t hidden;
};

struct State {
  tenon_tensor* h;
  tenon_tensor* c;
  tenon_tensor* gates;
};

State step_of(sdk::Compose& c, const Weights& w, sdk::Value gates, const State& before) {
  const auto part = [&](tenon_tensor* x, int64_t from, int64_t to) {
    return recurrent::columns(c, x, from * w.hidden, to * w.hidden);
  };
  tenon_tensor* product = rules::upward_product(c, before.h, w.turned);
  const sdk::Value own = recurrent::sum_of(c, gates, w.bias);
  tenon_tensor* s = c.call("tenon.add", {own, product});
  tenon_tensor* i_f = c.call("tenon.sigmoid", {part(s, 0, 2)});
  tenon_tensor* g = c.call("tenon.tanh", {part(s, 2, 3)});
  tenon_tensor* o = c.call("tenon.sigmoid", {part(s, 3, 4)});
  tenon_tensor* old = c.call("tenon.mul", {part(i_f, 1, 2), before.c});
  State after{};
  after.c = c.call("tenon.add", {old, c.call("tenon.mul", {part(i_f, 0, 1), g})});
  after.h = c.call("tenon.mul", {o, c.call("tenon.tanh", {after.c})});
  if (!w.projection.is_none()) after.h = rules::upward_product(c, after.h, w.projection);
  tenon_tensor* all[] = {i_f, g, o};
  after.gates = recurrent::joined(c, all, -1);
  return after;
}

void compose(sdk::Compose& c) {
  const tenon_meta gates = c.meta(c.in(kGates).tensor());
  recurrent::Walk walk(c, gates, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const sdk::Value all = in(kGates);
  const sdk::Value hidden = in(kHidden);
  const sdk::Value projection = in(kProjection);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  const int64_t state = c.meta(hidden.tensor()).shape[1];
  Weights w{recurrent::transposed(c, hidden), {}, {}, gates.shape[2] / kPerUnit};
  if (!projection.is_none()) w.projection = recurrent::transposed(c, projection);
  w.bias = recurrent::sum_of(c, in(kBiasIh), in(kBiasHh));
  const auto begin = [&](uint32_t i, int64_t width) {
    const sdk::Value given = in(i);
    return given.is_none() ? recurrent::zeros(c, {walk.batch(), width}, wide) : given.tensor();
  };
  State now{begin(kH0, state), begin(kC0, w.hidden), nullptr};
  std::vector<tenon_tensor*> y, kept, cells;
  for (int64_t i = 0; i < walk.steps(); ++i) {
    const State after = step_of(c, w, walk.at(all, i), now);
    y.push_back(walk.or_zero(i, after.h));
    kept.push_back(walk.or_zero(i, after.gates));
    cells.push_back(walk.or_zero(i, after.c));
    now = {walk.choose(i, after.h, now.h), walk.choose(i, after.c, now.c), nullptr};
  }
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(gates.dtype)));
  };
  put(kY, walk.sequence(y, state, wide));
  put(kLastH, now.h);
  put(kLastC, now.c);
  put(kKept, walk.sequence(kept, gates.shape[2], wide));
  put(kCells, walk.sequence(cells, w.hidden, wide));
}

// The aux outputs are outputs like any other when the rule is differentiated again.
void vjp(sdk::Vjp& v) {
  const sdk::Value inputs[] = {v.out(kKept),   v.out(kCells), v.in(kHidden), v.dy(kY),
                               v.dy(kLastH),   v.dy(kLastC),  v.in(kC0),     v.in(kProjection),
                               v.in(kLengths), v.dy(kKept),   v.dy(kCells)};
  const sdk::Value attrs[] = {v.attr(kReverse), v.attr(kBatchFirst)};
  tenon_tensor* grads[4] = {};
  const bool projects = v.wants(kProjection);
  const size_t of_states = v.wants(kH0) || v.wants(kC0) ? 3 : 1;
  v.call_many("tenon.lstm_steps_grad", inputs, attrs, std::span(grads, projects ? 4 : of_states));
  tenon_tensor* dgates = grads[0];
  if (v.wants(kGates)) v.grad(kGates, dgates);
  if (v.wants(kH0)) v.grad(kH0, grads[1]);
  if (v.wants(kC0)) v.grad(kC0, grads[2]);
  if (v.wants(kBiasIh) || v.wants(kBiasHh)) {
    tenon_tensor* sum = recurrent::bias_grad(v, dgates);
    for (const uint32_t i : {kBiasIh, kBiasHh}) {
      if (v.wants(i)) v.grad(i, sum);
    }
  }
  if (v.wants(kHidden)) {
    recurrent::Walk walk(v, v.out_meta(kY), v.in(kLengths), attrs[kReverse].as.i64 != 0,
                         attrs[kBatchFirst].as.i64 != 0);
    v.grad(kHidden, recurrent::hidden_grad(v, walk, dgates, v.out(kY), v.in(kH0)));
  }
  if (!projects) return;
  const int64_t hidden = v.out_meta(kCells).shape[2];
  tenon_tensor* o = recurrent::part_of(v, v.out(kKept), 3, hidden);
  tenon_tensor* units = v.call("tenon.mul", {o, v.call("tenon.tanh", {v.out(kCells)})});
  v.grad(kProjection, recurrent::weight_grad(v, grads[3], units));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "lstm_steps(gates: T[M,N,G], w_hh: T[G,P], h0: T[B,P]?, c0: T[B,H]?, b_ih: "
                       "T[G]?, b_hh: T[G]?, w_hr: T[P,H]?, lengths: i64[B]?, *, reverse: "
                       "bool=false, batch_first: bool=false) -> (y: T[M,N,P], h_n: T[B,P], c_n: "
                       "T[B,H], aux kept: T[M,N,G], aux cells: T[M,N,H]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr sdk::NeedParts any = {
    .inputs = sdk::bit(kHidden) | sdk::bit(kC0) | sdk::bit(kProjection) | sdk::bit(kLengths),
    .outputs = sdk::bit(kKept) | sdk::bit(kCells),
    .output_metas = sdk::bit(kY) | sdk::bit(kCells)};
constexpr tenon_vjp_need need = sdk::need(any);
constexpr tenon_vjp_need of_hidden = sdk::need({.inputs = any.inputs | sdk::bit(kH0),
                                                .outputs = any.outputs | sdk::bit(kY),
                                                .output_metas = any.output_metas});
constexpr tenon_vjp_need needs[] = {need, of_hidden, need, need, need, need, need, {}};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name,
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .n_outputs = kOutputs,
                                             .n_attrs = kAttributes,
                                             .flags = TENON_VJP_TWICE | TENON_VJP_ACCEPTS_ABSENT,
                                             .non_differentiable = sdk::bit(kLengths)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,8], f64[8,2], f64[2,2], f64[2,2], f64[8], f64[8]"),
    sdk::sample(name, "f64[2,3,4], f64[4,1]"),
    sdk::sample(name, "f64[2,3,8], f64[8,2], f64[2,2], none, f64[8] | batch_first=true"),
    sdk::sample(name, "f64[3,2,4], f64[4,1], none, f64[2,1], none, f64[4] | reverse=true"),
    sdk::sample(name, "f64[2,2,8], f64[8,1], f64[2,1], f64[2,2], f64[8], f64[8], f64[1,2]"),
    sdk::sample(name, "f64[3,3,4], f64[4,1], f64[3,1], f64[3,1], none, none, none, i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,4], f64[4,1], f64[3,1], f64[3,1], none, none, none, i64[3]{2,3,0} | "
                "reverse=true"),
    sdk::sample(name,
                "f64[2,3,4], f64[4,1], none, none, none, none, none, i64[2]{3,1} | reverse=true, "
                "batch_first=true"),
    sdk::sample(name,
                "f64[2,3,4]{1,2,3,4,-1,-2,-3,-4,nan,inf,nan,nan,0,1,0,1,inf,nan,nan,nan,nan,nan,"
                "nan,nan}, f64[4,1], f64[2,1], none, none, none, none, i64[2]{2,1} | "
                "batch_first=true"),
    sdk::sample(name, "f64[0,2,4], f64[4,1], f64[2,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,4], f64[4,1]"),
    sdk::sample(name, "f64[2,2,0], f64[0,0]"),
    sdk::sample(name, "f32[2,2,8], f32[8,2]"),
    sdk::refused(name, "2.0, f32[8,2]", TENON_E_SHAPE, "gates must have 3 dimensions"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(lstm_steps) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
