// SPDX-License-Identifier: Apache-2.0
// core/plugin/plugin_host.cc: from a name to what a plugin registered under it, and the words for
// names that nothing was registered under.
#include "core/plugin/plugin_host.h"

#include <tenon/tenon.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/words.h"
#include "core/registry/checks.h"
#include "core/registry/transaction.h"

namespace tenon::plugin {
namespace {

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

std::string count_text(const SearchPath& path) {
  std::string text = path.found == 1 ? "1 plugin" : std::to_string(path.found) + " plugins";
  if (path.refused > 0) text += ", " + std::to_string(path.refused) + " refused";
  for (const std::string& library : path.unlisted) text += "; no plugin.json beside " + library;
  return text;
}

constexpr const char* kNotListedHint =
    "put the folder of the plugin that offers it into one of these, or name its folder in "
    "TENON_PLUGIN_PATH; `tenon doctor` shows what was found";
constexpr const char* kRefusedHint =
    "`tenon doctor` shows every plugin; a new runtime tries again after it was put right";

}  // namespace

std::string verdict_of(const Plugin& plugin) {
  switch (plugin.state.load(std::memory_order_acquire)) {
    case State::Refused:
      return "was refused: " + plugin.reason;
    case State::Failed:
      return "could not be opened: " + plugin.reason;
    case State::Open:
      return "is open but does not offer it";
    case State::Deactivated:
      return "was deactivated";
    case State::Found:
      break;
  }
  return "is being opened just now";
}

void check_usable(const Plugin& plugin, const std::string& consequence) {
  const State now = plugin.state.load(std::memory_order_acquire);
  if (now == State::Found || now == State::Open) return;
  throw Error{.status = TENON_E_PLUGIN,
              .message = "plugin " + plugin.id + " in " + plugin.folder + " cannot be used: it " +
                         verdict_of(plugin) + "; " + consequence,
              .plugin = plugin.id,
              .hint = kRefusedHint};
}

PluginHost::PluginHost(const HostOptions& options, registry::Registry& registry,
                       const tenon_host& host)
    : registry_(registry), host_(host), policy_(options.policy) {
  if (policy_ == TENON_POLICY_ALLOWLIST) allowlist_ = Allowlist::load(options.allowlist);
  scan(options);
}

PluginHost::~PluginHost() {
  for (auto plugin = opened_.rbegin(); plugin != opened_.rend(); ++plugin) {
    (*plugin)->interface.release((*plugin)->self);
  }
}

Plugin* PluginHost::find_plugin(std::string_view id) const {
  for (const auto& plugin : plugins_) {
    if (plugin->id == id) return plugin.get();
  }
  const std::lock_guard lock(mutex_);
  for (const auto& plugin : programs_) {
    if (plugin->id == id) return plugin.get();
  }
  return nullptr;
}

std::vector<const Plugin*> PluginHost::plugins() const {
  std::vector<const Plugin*> all;
  for (const auto& plugin : plugins_) all.push_back(plugin.get());
  const std::lock_guard lock(mutex_);
  for (const auto& plugin : programs_) all.push_back(plugin.get());
  return all;
}

const Plugin* PluginHost::find(std::string_view id) const { return find_plugin(id); }

std::string PluginHost::searched() const {
  if (paths_.empty()) return "no folder was searched";
  std::string text;
  for (const SearchPath& path : paths_) {
    text += text.empty() ? "looked in " : ", ";
    text += path.folder.empty() ? path.origin : path.folder;
    text += " (" + (path.problem.empty() ? count_text(path) : path.problem) + ")";
  }
  return text;
}

const PluginHost::Plugins& PluginHost::listing(Listed kind, std::string_view name) const {
  static const Plugins none;
  const auto& names = names_[static_cast<size_t>(kind)];
  const auto found = names.find(name);
  return found == names.end() ? none : found->second;
}

std::string_view PluginHost::noun_of(uint32_t kind) {
  return kind == kOps ? "op" : registry::kind_at(kind).noun;
}

std::string PluginHost::words_for(Listed kind, std::string_view name) {
  if (kind == Listed::Device && name.empty()) return "a device with host memory";
  if (kind == Listed::Role) return "an op with role '" + std::string(name) + "'";
  const std::string_view noun =
      kind == Listed::Op ? noun_of(kOps)
      : kind < Listed::Entry
          ? "device"
          : noun_of(static_cast<uint32_t>(kind) - static_cast<uint32_t>(Listed::Entry));
  return std::string(noun) + " " + quoted(name);
}

std::string PluginHost::missing_text(const std::string& what, const Plugins& listed_by) const {
  std::string text;
  for (const Plugin* plugin : listed_by) {
    text += text.empty() ? what + " is listed by plugin " : "; also by plugin ";
    text += plugin->id + " in " + plugin->folder + ", which " + verdict_of(*plugin);
  }
  if (!text.empty()) return text;
  text = what + " is not available: no plugin lists it; " + searched();
  for (const auto& plugin : plugins_) {
    if (plugin->manifest.id.empty()) {
      text += "; what " + plugin->folder + " offers is unknown: " + plugin->reason;
    }
  }
  return text;
}

std::string PluginHost::suggestion(Listed kind, std::string_view name) const {
  const auto& names = names_[static_cast<size_t>(kind)];
  std::string text;
  if (kind == Listed::Role) return text;  // the core's own words
  if (kind == Listed::Device) {
    text = base::joined(names, ", ", [](const auto& entry) { return entry.first; });
    return text.empty() ? text : "plugins list these: " + text + ".";
  }
  base::Nearest nearest(name);
  for (const auto& [listed, plugins] : names) nearest.show(listed);
  return nearest.names().empty() ? text : "did you mean " + quoted(nearest.name()) + "?";
}

std::string PluginHost::hint_for(Listed kind, std::string_view name,
                                 const Plugins& listed_by) const {
  if (!listed_by.empty()) return kRefusedHint;
  const std::string near = suggestion(kind, name);
  return near.empty() ? kNotListedHint : near + " Else " + kNotListedHint;
}

void PluginHost::missing(Listed kind, std::string_view name, const Plugins& listed_by) const {
  const bool is_listed = !listed_by.empty();
  throw Error{.status = is_listed ? TENON_E_PLUGIN : TENON_E_NOT_FOUND,
              .message = missing_text(words_for(kind, name), listed_by),
              .plugin = is_listed ? listed_by.front()->id : "",
              .hint = hint_for(kind, name, listed_by)};
}

std::vector<uint32_t> PluginHost::kinds_of(std::string_view name) const {
  std::vector<uint32_t> kinds;
  if (!listing(Listed::Op, name).empty() || registry_.find_op(name)) kinds.push_back(kOps);
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    const bool known = !listing(listed(kind), name).empty() || registry_.find_entry(kind, name);
    if (known) kinds.push_back(kind);
  }
  return kinds;
}

