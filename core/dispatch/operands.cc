// SPDX-License-Identifier: Apache-2.0
// core/dispatch/operands.cc: a call's attributes and operands: the caller's values, each tensor or
// number on one device; then in the dtypes that the schema's type variables stand for.
#include "core/dispatch/operands.h"

#include <algorithm>

namespace tenon::dispatch {

namespace {

using registry::TypeVariable;
using tensor::ScalarKind;

[[noreturn]] void fail_attr(const Invocation& call, const registry::Attr& attr,
                            const std::string& message, const std::string& expected,
                            const std::string& found) {
  fail_in(call.op.name, TENON_E_ATTRIBUTE, "attribute \"" + attr.name + "\" " + message, attr.name,
          expected, found);
}

std::string attr_kind_text(const registry::Attr& attr) {
  std::string text(registry::name_of(attr.kind));
  if (attr.kind == registry::AttrKind::IntList && attr.fixed_count >= 0) {
    text = "int[" + std::to_string(attr.fixed_count) + "]";
  }
  return attr.optional ? text + " or none" : text;
}

// The value in the attribute's own kind; false if its kind does not fit.
bool convert_attr(const registry::Attr& attr, tenon_value& value) {
  using registry::AttrKind;
  switch (attr.kind) {
    case AttrKind::Int:
      return value.tag == TENON_VALUE_I64;
    case AttrKind::Float:
      if (value.tag == TENON_VALUE_I64) {
        value = registry::float_value(static_cast<double>(value.as.i64));
      }
      return value.tag == TENON_VALUE_F64;
    case AttrKind::Bool:
      if (value.tag == TENON_VALUE_BOOL) value.as.i64 = value.as.i64 != 0;
      return value.tag == TENON_VALUE_BOOL;
    case AttrKind::String:
      return value.tag == TENON_VALUE_STRING && (value.as.string || value.count == 0);
    case AttrKind::Number:
      return is_number(value);
    case AttrKind::Dtype:
      return value.tag == TENON_VALUE_DTYPE &&
             tensor::is_known(static_cast<tenon_dtype>(value.as.dtype));
    case AttrKind::IntList:
      return value.tag == TENON_VALUE_INT_LIST && (value.as.ints || value.count == 0) &&
             (attr.fixed_count < 0 || value.count == static_cast<uint32_t>(attr.fixed_count));
  }
  return false;
}

// Fills in `attrs`; those that are not given have their defaults.
void bind_attrs(Invocation& call, std::span<const tenon_value> given) {
  const auto& attrs = call.schema.attrs;
  if (given.size() > attrs.size()) {
    fail_in(call.op.name, TENON_E_ATTRIBUTE, "too many attributes", {},
            "at most " + std::to_string(attrs.size()), std::to_string(given.size()),
            "the schema is " + call.op.schema_text);
  }
  for (size_t i = 0; i < attrs.size(); ++i) {
    const registry::Attr& attr = attrs[i];
    tenon_value value{};
    if (i < given.size()) value = given[i];
    if (value.tag == TENON_VALUE_NONE) {
      if (attr.required()) fail_attr(call, attr, "is required", attr_kind_text(attr), "none");
      value = registry::default_value(attr);
    } else if (!convert_attr(attr, value)) {
      const bool dtype = value.tag == TENON_VALUE_DTYPE && attr.kind == registry::AttrKind::Dtype;
      const bool list = value.tag == TENON_VALUE_INT_LIST &&
                        attr.kind == registry::AttrKind::IntList && value.as.ints;
      fail_attr(call, attr,
                dtype  ? "is not a known dtype"
                : list ? "has the wrong number of entries"
                       : "has the wrong type",
                attr_kind_text(attr),
                dtype  ? "dtype 0x" + std::to_string(value.as.dtype)
                : list ? std::to_string(value.count) + " entries"
                       : tag_name(value.tag));
    }
    call.attrs.push_back(value);
  }
}

// Where a TENON_OP_TRANSFER op moves its operand to: attributes 0 and 1 are the target's kind and
// index.
void bind_target(Invocation& call) {
  const int64_t kind = call.attrs[0].as.i64;
  const int64_t index = call.attrs[1].as.i64;
  Runtime& runtime = *call.cx.runtime;
  const int64_t known = kind == 0 ? runtime.host_device().id.kind : kind;
  if (known < 0 || known > UINT32_MAX ||
      runtime.registry.name_of(static_cast<uint32_t>(known)).empty()) {
    fail_in(call.op.name, TENON_E_DEVICE, "there is no device kind with id " + std::to_string(kind),
            call.schema.attrs[0].name, "the kind of a device, or 0 for host memory",
            std::to_string(kind), "take kind and index from tenon_device_find");
  }
  // An index that does not fit becomes one that no device has.
  const auto narrow = static_cast<int32_t>(std::clamp<int64_t>(index, -1, INT32_MAX));
  try {
    call.output_device = &runtime.device({static_cast<uint32_t>(known), narrow});
  } catch (Error& error) {
    error.message = call.op.name + ": " + error.message;
    error.op = call.op.name;
    error.operand = call.schema.attrs[1].name;
    throw;
  }
}

Tensor* bind_tensor(Invocation& call, uint32_t input, const tenon_tensor* handle) {
  Tensor* tensor = tensor::from_handle(handle);
  if (!tensor) {
    fail_operand(call, input, TENON_E_HANDLE,
                 handle ? "not a live tensor handle" : "the tensor is NULL", "a tensor",
                 handle ? "a released handle or one of another kind" : "NULL");
  }
  if (tensor->owner != call.cx.runtime) {
    fail_operand(call, input, TENON_E_RUNTIME, "the tensor belongs to another runtime",
                 "a tensor of this context's runtime", tensor::describe(*tensor));
  }
  return tensor;
}

void bind_input(Invocation& call, uint32_t input, const tenon_value& value) {
  const registry::Param& param = call.schema.inputs[input];
  const std::string wanted = param.list ? "a list of tensors" : "a tensor";
  switch (value.tag) {
    case TENON_VALUE_NONE:
      if (!param.optional) {
        fail_operand(call, input, TENON_E_ARGUMENT, "is required", wanted, "none");
      }
      return;
    case TENON_VALUE_TENSOR:
      if (param.list) {
        fail_operand(call, input, TENON_E_ARGUMENT, "takes a list", wanted, "one tensor");
      }
      call.operands.push_back({bind_tensor(call, input, value.as.tensor), nullptr});
      return;
    case TENON_VALUE_TENSOR_LIST:
      if (!param.list) {
        fail_operand(call, input, TENON_E_ARGUMENT, "takes one tensor", wanted,
                     "a list of " + std::to_string(value.count));
      }
      if (!value.as.tensors && value.count != 0) {
        fail_operand(call, input, TENON_E_ARGUMENT, "the list is NULL", wanted, "NULL");
      }
      for (uint32_t i = 0; i < value.count; ++i) {
        call.operands.push_back({bind_tensor(call, input, value.as.tensors[i]), nullptr});
      }
      return;
    case TENON_VALUE_I64:
    case TENON_VALUE_F64:
    case TENON_VALUE_BOOL:
      if (param.list || param.mutated) {
        fail_operand(call, input, TENON_E_ARGUMENT, "cannot be a number", wanted,
                     value_text(value));
      }
      call.operands.push_back({nullptr, &value});
      return;
    default:
      fail_operand(call, input, TENON_E_ARGUMENT, "has a value that is not an operand",
                   wanted + (param.list ? "" : " or a number"), tag_name(value.tag));
  }
}

void bind_device(Invocation& call) {
  const Operand* first = nullptr;
  uint32_t first_index = 0;
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    if (!operand.tensor) continue;
    if (!first) {
      first = &operand;
      first_index = i;
      continue;
    }
    if (&device_of(*operand.tensor) == &device_of(*first->tensor)) continue;
    const uint32_t input = call.input_of(i);
    fail_operand(call, input, TENON_E_DEVICE, "is on another device than the other operands",
                 device_of(*first->tensor).name() + " (operand \"" +
                     call.schema.inputs[call.input_of(first_index)].name + "\")",
                 device_of(*operand.tensor).name(), "copy it with tenon_tensor_create_copy");
  }
  call.device = first ? &device_of(*first->tensor) : &call.cx.default_device();
  call.output_device = call.device;
}

ScalarKind kind_of(const tenon_value& number) {
  if (number.tag == TENON_VALUE_F64) return ScalarKind::Float;
  return number.tag == TENON_VALUE_BOOL ? ScalarKind::Bool : ScalarKind::Int;
}

bool allows(const TypeVariable& variable, tenon_dtype dtype) {
  return std::ranges::find(variable.allowed, dtype) != variable.allowed.end();
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
  return "one of " + tensor::dtypes_text(variable.allowed, " ");
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
    const ScalarKind kind = kind_of(*operand.number);
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
                 tensor::dtype_text(found.dtype), tensor::dtype_text(dtype), "cast one of them");
  }
}

