// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/lstm_steps_grad.cc: lstm_steps_grad, the backward rule of lstm_steps.
//
// Back through time: do = dh tanh(c), dc += dh o (1 - tanh(c)^2), di = dc g, df = dc c', dg = dc i;
// through sigmoid and tanh to ds; dh' = ds w_hh, dc' = dc f. Source: S. Hochreiter, J. Schmidhuber,
// "Long Short-Term Memory", 1997; P. Werbos, "Backpropagation Through Time", 1990.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.lstm_steps_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.lstm_steps`, from the gates `kept` and the `cells` that it kept, and
the gradients of its outputs; those that are absent are 0. `dgates` is that of `gates`, and what the
biases and `w_hh` have theirs from; the aux outputs are those of `h0` and `c0`, and the gradient of
each step's `h`, which is what `w_hr` has its own from.

From the last step to the first, with the gradients `dh` and `dc` that later steps left:

    dh = dy + dh,  with w_hr du = dh w_hr, else du = dh
    do = du tanh(c) + dkept_o,  dc = (dc + (du o) (1 - tanh(c)^2)) + dcells
    di = dc g + dkept_i,  df = dc c' + dkept_f,  dg = dc i + dkept_g
    ds_x = dx (x (1 - x)) for i, f and o,  ds_g = dg (1 - g^2)
    dc = dc f,  dh = ds w_hh

where `c'` is the cell of the step before. After a sequence's end all is 0, whatever `dy` is there.

Gradient: that of its composition.

Source: P. Werbos, "Backpropagation Through Time: What It Does and How to Do It", 1990.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: as the formulas are written,
each operation rounded by itself; products `acc = fma(x, y, acc)` with the summed index ascending;
rounded to T where it is stored.)";

enum Input : uint32_t {
  kKept,
  kCells,
  kHidden,
  kDy,
  kDh,
  kDc,
  kC0,
  kProjection,
  kLengths,
  kDkept,
  kDcells
};
enum Attribute : uint32_t { kReverse, kBatchFirst };
constexpr int64_t kPerUnit = 4;
constexpr recurrent::Slots slots = {
    .w_hh = kHidden, .c0 = kC0, .w_hr = kProjection, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes =
      recurrent::check_sequence(args, "kept", slots, args.attrs.flag(kBatchFirst), kPerUnit);
  const std::span<const int64_t> shape = args.shape(kKept);
  const int64_t m = shape[0];
  const int64_t n = shape[1];
  recurrent::need_shape(args, kKept, "kept", {m, n, sizes.gates}, "as lstm_steps kept it");
  recurrent::need_shape(args, kCells, "cells", {m, n, sizes.hidden}, "as lstm_steps kept them");
  recurrent::need_shape(args, kDy, "dy", {m, n, sizes.state}, "");
  recurrent::need_shape(args, kDh, "dh_n", {sizes.batch, sizes.state}, "");
  recurrent::need_shape(args, kDc, "dc_n", {sizes.batch, sizes.hidden}, "");
  recurrent::need_shape(args, kDkept, "dkept", {m, n, sizes.gates}, "");
  recurrent::need_shape(args, kDcells, "dcells", {m, n, sizes.hidden}, "");
  recurrent::set_sequence(out[0], shape, sizes.gates);
  recurrent::set_state(out[1], sizes.batch, sizes.state);
  recurrent::set_state(out[2], sizes.batch, sizes.hidden);
  recurrent::set_sequence(out[3], shape, sizes.state);
}

// What a step of the walk back has, and what it leaves for the step before.
struct Step {
  sdk::Value kept, cell, before, dkept, dcell;
  int64_t hidden;
};
struct Gradients {
  tenon_tensor* dh;
  tenon_tensor* dc;
  tenon_tensor* dgates;
};

Gradients step_back(sdk::Compose& c, const Step& s, tenon_tensor* du, tenon_tensor* dc,
                    sdk::Value w_hh) {
  const auto gate = [&](int64_t i) { return recurrent::part_of(c, s.kept, i, s.hidden); };
  const auto mul = [&](sdk::Value a, sdk::Value b) { return c.call("tenon.mul", {a, b}); };
  tenon_tensor* const i = gate(0);
  tenon_tensor* const f = gate(1);
  tenon_tensor* const g = gate(2);
  tenon_tensor* const o = gate(3);
  tenon_tensor* bent = c.call("tenon.tanh", {s.cell});
  tenon_tensor* through = recurrent::tanh_slope(c, mul(du, o), bent);
  dc = c.call("tenon.add", {dc, through});
  if (!s.dcell.is_none()) dc = c.call("tenon.add", {dc, s.dcell});
  tenon_tensor* slopes[] = {mul(dc, g), mul(dc, s.before), mul(dc, i), mul(du, bent)};
  for (int64_t k = 0; k < kPerUnit && !s.dkept.is_none(); ++k) {
    slopes[k] = c.call("tenon.add", {slopes[k], recurrent::part_of(c, s.dkept, k, s.hidden)});
  }
  tenon_tensor* parts[] = {
      recurrent::sigmoid_slope(c, slopes[0], i), recurrent::sigmoid_slope(c, slopes[1], f),
      recurrent::tanh_slope(c, slopes[2], g), recurrent::sigmoid_slope(c, slopes[3], o)};
  tenon_tensor* dgates = recurrent::joined(c, parts, -1);
  return {rules::upward_product(c, dgates, w_hh), mul(dc, f), dgates};
}