void PluginHost::missing_everywhere(std::string_view name) const {
  base::Nearest nearest(name);
  const auto show = [&](Listed kind) {
    for (const auto& [listed, plugins] : names_[static_cast<size_t>(kind)]) nearest.show(listed);
  };
  show(Listed::Op);
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) show(listed(kind));
  Error error{TENON_E_NOT_FOUND, missing_text("\"" + std::string(name) + "\"", {})};
  error.found = name;
  error.hint = kNotListedHint;
  std::string meant;
  for (const std::string& near : nearest.names()) {
    const std::string nouns = base::joined(kinds_of(near), ", ", noun_of);
    meant += (meant.empty() ? "" : ", ") + quoted(std::string_view(near)) + " (" + nouns + ")";
  }
  if (!meant.empty()) error.hint = "did you mean " + meant + "? Else " + error.hint;
  throw error;
}

registry::Op& PluginHost::require_op(std::string_view name, uint32_t revision) {
  const Plugins& listed_by = opened(Listed::Op, name);
  if (registry::Op* op = registry_.find_op(name, revision)) return *op;
  const registry::Op* newest = registry_.find_op(name);
  if (newest == nullptr) missing(Listed::Op, name, listed_by);
  Error error{TENON_E_NOT_FOUND, words_for(Listed::Op, name) + " has no revision " +
                                     std::to_string(revision) + "; its newest is " +
                                     std::to_string(newest->desc.revision)};
  error.op = name;
  error.expected = "revision " + std::to_string(revision);
  error.found = "revision " + std::to_string(newest->desc.revision);
  error.plugin = newest->plugin->id;
  error.hint = "ask for revision 0 to get the newest";
  throw error;
}

registry::Op& PluginHost::require_role(uint32_t role) {
  if (registry::Op* op = registry_.role(role)) return *op;
  const std::string name(registry::name_of_role(role));
  const Plugins& listed_by = opened(Listed::Role, name);
  if (registry::Op* op = registry_.role(role)) return *op;
  const std::string what = words_for(Listed::Role, name);
  fail(TENON_E_NO_ROLE, missing_text(what, listed_by), {}, what + ", which Tenon itself needs here",
       {}, hint_for(Listed::Role, name, listed_by));
}

const registry::Backend& PluginHost::require_backend(std::string_view kind) {
  if (kind.empty()) return require_host_backend();
  const Plugins& listed_by = opened(Listed::Device, kind);
  if (const uint32_t id = registry_.find_name(kind)) {
    if (const registry::Backend* backend = registry_.backend(id)) return *backend;
  }
  missing(Listed::Device, kind, listed_by);
}

