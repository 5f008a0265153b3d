// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plugin_library.cc: from a library to its facts and its manifest.
#include "plugin_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <tenon/ext/draft/datasets.h>
#include <tenon/ext/draft/formats.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/plugin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>

#include "stub_host.h"

namespace tenon::tools {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Failure{path + ": " + problem};
}

std::string text_of(const tenon_string& text) {
  if (text.data == nullptr) return {};
  return text.length == TENON_NUL ? std::string(text.data) : std::string(text.data, text.length);
}

std::string role_name(uint32_t role) {
  static constexpr std::array<const char*, 8> names = {"",    "copy",   "fill",     "cast",
                                                       "add", "sum_to", "rows_add", "isfinite"};
  if (role >= names.size()) {
    throw Failure{"role " + std::to_string(role) + " is unknown to this version of tenon"};
  }
  return names[role];
}

// The rule of manifests: "vendor.name" with parts of [a-z0-9_]; device kinds are one such part.
bool is_name(std::string_view name, bool dotted) {
  size_t parts = 1;
  char before = '.';
  for (const char c : name) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!part && (c != '.' || before == '.')) return false;
    if (c == '.') ++parts;
    before = c;
  }
  return before != '.' && (dotted ? parts >= 2 : parts == 1);
}

struct Reader {
  const std::string& path;
  const tenon_plugin& plugin;
  void* self;

  template <class Table>
  const Table* table(const char* id) const {
    const auto* found = static_cast<const Table*>(plugin.get_interface(self, id, std::strlen(id)));
    if (found != nullptr && found->struct_size < sizeof(Table)) {
      fail(path, std::string("table ") + id + " has struct_size " +
                     std::to_string(found->struct_size) + "; " + std::to_string(sizeof(Table)) +
                     " is needed");
    }
    return found;
  }

  std::string name(const tenon_string& text, const char* what, bool dotted = true) const {
    std::string name = text_of(text);
    if (!is_name(name, dotted)) {
      fail(path, std::string("the ") + what + " name \"" + name + "\" is not of the form " +
                     (dotted ? "vendor.name" : "name") + " in small letters, digits and '_'");
    }
    return name;
  }

  // Calls take(descriptor) for each entry of a table of descriptor pointers.
  template <class Table, class Take>
  void each(const char* id, Take&& take) const {
    const Table* found = table<Table>(id);
    for (uint32_t i = 0; found != nullptr && i < found->count; ++i) {
      if (found->descs == nullptr || found->descs[i] == nullptr) {
        fail(path, std::string("entry ") + std::to_string(i) + " of table " + id + " is NULL");
      }
      take(*found->descs[i]);
    }
  }
};

