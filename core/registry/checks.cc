// SPDX-License-Identifier: Apache-2.0
// core/registry/checks.cc: names, tables and ops; the rest is in checks_offers.cc.
#include "core/registry/checks.h"

#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/narrow.h>
#include <tenon/ext/draft/optimizers.h>
#include <tenon/ext/draft/shapes.h>

#include <algorithm>
#include <cstring>

#include "core/base/words.h"

namespace tenon::registry {
namespace {

// Longer strings than any documentation text are taken for garbage.
constexpr uint64_t kMaxTextBytes = uint64_t{1} << 20;
constexpr uint32_t kMaxEntries = 1u << 20;
// Far above what any descriptor has; reading further for the sake of a forged size is not safe.
constexpr uint32_t kMaxDescriptorBytes = 1024;
constexpr size_t kMaxShownBytes = 60;

[[gnu::always_inline]] inline bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

template <class Table>
void check_table(const Table* table, std::string_view id) {
  if (table == nullptr) return;
  const auto words = [id] { return std::string("table ").append(id); };
  const What what(words);
  if (table->struct_size < sizeof(Table)) {
    refuse(what + ": struct_size is " + std::to_string(table->struct_size) + "; " +
           std::to_string(sizeof(Table)) + " is needed");
  }
  if constexpr (requires { table->count; }) {
    if (table->count > kMaxEntries) {
      refuse(what + ": count is " + std::to_string(table->count) + "; at most " +
             std::to_string(kMaxEntries) + " entries are accepted");
    }
    const void* list = nullptr;
    if constexpr (requires { table->descs; }) {
      list = table->descs;
    } else {
      list = table->samples;
    }
    if (table->count > 0 && list == nullptr) refuse(what + ": its list of entries is NULL");
  }
}

// What a role's holder looks like; see the TENON_ROLE_* comments in plugin.h.
struct RoleSignature {
  uint32_t inputs;
  bool first_mutated;
  uint32_t outputs;
  std::vector<AttrKind> attrs;
};

RoleSignature signature_of(uint32_t role) {
  switch (role) {
    case TENON_ROLE_FILL:
      return {0, false, 1, {AttrKind::IntList, AttrKind::Number, AttrKind::Dtype}};
    case TENON_ROLE_CAST:
      return {1, false, 1, {AttrKind::Dtype}};
    case TENON_ROLE_ADD:
      return {2, false, 1, {}};
    case TENON_ROLE_SUM_TO:
      return {1, false, 1, {AttrKind::IntList}};
    case TENON_ROLE_ROWS_ADD:
      return {3, true, 0, {}};
    case TENON_ROLE_ALL_REDUCE:
      return {1, true, 0, {AttrKind::Int}};
    default:  // COPY, ISFINITE
      return {1, false, 1, {}};
  }
}

bool attrs_fit(const std::vector<AttrKind>& wanted, const std::vector<Attr>& attrs) {
  if (attrs.size() < wanted.size()) return false;
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (i < wanted.size() ? attrs[i].kind != wanted[i] : attrs[i].required()) return false;
  }
  return true;
}

// Inputs and attributes appended later must be ones that calls can leave out.
void check_role(uint32_t role, const What& what, const Schema& schema) {
  if (role == TENON_ROLE_NONE) return;
  if (role >= kRoleEnd) {
    refuse(what + ": role " + std::to_string(role) + " is unknown; the plugin needs a newer Tenon");
  }
  const RoleSignature wanted = signature_of(role);
  const bool fits = schema.min_inputs() == static_cast<int32_t>(wanted.inputs) &&
                    schema.plain_outputs() == static_cast<int32_t>(wanted.outputs) &&
                    attrs_fit(wanted.attrs, schema.attrs);
  std::string problem;
  if (!fits) {
    problem = std::to_string(wanted.inputs) + " inputs, " + std::to_string(wanted.attrs.size()) +
              " attributes and " + std::to_string(wanted.outputs) + " outputs";
  } else if (wanted.first_mutated && !schema.inputs[0].mutated) {
    problem = "input 0 marked '!'";
  } else if (role == TENON_ROLE_ALL_REDUCE && !schema.inputs[0].list) {
    problem = "a list as input 0";
  } else if (role == TENON_ROLE_ISFINITE && schema.outputs[0].type.fixed != TENON_DTYPE_BOOL) {
    problem = "an output of dtype bool";
  }
  if (problem.empty()) return;
  refuse(what + ": the holder of role '" + std::string(name_of_role(role)) + "' must have " +
         problem + " as tenon/plugin.h says; its schema is " + schema.text);
}

// Tenon moves the data itself, so nothing else of an op can have a meaning here.
void check_transfer(const tenon_op_desc& desc, const What& what, const Schema& schema) {
  const auto is_int = [&](size_t i, const char* name) {
    return schema.attrs[i].kind == AttrKind::Int && schema.attrs[i].name == name;
  };
  const bool counts_fit =
      schema.inputs.size() == 1 && schema.outputs.size() == 1 && schema.attrs.size() == 2;
  const bool fits = counts_fit && schema.inputs[0].type.variable == 0 && !schema.inputs[0].list &&
                    !schema.inputs[0].mutated && schema.outputs[0].type.variable == 0 &&
                    !schema.outputs[0].aux && is_int(0, "kind") && is_int(1, "index");
  if (!fits) {
    refuse(what +
           ": flag TRANSFER needs the signature (x: T[...], *, kind: int, index: int) -> "
           "T[...]; the schema is " +
           schema.text);
  }
  const bool plain = desc.shape_rule == TENON_SHAPE_SAME_AS_0 && desc.view == nullptr &&
                     desc.compose == nullptr && desc.role == TENON_ROLE_NONE &&
                     (desc.flags & (TENON_OP_ELEMENTWISE | TENON_OP_RANDOM | TENON_OP_EFFECT)) == 0;
  if (!plain) {
    refuse(what +
           ": flag TRANSFER goes with shape rule SAME_AS_0, without `view`, `compose`, a "
           "role, ELEMENTWISE, RANDOM or EFFECT");
  }
}

// Only a composition can make outputs whose sizes are not known before.
void check_dynamic(const tenon_op_desc& desc, const What& what) {
  const bool plain =
      desc.compose != nullptr && desc.view == nullptr && desc.role == TENON_ROLE_NONE &&
      (desc.flags & (TENON_OP_ELEMENTWISE | TENON_OP_RANDOM | TENON_OP_TRANSFER)) == 0;
  if (!plain) {
    refuse(what +
           ": flag DYNAMIC_OUT goes with `compose`, without `view`, a role, ELEMENTWISE, RANDOM or "
           "TRANSFER");
  }
}

void check_library_bits(const tenon_op_desc& desc, const What& what) {
  if (desc.view == nullptr && (desc.flags & (TENON_OP_TRANSFER | TENON_OP_DYNAMIC_OUT)) == 0) {
    return;
  }
  refuse(what +
         ": flag LIBRARY_BITS is of ops with kernels, without `view`, TRANSFER or "
         "DYNAMIC_OUT");
}

// Every dimension of an output is an integer, or one that the inputs of every call have.
void check_schema_rule(const What& what, const Schema& schema) {
  const auto bound = [&schema](const Dim& dim) {
    return dim.kind == Dim::Integer ||
           std::any_of(schema.inputs.begin(), schema.inputs.end(), [&dim](const Param& input) {
             return !input.list && !input.optional &&
                    std::find(input.dims.begin(), input.dims.end(), dim) != input.dims.end();
           });
  };
  for (size_t i = 0; i < schema.outputs.size(); ++i) {
    const Output& output = schema.outputs[i];
    const std::string where = ": shape rule SCHEMA: output " + std::to_string(i);
    const std::string text = "; the schema is " + schema.text;
    if (!output.has_dims) refuse(what + (where + " has no dimensions, as in T[N]" + text));
    for (const Dim& dim : output.dims) {
      const std::string run = dim.kind == Dim::Ellipsis ? "..." : "";
      if (dim.kind == Dim::Expression) {
        refuse(what +
               (where + " has '" + dim.text + "', which is for readers: use `infer`" + text));
      }
      if (!run.empty() && dim.text.empty()) {
        refuse(what + (where + " has '...' without a name, as in ...B" + text));
      }
      if (bound(dim)) continue;
      refuse(what + (where + " has '" + run + dim.text +
                     "', which is in no input that every call has" + text));
    }
  }
}

void check_shape_rule(const tenon_op_desc& desc, const What& what, const Schema& schema) {
  switch (desc.shape_rule) {
    case TENON_SHAPE_CALLBACK:
      if (desc.infer == nullptr) refuse(what + ": shape rule CALLBACK needs `infer`; it is NULL");
      return;
    case TENON_SHAPE_SCHEMA:
      return check_schema_rule(what, schema);
    case TENON_SHAPE_BROADCAST:
    case TENON_SHAPE_SAME_AS_0:
    case TENON_SHAPE_REDUCE:
      break;
    default:
      refuse(what + ": shape rule " + std::to_string(desc.shape_rule) +
             " is unknown; the plugin needs a newer Tenon");
  }
  if (schema.inputs.empty()) refuse(what + ": its shape rule needs an input; the schema has none");
  if (desc.shape_rule == TENON_SHAPE_REDUCE &&
      (schema.find_attr("axes") < 0 || schema.find_attr("keepdims") < 0)) {
    refuse(what + ": shape rule REDUCE needs the attributes 'axes' and 'keepdims'; the schema is " +
           schema.text);
  }
}

void check_revision(uint32_t revision, const What& what) {
  if (revision == 0) refuse(what + ": revision is 0; revisions begin with 1");
}

}  // namespace

