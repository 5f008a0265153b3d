// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/call.hpp: what ops take, and calling them, by handle or by name.
#ifndef TENON_CPP_CALL_HPP
#define TENON_CPP_CALL_HPP

#include <tenon/cpp/tensor.hpp>

namespace tenon {

// ---- Operands -----------------------------------------------------------------------------------

namespace detail {

inline tenon_value value(const Tensor& tensor) {
  tenon_value made{};
  made.tag = TENON_VALUE_TENSOR;
  made.as.tensor = tensor.handle();
  return made;
}

// Stands for a tensor in a list; borrowed.
struct Borrowed {
  tenon_tensor* handle;
  Borrowed(const Tensor& tensor) : handle(tensor.handle()) {}
};
static_assert(sizeof(Borrowed) == sizeof(tenon_tensor*));

}  // namespace detail

// Several tensors: {a, b}, a vector, a span. Borrowed, as an argument is.
class Tensors {
 public:
  Tensors() = default;
  Tensors(std::initializer_list<detail::Borrowed> list)
      : Tensors(reinterpret_cast<tenon_tensor* const*>(list.begin()), list.size()) {}
  Tensors(std::span<const Tensor> list)
      : Tensors(reinterpret_cast<tenon_tensor* const*>(list.data()), list.size()) {}
  Tensors(const std::vector<Tensor>& list) : Tensors(std::span(list)) {}
  Tensors(const Tensor& one) : Tensors(std::span(&one, 1)) {}

  tenon_tensor* const* data() const { return data_; }
  std::uint32_t size() const { return n_; }

 private:
  Tensors(tenon_tensor* const* data, std::size_t n)
      : data_(data), n_(static_cast<std::uint32_t>(n)) {}

  tenon_tensor* const* data_ = nullptr;
  std::uint32_t n_ = 0;
};

// What an op takes: a tensor, a number, several tensors, or nothing. Borrowed, as an argument is.
class Operand {
 public:
  Operand() : value_(detail::none()) {}
  Operand(std::nullopt_t) : Operand() {}
  Operand(const Tensor& tensor)
      : value_(tensor.defined() ? detail::value(tensor) : detail::none()) {}
  template <Arithmetic T>
  Operand(T number) : value_(detail::value(number)) {}
  Operand(const Tensors& tensors) : value_(detail::none()) {
    value_.tag = TENON_VALUE_TENSOR_LIST;
    value_.count = tensors.size();
    value_.as.tensors = tensors.data();
  }
  const tenon_value& value() const { return value_; }

 private:
  tenon_value value_;
};
static_assert(sizeof(Operand) == sizeof(tenon_value), "arrays of them are arrays of values");

namespace detail {
inline const tenon_value& value(const Operand& operand) { return operand.value(); }
inline tenon_value value(const Tensors& tensors) { return Operand(tensors).value(); }
}  // namespace detail

// Where an op writes in place of making a tensor.
class Into {
 public:
  Into() = default;
  tenon_tensor* target() const { return target_; }

 private:
  explicit Into(tenon_tensor* target) : target_(target) {}
  friend Into into(const Tensor& target);

