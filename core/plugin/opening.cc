// SPDX-License-Identifier: Apache-2.0
// core/plugin/opening.cc: from a manifest to a registered plugin. Everything here runs under the
// host's mutex; a plugin's `init` is the only code of it that runs, and the backend's device_count.
#include <tenon/tenon.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/plugin/handshake.h"
#include "core/plugin/library_file.h"
#include "core/plugin/loader.h"
#include "core/plugin/plugin_host.h"
#include "core/plugin/policy.h"
#include "core/plugin/sealed_file.h"
#include "core/registry/checks.h"
#include "core/registry/transaction.h"

namespace tenon::plugin {
namespace {

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool has_kernel_or_rule(const Manifest& manifest, const std::string& op) {
  if (has(manifest.vjps, op)) return true;
  return std::any_of(manifest.kernels.begin(), manifest.kernels.end(),
                     [&](const auto& kernels) { return has(kernels.ops, op); });
}

registry::Tables tables_of(const tenon_plugin& plugin, void* self) {
  registry::Tables tables;
  registry::each_table(tables, [&]<class Table>(std::string_view id, const Table*& table) {
    table = static_cast<const Table*>(plugin.get_interface(self, id.data(), id.size()));
  });
  return tables;
}

// Before the plugin's own library, so that the words name what is missing.
void open_needed_libraries(Plugin& plugin) {
  plugin.stage = Stage::Requirement;
  for (const std::string& library : plugin.manifest.libraries) {
    const std::string problem = open_system_library(library);
    if (problem.empty()) continue;
    std::string words = "it needs the library ";
    words.append(library).append(", which cannot be opened: ").append(problem);
    const char* before = "; install ";
    for (const std::string& package : plugin.manifest.packages) {
      words.append(std::exchange(before, ", ")).append(package);
    }
    registry::refuse(words);
  }
}

// For what a plugin let escape into the host.
std::string thrown_text(const char* words) noexcept {
  try {
    if (words != nullptr) return "it has thrown an exception: " + registry::shown(words);
  } catch (...) {
  }
  return "it has thrown";
}

// Gives back what `init` made, unless registration kept it.
struct ReleaseSelf {
  Plugin& plugin;
  bool kept = false;
  ~ReleaseSelf() {
    if (kept) return;
    plugin.interface.release(plugin.self);
    plugin.self = nullptr;
    plugin.tables = {};
  }
};

}  // namespace

// Running out of memory says nothing about the plugin: it stays to be opened.
bool PluginHost::open(Plugin& plugin) {
  if (plugin.state.load(std::memory_order_acquire) != State::Found) {
    return plugin.state.load(std::memory_order_acquire) == State::Open;
  }
  // Plugins that need each other's ops: the inner one does without what the outer one brings.
  if (std::find(opening_.begin(), opening_.end(), &plugin) != opening_.end()) return false;
  struct Opening {
    Plugins& list;
    ~Opening() { list.pop_back(); }
  };
  State verdict = State::Failed;
  opening_.push_back(&plugin);
  const Opening opening{opening_};
  opened_.reserve(opened_.size() + opening_.size());
  try {
    open_checked(plugin, verdict);
    opened_.push_back(&plugin);
    verdict = State::Open;
  } catch (Error& error) {
    plugin.reason = std::move(error.message);
  } catch (const std::bad_alloc&) {
    plugin.report.clear();
    throw;
  } catch (const OutOfMemory&) {
    plugin.report.clear();
    throw;
  } catch (const std::exception& error) {
    plugin.reason = thrown_text(error.what());
    verdict = State::Failed;
  } catch (...) {
    plugin.reason = thrown_text(nullptr);
    verdict = State::Failed;
  }
  plugin.state.store(verdict, std::memory_order_release);
  return verdict == State::Open;
}

// What is checked here is what is opened: under the allow-list a sealed copy, under `owned` a file
// that nobody but root and the caller can exchange in between.
tenon_plugin_query_fn PluginHost::open_file(Plugin& plugin, State& verdict) {
  plugin.stage = Stage::Policy;
  if (policy_ == TENON_POLICY_ALLOWLIST) {
    SealedFile file(plugin.library, allowlist_.hash_of(plugin.id));
    open_needed_libraries(plugin);
    plugin.stage = Stage::Library;
    check_library_file(file.path(), plugin.library);
    verdict = State::Failed;
    bool opened = false;
    const tenon_plugin_query_fn query =
        open_sealed(file.path(), file.sha256(), plugin.library, opened);
    if (opened) file.keep_open();
    return query;
  }
  if (policy_ == TENON_POLICY_OWNED) {
    PathsOfNow now;
    now.check_owned(plugin.folder + "/plugin.json");
    now.check_owned(plugin.library);
  }
  open_needed_libraries(plugin);
  plugin.stage = Stage::Library;
  check_library_file(plugin.library, plugin.library);
  verdict = State::Failed;
  return open_library(plugin.library);
}

void PluginHost::open_checked(Plugin& plugin, State& verdict) {
  verdict = State::Refused;
  plugin.stage = Stage::Requirement;
  open_rivals(plugin);
  open_required(plugin);

  const tenon_plugin_query_fn query = open_file(plugin, verdict);
  if (!std::exchange(plugin.mapped, true)) {
    libraries_opened_.fetch_add(1, std::memory_order_relaxed);
  }
  plugin.stage = Stage::Handshake;
  Answer answer;
  call_query(query, host_, answer);
  verdict = State::Refused;
  check_answer(answer, host_);
  plugin.interface = answer.plugin;
  check_identity(plugin.manifest, plugin.interface);

  verdict = State::Failed;
  init(plugin);
  verdict = State::Refused;
  plugin.stage = Stage::Registration;
  ReleaseSelf self{plugin};
  register_tables(plugin);
  self.kept = true;
  plugin.stage = Stage::None;
}

void PluginHost::init(Plugin& plugin) {
  plugin.stage = Stage::Init;
  tenon_diag diag{};
  tenon_status status = plugin.interface.init(&host_, &plugin.self, &diag);
  if (status == TENON_E_MEMORY) {  // may have passed; asked for ever it would keep others waiting
    diag = {};
    status = plugin.interface.init(&host_, &plugin.self, &diag);
  }
  if (status == TENON_OK) return;
  plugin.self = nullptr;
  throw Error{TENON_E_PLUGIN, "its init reported: " + words_of(diag, status)};
}

// ---- a plugin of the program --------------------------------------------------------------------

namespace {

// What a manifest would say.
Manifest manifest_of(const tenon_plugin& plugin, const registry::TableNames& names) {
  Manifest manifest;
  manifest.id = registry::text_of(plugin.id, "id");
  manifest.version = registry::text_of(plugin.version, "version");
  manifest.license = registry::text_of(plugin.license, "license");
  manifest.abi_major = plugin.built_major;
  manifest.abi_minor = plugin.built_minor;
  manifest.required_minor = plugin.required_minor;
  manifest.draft = plugin.fingerprint.draft;
  for (const auto& op : names.ops) {
    manifest.ops.push_back({std::string(op.name), op.revision, std::string(op.role)});
  }
  for (const auto& [device, kernels] : names.kernels) {
    manifest.kernels.push_back(
        {std::string(device), {kernels.ops.begin(), kernels.ops.end()}, kernels.canonical});
  }
  manifest.vjps.assign(names.vjps.begin(), names.vjps.end());
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    manifest.entries[kind].assign(names.entries[kind].begin(), names.entries[kind].end());
  }
  manifest.devices.assign(names.devices.begin(), names.devices.end());
  return manifest;
}

[[noreturn]] void refuse_taken(std::string_view kind, std::string_view name, const Plugin* owner) {
  std::string words = std::string(kind) + " \"" + std::string(name) + "\" is offered by plugin ";
  registry::refuse(words.append(owner->id).append(" already; choose another name"));
}

}  // namespace

