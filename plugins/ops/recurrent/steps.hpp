// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/steps.hpp: what the recurrent ops share: checks of their operands, and
// walks through time written in ops.
//
// A sequence x [M,N,I] has its steps along the first dimension, with `batch_first` along the
// second. G rows of a weight are the gates of H hidden units, each gate's rows together.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "linalg/products.hpp"
#include "rules.hpp"

namespace tenon::recurrent {

// ---- Checks -------------------------------------------------------------------------------------

inline constexpr uint32_t kAbsent = ~0u;

// Where the operands of an op are; not every op has all of them.
struct Slots {
  uint32_t w_hh;
  uint32_t h0 = kAbsent, c0 = kAbsent;
  uint32_t b_ih = kAbsent, b_hh = kAbsent;
  uint32_t w_hr = kAbsent, lengths = kAbsent;
};

struct Sizes {
  int64_t batch, gates, hidden, state;
};

inline void need_shape(const sdk::Args& args, uint32_t slot, const char* operand,
                       std::initializer_list<int64_t> sizes, const char* hint) {
  if (slot == kAbsent || !args.given(slot)) return;
  const std::span<const int64_t> expected(sizes.begin(), sizes.size());
  const std::span<const int64_t> found = args.shape(slot);
  if (std::ranges::equal(expected, found)) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     std::string(operand) + " has another shape than the other operands ask for",
                     operand,
                     sdk::shape_text(expected),
                     sdk::shape_text(found),
                     hint};
}

// Checks what belongs to w_hh [G,P] and a batch; `per_unit` is the number of gates.
inline Sizes check_operands(const sdk::Args& args, const Slots& slots, int64_t batch,
                            int64_t per_unit) {
  rules::need_rank(args, slots.w_hh, "w_hh", 2, "[G,P]");
  const std::span<const int64_t> w_hh = args.shape(slots.w_hh);
  const Sizes sizes{batch, w_hh[0], w_hh[0] / per_unit, w_hh[1]};
  if (sizes.gates % per_unit != 0) {
    throw sdk::Failure{TENON_E_SHAPE, "w_hh does not have a row for each gate of each hidden unit",
                       "w_hh", "a multiple of " + std::to_string(per_unit) + " rows",
                       sdk::shape_text(w_hh)};
  }
  const bool projects = slots.w_hr != kAbsent && args.given(slots.w_hr);
  if (!projects) {
    need_shape(args, slots.w_hh, "w_hh", {sizes.gates, sizes.hidden},
               slots.w_hr == kAbsent ? "a column for each hidden unit"
                                     : "a column for each hidden unit; of a projected state, w_hr "
                                       "is needed too");
  }
  need_shape(args, slots.w_hr, "w_hr", {sizes.state, sizes.hidden}, "it makes h of hidden units");
  need_shape(args, slots.h0, "h0", {batch, sizes.state}, "a row for each sequence");
  need_shape(args, slots.c0, "c0", {batch, sizes.hidden}, "a row for each sequence");
  need_shape(args, slots.b_ih, "b_ih", {sizes.gates}, "a number for each row of w_ih");
  need_shape(args, slots.b_hh, "b_hh", {sizes.gates}, "a number for each row of w_hh");
  need_shape(args, slots.lengths, "lengths", {batch}, "a number for each sequence");
  return sizes;
}

// The sizes of a sequence op, whose operand 0 is one of rank 3.
inline Sizes check_sequence(const sdk::Args& args, const char* operand, const Slots& slots,
                            bool batch_first, int64_t per_unit) {
  rules::need_rank(args, 0, operand, 3, batch_first ? "[batch,steps,n]" : "[steps,batch,n]");
  return check_operands(args, slots, args.shape(0)[batch_first ? 0 : 1], per_unit);
}

