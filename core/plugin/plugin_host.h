// SPDX-License-Identifier: Apache-2.0
// core/plugin/plugin_host.h: finds plugins by their manifests, opens them when first needed, and
// remembers why one was refused. Nothing here knows what a plugin is for.
#pragma once

#include <sys/stat.h>
#include <tenon/plugin.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/plugin/allowlist.h"
#include "core/plugin/policy.h"
#include "core/registry/plugin.h"
#include "core/registry/registry.h"

namespace tenon::registry {
struct TableNames;
}

namespace tenon::plugin {

using registry::Manifest;
using registry::Plugin;
using State = registry::PluginState;
using Stage = registry::PluginStage;

// "was refused: it needs ...", of a plugin that does not offer what it lists.
std::string verdict_of(const Plugin& plugin);

// Throws Error{TENON_E_PLUGIN} if it was refused, failed or deactivated; `consequence` ends the
// message.
void check_usable(const Plugin& plugin, const std::string& consequence);

struct SearchPath {
  std::string folder;
  std::string origin;     // "option", "TENON_PLUGIN_PATH", "user", "system", "library"
  std::string problem{};  // "" or why it was skipped ("does not exist", "is not a folder", ...)
  uint32_t found = 0;     // plugins in it
  uint32_t refused = 0;   // those of them that the scan refused
  // Of each folder with a library and no plugin.json the first library: nothing opens it.
  std::vector<std::string> unlisted{};
};

struct HostOptions {
  std::vector<std::string> paths;  // searched first
  bool default_paths = true;
  bool environment = true;
  uint32_t policy = 0;    // TENON_POLICY_*
  std::string allowlist;  // the lock file of TENON_POLICY_ALLOWLIST
  std::vector<std::string> exclude;
};

class PluginHost : NoCopy {
 public:
  // Scans at once: reads manifests, opens nothing. Never throws for a broken plugin, except for an
  // allow-list that cannot be read.
  PluginHost(const HostOptions& options, registry::Registry& registry, const tenon_host& host);
  ~PluginHost();  // calls each opened plugin's release; libraries stay mapped

  // Each opens what lists the thing, and returns it; throws Error{TENON_E_NOT_FOUND} that names the
  // thing, the folders searched, and stored diagnoses of plugins that list it, or
  // Error{TENON_E_PLUGIN} if the plugin that lists it was refused. Thread-safe; the fast path
  // (already there) takes no exclusive lock.
  registry::Op& require_op(std::string_view name, uint32_t revision);
  registry::Op& require_role(uint32_t role);                        // missing: TENON_E_NO_ROLE
  const registry::Backend& require_backend(std::string_view kind);  // "" = host memory
  const registry::Entry& require_entry(uint32_t kind, std::string_view name);
  template <class Desc>  // of the kind with this descriptor
  const registry::Entry& require_entry(std::string_view name) {
    return require_entry(registry::kind_of<Desc>(), name);
  }
  void open_entries(uint32_t kind);  // all of a kind: what they are for is not in a manifest

  // Ops, beside the kinds of entries by number.
  static constexpr uint32_t kOps = registry::kKindEnd;
  static std::string_view noun_of(uint32_t kind);  // "op", "optimizer"
  // Under which of them a name is listed or registered: ops first, then in the order of the list.
  std::vector<uint32_t> kinds_of(std::string_view name) const;
  // Throws Error{TENON_E_NOT_FOUND} for a name of none of them, with the nearest of all.
  [[noreturn]] void missing_everywhere(std::string_view name) const;

  // Opens all permitted plugins that list kernels for this device kind, or backward rules, in id
  // order; once per kind and later for nothing. On a device with host memory those stay closed that
  // canonical arithmetic can choose nothing from: their libraries take milliseconds to load.
  void open_for_device(uint32_t kind);
  void open_providers(uint32_t kind);  // those too, if more than canonical arithmetic may choose
  // Those that list a kernel of this op for the kind, if canonical arithmetic may choose them too.
  void open_kernels(uint32_t kind, std::string_view op);
  // The plugin of this id, if there is one.
  void open_pinned(std::string_view id);
  void open_all();  // for listings

  // Takes a plugin out of use: nothing of it is found, chosen or opened again. Calls that run
  // inside it are not waited for. No effect on one that was refused or has failed. Throws
  // Error{TENON_E_NOT_FOUND} if there is none of this id.
  void deactivate(std::string_view id);

