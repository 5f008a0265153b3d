// SPDX-License-Identifier: Apache-2.0
// core/plugin/manifest.cc: reading plugin.json.
//
//   {
//     "manifest": 1,                                     format of this file; 1 when absent
//     "id": "vendor.name", "version": "0.1.0", "license": "Apache-2.0",
//     "library": "vendor.name.so",                       a file beside this one
//     "sha256": "64 hex digits",                         of the library; optional
//     "abi": {"major": 0, "minor": 1, "required_minor": 1, "draft": 1},
//     "ops": [{"name": "vendor.op", "revision": 1, "role": "add"}],   role optional
//     "kernels": [{"device": "cpu", "ops": ["vendor.op"],             or "ops": "*"
//                  "canonical": false}],                              none of them; optional
//     "vjps": ["vendor.op"], "devices": ["cpu"],
//     "optimizers": [], ...                              a list for each kind in tenon/kinds.h
//     "requires": {"ops": [], "roles": [], "cpu_features": [], "libraries": [],
//                  "packages": []}                       that bring the libraries, for people
//   }
//
// All lists are optional. The text is untrusted: it may be any bytes.
#include "core/plugin/manifest.h"

#include <set>
#include <unordered_set>

#include "core/base/error.h"
#include "core/json/reader.h"
#include "core/json/writer.h"
#include "core/plugin/sha256.h"
#include "core/registry/checks.h"

namespace tenon::plugin {
namespace {

using json::Kind;
using json::Value;

constexpr uint32_t kFormat = 1;
constexpr size_t kMaxStringBytes = 1024;

// Carries into every complaint where in the file the value stands: a member of another field, or
// the item at `index` of it.
struct Field {
  const Value& value;
  const char* name = nullptr;
  const Field* parent = nullptr;
  size_t index = 0;

  std::string path() const {
    if (name == nullptr) return parent->path() + "[" + std::to_string(index) + "]";
    return (parent == nullptr ? "" : parent->path() + ".") + name;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error{TENON_E_PLUGIN,
                "field \"" + path() + "\" must be " + expected + "; found " + describe(value)};
  }

  static std::string describe(const Value& value) {
    switch (value.kind) {
      case Kind::Null:
        return "nothing";
      case Kind::List:
        return "a value of type array";
      case Kind::Object:
        return "a value of type object";
      case Kind::String: {
        std::string text;
        json::append_quoted(text, value.text.substr(0, 60), true);
        return text;
      }
      default:
        return value.text;
    }
  }
};

Field field(const Value& object, const char* name) { return {object.member(name), name}; }

// Of a field that outlives this one.
Field field(const Field& object, const char* name) {
  return {object.value.member(name), name, &object};
}

std::string as_string(const Field& f) {
  if (!f.value.is(Kind::String)) f.refuse("a string");
  const std::string& text = f.value.text;
  if (text.empty() || text.size() > kMaxStringBytes) f.refuse("a string of 1 to 1024 bytes");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      f.refuse("a string without control characters");
    }
  }
  return text;
}

std::string as_dotted_name(const Field& f) {
  std::string name = as_string(f);
  if (!registry::is_dotted_name(name)) {
    f.refuse("a name of the form vendor.name in small letters, digits and '_'");
  }
  return name;
}

std::string as_plain_name(const Field& f) {
  std::string name = as_string(f);
  if (!registry::is_plain_name(name)) f.refuse("a name in small letters, digits and '_'");
  return name;
}

std::string as_role(const Field& f) {
  std::string role = as_string(f);
  for (uint32_t i = 1; i < registry::kRoleEnd; ++i) {
    if (role == registry::name_of_role(i)) return role;
  }
  f.refuse("a role this Tenon knows (a newer one may know more)");
}

uint32_t as_u32(const Field& f) {
  if (!f.value.is(Kind::Unsigned) || f.value.number > UINT32_MAX) {
    f.refuse("a whole number from 0 to 4294967295");
  }
  return static_cast<uint32_t>(f.value.number);
}

// Calls `take` with each element of an optional list.
template <class Take>
void each(const Field& f, Take&& take) {
  if (f.value.is(Kind::Null)) return;
  if (!f.value.is(Kind::List)) f.refuse("a list");
  size_t i = 0;
  for (const Value& item : f.value.items) take(Field{item, nullptr, &f, i++});
}

std::vector<std::string> as_list(const Field& f, std::string (*read)(const Field&)) {
  std::vector<std::string> list;
  list.reserve(f.value.items.size());  // so that views of its strings stay valid
  std::unordered_set<std::string_view> seen;
  each(f, [&](const Field& item) {
    list.push_back(read(item));
    if (!seen.insert(list.back()).second) item.refuse("listed once");
  });
  return list;
}