// The same of operand 0 `gates` [M,N,G].
inline Sizes check_gates(const sdk::Args& args, const Slots& slots, bool batch_first,
                         int64_t per_unit) {
  const Sizes sizes = check_sequence(args, "gates", slots, batch_first, per_unit);
  const std::span<const int64_t> shape = args.shape(0);
  need_shape(args, 0, "gates", {shape[0], shape[1], sizes.gates}, "a number for each row of w_hh");
  return sizes;
}

// w_ih [G,I] beside x [...,I].
inline void check_input_weight(const sdk::Args& args, uint32_t w_ih, const Sizes& sizes) {
  need_shape(args, w_ih, "w_ih", {sizes.gates, args.shape(0).back()},
             "a row for each row of w_hh, a column for each number of x");
}

// [M,N,width] for a sequence [M,N,...].
inline void set_sequence(tenon_meta& out, std::span<const int64_t> sequence, int64_t width) {
  const int64_t shape[] = {sequence[0], sequence[1], width};
  sdk::set_shape(out, shape);
}
inline void set_state(tenon_meta& out, int64_t batch, int64_t width) {
  const int64_t shape[] = {batch, width};
  sdk::set_shape(out, shape);
}

// ---- Rules written in ops -----------------------------------------------------------------------

inline tenon_tensor* transposed(sdk::Calls& calls, sdk::Value x) {
  return calls.call("tenon.transpose", {x}, {-2, -1});
}

// A sequence as one matrix, a row for each step of each sequence.
inline tenon_tensor* flat(sdk::Calls& calls, sdk::Value x) {
  const tenon_meta meta = calls.meta(x.tensor());
  const int64_t shape[] = {meta.shape[0] * meta.shape[1], meta.shape[2]};
  return rules::reshape(calls, x, rules::Dims(shape));
}

// An operand in f32 if it is a 16-bit float, none if it is absent.
inline sdk::Value wide(sdk::Calls& calls, sdk::Value x) {
  if (!x.is_tensor() || !rules::is_16_bit_float(calls.meta(x.tensor()).dtype)) return x;
  return calls.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_F32)});
}

inline sdk::Value sum_of(sdk::Calls& calls, sdk::Value a, sdk::Value b) {
  if (a.is_none()) return b;
  return b.is_none() ? a : sdk::Value(calls.call("tenon.add", {a, b}));
}

inline tenon_tensor* zeros(sdk::Calls& calls, std::initializer_list<int64_t> sizes,
                           tenon_dtype dtype) {
  const std::span<const int64_t> shape(sizes.begin(), sizes.size());
  return calls.call("tenon.full", {}, {sdk::Value(shape), 0, sdk::Value::dtype(dtype)});
}

// x[..., from : to].
inline tenon_tensor* columns(sdk::Calls& calls, sdk::Value x, int64_t from, int64_t to) {
  return calls.call("tenon.slice", {x}, {-1, from, to});
}
// Part number `part` of the last dimension, whose parts have `width` columns.
inline tenon_tensor* part_of(sdk::Calls& calls, sdk::Value x, int64_t part, int64_t width) {
  return columns(calls, x, part * width, (part + 1) * width);
}

inline tenon_tensor* joined(sdk::Calls& calls, std::span<tenon_tensor* const> parts, int64_t axis) {
  return calls.call("tenon.concat", {parts}, {axis});
}

// The derivatives of sigmoid and tanh from their values, times a gradient.
inline tenon_tensor* sigmoid_slope(sdk::Calls& calls, tenon_tensor* gradient, tenon_tensor* y) {
  tenon_tensor* slope = calls.call("tenon.mul", {y, calls.call("tenon.sub", {1.0, y})});
  return calls.call("tenon.mul", {gradient, slope});
}
inline tenon_tensor* tanh_slope(sdk::Calls& calls, tenon_tensor* gradient, tenon_tensor* y) {
  tenon_tensor* slope = calls.call("tenon.sub", {1.0, calls.call("tenon.mul", {y, y})});
  return calls.call("tenon.mul", {gradient, slope});
}

