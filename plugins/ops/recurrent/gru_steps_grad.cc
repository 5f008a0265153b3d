// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/gru_steps_grad.cc: gru_steps_grad, the backward rule of gru_steps.
//
// Back through time: dz = dh (h' - n), dn = dh (1 - z), through tanh to q and r, through sigmoid to
// the gates; dh' = dh z + what the products leave. Source: P. Werbos, "Backpropagation Through
// Time", 1990.
#include "recurrent/steps.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.gru_steps_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.gru_steps`, from `r, z, n, q` that it `kept`, the `states` that each
step found, and the gradients of its outputs; those that are absent are 0. `dgates` is that of
`gates`, of which the sum is that of `b_ih`; the aux outputs are that of `h0`, and that of the
products `h w_hh^T`, which `w_hh` and `b_hh` have theirs from (without `reset_after` it is
`dgates`).

From the last step to the first, with the gradient `dh` that later steps left and `h'`, the state
before:

    dh = dy + dh
    dz = dh (h' - n) + dkept_z,  dn = dh (1 - z) + dkept_n,  ds_n = dn (1 - n^2)

with `reset_after`

    dq = ds_n r + dkept_q,  dr = ds_n q + dkept_r,  dp = (ds_r, ds_z, dq)
    dh = dh z + dp w_hh

and without

    dq = ds_n w_n + dkept_q,  dr = dq h' + dkept_r
    dh = (dh z + dq r) + (ds_r, ds_z) w_rz

where `ds_x = dx (x (1 - x))` for r and z. After a sequence's end all is 0, whatever `dy` is there.

Gradient: that of its composition.

Source: P. Werbos, "Backpropagation Through Time: What It Does and How to Do It", 1990.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: as the formulas are written,
each operation rounded by itself; products `acc = fma(x, y, acc)` with the summed index ascending;
rounded to T where it is stored.)";

enum Input : uint32_t { kKept, kStates, kHidden, kDy, kDh, kLengths, kDkept };
enum Attribute : uint32_t { kReverse, kBatchFirst, kResetAfter };
constexpr int64_t kPerUnit = 3;
constexpr recurrent::Slots slots = {.w_hh = kHidden, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto sizes =
      recurrent::check_sequence(args, "kept", slots, args.attrs.flag(kBatchFirst), kPerUnit);
  const std::span<const int64_t> shape = args.shape(kKept);
  const int64_t m = shape[0];
  const int64_t n = shape[1];
  recurrent::need_shape(args, kKept, "kept", {m, n, 4 * sizes.hidden}, "as gru_steps kept it");
  recurrent::need_shape(args, kStates, "states", {m, n, sizes.state}, "");
  recurrent::need_shape(args, kDy, "dy", {m, n, sizes.state}, "");
  recurrent::need_shape(args, kDh, "dh_n", {sizes.batch, sizes.state}, "");
  recurrent::need_shape(args, kDkept, "dkept", {m, n, 4 * sizes.hidden}, "");
  recurrent::set_sequence(out[0], shape, sizes.gates);
  recurrent::set_state(out[1], sizes.batch, sizes.state);
  recurrent::set_sequence(out[2], shape, sizes.gates);
}

// What a step of the walk back has, and what it leaves for the step before.
struct Step {
  sdk::Value kept, before, dkept;
  tenon_tensor* dh;
};
struct Gradients {
  tenon_tensor* dh;
  tenon_tensor* dgates;
  tenon_tensor* dproducts;
};

Gradients step_back(sdk::Compose& c, const Step& s, sdk::Value w_hh, bool reset_after) {
  const int64_t hidden = c.meta(s.dh).shape[1];
  const auto kept = [&](int64_t i) { return recurrent::part_of(c, s.kept, i, hidden); };
  const auto mul = [&](sdk::Value a, sdk::Value b) { return c.call("tenon.mul", {a, b}); };
  const auto sub = [&](sdk::Value a, sdk::Value b) { return c.call("tenon.sub", {a, b}); };
  const auto add = [&](sdk::Value a, sdk::Value b) { return c.call("tenon.add", {a, b}); };
  const auto with_kept = [&](tenon_tensor* x, int64_t i) {
    return s.dkept.is_none() ? x : add(x, recurrent::part_of(c, s.dkept, i, hidden));
  };
  const auto rows = [&](int64_t from, int64_t to) {
    return c.call("tenon.slice", {w_hh}, {0, from * hidden, to * hidden});
  };
  tenon_tensor* const r = kept(0);
  tenon_tensor* const z = kept(1);
  tenon_tensor* const n = kept(2);
  tenon_tensor* const dz = with_kept(mul(s.dh, sub(s.before, n)), 1);
  tenon_tensor* const dn = with_kept(mul(s.dh, sub(1.0, z)), 2);
  tenon_tensor* const ds_n = recurrent::tanh_slope(c, dn, n);
  tenon_tensor* const ds_z = recurrent::sigmoid_slope(c, dz, z);
  tenon_tensor* dh = mul(s.dh, z);
  if (reset_after) {
    tenon_tensor* const dq = with_kept(mul(ds_n, r), 3);
    tenon_tensor* const ds_r = recurrent::sigmoid_slope(c, with_kept(mul(ds_n, kept(3)), 0), r);
    tenon_tensor* of_gates[] = {ds_r, ds_z, ds_n};
    tenon_tensor* of_products[] = {ds_r, ds_z, dq};
    tenon_tensor* dproducts = recurrent::joined(c, of_products, -1);
    return {add(dh, rules::upward_product(c, dproducts, w_hh)), recurrent::joined(c, of_gates, -1),
            dproducts};
  }
  tenon_tensor* const dq = with_kept(rules::upward_product(c, ds_n, rows(2, 3)), 3);
  tenon_tensor* const ds_r = recurrent::sigmoid_slope(c, with_kept(mul(dq, s.before), 0), r);
  tenon_tensor* of_r_z[] = {ds_r, ds_z};
  tenon_tensor* of_gates[] = {ds_r, ds_z, ds_n};
  dh = add(dh, mul(dq, r));
  tenon_tensor* dgates = recurrent::joined(c, of_gates, -1);
  return {add(dh, rules::upward_product(c, recurrent::joined(c, of_r_z, -1), rows(0, 2))), dgates,
          dgates};
}

