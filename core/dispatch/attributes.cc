// SPDX-License-Identifier: Apache-2.0
// core/dispatch/attributes.cc: checks a call's attributes against the schema, and completes them.
#include "core/dispatch/attributes.h"

#include <algorithm>

namespace tenon::dispatch {

namespace {

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

}  // namespace

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

}  // namespace tenon::dispatch