// A manifest does not say whether a device is host memory, so they are opened in search order until
// one is; the answer does not change later, because all before it have been asked.
const registry::Backend& PluginHost::require_host_backend() {
  if (const registry::Backend* backend = registry_.host_backend()) {
    if (host_backend_known_.load(std::memory_order_acquire)) return *backend;
  }
  const std::lock_guard lock(mutex_);
  Plugins listed_by;
  for (const auto& plugin : plugins_) {
    if (plugin->manifest.devices.empty()) continue;
    listed_by.push_back(plugin.get());
    open(*plugin);
    const registry::Backend* backend = registry_.host_backend();
    if (backend != nullptr && backend->plugin == plugin.get()) {
      host_backend_known_.store(true, std::memory_order_release);
      return *backend;
    }
  }
  std::erase_if(listed_by, [](const Plugin* plugin) { return plugin->state == State::Open; });
  missing(Listed::Device, {}, listed_by);
}

const PluginHost::Plugins& PluginHost::opened(Listed kind, std::string_view name) {
  const Plugins& listed_by = listing(kind, name);
  const auto is_unopened = [](const Plugin* plugin) {
    return plugin->state.load(std::memory_order_acquire) == State::Found;
  };
  if (std::ranges::any_of(listed_by, is_unopened)) {
    const std::lock_guard lock(mutex_);
    open_all_of(listed_by);
  }
  return listed_by;
}

const registry::Entry& PluginHost::require_entry(uint32_t kind, std::string_view name) {
  const Plugins& listed_by = opened(listed(kind), name);
  if (const registry::Entry* entry = registry_.find_entry(kind, name)) return *entry;
  missing(listed(kind), name, listed_by);
}

void PluginHost::open_entries(uint32_t kind) {
  const std::lock_guard lock(mutex_);
  for (const auto& plugin : plugins_) {
    if (!plugin->manifest.entries[kind].empty()) open(*plugin);
  }
}

void PluginHost::open_for_device(uint32_t kind) {
  const std::lock_guard lock(mutex_);
  open_kind(kind, false);
}

void PluginHost::open_providers(uint32_t kind) {
  const std::lock_guard lock(mutex_);
  open_kind(kind, true);
}

void PluginHost::open_kind(uint32_t kind, bool all) {
  std::vector<uint32_t>& done = all ? provided_kinds_ : opened_kinds_;
  if (std::find(done.begin(), done.end(), kind) != done.end()) return;
  const registry::Backend* backend = registry_.backend(kind);
  all |= backend == nullptr || (backend->table->flags & TENON_BACKEND_HOST_MEMORY) == 0;
  const std::string name = registry_.name_of(kind);
  open_those([&](const Manifest& manifest) {
    return !manifest.vjps.empty() ||
           std::ranges::any_of(manifest.kernels, [&](const auto& kernels) {
             return kernels.device == name && (all || kernels.canonical);
           });
  });
  done.push_back(kind);
}

// In id order.
template <class Wanted>
void PluginHost::open_those(const Wanted& is_wanted) {
  Plugins wanted;
  for (const auto& plugin : plugins_) {
    if (!is_wanted(plugin->manifest)) continue;
    const auto by_id = [](const Plugin* a, const auto& b) { return a->id < b->id; };
    wanted.insert(std::upper_bound(wanted.begin(), wanted.end(), plugin.get(), by_id),
                  plugin.get());
  }
  open_all_of(wanted);
}

void PluginHost::open_kernels(uint32_t kind, std::string_view op) {
  const std::lock_guard lock(mutex_);
  const std::string device = registry_.name_of(kind);
  const auto has_op = [op](const std::string& name) { return name == op || name == "*"; };
  open_those([&](const Manifest& manifest) {
    return std::ranges::any_of(manifest.kernels, [&](const auto& kernels) {
      return kernels.device == device && std::ranges::any_of(kernels.ops, has_op);
    });
  });
}

void PluginHost::open_pinned(std::string_view id) {
  Plugin* plugin = find_plugin(id);
  if (plugin == nullptr || plugin->state.load(std::memory_order_acquire) != State::Found) return;
  const std::lock_guard lock(mutex_);
  open(*plugin);
}

void PluginHost::deactivate(std::string_view id) {
  Plugin* plugin = find_plugin(id);
  if (plugin == nullptr) {
    fail(TENON_E_NOT_FOUND, "no plugin " + quoted(id) + " was found; " + searched(), "id",
         "the id of a plugin of this runtime", std::string(id), "`tenon list` shows every plugin");
  }
  const std::lock_guard lock(mutex_);
  const State state = plugin->state.load(std::memory_order_acquire);
  if (state == State::Open) registry::remove(registry_, *plugin);
  if (state == State::Open || state == State::Found) {
    plugin->state.store(State::Deactivated, std::memory_order_release);
    // Who has looked at the plugin since the removal saw it active, and has to look again.
    registry_.raise_epoch();
  }
}

void PluginHost::open_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& plugin : plugins_) open(*plugin);
}

}  // namespace tenon::plugin
