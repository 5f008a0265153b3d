// SPDX-License-Identifier: Apache-2.0
// core/dispatch/promote.cc: decides the dtype of each type variable, casts operands to it, and
// writes weak scalars in it.
#include "core/dispatch/promote.h"

namespace tenon::dispatch {

namespace {

using registry::TypeVariable;
using tensor::ScalarKind;

ScalarKind kind_of(const tenon_value& number) {
  if (number.tag == TENON_VALUE_F64) return ScalarKind::Float;
  return number.tag == TENON_VALUE_BOOL ? ScalarKind::Bool : ScalarKind::Int;
}

bool allows(const TypeVariable& variable, tenon_dtype dtype) {
  for (tenon_dtype allowed : variable.allowed) {
    if (allowed == dtype) return true;
  }
  return false;
}

// What integers and bools become if the set has no integers of several widths: the sum of i32 is
// an i64, exp of one an f32. NONE if they stay what they are, and a bool is a mistake.
tenon_dtype common_of_integers(const TypeVariable& variable) {
  for (tenon_dtype allowed : variable.allowed) {
    if (tensor::is_integer(allowed) && allowed != tensor::default_int) return TENON_DTYPE_NONE;
  }
  for (tenon_dtype common : {tensor::default_int, tensor::default_float}) {
    if (allows(variable, common)) return common;
  }
  return TENON_DTYPE_NONE;
}

std::string allowed_text(const TypeVariable& variable) {
  std::string text;
  for (tenon_dtype dtype : variable.allowed) {
    if (!text.empty()) text += " ";
    text += tensor::name_of(dtype);
  }
  return "one of " + text;
}

// The common dtype of the variable's tensor operands, and which operand said it first.
struct Found {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  uint32_t operand = 0;
  bool scalar = false;
  ScalarKind scalar_kind = ScalarKind::Bool;
};

void meet(Invocation& call, const TypeVariable& variable, uint32_t index, Found& found) {
  const Operand& operand = call.operands[index];
  if (!operand.tensor) {
    const ScalarKind kind = kind_of(operand.number);
    if (!found.scalar || kind > found.scalar_kind) found.scalar_kind = kind;
    found.scalar = true;
    return;
  }
  const tenon_dtype dtype = operand.tensor->dtype();
  if (found.dtype == TENON_DTYPE_NONE) {
    found.dtype = dtype;
    found.operand = index;
  } else if (variable.promote) {
    found.dtype = *tensor::promote(found.dtype, dtype);
  } else if (found.dtype != dtype) {
    fail_operand(call, call.input_of(index), TENON_E_DTYPE,
                 "has another dtype than operand \"" +
                     call.schema.inputs[call.input_of(found.operand)].name + "\"",
                 std::string(tensor::name_of(found.dtype)), std::string(tensor::name_of(dtype)),
                 "cast one of them");
  }
}

tenon_dtype with_scalar(const TypeVariable& variable, const Found& found) {
  if (!found.scalar) return found.dtype;
  if (found.dtype == TENON_DTYPE_NONE) {
    switch (found.scalar_kind) {
      case ScalarKind::Bool:
        return TENON_DTYPE_BOOL;
      case ScalarKind::Int:
        return tensor::default_int;
      case ScalarKind::Float:
        return tensor::default_float;
    }
  }
  return variable.promote ? tensor::promote_weak(found.dtype, found.scalar_kind) : found.dtype;
}

void decide_variable(Invocation& call, int32_t index) {
  const TypeVariable& variable = call.schema.variables[static_cast<size_t>(index)];
  tenon_dtype& decided = call.types[static_cast<size_t>(index)];
  Found found;
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    if (call.schema.inputs[input].type.variable != index) continue;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      meet(call, variable, i, found);
    }
  }
  for (size_t i = 0; i < call.schema.attrs.size(); ++i) {
    if (call.schema.attrs[i].binds_variable != index) continue;
    if (call.attrs[i].tag == TENON_VALUE_DTYPE) {
      found.dtype = static_cast<tenon_dtype>(call.attrs[i].as.dtype);
    }
  }
  decided = with_scalar(variable, found);
  // No operand and no attribute: an empty list. The first allowed dtype serves, nothing has it.
  if (decided == TENON_DTYPE_NONE) decided = variable.allowed.front();
  if (allows(variable, decided)) return;
  const bool whole = tensor::is_integer(decided) || tensor::is_bool(decided);
  const tenon_dtype common =
      variable.promote && whole ? common_of_integers(variable) : TENON_DTYPE_NONE;
  if (common != TENON_DTYPE_NONE) {
    decided = common;
    return;
  }
  throw Error{.status = TENON_E_DTYPE,
              .message = call.op.name + ": dtype " + std::string(tensor::name_of(decided)) +
                         " is not supported for " + variable.name,
              .op = call.op.name,
              .operand = call.operands.empty()
                             ? variable.name
                             : call.schema.inputs[call.input_of(found.operand)].name,
              .expected = allowed_text(variable),
              .found = std::string(tensor::name_of(decided)),
              .hint = "the schema is " + call.op.schema_text};
}