void PluginHost::refuse_taken_names(const registry::TableNames& names) {
  for (const auto& op : names.ops) {
    open_all_of(listing(Listed::Op, op.name));
    const registry::Op* taken = registry_.find_op(op.name, op.revision);
    if (taken != nullptr) refuse_taken("op", op.name, taken->plugin);
  }
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    for (const std::string_view name : names.entries[kind]) {
      open_all_of(listing(listed(kind), name));
      const registry::Entry* taken = registry_.find_entry(kind, name);
      if (taken != nullptr) refuse_taken(registry::kind_at(kind).noun, name, taken->plugin);
    }
  }
  for (const std::string_view name : names.devices) {
    open_all_of(listing(Listed::Device, name));
    const uint32_t kind = registry_.find_name(name);
    const registry::Backend* taken = kind == 0 ? nullptr : registry_.backend(kind);
    if (taken != nullptr) refuse_taken("device", name, taken->plugin);
  }
}

void PluginHost::load(tenon_plugin_query_fn query) {
  const std::lock_guard lock(mutex_);
  auto plugin = std::make_unique<Plugin>();
  plugin->order = static_cast<uint32_t>(plugins_.size() + programs_.size());
  programs_.reserve(programs_.size() + 1);
  opened_.reserve(opened_.size() + 1);
  try {
    Answer answer;
    call_query(query, host_, answer);
    check_answer(answer, host_);
    plugin->interface = answer.plugin;
    plugin->id = registry::text_of(plugin->interface.id, "id");
    if (plugin->id.empty()) registry::refuse("\"id\" is empty");
    if (find_plugin(plugin->id) != nullptr)
      registry::refuse("there is a plugin of this id already");
    init(*plugin);
    ReleaseSelf self{*plugin};
    const registry::TableNames names =
        registry::names_of(tables_of(plugin->interface, plugin->self));
    plugin->manifest = manifest_of(plugin->interface, names);
    refuse_taken_names(names);
    register_tables(*plugin);
    self.kept = true;
  } catch (Error& error) {
    error.plugin = plugin->id;
    error.message = "the program's plugin " + (plugin->id.empty() ? "" : plugin->id + " ") +
                    "was refused: " + error.message;
    throw;
  }
  plugin->stage = Stage::None;
  plugin->state.store(State::Open, std::memory_order_release);
  opened_.push_back(plugin.get());
  programs_.push_back(std::move(plugin));
}