void refuse(std::string message) { throw Error{TENON_E_PLUGIN, std::move(message)}; }

void check_flags_zero(uint32_t flags, const What& what) {
  if (flags != 0) refuse(what + " needs a newer Tenon: unknown flags " + std::to_string(flags));
}

void check_zero(uint32_t flags, uint32_t reserved, const What& what) {
  if (flags == 0 && reserved == 0) return;
  refuse(what + " needs a newer Tenon: unknown flags " + std::to_string(flags) + ", reserved " +
         std::to_string(reserved));
}

std::string_view name_of_role(uint32_t role) noexcept {
  static constexpr std::array<std::string_view, kRoleEnd> names = {
      "", "copy", "fill", "cast", "add", "sum_to", "rows_add", "isfinite", "all_reduce"};
  return role < names.size() ? names[role] : std::string_view();
}

bool is_plain_name(std::string_view name) noexcept {
  // An always inlined function cannot be handed over.
  const auto is_plain = [](char c) { return is_name_byte(c); };
  return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, is_plain);
}

bool is_dotted_name(std::string_view name) noexcept {
  if (name.size() > kMaxNameBytes) return false;
  uint32_t parts = 0;
  for (size_t begin = 0; begin <= name.size(); ++parts) {
    const size_t end = std::min(name.find('.', begin), name.size());
    if (!is_plain_name(name.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return parts >= 2;
}

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kMaxShownBytes)) {
    if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += "\\x" + base::hex_of({&c, 1});
    }
  }
  return text.size() > kMaxShownBytes ? result + "..." : result;
}

