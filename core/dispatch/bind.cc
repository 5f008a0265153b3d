// SPDX-License-Identifier: Apache-2.0
// core/dispatch/bind.cc: checks the caller's values against the schema: arity, kinds, handles,
// devices, attribute types.
#include "core/dispatch/bind.h"

#include <algorithm>
#include <cmath>

namespace tenon::dispatch {

namespace {

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
      call.operands.push_back({bind_tensor(call, input, value.as.tensor), {}, 0});
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
        call.operands.push_back({bind_tensor(call, input, value.as.tensors[i]), {}, 0});
      }
      return;
    case TENON_VALUE_I64:
    case TENON_VALUE_F64:
    case TENON_VALUE_BOOL:
      if (param.list || param.mutated) {
        fail_operand(call, input, TENON_E_ARGUMENT, "cannot be a number", wanted,
                     value_text(value));
      }
      call.operands.push_back({nullptr, value, 0});
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

// Attributes 0 and 1 of a TENON_OP_TRANSFER op are the target's kind and index.
void bind_target(Invocation& call) {
  const int64_t kind = call.attrs[0].as.i64;
  const int64_t index = call.attrs[1].as.i64;
  Runtime& runtime = *call.cx.runtime;
  const int64_t known = kind == 0 ? runtime.host_device().id.kind : kind;
  if (known < 0 || known > UINT32_MAX ||
      runtime.registry.name_of(static_cast<uint32_t>(known)).empty()) {
    throw Error{
        .status = TENON_E_DEVICE,
        .message = call.op.name + ": there is no device kind with id " + std::to_string(kind),
        .op = call.op.name,
        .operand = call.schema.attrs[0].name,
        .expected = "the kind of a device, or 0 for host memory",
        .found = std::to_string(kind),
        .hint = "take kind and index from tenon_device_find"};
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

[[noreturn]] void fail_attr(const Invocation& call, const registry::Attr& attr,
                            const std::string& message, const std::string& expected,
                            const std::string& found) {
  throw Error{.status = TENON_E_ATTRIBUTE,
              .message = call.op.name + ": attribute \"" + attr.name + "\" " + message,
              .op = call.op.name,
              .operand = attr.name,
              .expected = expected,
              .found = found};
}

std::string attr_kind_text(const registry::Attr& attr) {
  std::string text(registry::name_of(attr.kind));
  if (attr.kind == registry::AttrKind::IntList && attr.fixed_count >= 0) {
    text = "int[" + std::to_string(attr.fixed_count) + "]";
  }
  return attr.optional ? text + " or none" : text;
}

bool is_integral_tag(uint32_t tag) { return tag == TENON_VALUE_I64; }

// The value in the attribute's own kind; false if its kind does not fit.
bool convert_attr(const registry::Attr& attr, tenon_value& value) {
  using registry::AttrKind;
  switch (attr.kind) {
    case AttrKind::Int:
      return is_integral_tag(value.tag);
    case AttrKind::Float:
      if (is_integral_tag(value.tag)) {
        const double number = static_cast<double>(value.as.i64);
        value.tag = TENON_VALUE_F64;
        value.as.f64 = number;
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

void bind_attrs(Invocation& call, std::span<const tenon_value> given) {
  const auto& attrs = call.schema.attrs;
  if (given.size() > attrs.size()) {
    throw Error{.status = TENON_E_ATTRIBUTE,
                .message = call.op.name + ": too many attributes",
                .op = call.op.name,
                .expected = "at most " + std::to_string(attrs.size()),
                .found = std::to_string(given.size()),
                .hint = "the schema is " + call.op.schema_text};
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

}  // namespace

void bind(Invocation& call, std::span<const tenon_value> inputs,
          std::span<const tenon_value> attrs) {
  const size_t most = call.schema.inputs.size();
  const size_t least = static_cast<size_t>(call.schema.min_inputs());
  if (inputs.size() > most || inputs.size() < least) {
    throw Error{.status = TENON_E_ARGUMENT,
                .message = call.op.name + ": wrong number of operands",
                .op = call.op.name,
                .expected = least == most ? std::to_string(most)
                                          : std::to_string(least) + " to " + std::to_string(most),
                .found = std::to_string(inputs.size()),
                .hint = "the schema is " + call.op.schema_text};
  }
  call.begin.push_back(0);
  for (uint32_t i = 0; i < most; ++i) {
    bind_input(call, i, i < inputs.size() ? inputs[i] : tenon_value{});
    call.begin.push_back(static_cast<uint32_t>(call.operands.size()));
  }
  bind_attrs(call, attrs);
  bind_device(call);
  if (call.op.has(TENON_OP_TRANSFER)) bind_target(call);
}

}  // namespace tenon::dispatch