  // Adds a plugin that is part of the program, open at once. Throws Error{TENON_E_PLUGIN} if it
  // is not what a plugin must be, or offers what another one offers already; then nothing of it is
  // left.
  void load(tenon_plugin_query_fn query);

  const Plugin* find(std::string_view id) const;
  std::vector<const Plugin*> plugins() const;  // in search order, then those of the program
  const std::vector<SearchPath>& paths() const { return paths_; }
  std::string searched() const;  // "looked in A, B (does not exist), ..." for messages
  int64_t libraries_opened() const { return libraries_opened_.load(std::memory_order_relaxed); }

 private:
  using Plugins = std::vector<Plugin*>;
  // What manifests list by name. Entries of kind k are Listed(Entry + k).
  enum class Listed : uint32_t { Op, Role, Device, Entry };
  static constexpr Listed listed(uint32_t kind) {
    return static_cast<Listed>(static_cast<uint32_t>(Listed::Entry) + kind);
  }

  // Calls visit(kind, name) for each name that a manifest lists.
  template <class Visit>
  static void each_listed(const Manifest& manifest, const Visit& visit) {
    for (const Manifest::OpName& op : manifest.ops) {
      visit(Listed::Op, op.name);
      if (!op.role.empty()) visit(Listed::Role, op.role);
    }
    for (const std::string& name : manifest.devices) visit(Listed::Device, name);
    for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
      for (const std::string& name : manifest.entries[kind]) visit(listed(kind), name);
    }
  }

  // scan.cc
  void scan(const HostOptions& options);
  void scan_path(SearchPath& path, const HostOptions& options, PathsOfNow& now);
  void scan_folder(const std::string& folder, const struct stat& manifest, SearchPath& path,
                   const HostOptions& options, PathsOfNow& now);
  void list_names();

  // opening.cc; the mutex is held
  bool open(Plugin& plugin);  // true when Open; throws if memory runs out, and nothing else
  void open_checked(Plugin& plugin, State& verdict);
  tenon_plugin_query_fn open_file(Plugin& plugin, State& verdict);
  void open_rivals(const Plugin& plugin);
  void open_required(const Plugin& plugin);
  [[noreturn]] void refuse_without(Listed kind, const std::string& name) const;
  void open_all_of(const Plugins& plugins);
  void init(Plugin& plugin);
  void register_tables(Plugin& plugin);
  void refuse_taken_names(const registry::TableNames& names);

  void open_kind(uint32_t kind, bool all);
  template <class Wanted>
  void open_those(const Wanted& is_wanted);  // is_wanted(manifest)
  Plugin* find_plugin(std::string_view id) const;
  const registry::Backend& require_host_backend();
  // What lists the name, opened if it was not yet.
  const Plugins& opened(Listed kind, std::string_view name);
  const Plugins& listing(Listed kind, std::string_view name) const;
  static std::string words_for(Listed kind, std::string_view name);  // `op "acme.op"`
  std::string missing_text(const std::string& what, const Plugins& listed_by) const;
  // `did you mean "acme.op"?` of the listed name that is nearest, or ""; of devices all.
  std::string suggestion(Listed kind, std::string_view name) const;
  std::string hint_for(Listed kind, std::string_view name, const Plugins& listed_by) const;
  [[noreturn]] void missing(Listed kind, std::string_view name, const Plugins& listed_by) const;

  registry::Registry& registry_;
  const tenon_host& host_;
  uint32_t policy_;
  Allowlist allowlist_;
  std::vector<std::unique_ptr<Plugin>> plugins_;   // found by the scan
  std::vector<std::unique_ptr<Plugin>> programs_;  // of the program itself; guarded by the mutex
  std::vector<SearchPath> paths_;
  // By kind: name -> the plugins whose manifests list it, in search order, refused ones too.
  // Written by the scan alone, so it is read without a lock.
  std::array<std::map<std::string, Plugins, std::less<>>,
             size_t(Listed::Entry) + registry::kKindEnd>
      names_;
  mutable std::recursive_mutex mutex_;
  Plugins opening_;                       // being opened now, outermost first
  Plugins opened_;                        // in the order they were opened
  std::vector<uint32_t> opened_kinds_;    // open_for_device
  std::vector<uint32_t> provided_kinds_;  // open_providers
  std::atomic<int64_t> libraries_opened_{0};
  std::atomic<bool> host_backend_known_{false};
};

}  // namespace tenon::plugin