// How a sequence is walked: where its steps lie, and which of them are its own.
class Walk {
 public:
  // `sequence` is the shape of [M,N,...].
  Walk(sdk::Calls& calls, const tenon_meta& sequence, sdk::Value lengths, bool reverse,
       bool batch_first)
      : calls_(calls),
        axis_(batch_first ? 1 : 0),
        steps_(sequence.shape[axis_]),
        batch_(sequence.shape[1 - axis_]),
        reverse_(reverse),
        lengths_(lengths) {
    if (lengths.is_none()) return;
    // It also refuses lengths that are not 0 to `steps`.
    tenon_tensor* mask = calls.call("tenon.attention_mask", {lengths, sdk::Value()},
                                    {int64_t{1}, steps_, false, int64_t{0}});
    const int64_t shape[] = {batch_, steps_};
    live_ = rules::reshape(calls, mask, rules::Dims(shape));
  }

  // No sequences take no steps, however many there are.
  int64_t steps() const { return batch_ == 0 ? 0 : steps_; }
  int64_t batch() const { return batch_; }
  int64_t axis() const { return axis_; }

  // Row `step` of the walk, which with `reverse` begins at the end: [batch, n].
  sdk::Value at(sdk::Value x, int64_t step) {
    if (x.is_none()) return x;
    const int64_t time = time_of(step);
    tenon_tensor* row = calls_.call("tenon.slice", {x}, {axis_, time, time + 1});
    return calls_.call("tenon.squeeze", {row}, {std::span(&axis_, 1)});
  }

  // `own` for the sequences that have this step, `other` for those that have ended.
  tenon_tensor* choose(int64_t step, sdk::Value own, sdk::Value other) {
    if (live_.is_none()) return own.tensor();
    const int64_t time = time_of(step);
    tenon_tensor* lives = calls_.call("tenon.slice", {live_}, {int64_t{1}, time, time + 1});
    return calls_.call("tenon.where", {lives, own, other});
  }
  tenon_tensor* or_zero(int64_t step, sdk::Value own) { return choose(step, own, 0.0); }

  // What steps before this one have left, given `first` of those that have not begun.
  tenon_tensor* earlier(sdk::Value x, int64_t step, sdk::Value first) {
    if (step == 0) return first.tensor();
    const sdk::Value before = at(x, step - 1);
    return reverse_ ? choose(step - 1, before, first) : before.tensor();
  }

  // Rows in the order of the walk as a sequence of `width` columns.
  tenon_tensor* sequence(std::vector<tenon_tensor*> rows, int64_t width, tenon_dtype dtype) {
    if (rows.empty()) {
      return axis_ == 0 ? zeros(calls_, {steps_, batch_, width}, dtype)
                        : zeros(calls_, {batch_, steps_, width}, dtype);
    }
    if (reverse_) std::ranges::reverse(rows);
    return calls_.call("tenon.stack", {std::span<tenon_tensor* const>(rows)}, {axis_});
  }

  // x with 0 in steps after a sequence's end, whatever was there.
  sdk::Value without_padding(sdk::Value x) {
    if (live_.is_none()) return x;
    return calls_.call("tenon.where", {beside(live_), x, 0.0});
  }

  // All steps of x but the walk's first, or its last.
  tenon_tensor* without_first(sdk::Value x) { return all_but_one(x, reverse_ ? 0 : 1); }
  tenon_tensor* without_last(sdk::Value x) { return all_but_one(x, reverse_ ? 1 : 0); }

  // The states that each step found, a sequence like y, the states that the steps left.
  tenon_tensor* states_before(sdk::Value y, sdk::Value h0) {
    const tenon_meta meta = calls_.meta(y.tensor());
    if (steps_ == 0) return y.tensor();
    const int64_t from = reverse_ ? 1 : 0;
    tenon_tensor* rest = without_last(y);
    if (h0.is_none()) {
      return calls_.call("tenon.slice_put", {rest},
                         {rules::Dims(meta).value(), axis_, 1 - from, 1});
    }
    tenon_tensor* first = calls_.call("tenon.unsqueeze", {h0}, {std::span(&axis_, 1)});
    tenon_tensor* parts[] = {reverse_ ? rest : first, reverse_ ? first : rest};
    tenon_tensor* states = joined(calls_, parts, axis_);
    if (!reverse_ || lengths_.is_none()) return states;
    return calls_.call("tenon.where", {beside(last_steps()), first, states});
  }