tenon_dtype with_scalar(const TypeVariable& variable, const Found& found) {
  if (!found.scalar) return found.dtype;
  static constexpr tenon_dtype kAlone[] = {TENON_DTYPE_BOOL, tensor::default_int,
                                           tensor::default_float};  // as ScalarKind
  if (found.dtype == TENON_DTYPE_NONE) return kAlone[static_cast<size_t>(found.scalar_kind)];
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
  fail_in(
      call.op.name, TENON_E_DTYPE,
      "dtype " + tensor::dtype_text(decided) + " is not supported for " + variable.name,
      call.operands.empty() ? variable.name : call.schema.inputs[call.input_of(found.operand)].name,
      allowed_text(variable), tensor::dtype_text(decided), "the schema is " + call.op.schema_text);
}

void check_scalar_fits(const Invocation& call, uint32_t index, tenon_dtype dtype) {
  const tenon_value& number = *call.operands[index].number;
  const ScalarKind kind = kind_of(number);
  const bool whole = tensor::is_integer(dtype);
  const bool lower =
      (tensor::is_bool(dtype) && kind != ScalarKind::Bool) || (whole && kind == ScalarKind::Float);
  if (lower) {
    fail_operand(call, call.input_of(index), TENON_E_DTYPE,
                 "a " + tag_name(number.tag) + " does not fit", tensor::dtype_text(dtype),
                 value_text(number), "cast the other operands to a wider kind");
  }
  if (!whole) return;
  const tensor::DtypeLimits limits = tensor::limits_of(dtype);
  if (number.as.i64 < limits.imin || number.as.i64 > limits.imax) {
    fail_operand(call, call.input_of(index), TENON_E_ARGUMENT, "the number is out of range",
                 std::to_string(limits.imin) + " to " + std::to_string(limits.imax) + " (" +
                     tensor::dtype_text(dtype) + ")",
                 value_text(number));
  }
}

