// SPDX-License-Identifier: Apache-2.0
// core/dispatch/invocation.h: one op call between the caller's values and the kernel: operands
// bound and promoted, attributes complete, outputs inferred.
#pragma once

#include "core/base/small.h"
#include "core/launch/block.h"
#include "core/registry/registry.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"
#include "core/runtime/context.h"
#include "core/tape/recording.h"
#include "core/tensor/tensor.h"

namespace tenon::dispatch {

using launch::Block;
using launch::Item;
using launch::kernel_inputs;
using launch::make_item;
using launch::Prepared;
using launch::writes;
using registry::int_value;
using registry::scalar_bits;
using registry::tag_name;
using registry::tensor_value;
using registry::value_text;
using tape::Operand;
using tensor::Dims;
using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

inline bool is_number(const tenon_value& value) {
  return value.tag == TENON_VALUE_I64 || value.tag == TENON_VALUE_F64 ||
         value.tag == TENON_VALUE_BOOL;
}

// An ordinary call of the CAST role, recorded if gradients are on.
using CastFn = Tensor* (*)(Context& context, Tensor& tensor, tenon_dtype dtype);

struct Invocation : NoCopy {
  Invocation(Context& context, const registry::Op& which, CastFn cast_by)
      : cx(context), op(which), schema(which.schema), cast(cast_by) {}

  uint32_t n_inputs() const { return static_cast<uint32_t>(schema.inputs.size()); }
  uint32_t n_outputs() const { return static_cast<uint32_t>(schema.outputs.size()); }
  uint32_t count(uint32_t input) const { return begin[input + 1] - begin[input]; }
  tenon_dtype type_of(const registry::TypeTerm& term) const {
    return term.variable < 0 ? term.fixed : types[static_cast<size_t>(term.variable)];
  }
  // Which schema input operand `index` belongs to.
  uint32_t input_of(uint32_t index) const;
  // The operand's view as infer rules see it, in the promoted dtype; without data unless it is a
  // number.
  tenon_view view_of(uint32_t index) const;

  Context& cx;
  const registry::Op& op;
  const registry::Schema& schema;
  const CastFn cast;            // NULL: explain, which casts nothing
  Small<uint32_t, 10> begin;    // [n_inputs + 1] into operands
  Small<Operand, 8> operands;   // lists flattened; absent optional inputs have none
  Small<uint64_t, 8> numbers;   // [operands], those that are numbers in the promoted dtype
  Small<tenon_value, 8> attrs;  // [schema attrs], defaults filled in
  Small<tenon_dtype, 4> types;  // per type variable
  Small<Ref, 4> made;           // what operands were cast to, or copied to
  Device* device = nullptr;
  Device* output_device = nullptr;          // another one for TENON_OP_TRANSFER alone
  Small<tenon_meta, 2> outputs;             // [n_outputs]
  const registry::VjpRule* rule = nullptr;  // looked up if gradients are enabled
  uint64_t wanted = 0;  // bit i: the caller or the backward rule asks for output i
  struct Resolution* resolution = nullptr;  // if not NULL, told how the call was resolved
  bool may_stop = false;                    // as Block's
  bool narrow = false;                      // some operands are integers yet to be widened to i64
  bool wide = false;                        // an operand or output has more than 2^31 - 1 elements
};

// A launch over the inputs alone, without data. Not movable: views point into it.
struct InputBlock : NoCopy {
  explicit InputBlock(const Invocation& call);

  Small<uint32_t, 16> slot_begin;
  Small<tenon_view, 8> views;
  tenon_launch launch{};
};

// Asks a rule of the op about metadata: `ask(call, launch)` gets an InputBlock's.
template <class Ask>
void ask_rule(const Invocation& call, const char* name, const Ask& ask) {
  const InputBlock inputs(call);
  CallbackScope window(call.cx, CallbackState::Infer, call.op.plugin, &call.op);
  window.run(name, [&](tenon_call* handed) { return ask(handed, &inputs.launch); });
}

// Is the call's result an alias of its first operand? `result` is then what the view rule says.
bool is_view(const Invocation& call, tenon_view_result& result);

[[noreturn, gnu::cold]] void fail_operand(const Invocation& call, uint32_t input,
                                          tenon_status status, std::string message,
                                          std::string expected, std::string found,
                                          std::string hint = {});

}  // namespace tenon::dispatch
