// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call_key.h: an op call in the words that decide how it runs: the op, dtypes,
// shapes, strides, attributes, which operands require a gradient, the arithmetic. Calls with equal
// words are resolved alike.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/dispatch/invocation.h"
#include "core/tape/graph.h"

namespace tenon::dispatch {

// What a caller gives. `given` are apply's outputs, of which `call` has none; `n_outputs` counts
// those asked for.
struct Request {
  Context& context;
  const registry::Op& op;
  std::span<const tenon_value> inputs;
  std::span<const tenon_value> attrs;
  std::span<Tensor* const> given;
  size_t n_outputs = 0;
  bool fresh = false;  // nobody has seen the given outputs: they may be recorded
};

// A kind of calls.
struct CallWords {
  std::vector<uint64_t> words;
  size_t attrs_at = 0;  // where in `words` the attributes begin
};

class CallKey : NoCopy {
 public:
  static constexpr size_t kMaxForms = 6;

  explicit CallKey(const Request& request)
      : request_(request) {}  // leaves the arrays uninitialised

  // Finds the operands, if no input is a list and there are few. The forms of operands and
  // outputs, each with whether it requires a gradient, then say as much as the words do.
  bool read_forms() noexcept;
  // Are the attributes those of `kind`?
  bool has_attrs(const CallWords& kind) const;
  // Writes the request's words. False for whatever is wrong or unusual, which the long way deals
  // with.
  bool read_words();

  const Request& request() const { return request_; }
  // After read_forms or read_words: the operands, followed by the given outputs.
  std::span<const Operand> operands() const { return {operands_.data(), n_operands_}; }
  // The same with room after them.
  Operand* all() { return operands_.data(); }
  // After read_forms. A number's form is its tag, as is that of an absent one; equal forms have
  // equal keys.
  std::span<const uint64_t> forms() const { return {forms_.data(), n_forms_}; }
  uint64_t form_hash() const { return form_hash_; }
  // How many inputs, attributes and outputs, and what else holds for the whole call.
  uint64_t head() const {
    return request_.inputs.size() | request_.attrs.size() << 16 | request_.n_outputs << 32 |
           uint64_t{!request_.given.empty()} << 48 | uint64_t{request_.context.arithmetic} << 49;
  }
  // After read_words.
  std::span<const uint64_t> words() const { return {words_.data(), n_words_}; }
  CallWords kind() const;
  uint64_t hash() const { return hash_; }

 private:
  static constexpr size_t kMaxWords = 320;
  static constexpr size_t kMaxOperands = 64;
  static constexpr size_t kMaxOutputs = 64;

  struct Writer;
  bool walk(Writer& sink);
  void add_outputs() {
    Operand* next = operands_.data() + n_operands_;
    for (Tensor* out : request_.given) next++->tensor = out;
  }

  const Request& request_;
  union {
    std::array<Operand, kMaxOperands + kMaxOutputs> operands_;
  };
  size_t n_operands_ = 0;
  std::array<uint64_t, kMaxForms> forms_;
  size_t n_forms_ = 0;
  uint64_t form_hash_ = 0;
  std::array<uint64_t, kMaxWords> words_;
  size_t n_words_ = 0;
  size_t attrs_at_ = 0;
  uint64_t hash_ = 0;
};

[[gnu::always_inline]] inline bool CallKey::read_forms() noexcept {
  const auto [context, op, inputs, attrs, given, n_outputs, fresh] = request_;
  if (inputs.size() + given.size() > kMaxForms) return false;
  const bool grad = context.grad_enabled();
  uint64_t hash = reinterpret_cast<uintptr_t>(&op);
  uint64_t* form = forms_.data();
  Operand* next = operands_.data();
  const auto add = [&](uint64_t of) {
    *form++ = of;
    hash = (hash ^ of) * 0x9e3779b97f4a7c15ull;
  };
  const auto form_of = [grad](const Tensor& tensor) {
    return tensor.form << 8 | uint64_t{grad && tape::requires_grad(tensor)};
  };
  for (const tenon_value& value : inputs) {
    if (value.tag == TENON_VALUE_TENSOR) [[likely]] {
      Tensor* const tensor = tensor::from_handle(value.as.tensor);
      if (!tensor) return false;
      next++->tensor = tensor;
      add(form_of(*tensor));
    } else {
      if (is_number(value)) {
        *next++ = {nullptr, &value};
      } else if (value.tag != TENON_VALUE_NONE) {
        return false;
      }
      add(value.tag);
    }
  }
  n_operands_ = static_cast<size_t>(next - operands_.data());
  for (Tensor* out : given) {
    next++->tensor = out;
    add(form_of(*out));
  }
  n_forms_ = inputs.size() + given.size();
  form_hash_ = hash;
  return true;
}

}  // namespace tenon::dispatch