void add_once(std::vector<std::string>& list, std::string item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

void read_tables(const Reader& reader, PluginFacts& facts) {
  reader.each<tenon_ops_table>("tenon.ops/1", [&](const tenon_op_desc& op) {
    facts.ops.push_back({reader.name(op.name, "op", true), op.revision, role_name(op.role)});
  });
  reader.each<tenon_kernels_table>("tenon.kernels/1", [&](const tenon_kernel_desc& kernel) {
    const std::string device = reader.name(kernel.device, "device", false);
    add_once(facts.kernels[device], reader.name(kernel.op, "op"));
    if ((kernel.flags & TENON_KERNEL_CANONICAL) != 0) facts.canonical.insert(device);
  });
  reader.each<tenon_vjps_table>("tenon.vjps/1", [&](const tenon_vjp_desc& rule) {
    add_once(facts.vjps, reader.name(rule.op, "op"));
  });
  const auto own = [&](const std::string& op) {
    return std::any_of(facts.ops.begin(), facts.ops.end(),
                       [&](const PluginFacts::Op& item) { return item.name == op; });
  };
  reader.each<tenon_optimizers_table>("tenon.optimizers/1", [&](const tenon_optimizer_desc& item) {
    facts.optimizers.push_back(reader.name(item.name, "optimizer"));
    for (const tenon_string& op : {item.step_op, item.rows_op}) {
      const std::string name = text_of(op);
      if (!name.empty() && !own(name)) add_once(facts.required_ops, reader.name(op, "op"));
    }
  });
  reader.each<tenon_schedules_table>(
      TENON_INTERFACE_SCHEDULES, [&](const tenon_schedule_desc& item) {
        facts.schedules.push_back(reader.name(item.name, "schedule"));
      });
  reader.each<tenon_datasets_table>(TENON_INTERFACE_DATASETS, [&](const tenon_dataset_desc& item) {
    facts.datasets.push_back(reader.name(item.name, "dataset"));
  });
  reader.each<tenon_formats_table>(TENON_INTERFACE_FORMATS, [&](const tenon_format_desc& item) {
    facts.formats.push_back(reader.name(item.name, "format"));
  });
  reader.each<tenon_layers_table>(TENON_INTERFACE_LAYERS, [&](const tenon_layer_desc& item) {
    facts.layers.push_back(reader.name(item.name, "layer"));
  });
  if (const auto* backend = reader.table<tenon_backend_table>("tenon.backend/1")) {
    facts.devices.push_back(reader.name(backend->kind, "device", false));
  }
}

void check_versions(const std::string& path, const tenon_plugin& plugin) {
  if (plugin.built_major != TENON_ABI_MAJOR || plugin.fingerprint.draft != TENON_ABI_DRAFT) {
    fail(path, "was built for ABI " + std::to_string(plugin.built_major) + " draft " +
                   std::to_string(plugin.fingerprint.draft) + "; this command reads ABI " +
                   std::to_string(TENON_ABI_MAJOR) + " draft " + std::to_string(TENON_ABI_DRAFT));
  }
  if (plugin.init == nullptr || plugin.release == nullptr || plugin.get_interface == nullptr) {
    fail(path, "its query left init, release or get_interface NULL");
  }
}

std::string words_of(const tenon_diag& diag, tenon_status status) {
  const std::string words(diag.message, strnlen(diag.message, sizeof diag.message));
  return words.empty() ? "status " + std::to_string(status) : words;
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
    fail(path, "is no shared library for 64-bit machines");
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
    fail(path, "is no Tenon plugin: it does not export " TENON_PLUGIN_QUERY_NAME);
  return reinterpret_cast<tenon_plugin_query_fn>(query);
}

}  // namespace

PluginFacts read_library(const std::string& path, const PhaseFn& at) {
  const tenon_plugin_query_fn query = open_library(path, at);
  tenon_plugin plugin{};
  plugin.struct_size = sizeof plugin;
  tenon_diag diag{};
  at("running its query");
  tenon_status status = query(&stub_host(), &plugin, &diag);
  if (status != TENON_OK) fail(path, "its query reported: " + words_of(diag, status));
  check_versions(path, plugin);

  PluginFacts facts;
  facts.id = text_of(plugin.id);
  facts.version = text_of(plugin.version);
  facts.license = text_of(plugin.license);
  facts.abi_major = plugin.built_major;
  facts.abi_minor = plugin.built_minor;
  facts.required_minor = plugin.required_minor;
  facts.draft = plugin.fingerprint.draft;
  if (!is_name(facts.id, true)) {
    fail(path, "its id \"" + facts.id +
                   "\" is not of the form vendor.name in small letters, "
                   "digits and '_'");
  }
  if (facts.version.empty()) fail(path, "it states no version");
  if (facts.license.empty()) fail(path, "it states no license (an SPDX expression)");

  at("running its init");
  void* self = nullptr;
  status = plugin.init(&stub_host(), &self, &diag);
  if (status != TENON_OK) fail(path, "its init reported: " + words_of(diag, status));
  struct Release {
    const tenon_plugin& plugin;
    void* self;
    const PhaseFn& at;
    ~Release() {
      at("running its release");
      plugin.release(self);
    }
  } release{plugin, self, at};
  at("reading its tables");
  read_tables({path, plugin, self}, facts);
  return facts;
}

Json manifest_of(const PluginFacts& facts, const std::string& library, const std::string& sha256) {
  Json root;
  root["manifest"] = 1;
  root["id"] = facts.id;
  root["version"] = facts.version;
  root["license"] = facts.license;
  root["library"] = library;
  if (!sha256.empty()) root["sha256"] = sha256;
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
  root["optimizers"] = facts.optimizers;
  root["schedules"] = facts.schedules;
  root["datasets"] = facts.datasets;
  root["formats"] = facts.formats;
  root["layers"] = facts.layers;
  root["devices"] = facts.devices;
  root["requires"] = {{"ops", facts.required_ops},
                      {"roles", Json::array()},
                      {"cpu_features", facts.needed_cpu_features},
                      {"libraries", facts.needed_libraries}};
  return root;
}

}  // namespace tenon::tools
