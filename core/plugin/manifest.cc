// SPDX-License-Identifier: Apache-2.0
// core/plugin/manifest.cc: reading and writing plugin.json.
//
//   {
//     "manifest": 1,                                     format of this file; 1 when absent
//     "id": "vendor.name", "version": "0.1.0", "license": "Apache-2.0",
//     "library": "vendor.name.so",                       a file beside this one
//     "sha256": "64 hex digits",                         of the library; optional
//     "abi": {"major": 0, "minor": 1, "required_minor": 1, "draft": 1},
//     "ops": [{"name": "vendor.op", "revision": 1, "role": "add"}],   role optional
//     "kernels": [{"device": "cpu", "ops": ["vendor.op"]}],           or "ops": "*"
//     "vjps": ["vendor.op"], "optimizers": [], "datasets": [],
//     "devices": ["cpu"],
//     "requires": {"ops": [], "roles": [], "cpu_features": [], "libraries": []}
//   }
//
// All lists are optional. The text is untrusted: it may be any bytes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/api/error.h"
#include "core/plugin/plugin_host.h"
#include "core/plugin/sha256.h"
#include "core/registry/checks.h"

namespace tenon::plugin {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;
constexpr uint32_t kFormat = 1;
constexpr size_t kMaxStringBytes = 1024;

// Carries the path of the field into every complaint.
struct Field {
  const json& value;
  std::string path;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error{TENON_E_PLUGIN,
                "field \"" + path + "\" must be " + expected + "; found " + describe(value)};
  }

  static std::string describe(const json& value) {
    if (value.is_null()) return "nothing";
    if (value.is_number() || value.is_boolean()) return value.dump();
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      return json(text.substr(0, 60)).dump(-1, ' ', true, json::error_handler_t::replace);
    }
    return std::string("a value of type ") + value.type_name();
  }
};