void cast_operand(Invocation& call, uint32_t index, tenon_dtype dtype) {
  Operand& operand = call.operands[index];
  const uint32_t input = call.input_of(index);
  if (call.schema.inputs[input].mutated) {
    fail_operand(call, input, TENON_E_DTYPE, "is written and cannot be cast",
                 tensor::dtype_text(dtype), tensor::dtype_text(operand.tensor->dtype()));
  }
  call.cx.runtime->plugins.require_role(TENON_ROLE_CAST);
  if (!call.cast) return;
  call.made.emplace_back(call.cast(call.cx, *operand.tensor, dtype));
  operand.tensor = call.made.back().get();
}

}  // namespace

void bind(Invocation& call, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs) {
  const size_t most = call.schema.inputs.size();
  const size_t least = static_cast<size_t>(call.schema.min_inputs());
  if (inputs.size() > most || inputs.size() < least) {
    fail_in(call.op.name, TENON_E_ARGUMENT, "wrong number of operands", {},
            least == most ? std::to_string(most)
                          : std::to_string(least) + " to " + std::to_string(most),
            std::to_string(inputs.size()), "the schema is " + call.op.schema_text);
  }
  call.begin.push_back(0);
  for (uint32_t i = 0; i < most; ++i) {
    static constexpr tenon_value kAbsent{};
    bind_input(call, i, i < inputs.size() ? inputs[i] : kAbsent);
    call.begin.push_back(static_cast<uint32_t>(call.operands.size()));
  }
  bind_attrs(call, attrs);
  bind_device(call);
  if (call.op.has(TENON_OP_TRANSFER)) bind_target(call);
}

void promote(Invocation& call) {
  const auto& schema = call.schema;
  call.types.resize(schema.variables.size(), TENON_DTYPE_NONE);
  for (size_t i = 0; i < schema.variables.size(); ++i) {
    decide_variable(call, static_cast<int32_t>(i));
  }
  call.numbers.resize(call.operands.size());
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    const registry::Param& param = schema.inputs[input];
    const tenon_dtype dtype = call.type_of(param.type);
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      Operand& operand = call.operands[i];
      if (!operand.tensor) {
        check_scalar_fits(call, i, dtype);
        call.numbers[i] = scalar_bits(*operand.number, dtype);
      } else if (operand.tensor->dtype() != dtype) {
        if (param.type.variable < 0) {
          fail_operand(call, input, TENON_E_DTYPE, "has the wrong dtype", tensor::dtype_text(dtype),
                       tensor::dtype_text(operand.tensor->dtype()));
        }
        if (is_narrow(call, i)) {
          call.narrow = true;
        } else {
          cast_operand(call, i, dtype);
        }
      }
    }
  }
}

// Those that become i64 for its range, since it is the only integer that there is.
bool is_narrow(const Invocation& call, uint32_t operand) {
  const Tensor* const tensor = call.operands[operand].tensor;
  const int32_t variable = call.schema.inputs[call.input_of(operand)].type.variable;
  if (!tensor || variable < 0 || tensor::is_float(tensor->dtype())) return false;
  const auto index = static_cast<size_t>(variable);
  return call.types[index] == tensor::default_int && tensor->dtype() != tensor::default_int &&
         common_of_integers(call.schema.variables[index]) == tensor::default_int;
}

void widen(Invocation& call) {
  for (uint32_t i = 0; call.narrow && i < call.operands.size(); ++i) {
    if (is_narrow(call, i)) cast_operand(call, i, tensor::default_int);
  }
  call.narrow = false;
}

}  // namespace tenon::dispatch
