// SPDX-License-Identifier: Apache-2.0
// core/runtime/file_entries.cc: which entry of a kind is for a file, and the words if none is.
#include "core/runtime/file_entries.h"

#include <algorithm>

#include "core/base/words.h"

namespace tenon {
namespace {

using plugin::Plugin;

const KnownFile* find_known(std::span<const KnownFile> known, std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto fits = [&](const KnownFile& file) {
    return file.name.starts_with('.') ? base::ends_like(name, file.name) : name == file.name;
  };
  const auto found = std::ranges::find_if(known, fits);
  return found == known.end() ? nullptr : &*found;
}

bool lists(const Plugin& plugin, uint32_t kind, std::string_view entry) {
  return std::ranges::find(plugin.manifest.entries[kind], entry) !=
         plugin.manifest.entries[kind].end();
}

// "; plugin ... was refused: ..." of each that might read the file.
// listed  those that list `entry`; else all of the kind, and those that cannot say what they list
std::string closed_plugins(const Runtime& runtime, uint32_t kind, std::string_view entry,
                           bool listed) {
  std::string words;
  for (const Plugin* each : runtime.plugins.plugins()) {
    const bool open = each->state.load(std::memory_order_acquire) == plugin::State::Open;
    if (open || runtime.plugins.find(each->id) != each) continue;  // or one of its id came first
    if (each->manifest.id.empty()) {
      if (!listed) words += "; what " + each->folder + " offers is unknown: " + each->reason;
    } else if (listed ? lists(*each, kind, entry) : !each->manifest.entries[kind].empty()) {
      words += "; plugin " + each->id + " in " + each->folder + ", which has " +
               std::string(registry::kind_at(kind).plural) + ", " + plugin::verdict_of(*each);
    }
  }
  return words;
}

// file  what is known of it; NULL: nothing
[[noreturn]] void fail_unclaimed(const Runtime& runtime, uint32_t kind, std::string_view path,
                                 const std::string& endings, std::string_view example,
                                 const KnownFile* file) {
  const registry::Kind& what = registry::kind_at(kind);
  const std::string noun(what.noun);
  const std::string entry(file ? file->entry : "");
  const bool here = !entry.empty() && runtime.registry.find_entry(kind, entry) != nullptr;
  const bool listed = std::ranges::any_of(
      runtime.plugins.plugins(), [&](const Plugin* each) { return lists(*each, kind, entry); });
  std::string message = "no " + noun + " is for files named as '" + std::string(path) + "'";
  std::string hint = "name the " + noun + ", for example " + std::string(example);
  if (file) {
    message += ": such files are " + std::string(file->what);
    message += entry.empty() ? ", which no " + noun + " reads"
                             : ", for " + entry + (here ? "" : ", which is not here");
    hint = !entry.empty() && !here ? "it comes with " + std::string(file->source)
           : file->hint.empty()    ? "name the " + noun + " " + entry
                                   : file->hint;
  }
  const std::string closed = here ? "" : closed_plugins(runtime, kind, entry, listed);
  if (!closed.empty()) {
    constexpr std::string_view kDoctor = "`tenon doctor` shows every plugin";
    hint = listed ? std::string(kDoctor) + "; a new runtime tries again after it was put right"
                  : hint + "; " + std::string(kDoctor);
  }
  fail(TENON_E_NOT_FOUND, message + closed, "path",
       endings.empty() ? "a plugin with " + std::string(what.plural) : "one of: " + endings,
       std::string(path), hint);
}

}  // namespace

const registry::Entry& entry_for_file(Runtime& runtime, uint32_t kind,
                                      std::string_view (*endings_of)(const registry::Entry& entry),
                                      std::string_view path, std::string_view example,
                                      std::span<const KnownFile> known) {
  runtime.plugins.open_entries(kind);
  const registry::Entry* best = nullptr;
  size_t longest = 0;
  std::string endings;
  for (const registry::Entry* entry : runtime.registry.entries(kind)) {
    for (const std::string_view ending : base::words_of(endings_of(*entry))) {
      endings += (endings.empty() ? "" : " ") + std::string(ending);
      if (!base::ends_like(path, ending) || ending.size() <= longest) continue;
      best = entry;
      longest = ending.size();
    }
  }
  if (best != nullptr) return *best;
  fail_unclaimed(runtime, kind, path, endings, example, find_known(known, path));
}

}  // namespace tenon
