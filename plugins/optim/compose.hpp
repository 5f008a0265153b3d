// SPDX-License-Identifier: Apache-2.0
// plugins/optim/compose.hpp: update rules written in other ops, for devices without a step kernel.
//
// Arithmetic is as the ops' documentation says, except for beta^t, which comes from exp and log
// instead of multiplications, so that the last bits may differ from a kernel's.
#pragma once

#include <tenon/sdk/plugin/op.hpp>

#include <array>

namespace tenon::optim {

// The operands of one parameter, in the dtype C of the computation.
template <bool rows>
class Update {
 public:
  // `n_states` lists stand between the gradients and the step counts.
  Update(sdk::Compose& calls, uint32_t n_states, uint32_t item)
      : calls_(calls), n_states_(n_states), item_(item) {
    const bool wide = dtype(0) == TENON_DTYPE_F64 || dtype(kFirstState) == TENON_DTYPE_F64;
    c_ = wide ? TENON_DTYPE_F64 : TENON_DTYPE_F32;
  }

  sdk::Value param() { return fetch(0); }
  sdk::Value grad() { return cast(entry(rows ? 2 : 1), c_); }
  sdk::Value state(uint32_t k) { return fetch(kFirstState + k); }
  sdk::Value step() { return entry(kFirstState + n_states_); }
  // A state of rank 0: the operand itself.
  sdk::Value scalar_state(uint32_t k) { return entry(kFirstState + k); }
  sdk::Value lr() { return calls_.in(kFirstState + n_states_ + 1); }  // f64, rank 0

  void set_param(sdk::Value now) { store(0, now); }
  void set_state(uint32_t k, sdk::Value now) { store(kFirstState + k, now); }

  // An operand that is changed by writes: `now` is the operand itself where all of it is updated
  // and held in C, else a copy in C, which keep() puts back.
  struct Held {
    uint32_t input;
    sdk::Value now;
  };
  Held hold_param() { return {0, fetch(0)}; }
  Held hold_state(uint32_t k) { return {kFirstState + k, fetch(kFirstState + k)}; }
  void scale(const Held& x, sdk::Value factor) {
    calls_.call_into("tenon.mul", {x.now, factor}, {}, {x.now.tensor()});
  }
  // x + (value * a) * b
  void add_product(const Held& x, sdk::Value a, sdk::Value b, double value) {
    calls_.call_into("tenon.addcmul", {x.now, a, b}, {value}, {x.now.tensor()});
  }
  // x + a / b
  void add_quotient(const Held& x, sdk::Value a, sdk::Value b) {
    calls_.call_into("tenon.addcdiv", {x.now, a, b}, {1.0}, {x.now.tensor()});
  }
  void keep(const Held& x) {
    if (x.now.tensor() != entry(x.input).tensor()) store(x.input, x.now);
  }
  void count_step() { calls_.call_into("tenon.add", {step(), 1}, {}, {step().tensor()}); }

  sdk::Value add(sdk::Value a, sdk::Value b) { return calls_.call("tenon.add", {a, b}); }
  sdk::Value sub(sdk::Value a, sdk::Value b) { return calls_.call("tenon.sub", {a, b}); }
  sdk::Value mul(sdk::Value a, sdk::Value b) { return calls_.call("tenon.mul", {a, b}); }
  sdk::Value div(sdk::Value a, sdk::Value b) { return calls_.call("tenon.div", {a, b}); }
  sdk::Value call(std::string_view op, sdk::Value x) { return calls_.call(op, {x}); }
  sdk::Value cast(sdk::Value x, tenon_dtype to) {
    if (calls_.meta(x.tensor()).dtype == to) return x;
    return calls_.call("tenon.cast", {x}, {sdk::Value::dtype(to)});
  }
  sdk::Value to_c(sdk::Value x) { return cast(x, c_); }
  sdk::Value where_first(sdk::Value first, sdk::Value later) {
    const sdk::Value is_first = calls_.call("tenon.eq", {step(), 0});
    return calls_.call("tenon.where", {is_first, first, later});
  }

 private:
  static constexpr uint32_t kFirstState = rows ? 3 : 2;

  sdk::Value entry(uint32_t input) const { return calls_.in(input).as.tensors[item_]; }
  tenon_dtype dtype(uint32_t input) { return calls_.meta(entry(input).tensor()).dtype; }

  // The whole tensor, or a copy of its given rows, in C.
  sdk::Value fetch(uint32_t input) {
    const sdk::Value whole = entry(input);
    if constexpr (!rows) {
      return cast(whole, c_);
    } else {
      const tenon_meta values = calls_.meta(entry(2).tensor());
      const std::span<const int64_t> shape(values.shape, static_cast<size_t>(values.rank));
      const int64_t table[] = {calls_.meta(whole.tensor()).shape[0],
                               sdk::count_of(shape.subspan(1))};
      const sdk::Value flat =
          calls_.call("tenon.reshape", {whole}, {std::span<const int64_t>(table)});
      const sdk::Value taken = calls_.call("tenon.embedding", {flat, entry(1)});
      return cast(calls_.call("tenon.reshape", {taken}, {shape}), c_);
    }
  }

  void store(uint32_t input, sdk::Value now) {
    const sdk::Value target = entry(input);
    const tenon_dtype to = dtype(input);
    if constexpr (!rows) {
      calls_.call_into("tenon.cast", {now}, {sdk::Value::dtype(to)}, {target.tensor()});
    } else {
      calls_.call_many("tenon.rows_put", std::array{target, entry(1), cast(now, to)}, {}, {});
    }
  }

  sdk::Compose& calls_;
  uint32_t n_states_;
  uint32_t item_;
  tenon_dtype c_ = TENON_DTYPE_F32;
};

}  // namespace tenon::optim
