// SPDX-License-Identifier: Apache-2.0
// core/dispatch/invocation.h: one op call between the caller's values and the kernel: operands
// bound and promoted, attributes complete, outputs inferred.
#pragma once

#include <tenon/plugin.h>

#include <span>

#include "core/base/small.h"
#include "core/launch/block.h"
#include "core/registry/registry.h"
#include "core/registry/values.h"
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
using tape::Given;
using tensor::Dims;
using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

struct Operand {
  Tensor* tensor = nullptr;  // borrowed, or kept in `made`
  tenon_value number{};      // if tensor is NULL: a weak scalar
  uint64_t scalar_bits = 0;  // the number in the promoted dtype
};

inline bool is_number(const tenon_value& value) {
  return value.tag == TENON_VALUE_I64 || value.tag == TENON_VALUE_F64 ||
         value.tag == TENON_VALUE_BOOL;
}

struct Invocation {
  Invocation(Context& context, const registry::Op& which)
      : cx(context), op(which), schema(which.schema) {}
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  uint32_t n_inputs() const { return static_cast<uint32_t>(schema.inputs.size()); }
  uint32_t n_outputs() const { return static_cast<uint32_t>(schema.outputs.size()); }
  uint32_t count(uint32_t input) const { return begin[input + 1] - begin[input]; }
  tenon_dtype type_of(const registry::TypeTerm& term) const {
    return term.variable < 0 ? term.fixed : types[static_cast<size_t>(term.variable)];
  }
  // Which schema input operand `index` belongs to.
  uint32_t input_of(uint32_t index) const;
  // The operand's view as kernels and infer rules see it; NULL data unless `with_data`, but always
  // set for numbers.
  tenon_view view_of(uint32_t index, bool with_data) const;

  Context& cx;
  const registry::Op& op;
  const registry::Schema& schema;
  Small<uint32_t, 10> begin;    // [n_inputs + 1] into operands
  Small<Operand, 8> operands;   // lists flattened; absent optional inputs have none
  Small<tenon_value, 8> attrs;  // [schema attrs], defaults filled in
  Small<tenon_dtype, 4> types;  // per type variable
  Small<Ref, 4> made;           // promotion casts
  Device* device = nullptr;
  Device* output_device = nullptr;          // another one for TENON_OP_TRANSFER alone
  Small<tenon_meta, 2> outputs;             // [n_outputs]
  const registry::VjpRule* rule = nullptr;  // looked up if gradients are enabled
  uint64_t wanted = 0;  // bit i: the caller or the backward rule asks for output i
  struct Resolution* resolution = nullptr;  // if not NULL, told how the call was resolved
  bool may_stop = false;                    // as Block's
  bool dry = false;  // explain: nothing is cast, views state the promoted dtype
};

// A tenon_launch over the invocation's inputs alone, for infer, view and random_words.
class InputBlock {
 public:
  explicit InputBlock(const Invocation& call);
  const tenon_launch& launch() const { return launch_; }

 private:
  Small<uint32_t, 16> slot_begin_;
  Small<tenon_view, 8> views_;
  tenon_launch launch_{};
};

[[noreturn, gnu::cold]] void fail_operand(const Invocation& call, uint32_t input,
                                          tenon_status status, std::string message,
                                          std::string expected, std::string found,
                                          std::string hint = {});

}  // namespace tenon::dispatch