  tenon_tensor* target_ = nullptr;
};
inline Into into(const Tensor& target) { return Into(target.handle()); }

// ---- Calls --------------------------------------------------------------------------------------

namespace detail {

[[gnu::cold]] inline Tensor call_into(State& state, const tenon_op* op, const tenon_value* inputs,
                                      std::uint32_t n_inputs, const tenon_value* attributes,
                                      std::uint32_t n_attributes, tenon_tensor* target) {
  state.check(
      tenon_op_call_into(state.handle, op, inputs, n_inputs, attributes, n_attributes, &target, 1));
  return Tensor::share(target);
}

// An op of <tenon/ops.hpp> with one output.
inline Tensor call(OpName which, const tenon_value* inputs, std::uint32_t n_inputs,
                   const tenon_value* attributes, std::uint32_t n_attributes, Into into) {
  State& state = detail::state();
  const tenon_op* op = state.find(which);
  if (into.target()) [[unlikely]] {
    return call_into(state, op, inputs, n_inputs, attributes, n_attributes, into.target());
  }
  tenon_tensor* made = nullptr;
  state.check(
      tenon_op_call(state.handle, op, inputs, n_inputs, attributes, n_attributes, &made, 1));
  return Tensor::adopt(made);
}

// One with several, or with none.
template <std::size_t n>
std::array<Tensor, n> call_all(OpName which, const tenon_value* inputs, std::uint32_t n_inputs,
                               const tenon_value* attributes, std::uint32_t n_attributes) {
  State& state = detail::state();
  const tenon_op* op = state.find(which);
  tenon_tensor* made[n + 1] = {};
  state.check(tenon_op_call(state.handle, op, inputs, n_inputs, attributes, n_attributes, made,
                            static_cast<std::uint32_t>(n)));
  std::array<Tensor, n> outputs;
  for (std::size_t i = 0; i < n; ++i) outputs[i] = Tensor::adopt(made[i]);
  return outputs;
}

}  // namespace detail

// An op of any plugin, by its name: Op("acme.swish_beta")({x}, {{"beta", 2.0}}).
class Op {
 public:
  explicit Op(std::string_view name, std::uint32_t revision = 0) {
    detail::State& state = detail::state();
    state.check(tenon_op_find(state.handle, name.data(), name.size(), revision, &handle_));
  }
  const tenon_op* handle() const { return handle_; }
  tenon_op_info info() const {
    detail::State& state = detail::state();
    tenon_op_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_op_get_info(state.handle, handle_, &info));
    return info;
  }

  // Its first output.
  Tensor operator()(std::initializer_list<Operand> inputs, const Options& attributes = {},
                    Into into = {}) const {
    detail::State& state = detail::state();
    const Attributes given(state, handle_, attributes);
    const auto* values = reinterpret_cast<const tenon_value*>(inputs.begin());
    const auto n = static_cast<std::uint32_t>(inputs.size());
    if (into.target()) {
      return detail::call_into(state, handle_, values, n, given.values, given.n, into.target());
    }
    tenon_tensor* made = nullptr;
    state.check(tenon_op_call(state.handle, handle_, values, n, given.values, given.n, &made, 1));
    return Tensor::adopt(made);
  }
  // Its first n_outputs.
  std::vector<Tensor> all(std::initializer_list<Operand> inputs, const Options& attributes,
                          std::uint32_t n_outputs) const {
    detail::State& state = detail::state();
    const Attributes given(state, handle_, attributes);
    std::vector<Tensor> outputs;
    std::vector<tenon_tensor*> made(n_outputs);
    outputs.reserve(n_outputs);
    state.check(tenon_op_call(
        state.handle, handle_, reinterpret_cast<const tenon_value*>(inputs.begin()),
        static_cast<std::uint32_t>(inputs.size()), given.values, given.n, made.data(), n_outputs));
    for (tenon_tensor* each : made) outputs.push_back(Tensor::adopt(each));
    return outputs;
  }

 private:
  // In the order of the schema; what is not named is none.
  struct Attributes {
    tenon_value values[TENON_MAX_SLOTS] = {};
    std::uint32_t n = 0;

    Attributes(detail::State& state, const tenon_op* op, const Options& options) {
      for (const Option& each : options) {
        std::uint32_t at = 0;
        state.check(
            tenon_op_find_attribute(state.handle, op, each.name.data(), each.name.size(), &at));
        values[at] = each.value.value();
        n = std::max(n, at + 1);
      }
    }
  };

  const tenon_op* handle_ = nullptr;
};

// The first output of an op of any plugin, by its name.
inline Tensor call(std::string_view op, std::initializer_list<Operand> inputs,
                   const Options& attributes = {}, Into into = {}) {
  return Op(op)(inputs, attributes, into);
}

}  // namespace tenon

#endif  // TENON_CPP_CALL_HPP
