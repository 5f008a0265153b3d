// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/rnn_steps_grad.cc: rnn_steps_grad, the backward rule of rnn_steps.
//
// Back through time: ds = dh f'(s), dh' = ds w_hh. Source: P. Werbos, "Backpropagation Through
// Time", 1990.
#include "recurrent/activation.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
namespace recurrent = tenon::recurrent;
constexpr std::string_view name = "tenon.rnn_steps_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.rnn_steps`, from its result `y` and the gradients of its outputs;
those that are absent are 0. `dgates` is that of `gates`, and what the biases and `w_hh` have theirs
from; the aux output is that of `h0`.

From the last step to the first, with the gradient `dh` that later steps left: `dh = dy + dh`, `ds =
dh (1 - y^2)`, for "relu" `dh` where `y` is above 0, `dh = ds w_hh`. After a sequence's end all is
0, whatever `dy` is there.

Gradient: that of its composition.

Source: P. Werbos, "Backpropagation Through Time: What It Does and How to Do It", 1990.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: each operation rounded by
itself; products `acc = fma(x, y, acc)` with the summed index ascending; rounded to T where it is
stored.)";

enum Input : uint32_t { kY, kHidden, kDy, kDh, kLengths };
enum Attribute : uint32_t { kActivation, kReverse, kBatchFirst };
constexpr recurrent::Slots slots = {.w_hh = kHidden, .lengths = kLengths};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  recurrent::is_relu(args.attrs.text(kActivation));
  const auto sizes = recurrent::check_sequence(args, "y", slots, args.attrs.flag(kBatchFirst), 1);
  const std::span<const int64_t> shape = args.shape(kY);
  recurrent::need_shape(args, kY, "y", {shape[0], shape[1], sizes.state}, "as rnn_steps made it");
  recurrent::need_shape(args, kDy, "dy", {shape[0], shape[1], sizes.state}, "");
  recurrent::need_shape(args, kDh, "dh_n", {sizes.batch, sizes.state}, "");
  recurrent::set_sequence(out[0], shape, sizes.state);
  recurrent::set_state(out[1], sizes.batch, sizes.state);
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(kY).tensor());
  recurrent::Walk walk(c, meta, c.in(kLengths), c.attrs.flag(kReverse), c.attrs.flag(kBatchFirst));
  const auto in = [&](uint32_t i) { return recurrent::wide(c, c.in(i)); };
  const bool relu = recurrent::is_relu(c.attrs.text(kActivation));
  const sdk::Value all = in(kY), dy = in(kDy), w_hh = in(kHidden), last = in(kDh);
  const tenon_dtype wide = c.meta(all.tensor()).dtype;
  tenon_tensor* dh =
      last.is_none() ? recurrent::zeros(c, {walk.batch(), meta.shape[2]}, wide) : last.tensor();
  std::vector<tenon_tensor*> dgates;
  for (int64_t i = walk.steps() - 1; i >= 0; --i) {
    tenon_tensor* here = recurrent::sum_of(c, walk.at(dy, i), dh).tensor();
    tenon_tensor* y = walk.at(all, i).tensor();
    tenon_tensor* ds = relu ? c.call("tenon.where", {c.call("tenon.gt", {y, 0.0}), here, 0.0})
                            : recurrent::tanh_slope(c, here, y);
    dgates.push_back(walk.or_zero(i, ds));
    dh = walk.choose(i, rules::upward_product(c, ds, w_hh), dh);
  }
  std::ranges::reverse(dgates);
  const auto put = [&](uint32_t i, tenon_tensor* x) {
    c.set(i, rules::rounded_to(c, x, static_cast<tenon_dtype>(meta.dtype)));
  };
  put(0, walk.sequence(dgates, meta.shape[2], wide));
  put(1, dh);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rnn_steps_grad(y: T[M,N,H], w_hh: T[H,H], dy: T[M,N,H]?, dh_n: T[B,H]?, "
                       "lengths: i64[B]?, *, activation: str=\"tanh\", reverse: bool=false, "
                       "batch_first: bool=false) -> (dgates: T[M,N,H], aux dh0: T[B,H]) where T: "
                       "float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,2,2], f64[2,2], f64[3,2,2], f64[2,2]"),
    sdk::sample(name, "f64[3,2,2], f64[2,2], f64[3,2,2], f64[2,2] | activation=\"relu\""),
    sdk::sample(name, "f64[2,3,1], f64[1,1], none, f64[3,1]"),
    sdk::sample(name, "f64[2,3,2], f64[2,2], f64[2,3,2] | batch_first=true"),
    sdk::sample(name, "f64[3,2,1], f64[1,1], f64[3,2,1], f64[2,1] | reverse=true"),
    sdk::sample(name, "f64[3,3,1], f64[1,1], f64[3,3,1], f64[3,1], i64[3]{1,0,3}"),
    sdk::sample(name,
                "f64[3,3,1], f64[1,1], f64[3,3,1], f64[3,1], i64[3]{2,3,0} | reverse=true, "
                "activation=\"relu\""),
    sdk::sample(name, "f64[0,2,1], f64[1,1], f64[0,2,1], f64[2,1]"),
    sdk::sample(name, "f64[2,0,1], f64[1,1]"),
    sdk::sample(name, "f32[2,2,3], f32[3,3], f32[2,2,3]"),
    sdk::refused(name, "f32[2,3], f32[3,3]", TENON_E_SHAPE, "y"),
};

constexpr auto tolerances = recurrent::steps_tolerances(name);

}  // namespace

TENON_UNIT(rnn_steps_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