const json& member(const json& object, const char* name) {
  static const json none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

Field field(const json& object, const char* name, const std::string& prefix = {}) {
  return {member(object, name), prefix + name};
}

std::string as_string(const Field& f) {
  if (!f.value.is_string()) f.refuse("a string");
  const auto& text = f.value.get_ref<const std::string&>();
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
  if (!f.value.is_number_unsigned() || f.value.get<uint64_t>() > UINT32_MAX) {
    f.refuse("a whole number from 0 to 4294967295");
  }
  return f.value.get<uint32_t>();
}

// Calls `take` with each element of an optional list.
template <class Take>
void each(const Field& f, Take&& take) {
  if (f.value.is_null()) return;
  if (!f.value.is_array()) f.refuse("a list");
  size_t i = 0;
  for (const json& item : f.value) {
    take(Field{item, f.path + "[" + std::to_string(i++) + "]"});
  }
}

std::vector<std::string> as_list(const Field& f, std::string (*read)(const Field&)) {
  std::vector<std::string> list;
  each(f, [&](const Field& item) {
    std::string name = read(item);
    if (std::find(list.begin(), list.end(), name) != list.end()) {
      item.refuse("listed once");
    }
    list.push_back(std::move(name));
  });
  return list;
}

void check_object(const Field& f) {
  if (!f.value.is_object()) f.refuse("an object");
}

std::string as_file_name(const Field& f) {
  std::string name = as_string(f);
  if (name.find_first_of("/\\") != std::string::npos || name == "." || name == "..") {
    f.refuse("a plain file name, without a folder");
  }
  return name;
}

std::string as_sha256(const Field& f) {
  if (f.value.is_null()) return {};
  std::string text = as_string(f);
  if (!is_sha256(text)) f.refuse("64 hexadecimal digits in small letters");
  return text;
}

Manifest::OpName as_op(const Field& f) {
  check_object(f);
  const std::string prefix = f.path + ".";
  Manifest::OpName op;
  op.name = as_dotted_name(field(f.value, "name", prefix));
  const Field revision = field(f.value, "revision", prefix);
  if (!revision.value.is_null()) op.revision = as_u32(revision);
  if (op.revision == 0) revision.refuse("1 or more");
  const Field role = field(f.value, "role", prefix);
  if (!role.value.is_null()) op.role = as_role(role);
  return op;
}

Manifest::KernelNames as_kernels(const Field& f) {
  check_object(f);
  const std::string prefix = f.path + ".";
  Manifest::KernelNames kernels;
  kernels.device = as_plain_name(field(f.value, "device", prefix));
  const Field ops = field(f.value, "ops", prefix);
  if (ops.value.is_string() && ops.value.get_ref<const std::string&>() == "*") {
    kernels.ops.emplace_back("*");
  } else if (ops.value.is_array()) {
    kernels.ops = as_list(ops, as_dotted_name);
  } else {
    ops.refuse("a list of op names, or \"*\"");
  }
  return kernels;
}

// nlohmann's reader is not recursive, but a bound keeps what follows simple.
void check_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) {
        throw Error{TENON_E_PLUGIN, "brackets are nested deeper than " + std::to_string(kMaxDepth)};
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

json parse_json(std::string_view text) {
  check_depth(text);
  try {
    // Where a name stands twice, readers would not agree on which one counts.
    std::vector<std::set<std::string>> seen;
    const auto watch = [&](int, json::parse_event_t event, json& parsed) {
      if (event == json::parse_event_t::object_start) seen.emplace_back();
      if (event == json::parse_event_t::object_end) seen.pop_back();
      if (event == json::parse_event_t::key && !seen.back().insert(parsed).second) {
        throw Error{TENON_E_PLUGIN, "field " + Field::describe(parsed) + " stands there twice"};
      }
      return true;
    };
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string what = error.what();
    what.resize(std::min(what.find("; last read: "), what.size()));  // bytes of the file
    const size_t tag = what.find("] ");
    throw Error{TENON_E_PLUGIN,
                "is not JSON: " + (tag == std::string::npos ? what : what.substr(tag + 2))};
  }
}

Manifest read(const json& root) {
  if (!root.is_object()) {
    throw Error{TENON_E_PLUGIN, "must hold an object; found " + Field::describe(root)};
  }
  const Field format = field(root, "manifest");
  if (!format.value.is_null() && as_u32(format) != kFormat) {
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
  m.abi_major = as_u32(field(abi.value, "major", "abi."));
  m.abi_minor = as_u32(field(abi.value, "minor", "abi."));
  m.required_minor = as_u32(field(abi.value, "required_minor", "abi."));
  m.draft = as_u32(field(abi.value, "draft", "abi."));
  std::set<std::pair<std::string, uint32_t>> ops;
  each(field(root, "ops"), [&](const Field& f) {
    m.ops.push_back(as_op(f));
    if (!ops.emplace(m.ops.back().name, m.ops.back().revision).second) {
      field(f.value, "name", f.path + ".").refuse("listed once with this revision");
    }
  });
  each(field(root, "kernels"), [&](const Field& f) { m.kernels.push_back(as_kernels(f)); });
  m.vjps = as_list(field(root, "vjps"), as_dotted_name);
  m.optimizers = as_list(field(root, "optimizers"), as_dotted_name);
  m.datasets = as_list(field(root, "datasets"), as_dotted_name);
  m.devices = as_list(field(root, "devices"), as_plain_name);
  const Field requires_ = field(root, "requires");
  if (!requires_.value.is_null()) {
    check_object(requires_);
    m.required_ops = as_list(field(requires_.value, "ops", "requires."), as_dotted_name);
    m.required_roles = as_list(field(requires_.value, "roles", "requires."), as_role);
    m.cpu_features = as_list(field(requires_.value, "cpu_features", "requires."), as_string);
    m.libraries = as_list(field(requires_.value, "libraries", "requires."), as_file_name);
  }
  return m;
}

}  // namespace

Manifest parse_manifest(std::string_view json_text, std::string_view file_name) {
  try {
    return read(parse_json(json_text));
  } catch (Error& error) {
    error.message = std::string(file_name) + ": " + error.message;
    throw;
  } catch (const json::exception& error) {
    throw Error{TENON_E_PLUGIN, std::string(file_name) + ": " + error.what()};
  }
}

std::string format_manifest(const Manifest& m) {
  nlohmann::ordered_json root;
  root["manifest"] = kFormat;
  root["id"] = m.id;
  root["version"] = m.version;
  root["license"] = m.license;
  root["library"] = m.library;
  if (!m.sha256.empty()) root["sha256"] = m.sha256;
  root["abi"] = {{"major", m.abi_major},
                 {"minor", m.abi_minor},
                 {"required_minor", m.required_minor},
                 {"draft", m.draft}};
  root["ops"] = nlohmann::ordered_json::array();
  for (const auto& op : m.ops) {
    nlohmann::ordered_json entry = {{"name", op.name}, {"revision", op.revision}};
    if (!op.role.empty()) entry["role"] = op.role;
    root["ops"].push_back(std::move(entry));
  }
  root["kernels"] = nlohmann::ordered_json::array();
  for (const auto& kernels : m.kernels) {
    nlohmann::ordered_json entry = {{"device", kernels.device}, {"ops", kernels.ops}};
    if (kernels.ops == std::vector<std::string>{"*"}) entry["ops"] = "*";
    root["kernels"].push_back(std::move(entry));
  }
  root["vjps"] = m.vjps;
  root["optimizers"] = m.optimizers;
  root["datasets"] = m.datasets;
  root["devices"] = m.devices;
  root["requires"] = {{"ops", m.required_ops},
                      {"roles", m.required_roles},
                      {"cpu_features", m.cpu_features},
                      {"libraries", m.libraries}};
  return root.dump(2) + "\n";
}

}  // namespace tenon::plugin