void compose(sdk::Compose& c) {
  const tenon_meta kept = c.meta(c.in(kKept).tensor());
  recurrent::Walk walk(c, kept, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const sdk::Value all = in(kKept), cells = in(kCells), dy = in(kDy), w_hh = in(kHidden);
  const sdk::Value w_hr = in(kProjection), dkept = in(kDkept), dcells = in(kDcells);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  const int64_t hidden = kept.shape[2] / kPerUnit;
  const int64_t state = c.meta(w_hh.tensor()).shape[1];
  const auto begin = [&](uint32_t i, int64_t width) {
    const sdk::Value given = in(i);
    return given.is_none() ? recurrent::zeros(c, {walk.batch(), width}, wide) : given.tensor();
  };
  tenon_tensor* const c0 = begin(kC0, hidden);
  tenon_tensor* dh = begin(kDh, state);
  tenon_tensor* dc = begin(kDc, hidden);
  std::vector<tenon_tensor*> dgates, dstates;
  for (int64_t i = walk.steps() - 1; i >= 0; --i) {
    tenon_tensor* here = recurrent::sum_of(c, walk.at(dy, i), dh).tensor();
    tenon_tensor* du = w_hr.is_none() ? here : rules::upward_product(c, here, w_hr);
    const Step step{walk.at(all, i),   walk.at(cells, i),  walk.earlier(cells, i, c0),
                    walk.at(dkept, i), walk.at(dcells, i), hidden};
    const Gradients left = step_back(c, step, du, dc, w_hh);
    dgates.push_back(walk.or_zero(i, left.dgates));
    dstates.push_back(walk.or_zero(i, here));
    dh = walk.choose(i, left.dh, dh);
    dc = walk.choose(i, left.dc, dc);
  }
  std::ranges::reverse(dgates);
  std::ranges::reverse(dstates);
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(kept.dtype)));
  };
  put(0, walk.sequence(dgates, kept.shape[2], wide));
  put(1, dh);
  put(2, dc);
  put(3, walk.sequence(dstates, state, wide));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "lstm_steps_grad(kept: T[M,N,G], cells: T[M,N,H], w_hh: T[G,P], dy: T[M,N,P]?, "
               "dh_n: T[B,P]?, dc_n: T[B,H]?, c0: T[B,H]?, w_hr: T[P,H]?, lengths: i64[B]?, "
               "dkept: T[M,N,G]?, dcells: T[M,N,H]?, *, reverse: bool=false, batch_first: "
               "bool=false) -> (dgates: T[M,N,G], aux dh0: T[B,P], aux dc0: T[B,H], aux dstates: "
               "T[M,N,P]) where T: float",
     .doc = doc,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,8], f64[3,2,2], f64[8,2], f64[3,2,2], f64[2,2], f64[2,2], f64[2,2]"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,1], f64[4,1], f64[2,3,1]"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,1], f64[4,1], none, f64[2,1] | batch_first=true"),
    sdk::sample(name,
                "f64[3,2,4], f64[3,2,1], f64[4,1], f64[3,2,1], none, f64[2,1] | reverse=true"),
    sdk::sample(name,
                "f64[2,2,8], f64[2,2,2], f64[8,1], f64[2,2,1], f64[2,1], none, none, f64[1,2]"),
    sdk::sample(name,
                "f64[3,3,4], f64[3,3,1], f64[4,1], f64[3,3,1], f64[3,1], none, f64[3,1], none, "
                "i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,4], f64[3,3,1], f64[4,1], f64[3,3,1], f64[3,1], f64[3,1], f64[3,1], none, "
                "i64[3]{2,3,0} | reverse=true"),
    sdk::sample(name,
                "f64[2,2,4], f64[2,2,1], f64[4,1], f64[2,2,1], none, none, none, none, none, "
                "f64[2,2,4], f64[2,2,1]"),
    sdk::sample(name,
                "f64[2,2,4], f64[2,2,1], f64[4,1], none, none, none, none, none, i64[2]{1,2}, "
                "f64[2,2,4], none | reverse=true"),
    sdk::sample(name, "f64[0,2,4], f64[0,2,1], f64[4,1], f64[0,2,1], f64[2,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,4], f64[2,0,1], f64[4,1]"),
    sdk::sample(name, "f32[2,2,8], f32[2,2,2], f32[8,2], f32[2,2,2]"),
    sdk::refused(name, "2.0, f32[2,2,2], f32[8,2]", TENON_E_SHAPE, "kept must have"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(lstm_steps_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
