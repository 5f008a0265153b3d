// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/op.hpp: writing an op and its gradient in one short file.
//
//   constexpr auto op = sdk::op({.name = "acme.square", .schema = "square(x: T[...]) -> T[...]",
//                                .doc = "...", .shape = TENON_SHAPE_SAME_AS_0});
//   void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), ...})); }
//   constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <array>

namespace tenon::sdk {

// Calls ops from a rule. Tensors it returns live until the rule returns.
class Calls {
 public:
  explicit Calls(tenon_call* call) : call_(call) {}

  tenon_tensor* call(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<Value> attrs = {}) {
    tenon_tensor* out = nullptr;
    call_many(op, {inputs.begin(), inputs.size()}, {attrs.begin(), attrs.size()}, {&out, 1});
    return out;
  }
  void call_many(std::string_view op, std::span<const Value> inputs, std::span<const Value> attrs,
                 std::span<tenon_tensor*> outputs) {
    check(call_->dispatch->call(call_, find(op), inputs.data(), size32(inputs), attrs.data(),
                                size32(attrs), outputs.data(), size32(outputs)));
  }
  // Writes into existing tensors; with a tensor that is also an input: in place.
  void call_into(std::string_view op, std::initializer_list<Value> inputs,
                 std::initializer_list<Value> attrs, std::initializer_list<tenon_tensor*> outputs) {
    check(call_->dispatch->call_into(call_, find(op), inputs.begin(),
                                     static_cast<uint32_t>(inputs.size()), attrs.begin(),
                                     static_cast<uint32_t>(attrs.size()), outputs.begin(),
                                     static_cast<uint32_t>(outputs.size())));
  }
  tenon_meta meta(const tenon_tensor* tensor) {
    tenon_meta meta{};
    check(call_->dispatch->meta(call_, tensor, &meta));
    return meta;
  }

 protected:
  const tenon_op* find(std::string_view op) {
    const tenon_op* found = call_->dispatch->find(call_, op.data(), op.size());
    if (!found) throw HostFailed{TENON_E_NOT_FOUND};
    return found;
  }
  template <class Span>
  static uint32_t size32(const Span& span) {
    return static_cast<uint32_t>(span.size());
  }
  tenon_call* call_;
};

// What a backward rule sees. Reading a value that `needs` does not declare is an error.
class Vjp : public Calls {
 public:
  using Calls::Calls;
  bool wants(uint32_t input) { return call_->vjp->wants(call_, input) != 0; }
  Value in(uint32_t input) {
    Value value;
    check(call_->vjp->get_input(call_, input, &value));
    return value;
  }
  Value out(uint32_t output = 0) {
    Value value;
    check(call_->vjp->get_output(call_, output, &value));
    return value;
  }
  Value dy(uint32_t output = 0) {
    Value value;
    check(call_->vjp->get_output_grad(call_, output, &value));
    return value;
  }
  uint32_t in_count(uint32_t input) { return call_->vjp->get_input_count(call_, input); }
  tenon_meta in_meta(uint32_t input, uint32_t item = 0) {
    tenon_meta meta{};
    check(call_->vjp->get_input_meta(call_, input, item, &meta));
    return meta;
  }
  tenon_meta out_meta(uint32_t output = 0) {
    tenon_meta meta{};
    check(call_->vjp->get_output_meta(call_, output, &meta));
    return meta;
  }
  Value attr(uint32_t index) {
    Value value;
    check(call_->vjp->get_attr(call_, index, &value));
    return value;
  }
  // The gradient of an input; broadcasting is undone by the engine.
  void grad(uint32_t input, Value gradient, uint32_t item = 0) {
    check(call_->vjp->set_input_grad(call_, input, item, gradient.tensor()));
  }
  void rows(uint32_t input, Value indices, Value values) {
    check(call_->vjp->accumulate_rows(call_, input, indices.tensor(), values.tensor()));
  }
};

// What a composition sees.
class Compose : public Calls {
 public:
  Compose(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
          const tenon_value* attr_values, uint32_t n_attrs)
      : Calls(call), attrs(attr_values, n_attrs), inputs_(inputs), n_inputs_(n_inputs) {}
  Value in(uint32_t input) const { return input < n_inputs_ ? Value(inputs_[input]) : Value(); }
  void set(uint32_t output, Value value) {
    check(call_->dispatch->set_output(call_, output, value.tensor()));
  }

  Attrs attrs;