void compose(sdk::Compose& c) {
  const tenon_meta kept = c.meta(c.in(kKept).tensor());
  recurrent::Walk walk(c, kept, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const sdk::Value all = in(kKept), states = in(kStates), dy = in(kDy), w_hh = in(kHidden);
  const sdk::Value dkept = in(kDkept), last = in(kDh);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  const int64_t hidden = kept.shape[2] / 4;
  tenon_tensor* dh =
      last.is_none() ? recurrent::zeros(c, {walk.batch(), hidden}, wide) : last.tensor();
  std::vector<tenon_tensor*> dgates, dproducts;
  for (int64_t i = walk.steps() - 1; i >= 0; --i) {
    const Step step{walk.at(all, i), walk.at(states, i), walk.at(dkept, i),
                    recurrent::sum_of(c, walk.at(dy, i), dh).tensor()};
    const Gradients left = step_back(c, step, w_hh, c.attrs.flag(kResetAfter));
    dgates.push_back(walk.or_zero(i, left.dgates));
    dproducts.push_back(walk.or_zero(i, left.dproducts));
    dh = walk.choose(i, left.dh, dh);
  }
  std::ranges::reverse(dgates);
  std::ranges::reverse(dproducts);
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(kept.dtype)));
  };
  put(0, walk.sequence(dgates, kPerUnit * hidden, wide));
  put(1, dh);
  put(2, walk.sequence(dproducts, kPerUnit * hidden, wide));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "gru_steps_grad(kept: T[M,N,4*H], states: T[M,N,H], w_hh: T[G,H], dy: "
                       "T[M,N,H]?, dh_n: T[B,H]?, lengths: i64[B]?, dkept: T[M,N,4*H]?, *, "
                       "reverse: bool=false, batch_first: bool=false, reset_after: bool=true) -> "
                       "(dgates: T[M,N,G], aux dh0: T[B,H], aux dproducts: T[M,N,G]) where T: "
                       "float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,8], f64[3,2,2], f64[6,2], f64[3,2,2], f64[2,2]"),
    sdk::sample(name, "f64[3,2,8], f64[3,2,2], f64[6,2], f64[3,2,2], f64[2,2] | reset_after=false"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,1], f64[3,1], f64[2,3,1]"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,1], f64[3,1], none, f64[2,1] | batch_first=true"),
    sdk::sample(name, "f64[3,2,4], f64[3,2,1], f64[3,1], f64[3,2,1], f64[2,1] | reverse=true"),
    sdk::sample(name, "f64[3,3,4], f64[3,3,1], f64[3,1], f64[3,3,1], f64[3,1], i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,4], f64[3,3,1], f64[3,1], f64[3,3,1], f64[3,1], i64[3]{2,3,0} | "
                "reverse=true, reset_after=false"),
    sdk::sample(name, "f64[2,2,4], f64[2,2,1], f64[3,1], f64[2,2,1], none, none, f64[2,2,4]"),
    sdk::sample(name,
                "f64[2,2,4], f64[2,2,1], f64[3,1], none, none, i64[2]{1,2}, f64[2,2,4] | "
                "reset_after=false"),
    sdk::sample(name, "f64[0,2,4], f64[0,2,1], f64[3,1], f64[0,2,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,4], f64[2,0,1], f64[3,1]"),
    sdk::sample(name, "f32[2,2,8], f32[2,2,2], f32[6,2], f32[2,2,2]"),
    sdk::refused(name, "f32[2,8], f32[2,2,2], f32[6,2]", TENON_E_SHAPE, "kept"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(gru_steps_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