void PluginHost::register_tables(Plugin& plugin) {
  plugin.tables = tables_of(plugin.interface, plugin.self);
  const registry::TableNames names = registry::names_of(plugin.tables);
  check_agreement(plugin.manifest, names);
  std::set<std::string_view> ops = names.vjps;
  for (const auto& [device, kernels] : names.kernels) {
    ops.insert(kernels.ops.begin(), kernels.ops.end());
  }
  for (const auto& op : names.ops) ops.erase(op.name);
  for (const std::string_view op : ops) open_all_of(listing(Listed::Op, op));
  // What a backend must have kernels for is known only when these are there.
  for (const uint32_t role : {TENON_ROLE_COPY, TENON_ROLE_FILL}) {
    if (plugin.tables.backend == nullptr) continue;
    open_all_of(listing(Listed::Role, registry::name_of_role(role)));
  }
  registry::add(registry_, plugin, plugin.tables, plugin.report);
}

void PluginHost::open_all_of(const Plugins& plugins) {
  for (Plugin* plugin : plugins) open(*plugin);
}

// The same name from two plugins goes to the first in the search order, whichever is needed first.
void PluginHost::open_rivals(const Plugin& plugin) {
  each_listed(plugin.manifest, [&](Listed kind, const std::string& name) {
    for (Plugin* other : listing(kind, name)) {
      if (other->order < plugin.order) open(*other);
    }
  });
}

void PluginHost::refuse_without(Listed kind, const std::string& name) const {
  const Plugins& listed_by = listing(kind, name);
  const std::string near = listed_by.empty() ? suggestion(kind, name) : "";
  registry::refuse(missing_text("it requires " + words_for(kind, name) + ", which", listed_by) +
                   (near.empty() ? near : "; " + near));
}

// An op that the plugin only has kernels or rules for may be missing: those are passed over.
void PluginHost::open_required(const Plugin& plugin) {
  const auto is_opening = [&](const Plugins& plugins) {
    return std::any_of(plugins.begin(), plugins.end(), [&](Plugin* other) {
      return std::find(opening_.begin(), opening_.end(), other) != opening_.end();
    });
  };
  for (const std::string& op : plugin.manifest.required_ops) {
    const Plugins& listed_by = listing(Listed::Op, op);
    open_all_of(listed_by);
    if (registry_.find_op(op) == nullptr && !is_opening(listed_by) &&
        !has_kernel_or_rule(plugin.manifest, op)) {
      refuse_without(Listed::Op, op);
    }
  }
  for (uint32_t role = 1; role < registry::kRoleEnd; ++role) {
    const std::string name(registry::name_of_role(role));
    if (!has(plugin.manifest.required_roles, name)) continue;
    const Plugins& listed_by = listing(Listed::Role, name);
    open_all_of(listed_by);
    if (registry_.role(role) == nullptr && !is_opening(listed_by)) {
      refuse_without(Listed::Role, name);
    }
  }
}

}  // namespace tenon::plugin