void check_object(const Field& f) {
  if (!f.value.is(Kind::Object)) f.refuse("an object");
}

std::string as_file_name(const Field& f) {
  std::string name = as_string(f);
  if (name.find_first_of("/\\") != std::string::npos || name == "." || name == "..") {
    f.refuse("a plain file name, without a folder");
  }
  return name;
}

std::string as_sha256(const Field& f) {
  if (f.value.is(Kind::Null)) return {};
  std::string text = as_string(f);
  if (!is_sha256(text)) f.refuse("64 hexadecimal digits in small letters");
  return text;
}

Manifest::OpName as_op(const Field& f) {
  check_object(f);
  Manifest::OpName op;
  op.name = as_dotted_name(field(f, "name"));
  const Field revision = field(f, "revision");
  if (!revision.value.is(Kind::Null)) op.revision = as_u32(revision);
  if (op.revision == 0) revision.refuse("1 or more");
  const Field role = field(f, "role");
  if (!role.value.is(Kind::Null)) op.role = as_role(role);
  return op;
}

Manifest::KernelNames as_kernels(const Field& f) {
  check_object(f);
  Manifest::KernelNames kernels;
  kernels.device = as_plain_name(field(f, "device"));
  const Field ops = field(f, "ops");
  if (ops.value.is(Kind::String) && ops.value.text == "*") {
    kernels.ops.emplace_back("*");
  } else if (ops.value.is(Kind::List)) {
    kernels.ops = as_list(ops, as_dotted_name);
  } else {
    ops.refuse("a list of op names, or \"*\"");
  }
  const Field canonical = field(f, "canonical");
  if (canonical.value.is(Kind::Bool)) {
    kernels.canonical = canonical.value.number != 0;
  } else if (!canonical.value.is(Kind::Null)) {
    canonical.refuse("true or false");
  }
  return kernels;
}

Manifest read(const Value& root) {
  if (!root.is(Kind::Object)) {
    throw Error{TENON_E_PLUGIN, "must hold an object; found " + Field::describe(root)};
  }
  const Field format = field(root, "manifest");
  if (!format.value.is(Kind::Null) && as_u32(format) != kFormat) {
    throw Error{TENON_E_PLUGIN, "needs a newer Tenon: manifest format " +
                                    std::to_string(as_u32(format)) + "; this Tenon reads " +
                                    std::to_string(kFormat)};
  }
  Manifest m;
  m.id = as_dotted_name(field(root, "id"));
  m.version = as_string(field(root, "version"));
  m.license = as_string(field(root, "license"));
  m.library = as_file_name(field(root, "library"));
  m.sha256 = as_sha256(field(root, "sha256"));
  const Field abi = field(root, "abi");
  check_object(abi);
  m.abi_major = as_u32(field(abi, "major"));
  m.abi_minor = as_u32(field(abi, "minor"));
  m.required_minor = as_u32(field(abi, "required_minor"));
  m.draft = as_u32(field(abi, "draft"));
  std::set<std::pair<std::string, uint32_t>> ops;
  each(field(root, "ops"), [&](const Field& f) {
    m.ops.push_back(as_op(f));
    if (!ops.emplace(m.ops.back().name, m.ops.back().revision).second) {
      field(f, "name").refuse("listed once with this revision");
    }
  });
  each(field(root, "kernels"), [&](const Field& f) { m.kernels.push_back(as_kernels(f)); });
  m.vjps = as_list(field(root, "vjps"), as_dotted_name);
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    m.entries[kind] = as_list(field(root, registry::kind_at(kind).plural.data()), as_dotted_name);
  }
  m.devices = as_list(field(root, "devices"), as_plain_name);
  const Field requires_ = field(root, "requires");
  if (!requires_.value.is(Kind::Null)) {
    check_object(requires_);
    m.required_ops = as_list(field(requires_, "ops"), as_dotted_name);
    m.required_roles = as_list(field(requires_, "roles"), as_role);
    m.cpu_features = as_list(field(requires_, "cpu_features"), as_string);
    m.libraries = as_list(field(requires_, "libraries"), as_file_name);
    m.packages = as_list(field(requires_, "packages"), as_string);
  }
  return m;
}

}  // namespace

Manifest parse_manifest(std::string_view json_text, std::string_view file_name) {
  try {
    return read(json::parse(json_text, TENON_E_PLUGIN));
  } catch (Error& error) {
    error.message = std::string(file_name) + ": " + error.message;
    throw;
  }
}

}  // namespace tenon::plugin