 private:
  int64_t time_of(int64_t step) const { return reverse_ ? steps_ - 1 - step : step; }

  tenon_tensor* all_but_one(sdk::Value x, int64_t from) {
    return calls_.call("tenon.slice", {x}, {axis_, from, from + steps_ - 1});
  }

  // A matrix [batch, steps] beside sequences.
  tenon_tensor* beside(sdk::Value x) {
    const int64_t shape[] = {batch_, steps_, 1};
    tenon_tensor* column = rules::reshape(calls_, x, rules::Dims(shape));
    return axis_ == 1 ? column : calls_.call("tenon.transpose", {column}, {0, 1});
  }

  // Which step is a sequence's last: [batch, steps].
  tenon_tensor* last_steps() {
    tenon_tensor* numbers =
        calls_.call("tenon.arange", {}, {1, steps_ + 1, 1, sdk::Value::dtype(TENON_DTYPE_I64)});
    const int64_t column[] = {batch_, 1};
    tenon_tensor* lengths = rules::reshape(calls_, lengths_, rules::Dims(column));
    return calls_.call("tenon.eq", {numbers, lengths});
  }

  sdk::Calls& calls_;
  const int64_t axis_;
  int64_t steps_;
  int64_t batch_;
  bool reverse_;
  sdk::Value lengths_;
  sdk::Value live_;  // [batch, steps], or none if all are
};

// What the weights of all steps have in common: their gradient is one product over the whole
// sequence.
inline tenon_tensor* weight_grad(sdk::Calls& calls, sdk::Value of_products, sdk::Value states) {
  return calls.call("tenon.matmul",
                    {transposed(calls, flat(calls, of_products)), flat(calls, states)});
}
// The same of w_hh, which multiplies the states that steps found. Where no state is given the first
// step's are 0 and have no part, and without it the sequences are parts of what they are.
inline tenon_tensor* hidden_grad(sdk::Calls& calls, Walk& walk, sdk::Value of_products,
                                 sdk::Value y, sdk::Value h0) {
  if (h0.is_none() && walk.axis() == 0 && walk.steps() > 0) {
    return weight_grad(calls, walk.without_first(of_products), walk.without_last(y));
  }
  return weight_grad(calls, of_products, walk.states_before(y, h0));
}
inline tenon_tensor* bias_grad(sdk::Calls& calls, sdk::Value gates) {
  constexpr int64_t both[] = {0, 1};
  return calls.call("tenon.sum", {gates}, {std::span<const int64_t>(both)});
}

// x times w_ih^T, without what lies after a sequence's end. By `linear`, whose gradient of w_ih
// lies as w_ih does.
inline tenon_tensor* input_gates(sdk::Calls& calls, Walk& walk, sdk::Value x, sdk::Value w_ih) {
  return calls.call("tenon.linear", {walk.without_padding(x), w_ih});
}

// How far results of steps may be from the exact ones, and those of whole layers.
constexpr auto steps_tolerances(std::string_view op) {
  return sdk::float_tolerances(
      op, "Sums depend on their order, sigmoid and tanh round, and errors go on from step to step.",
      {.f16 = {2, 4e-06}, .bf16 = {2, 4e-06}, .f32 = {8, 4e-06}, .f64 = {16, 1e-14}});
}
constexpr auto layer_tolerances(std::string_view op) {
  return sdk::float_tolerances(
      op,
      "The inputs' product is rounded to T before the steps, sums depend on their order, and "
      "errors go on from step to step.",
      {.f16 = {2, 4e-3}, .bf16 = {2, 3.2e-2}, .f32 = {8, 4e-06}, .f64 = {16, 1e-14}});
}

}  // namespace tenon::recurrent
