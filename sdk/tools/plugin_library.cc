// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plugin_library.cc: from a library to its facts and its manifest. The host checks; what
// is read here it has found in order.
#include "plugin_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <tenon/plugin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "kinds.h"
#include "session.h"

namespace tenon::tools {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Failure{path + ": " + problem};
}

std::string text_of(const tenon_string& text) {
  if (text.data == nullptr) return {};
  return text.length == TENON_NUL ? std::string(text.data) : std::string(text.data, text.length);
}

// The rule of manifests for ids: "vendor.name" with parts of [a-z0-9_].
bool is_dotted_name(std::string_view name) {
  size_t parts = 1;
  char before = '.';
  for (const char c : name) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!part && (c != '.' || before == '.')) return false;
    if (c == '.') ++parts;
    before = c;
  }
  return before != '.' && parts >= 2;
}

// ---- the host's view, with each step announced --------------------------------------------------

// The one library this process looks at. The host calls its query, and what that hands out, through
// the functions below.
struct Watched {
  tenon_plugin_query_fn query = nullptr;
  tenon_plugin own{};  // as the plugin filled it in
  void* self = nullptr;
  PhaseFn at;
  const char* phase = "";
};
Watched watched;

void announce(const char* phase) {
  if (phase != watched.phase) watched.at(phase);
  watched.phase = phase;
}

tenon_status watched_init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  announce("running its init");
  const tenon_status status = watched.own.init(host, out_self, diag);
  watched.self = *out_self;
  return status;
}

const void* watched_get_interface(void* self, const char* id, uint64_t id_length) {
  announce("registering its tables");
  return watched.own.get_interface(self, id, id_length);
}

void watched_release(void* self) {
  announce("running its release");
  watched.own.release(self);
}

// Slots that the plugin left NULL stay so.
tenon_status watched_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  announce("running its query");
  const tenon_status status = watched.query(host, out, diag);
  watched.own = *out;
  if (out->init != nullptr) out->init = &watched_init;
  if (out->get_interface != nullptr) out->get_interface = &watched_get_interface;
  if (out->release != nullptr) out->release = &watched_release;
  return status;
}

// Throws the host's reason as a Failure.
void register_in(const Session& session, const std::string& path) {
  if (tenon_plugin_load(session.context(), &watched_query) == TENON_OK) return;
  tenon_error error{};
  error.struct_size = sizeof error;
  tenon_context_get_error(session.context(), &error);
  const std::string words = error.message;
  const std::string_view before = "was refused: ";  // whom is said here
  const size_t place = words.find(before);
  fail(path, "refused: " + (place == words.npos ? words : words.substr(place + before.size())));
}

// ---- its tables ---------------------------------------------------------------------------------

template <class Table>
const Table* table(const char* id) {
  return static_cast<const Table*>(watched.own.get_interface(watched.self, id, std::strlen(id)));
}

// Calls take(descriptor) for each entry of a table of descriptor pointers.
template <class Table, class Take>
void each(const char* id, Take&& take) {
  const Table* found = table<Table>(id);
  for (uint32_t i = 0; found != nullptr && i < found->count; ++i) take(*found->descs[i]);
}

constexpr std::array<const char*, TENON_ROLE_ALL_REDUCE + 1> kRoles = {
    "", "copy", "fill", "cast", "add", "sum_to", "rows_add", "isfinite", "all_reduce"};

void add_once(std::vector<std::string>& list, std::string item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

void read_tables(PluginFacts& facts) {
  each<tenon_ops_table>("tenon.ops/1", [&](const tenon_op_desc& op) {
    facts.ops.push_back({text_of(op.name), op.revision, kRoles.at(op.role)});
  });
  each<tenon_kernels_table>("tenon.kernels/1", [&](const tenon_kernel_desc& kernel) {
    const std::string device = text_of(kernel.device);
    add_once(facts.kernels[device], text_of(kernel.op));
    if ((kernel.flags & TENON_KERNEL_CANONICAL) != 0) facts.canonical.insert(device);
  });
  each<tenon_vjps_table>(
      "tenon.vjps/1", [&](const tenon_vjp_desc& rule) { add_once(facts.vjps, text_of(rule.op)); });
  const auto own = [&](const std::string& op) {
    return std::any_of(facts.ops.begin(), facts.ops.end(),
                       [&](const PluginFacts::Op& item) { return item.name == op; });
  };
  each<tenon_optimizers_table>("tenon.optimizers/1", [&](const tenon_optimizer_desc& item) {
    for (const tenon_string& op : {item.step_op, item.rows_op}) {
      const std::string name = text_of(op);
      if (!name.empty() && !own(name)) add_once(facts.required_ops, name);
    }
  });
  for (const EntryKind& kind : kEntryKinds) {
    std::vector<std::string>& names = facts.entries[kind.topic];
    each<tenon_entries_table>(
        ("tenon." + std::string(kind.topic) + "/1").c_str(),
        [&](const tenon_entry_desc& entry) { names.push_back(text_of(entry.name)); });
  }
  if (const auto* backend = table<tenon_backend_table>("tenon.backend/1")) {
    facts.devices.push_back(text_of(backend->kind));
  }
}

// The dynamic loader ends a process that opens a truncated library.
void check_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(path, "cannot be read");
  const auto size = static_cast<uint64_t>(file.tellg());
  Elf64_Ehdr header{};
  const auto read = [&](uint64_t offset, void* out, size_t bytes) {
    if (offset > size || bytes > size - offset) fail(path, "is truncated or no shared library");
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(static_cast<char*>(out), static_cast<std::streamsize>(bytes))) {
      fail(path, "cannot be read");
    }
  };
  read(0, &header, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    fail(path, "is not a shared library for 64-bit machines");
  }
  const auto check_range = [&](uint64_t offset, uint64_t bytes) {
    if (offset > size || bytes > size - offset) {
      fail(path, "is truncated: it has " + std::to_string(size) + " bytes and refers to more");
    }
  };
  check_range(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    read(header.e_phoff + i * sizeof segment, &segment, sizeof segment);
    if (segment.p_type == PT_LOAD) check_range(segment.p_offset, segment.p_filesz);
  }
}

