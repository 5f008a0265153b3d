// SPDX-License-Identifier: Apache-2.0
// core/api/op_api.cc: public functions of ops, and those that say what else there is: kinds,
// entries.
#include "core/api/guard.h"
#include "core/base/words.h"
#include "core/dispatch/call_cache.h"
#include "core/dispatch/dispatch.h"
#include "core/inspect/entries.h"
#include "core/inspect/explain.h"

using namespace tenon;
using namespace tenon::api;
using OpSlab = base::Slab<registry::Op, kOpKind>;

namespace {

[[noreturn, gnu::cold]] void fail_foreign_op(const registry::Op& op) {
  throw Error{
      .status = TENON_E_RUNTIME, .message = "the op belongs to another runtime", .op = op.name};
}

[[gnu::always_inline]] inline const registry::Op& require_op(const Context& context,
                                                             const tenon_op* handle) {
  const registry::Op& op = require_slot<OpSlab>(handle, "op");
  if (op.runtime != context.runtime) fail_foreign_op(op);
  return op;
}

std::span<const tenon_value> read_values(const tenon_value* data, uint32_t count,
                                         const char* name) {
  if (count != 0) require_pointer(data, name);
  return {data, count};
}

// Tensors of one call; on the stack if there are few.
class CallOutputs {
 public:
  explicit CallOutputs(uint32_t count) : count_(count) {
    if (count > kFew) many_.resize(count);
  }
  std::span<Tensor*> all() { return {count_ > kFew ? many_.data() : few_, count_}; }

 private:
  static constexpr uint32_t kFew = 4;
  uint32_t count_;
  Tensor* few_[kFew];
  std::vector<Tensor*> many_;
};

inspect::Described described(Context& cx, const char* kind, uint64_t kind_length, const char* name,
                             uint64_t name_length) {
  const std::string_view noun = require_text(kind, kind_length, "kind");
  const std::string_view given = require_name(name, name_length);
  return inspect::describe(cx, noun, given);
}

template <class Item>
Item require_item(const std::vector<Item>& items, uint32_t index, const tenon_entry_info& info,
                  const char* what) {
  if (index < items.size()) return items[index];
  const std::string name(info.name.data, info.name.length);
  throw Error{.status = TENON_E_NOT_FOUND,
              .message = name + " has " + std::to_string(items.size()) + " " + what +
                         "; there is no number " + std::to_string(index),
              .op = name,
              .operand = "index",
              .expected = "less than " + std::to_string(items.size()),
              .found = std::to_string(index)};
}

}  // namespace

tenon_status tenon_op_find(tenon_context* context, const char* name, uint64_t name_length,
                           uint32_t revision, const tenon_op** out_op) {
  return guard_out(context, out_op, "out_op", [&](Context& cx) {
    const std::string_view text = require_name(name, name_length);
    // A name that was asked for before, from the same place, is not looked up again.
    registry::Op& op = revision == 0 ? dispatch::call_cache_of(cx).names.find(text, *cx.runtime)
                                     : cx.runtime->plugins.require_op(text, revision);
    return static_cast<const tenon_op*>(OpSlab::to_handle(&op));
  });
}

[[gnu::cold]] tenon_status tenon_op_get_info(tenon_context* context, const tenon_op* handle,
                                             tenon_op_info* out_info) {
  return guard(context, [&](Context& cx) {
    const registry::Op& op = require_op(cx, handle);
    tenon_op_info info{};
    info.flags = op.desc.flags;
    info.name = op.name.c_str();
    info.schema = op.schema_text.c_str();
    info.doc = op.doc.c_str();
    info.plugin = op.plugin->id.c_str();
    info.revision = op.desc.revision;
    info.n_inputs = static_cast<uint32_t>(op.schema.inputs.size());
    info.n_attrs = static_cast<uint32_t>(op.schema.attrs.size());
    info.n_outputs = static_cast<uint32_t>(op.schema.outputs.size());
    fill_sized(out_info, info);
  });
}

[[gnu::cold]] tenon_status tenon_op_find_attribute(tenon_context* context, const tenon_op* handle,
                                                   const char* name, uint64_t name_length,
                                                   uint32_t* out_index) {
  return guard_out(context, out_index, "out_index", [&](Context& cx) {
    const registry::Op& op = require_op(cx, handle);
    const std::string_view text = require_name(name, name_length);
    const int32_t index = op.schema.find_attr(text);
    if (index >= 0) return static_cast<uint32_t>(index);
    const std::string known = base::joined(op.schema.attrs, " ", &registry::Attr::name);
    fail_in(
        op.name, TENON_E_ATTRIBUTE, "no attribute \"" + std::string(text) + "\"", std::string(text),
        known.empty() ? "none: the op has no attributes" : "one of: " + known, std::string(text));
  });
}