 private:
  const tenon_value* inputs_;
  uint32_t n_inputs_;
};

// ---- Shims: a C++ function as the C callback ----------------------------------------------------

template <void (*Rule)(const Args&, std::span<tenon_meta>)>
tenon_status infer_fn(tenon_call* call, const tenon_launch* args, tenon_meta* out, uint32_t n) {
  return guarded(call, [&] { Rule(Args(args), std::span(out, n)); });
}
template <void (*Rule)(const Args&, tenon_view_result&)>
tenon_status view_fn(tenon_call* call, const tenon_launch* args, tenon_view_result* out) {
  return guarded(call, [&] { Rule(Args(args), *out); });
}
template <void (*Rule)(Vjp&)>
tenon_status vjp_fn(tenon_call* call, void*) {
  return guarded(call, [&] {
    Vjp vjp(call);
    Rule(vjp);
  });
}
template <void (*Rule)(Compose&)>
tenon_status compose_fn(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                        const tenon_value* attrs, uint32_t n_attrs) {
  return guarded(call, [&] {
    Compose compose(call, inputs, n_inputs, attrs, n_attrs);
    Rule(compose);
  });
}
template <uint64_t (*Rule)(const Args&)>
tenon_status words_fn(tenon_call* call, const tenon_launch* args, uint64_t* out) {
  return guarded(call, [&] { *out = Rule(Args(args)); });
}

// ---- Descriptors --------------------------------------------------------------------------------

struct OpParts {
  std::string_view name;
  std::string_view schema;
  std::string_view doc;
  uint32_t shape = TENON_SHAPE_CALLBACK;
  uint32_t flags = 0;
  uint32_t role = TENON_ROLE_NONE;
  uint32_t revision = 1;
  tenon_infer_fn infer = nullptr;
  tenon_view_fn view = nullptr;
  tenon_compose_fn compose = nullptr;
  tenon_status (*random_words)(tenon_call*, const tenon_launch*, uint64_t*) = nullptr;
};

constexpr tenon_op_desc op(const OpParts& p) {
  return {sizeof(tenon_op_desc),
          p.flags,
          str(p.name),
          str(p.schema),
          str(p.doc),
          p.revision,
          p.shape,
          p.role,
          0,
          p.infer,
          p.view,
          p.compose,
          p.random_words};
}

// What one input's gradient reads, as bits over slots; what is not named is not needed.
struct NeedParts {
  uint64_t inputs = 0;
  uint64_t outputs = 0;
  uint64_t input_metas = 0;
  uint64_t output_metas = 0;
};

constexpr tenon_vjp_need need(const NeedParts& p) {
  return {p.inputs, p.outputs, p.input_metas, p.output_metas};
}

struct VjpParts {
  std::string_view op;
  std::span<const tenon_vjp_need> needs;  // one per input
  tenon_vjp_fn vjp = nullptr;
  uint32_t n_outputs = 1;
  uint32_t n_attrs = 0;
  uint32_t flags = TENON_VJP_TWICE;
  uint64_t non_differentiable = 0;
  uint32_t revision = 1;
  int32_t priority = 0;
};

constexpr tenon_vjp_desc vjp(const VjpParts& p) {
  return {sizeof(tenon_vjp_desc),
          p.flags,
          str(p.op),
          p.revision,
          p.priority,
          static_cast<uint32_t>(p.needs.size()),
          p.n_outputs,
          p.n_attrs,
          0,
          p.needs.data(),
          p.non_differentiable,
          p.vjp,
          nullptr};
}

// A call that works, and one that is refused with `status` and a message containing `fragment`.
constexpr tenon_sample sample(std::string_view op, std::string_view text, uint32_t revision = 1) {
  return {str(op), str(text), {nullptr, 0}, TENON_OK, revision};
}
constexpr tenon_sample refused(std::string_view op, std::string_view text, tenon_status status,
                               std::string_view fragment, uint32_t revision = 1) {
  return {str(op), str(text), str(fragment), status, revision};
}

// How far right results may lie from the exact ones; see tenon_tolerance.
struct ToleranceParts {
  std::string_view op;
  tenon_dtype dtype = TENON_DTYPE_F32;
  double ulp = 0;
  double relative = 0;
  std::string_view reason;
  uint32_t revision = 1;
};
constexpr tenon_tolerance tolerance(const ToleranceParts& p) {
  return {
      sizeof(tenon_tolerance), 0, str(p.op), str(p.reason), p.revision, p.dtype, p.ulp, p.relative};
}

// One for each float dtype, with one reason.
struct Room {
  double ulp = 0;
  double relative = 0;
};
struct FloatRooms {
  Room f16, bf16, f32, f64;
};
constexpr std::array<tenon_tolerance, 4> float_tolerances(std::string_view op,
                                                          std::string_view reason,
                                                          const FloatRooms& rooms,
                                                          uint32_t revision = 1) {
  const auto made = [&](tenon_dtype dtype, const Room& room) {
    return tolerance({op, dtype, room.ulp, room.relative, reason, revision});
  };
  return {made(TENON_DTYPE_F16, rooms.f16), made(TENON_DTYPE_BF16, rooms.bf16),
          made(TENON_DTYPE_F32, rooms.f32), made(TENON_DTYPE_F64, rooms.f64)};
}

// A run of an optimizer that works, and one whose creation is refused.
constexpr tenon_optimizer_sample optimizer_sample(std::string_view optimizer, std::string_view text,
                                                  uint32_t steps) {
  return {
      sizeof(tenon_optimizer_sample), 0, str(optimizer), str(text), {nullptr, 0}, TENON_OK, steps};
}
constexpr tenon_optimizer_sample optimizer_refused(std::string_view optimizer,
                                                   std::string_view text, tenon_status status,
                                                   std::string_view fragment) {
  return {sizeof(tenon_optimizer_sample), 0, str(optimizer), str(text), str(fragment), status, 0};
}

}  // namespace tenon::sdk