std::string_view text_of(const tenon_string& text, const What& what) {
  if (text.data == nullptr) {
    if (text.length == 0) return {};
    refuse(what + ": a string is NULL but has length " + std::to_string(text.length));
  }
  const uint64_t length =
      text.length == TENON_NUL ? strnlen(text.data, kMaxTextBytes + 1) : text.length;
  if (length > kMaxTextBytes) {
    refuse(what + ": a string is longer than " + std::to_string(kMaxTextBytes) + " bytes");
  }
  return {text.data, static_cast<size_t>(length)};
}

std::string_view dotted_name_of(const tenon_string& text, const What& what) {
  const std::string_view name = text_of(text, what);
  if (!is_dotted_name(name)) {
    refuse(what + ": the name '" + shown(name) +
           "' is not of the form vendor.name in small letters, digits and '_'");
  }
  return name;
}

std::string_view device_of(const tenon_string& text, const What& what) {
  const std::string_view kind = text_of(text, what);
  if (!is_plain_name(kind)) {
    refuse(what + ": the device kind '" + shown(kind) + "' is not one of [a-z0-9_]");
  }
  return kind;
}

void read_descriptor(const void* source, uint32_t least, uint32_t known, void* out,
                     const What& what) {
  if (source == nullptr) refuse(what + " is NULL");
  const uint32_t size = *static_cast<const uint32_t*>(source);
  if (size < least) {
    refuse(what + ": struct_size is " + std::to_string(size) + "; at least " +
           std::to_string(least) + " is needed");
  }
  if (size > kMaxDescriptorBytes) {
    refuse(what + ": struct_size is " + std::to_string(size) + "; more than " +
           std::to_string(kMaxDescriptorBytes) + " cannot be right");
  }
  const auto* bytes = static_cast<const unsigned char*>(source);
  for (uint32_t i = known; i < size; ++i) {
    if (bytes[i] != 0) {
      refuse(what + " needs a newer Tenon: unknown data at offset " + std::to_string(i));
    }
  }
  std::memcpy(out, source, std::min(size, known));
  std::memcpy(out, &known, sizeof known);  // its struct_size
}

