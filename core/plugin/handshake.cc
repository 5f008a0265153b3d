// SPDX-License-Identifier: Apache-2.0
// core/plugin/handshake.cc: versions, fingerprint, identity, and manifest against registration.
#include "core/plugin/handshake.h"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <set>

#include "core/base/error.h"

namespace tenon::plugin {
namespace {

using registry::refuse;

const char* sanitizer_name(uint32_t sanitizer) {
  constexpr const char* names[] = {"no sanitizer", "AddressSanitizer", "ThreadSanitizer"};
  static_assert(std::size(names) == TENON_SANITIZER_THREAD + 1);
  return sanitizer < std::size(names) ? names[sanitizer] : "an unknown sanitizer";
}

// Draft and major come first: if they differ, nothing else can be read.
void check_versions(uint32_t draft, uint32_t major, uint32_t minor, uint32_t required_minor,
                    const tenon_host& host) {
  if (major != host.abi_major) {
    refuse("built for ABI major " + std::to_string(major) + "; this Tenon loads major " +
           std::to_string(host.abi_major));
  }
  if (draft != host.fingerprint.draft) {
    refuse("built for ABI draft " + std::to_string(draft) + "; this Tenon loads draft " +
           std::to_string(host.fingerprint.draft) +
           (draft < host.fingerprint.draft ? ": build it again with the headers of this Tenon"
                                           : ": it needs a newer Tenon"));
  }
  if (required_minor > host.abi_minor) {
    refuse("needs a newer Tenon: it requires ABI " + std::to_string(major) + "." +
           std::to_string(required_minor) + "; this one offers " + std::to_string(host.abi_major) +
           "." + std::to_string(host.abi_minor));
  }
  if (required_minor > minor) {
    refuse("requires ABI minor " + std::to_string(required_minor) + " but was built for " +
           std::to_string(minor));
  }
}

[[noreturn]] void disagree(const std::string& field, const std::string& difference) {
  refuse("plugin.json and the library disagree in field \"" + field + "\": " + difference +
         "; write plugin.json again with `tenon manifest`");
}

void compare_text(const char* name, const std::string& manifest, const tenon_string& library) {
  const std::string found(registry::text_of(library, name));
  if (found != manifest) {
    disagree(name, "plugin.json says \"" + manifest + "\", the library \"" +
                       registry::shown(found) + "\"");
  }
}

void compare_number(const char* name, uint32_t manifest, uint32_t library) {
  if (manifest != library) {
    disagree(name, "plugin.json says " + std::to_string(manifest) + ", the library " +
                       std::to_string(library));
  }
}

std::string text_of(std::string_view name) { return std::string(name); }

std::string text_of(const registry::TableNames::OpName& op) {
  std::string text = "\"" + std::string(op.name) + "\" revision " + std::to_string(op.revision);
  if (!op.role.empty()) text += " with role \"" + std::string(op.role) + "\"";
  return text;
}

template <class Item>
void compare_names(const std::string& name, const std::set<Item>& manifest,
                   const std::set<Item>& library) {
  for (const Item& item : manifest) {
    if (library.contains(item)) continue;
    disagree(name, "plugin.json lists " + text_of(item) + ", which the library does not register");
  }
  for (const Item& item : library) {
    if (manifest.contains(item)) continue;
    disagree(name, "the library registers " + text_of(item) + ", which plugin.json does not list");
  }
}

std::set<std::string_view> as_set(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

// Whether a plugin is opened for canonical arithmetic hangs on `canonical`.
void compare_kernels(const Manifest& manifest, const registry::TableNames& names) {
  std::map<std::string_view, registry::TableNames::Kernels> listed;
  for (const auto& entry : manifest.kernels) {
    registry::TableNames::Kernels& kernels = listed[entry.device];
    kernels.ops.insert(entry.ops.begin(), entry.ops.end());
    kernels.canonical |= entry.canonical;
  }
  for (const auto& [device, kernels] : listed) {
    if (!names.kernels.contains(device)) {
      disagree("kernels", "plugin.json lists device " + text_of(device) +
                              ", for which the library registers no kernel");
    }
  }
  for (const auto& [device, kernels] : names.kernels) {
    const auto found = listed.find(device);
    if (found == listed.end()) {
      disagree("kernels", "the library registers kernels for device " + text_of(device) +
                              ", which plugin.json does not list");
    }
    const std::string field = "kernels." + text_of(device);
    if (!found->second.ops.contains("*")) compare_names(field, found->second.ops, kernels.ops);
    if (kernels.canonical && !found->second.canonical) {
      disagree(field + ".canonical",
               "plugin.json says false, the library registers a kernel with the flag CANONICAL");
    }
  }
}

}  // namespace

std::string words_of(const tenon_diag& diag, tenon_status status) {
  std::string words(diag.message, strnlen(diag.message, sizeof diag.message));
  if (words.empty()) words = "status " + std::to_string(status);
  return words;
}

void call_query(tenon_plugin_query_fn query, const tenon_host& host, Answer& answer) {
  answer = Answer{};
  answer.plugin.struct_size = sizeof(tenon_plugin);
  tenon_diag diag{};
  const tenon_status status = query(&host, &answer.plugin, &diag);
  if (status != TENON_OK) {
    throw Error{TENON_E_PLUGIN,
                std::string(TENON_PLUGIN_QUERY_NAME) + " reported: " + words_of(diag, status)};
  }
}

void check_answer(const Answer& answer, const tenon_host& host) {
  const tenon_plugin& plugin = answer.plugin;
  const tenon_fingerprint& theirs = plugin.fingerprint;
  const tenon_fingerprint& ours = host.fingerprint;
  if (plugin.init == nullptr && theirs.pointer_bits == 0 && theirs.draft == 0) {
    refuse(TENON_PLUGIN_QUERY_NAME " returned TENON_OK and filled in nothing");
  }
  check_versions(theirs.draft, plugin.built_major, plugin.built_minor, plugin.required_minor, host);
  if (theirs.pointer_bits != ours.pointer_bits) {
    refuse("built for pointers of " + std::to_string(theirs.pointer_bits) +
           " bits; this Tenon has " + std::to_string(ours.pointer_bits));
  }
  if (theirs.byte_order != ours.byte_order) {
    char words[160];
    std::snprintf(words, sizeof words,
                  "built for another byte order (0x%08x; this Tenon has 0x%08x): "
                  "TENON_FINGERPRINT_BUILT of tenon/plugin.h states what was built",
                  theirs.byte_order, ours.byte_order);
    refuse(words);
  }
  if (theirs.sanitizer != ours.sanitizer) {
    refuse(std::string("built with ") + sanitizer_name(theirs.sanitizer) + "; this Tenon with " +
           sanitizer_name(ours.sanitizer));
  }
  if (plugin.struct_size < sizeof(tenon_plugin)) {
    refuse("filled in " + std::to_string(plugin.struct_size) + " bytes of tenon_plugin; " +
           std::to_string(sizeof(tenon_plugin)) + " are needed");
  }
  for (size_t i = 0; i < sizeof answer.behind; ++i) {
    if (answer.behind[i] != 0) {
      refuse("needs a newer Tenon: unknown data at offset " +
             std::to_string(sizeof(tenon_plugin) + i) + " of tenon_plugin");
    }
  }
  if (plugin.struct_size > sizeof answer) {
    refuse("says that it filled in " + std::to_string(plugin.struct_size) +
           " bytes of tenon_plugin; it was given " + std::to_string(sizeof(tenon_plugin)));
  }
  if (plugin.flags != 0 || plugin.reserved != 0) {
    refuse("needs a newer Tenon: unknown flags " + std::to_string(plugin.flags) + ", reserved " +
           std::to_string(plugin.reserved) + " in tenon_plugin");
  }
  if (plugin.init == nullptr || plugin.release == nullptr || plugin.get_interface == nullptr) {
    const char* name = plugin.init == nullptr      ? "init"
                       : plugin.release == nullptr ? "release"
                                                   : "get_interface";
    refuse(std::string("`") + name + "` of tenon_plugin is NULL; no slot may be");
  }
}

void check_manifest_abi(const Manifest& manifest, const tenon_host& host) {
  check_versions(manifest.draft, manifest.abi_major, manifest.abi_minor, manifest.required_minor,
                 host);
}

void check_identity(const Manifest& manifest, const tenon_plugin& plugin) {
  compare_text("id", manifest.id, plugin.id);
  compare_text("version", manifest.version, plugin.version);
  compare_text("license", manifest.license, plugin.license);
  compare_number("abi.major", manifest.abi_major, plugin.built_major);
  compare_number("abi.minor", manifest.abi_minor, plugin.built_minor);
  compare_number("abi.required_minor", manifest.required_minor, plugin.required_minor);
  compare_number("abi.draft", manifest.draft, plugin.fingerprint.draft);
}

void check_agreement(const Manifest& manifest, const registry::TableNames& names) {
  std::set<registry::TableNames::OpName> listed;
  for (const auto& op : manifest.ops) listed.insert({op.name, op.revision, op.role});
  compare_names("ops", listed, names.ops);
  compare_kernels(manifest, names);
  compare_names("vjps", as_set(manifest.vjps), names.vjps);
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    compare_names(std::string(registry::kind_at(kind).plural), as_set(manifest.entries[kind]),
                  names.entries[kind]);
  }
  compare_names("devices", as_set(manifest.devices), names.devices);
}

}  // namespace tenon::plugin