void check_scalar_fits(const Invocation& call, uint32_t index, tenon_dtype dtype) {
  const tenon_value& number = call.operands[index].number;
  const ScalarKind kind = kind_of(number);
  const bool whole = tensor::is_integer(dtype);
  const bool lower =
      (tensor::is_bool(dtype) && kind != ScalarKind::Bool) || (whole && kind == ScalarKind::Float);
  if (lower) {
    fail_operand(call, call.input_of(index), TENON_E_DTYPE,
                 "a " + tag_name(number.tag) + " does not fit", std::string(tensor::name_of(dtype)),
                 value_text(number), "cast the other operands to a wider kind");
  }
  if (!whole) return;
  const tensor::DtypeLimits limits = tensor::limits_of(dtype);
  if (number.as.i64 < limits.imin || number.as.i64 > limits.imax) {
    fail_operand(call, call.input_of(index), TENON_E_ARGUMENT, "the number is out of range",
                 std::to_string(limits.imin) + " to " + std::to_string(limits.imax) + " (" +
                     std::string(tensor::name_of(dtype)) + ")",
                 value_text(number));
  }
}

void cast_operand(Invocation& call, uint32_t index, tenon_dtype dtype, CastFn cast) {
  Operand& operand = call.operands[index];
  const uint32_t input = call.input_of(index);
  if (call.schema.inputs[input].mutated) {
    fail_operand(call, input, TENON_E_DTYPE, "is written and cannot be cast",
                 std::string(tensor::name_of(dtype)),
                 std::string(tensor::name_of(operand.tensor->dtype())));
  }
  call.cx.runtime->plugins.require_role(TENON_ROLE_CAST);
  if (call.dry) return;
  call.made.emplace_back(cast(call.cx, *operand.tensor, dtype));
  operand.tensor = call.made.back().get();
}

}  // namespace

void promote(Invocation& call, CastFn cast) {
  const auto& schema = call.schema;
  call.types.resize(schema.variables.size(), TENON_DTYPE_NONE);
  for (size_t i = 0; i < schema.variables.size(); ++i) {
    decide_variable(call, static_cast<int32_t>(i));
  }
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    const registry::Param& param = schema.inputs[input];
    const tenon_dtype dtype = call.type_of(param.type);
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      Operand& operand = call.operands[i];
      if (!operand.tensor) {
        check_scalar_fits(call, i, dtype);
        operand.scalar_bits = scalar_bits(operand.number, dtype);
      } else if (operand.tensor->dtype() != dtype) {
        if (param.type.variable < 0) {
          fail_operand(call, input, TENON_E_DTYPE, "has the wrong dtype",
                       std::string(tensor::name_of(dtype)),
                       std::string(tensor::name_of(operand.tensor->dtype())));
        }
        cast_operand(call, i, dtype, cast);
      }
    }
  }
}

}  // namespace tenon::dispatch