std::unique_ptr<const uint64_t[]> read_entry(const tenon_entry_desc* source, const Kind& kind,
                                             const What& what) {
  auto copy = std::make_unique<uint64_t[]>((kind.desc_bytes + 7) / 8);  // zeroes
  read_descriptor(source, kind.least_bytes, kind.desc_bytes, copy.get(), what);
  return copy;
}

void check_tables(const Tables& tables) {
  each_table(tables, [](std::string_view id, const auto* table) { check_table(table, id); });
}

TableNames names_of(const Tables& tables) {
  check_tables(tables);
  TableNames names;
  each_entry(tables.ops, "op", [&](const tenon_op_desc& desc, const What& what) {
    check_revision(desc.revision, what);
    names.ops.insert({dotted_name_of(desc.name, what), desc.revision, name_of_role(desc.role)});
  });
  each_entry(tables.kernels, "kernel", [&](const tenon_kernel_desc& desc, const What& what) {
    const std::string_view op = dotted_name_of(desc.op, what);
    TableNames::Kernels& kernels = names.kernels[device_of(desc.device, what)];
    kernels.ops.insert(op);
    kernels.canonical |= (desc.flags & TENON_KERNEL_CANONICAL) != 0;
  });
  each_entry(tables.vjps, "backward rule", [&](const tenon_vjp_desc& desc, const What& what) {
    names.vjps.insert(dotted_name_of(desc.op, what));
  });
  for (uint32_t kind = 0; kind < kKindEnd; ++kind) {
    const auto add = [&](const tenon_entry_desc* desc, const What& what) {
      read_entry(desc, kind_at(kind), what);
      names.entries[kind].insert(dotted_name_of(desc->name, what));
    };
    each_entry(tables.entries[kind], kind_at(kind).noun, add);
  }
  if (tables.backend != nullptr) {
    names.devices.insert(device_of(tables.backend->kind, "table tenon.backend/1"));
  }
  return names;
}

void check_op(const tenon_op_desc& desc, std::string_view name, const Schema& schema) {
  const auto words = [name] { return "op " + std::string(name); };
  const What what(words);
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (schema.name != last) {
    refuse(what + ": its schema is named '" + schema.name + "'; '" + std::string(last) +
           "' was expected");
  }
  check_revision(desc.revision, what);
  constexpr uint32_t known = TENON_OP_ELEMENTWISE | TENON_OP_RANDOM | TENON_OP_EFFECT |
                             TENON_OP_LINEAR | TENON_OP_TRANSFER | TENON_OP_DYNAMIC_OUT |
                             TENON_OP_WRITES_GRADIENTS | TENON_OP_LIBRARY_BITS | TENON_OP_NARROW;
  check_zero(desc.flags & ~known, desc.reserved, what);
  check_shape_rule(desc, what, schema);
  if (desc.view != nullptr && (schema.inputs.empty() || schema.outputs.size() != 1)) {
    refuse(what + ": a view op needs an input and exactly one output; its schema is " +
           schema.text);
  }
  if ((desc.flags & TENON_OP_RANDOM) != 0 && desc.random_words == nullptr) {
    refuse(what + ": flag RANDOM needs `random_words`; it is NULL");
  }
  if ((desc.flags & TENON_OP_TRANSFER) != 0) check_transfer(desc, what, schema);
  if ((desc.flags & TENON_OP_DYNAMIC_OUT) != 0) check_dynamic(desc, what);
  if ((desc.flags & TENON_OP_LIBRARY_BITS) != 0) check_library_bits(desc, what);
  if ((desc.flags & TENON_OP_NARROW) != 0 && desc.compose == nullptr) {
    refuse(what + ": flag NARROW is of ops with a composition; `compose` is NULL");
  }
  if ((desc.flags & TENON_OP_WRITES_GRADIENTS) != 0 &&
      std::ranges::none_of(schema.inputs, [](const auto& input) { return input.mutated; })) {
    refuse(what +
           ": flag WRITES_GRADIENTS needs an input that is written, as in \"grads!\"; its "
           "schema is " +
           schema.text);
  }
  check_role(desc.role, what, schema);
}

}  // namespace tenon::registry