tenon_status tenon_op_call(tenon_context* context, const tenon_op* op, const tenon_value* inputs,
                           uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                           tenon_tensor** out_outputs, uint32_t n_outputs) {
  return guard(context, [&](Context& cx) {
    const registry::Op& which = require_op(cx, op);
    if (n_outputs != 0) require_pointer(out_outputs, "out_outputs");
    CallOutputs made(n_outputs);
    const std::span<Tensor*> outputs = made.all();
    dispatch::call(cx, which, read_values(inputs, n_inputs, "inputs"),
                   read_values(attrs, n_attrs, "attrs"), outputs);
    for (uint32_t i = 0; i < n_outputs; ++i) out_outputs[i] = tensor::handle(outputs[i]);
  });
}

tenon_status tenon_op_call_into(tenon_context* context, const tenon_op* op,
                                const tenon_value* inputs, uint32_t n_inputs,
                                const tenon_value* attrs, uint32_t n_attrs,
                                tenon_tensor* const* outputs, uint32_t n_outputs) {
  return guard(context, [&](Context& cx) {
    const registry::Op& which = require_op(cx, op);
    if (n_outputs != 0) require_pointer(outputs, "outputs");
    CallOutputs given(n_outputs);
    const std::span<Tensor*> targets = given.all();
    for (uint32_t i = 0; i < n_outputs; ++i) {
      targets[i] = &require_tensor(cx, outputs[i], "output");
    }
    dispatch::call_into(cx, which, read_values(inputs, n_inputs, "inputs"),
                        read_values(attrs, n_attrs, "attrs"), targets);
  });
}

[[gnu::cold]] tenon_status tenon_op_explain(tenon_context* context, const tenon_op* op,
                                            const tenon_value* inputs, uint32_t n_inputs,
                                            const tenon_value* attrs, uint32_t n_attrs,
                                            tenon_text** out_json) {
  return guard_out(context, out_json, "out_json", [&](Context& cx) {
    const registry::Op& which = require_op(cx, op);
    const auto operands = read_values(inputs, n_inputs, "inputs");
    const auto attributes = read_values(attrs, n_attrs, "attrs");
    return make_text([&] { return inspect::explain(cx, which, operands, attributes); });
  });
}

[[gnu::cold]] tenon_status tenon_kind_get_names(tenon_context* context, const char* kind,
                                                uint64_t kind_length, uint32_t capacity,
                                                tenon_string* out_names, uint32_t* out_count) {
  return guard_out(context, out_count, "out_count", [&](Context& cx) {
    if (capacity != 0) require_pointer(out_names, "out_names");
    const std::string_view given = require_name(kind, kind_length, "kind");
    const auto names = inspect::names_of_kind(cx, given);
    for (size_t i = 0; i < std::min<size_t>(capacity, names.size()); ++i) {
      out_names[i] = {names[i].data(), names[i].size()};
    }
    return static_cast<uint32_t>(names.size());
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_info(tenon_context* context, const char* kind,
                                                uint64_t kind_length, const char* name,
                                                uint64_t name_length, tenon_entry_info* out_info) {
  return guard(context, [&](Context& cx) {
    fill_sized(out_info, described(cx, kind, kind_length, name, name_length).info);
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_option(tenon_context* context, const char* kind,
                                                  uint64_t kind_length, const char* name,
                                                  uint64_t name_length, uint32_t index,
                                                  tenon_entry_option* out_option) {
  return guard(context, [&](Context& cx) {
    const inspect::Described entry = described(cx, kind, kind_length, name, name_length);
    fill_sized(out_option, require_item(entry.options, index, entry.info, "options"));
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_part(tenon_context* context, const char* kind,
                                                uint64_t kind_length, const char* name,
                                                uint64_t name_length, uint32_t index,
                                                tenon_entry_part* out_part) {
  return guard(context, [&](Context& cx) {
    const inspect::Described entry = described(cx, kind, kind_length, name, name_length);
    fill_sized(out_part, require_item(entry.parts, index, entry.info, "parts"));
  });
}