tenon_plugin_query_fn open_library(const std::string& path, const PhaseFn& at) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) fail(path, error.message());
  check_elf(real);
  at("loading its library");
  // Never closed: static data of a plugin may be referred to until the process ends.
  void* library = dlopen(real.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* words = dlerror();
    fail(path, std::string("cannot be opened: ") + (words ? words : "for no stated reason"));
  }
  void* query = dlsym(library, TENON_PLUGIN_QUERY_NAME);
  if (query == nullptr)
    fail(path, "is not a Tenon plugin: it does not export " TENON_PLUGIN_QUERY_NAME);
  return reinterpret_cast<tenon_plugin_query_fn>(query);
}

// What plugin.json must hold and the host asks of that alone.
void read_identity(const std::string& path, PluginFacts& facts) {
  const tenon_plugin& plugin = watched.own;
  facts.id = text_of(plugin.id);
  facts.version = text_of(plugin.version);
  facts.license = text_of(plugin.license);
  facts.abi_major = plugin.built_major;
  facts.abi_minor = plugin.built_minor;
  facts.required_minor = plugin.required_minor;
  facts.draft = plugin.fingerprint.draft;
  if (!is_dotted_name(facts.id)) {
    fail(path, "its id \"" + facts.id +
                   "\" is not of the form vendor.name in small letters, digits and '_'");
  }
  if (facts.version.empty()) fail(path, "it states no version");
  if (facts.license.empty()) fail(path, "it states no license (an SPDX expression)");
}

bool offers_the_same(const Json& plugin, const PluginFacts& facts) {
  const auto meets = [&](const std::string& member, const std::vector<std::string>& own) {
    const std::vector<std::string> names = names_of(plugin.at(member));
    return std::find_first_of(names.begin(), names.end(), own.begin(), own.end()) != names.end();
  };
  std::vector<std::string> ops;
  for (const PluginFacts::Op& op : facts.ops) ops.push_back(op.name);
  return plugin.at("id") == facts.id || meets("ops", ops) || meets("devices", facts.devices) ||
         std::any_of(facts.entries.begin(), facts.entries.end(),
                     [&](const auto& entry) { return meets(entry.first, entry.second); });
}

}  // namespace

PluginFacts read_library(const std::string& path, const PhaseFn& at) {
  watched = {};
  watched.at = at;
  watched.query = open_library(path, at);
  Options none;
  none.only_paths = true;
  const Session session(none);
  register_in(session, path);
  PluginFacts facts;
  read_identity(path, facts);
  read_tables(facts);
  return facts;
}

void register_beside_others(const std::string& path, const PluginFacts& facts,
                            const Options& options, const PhaseFn& at) {
  Options others = options;
  {
    const Session session(options);
    others.plugin_paths.clear();
    for (const Json& plugin : session.query("plugins")) {
      if (plugin.at("state") == "refused" || offers_the_same(plugin, facts)) continue;
      others.plugin_paths.push_back(plugin.at("folder"));
    }
  }
  others.only_paths = true;
  watched.at = at;
  announce("opening plugins that it extends");
  const Session session(others);
  register_in(session, path);
}

Json manifest_of(const PluginFacts& facts, const std::string& library) {
  Json root;
  root["manifest"] = 1;
  root["id"] = facts.id;
  root["version"] = facts.version;
  root["license"] = facts.license;
  root["library"] = library;
  root["sha256"] = "";
  root["abi"] = {{"major", facts.abi_major},
                 {"minor", facts.abi_minor},
                 {"required_minor", facts.required_minor},
                 {"draft", facts.draft}};
  root["ops"] = Json::array();
  for (const PluginFacts::Op& op : facts.ops) {
    Json entry = {{"name", op.name}, {"revision", op.revision}};
    if (!op.role.empty()) entry["role"] = op.role;
    root["ops"].push_back(std::move(entry));
  }
  root["kernels"] = Json::array();
  for (const auto& [device, ops] : facts.kernels) {
    Json entry = {{"device", device}, {"ops", ops}};
    if (!facts.canonical.contains(device)) entry["canonical"] = false;
    root["kernels"].push_back(std::move(entry));
  }
  root["vjps"] = facts.vjps;
  for (const auto& [topic, names] : facts.entries) root[topic] = names;
  root["devices"] = facts.devices;
  root["requires"] = {{"ops", facts.required_ops},
                      {"roles", Json::array()},
                      {"cpu_features", Json::array()},
                      {"libraries", Json::array()}};
  return root;
}

}  // namespace tenon::tools
