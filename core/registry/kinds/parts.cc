// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/parts.cc: checks and listings that several kinds share.
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check_list(const What& what, const char* name, uint32_t count, const void* list) {
  if (count > TENON_MAX_SLOTS) {
    refuse(what + ": n_" + name + " is " + std::to_string(count) + "; at most " +
           std::to_string(TENON_MAX_SLOTS) + " are possible");
  }
  if (count > 0 && list == nullptr) {
    refuse(what + ": `" + name + "` is NULL, but n_" + name + " is " + std::to_string(count));
  }
}

void check_callbacks(const What& what,
                     std::initializer_list<std::pair<const char*, bool>> is_null) {
  for (const auto& [name, null] : is_null) {
    if (null) refuse(what + ": `" + name + "` is NULL; no slot may be");
  }
}

void check_endings(const What& what, const tenon_string& list) {
  std::string_view endings = text_of(list, what);
  do {
    const std::string_view ending = endings.substr(0, endings.find(' '));
    if (ending.size() < 2 || ending[0] != '.') {
      refuse(what + ": `endings` is '" + shown(text_of(list, what)) +
             "'; endings of file names are needed, each with its dot, separated by a space");
    }
    endings.remove_prefix(std::min(endings.size(), ending.size() + 1));
  } while (!endings.empty());
}

std::string child(const What& what, const char* noun, std::string_view name) {
  return what + ": " + noun + " '" + shown(name) + "'";
}

void check_unique(std::set<std::string>& seen, std::string_view name, const What& what) {
  if (!is_plain_name(name)) {
    refuse(what + ": the name '" + shown(name) + "' is not one of [a-z0-9_]");
  }
  if (!seen.emplace(name).second) refuse(what + ": '" + std::string(name) + "' stands there twice");
}

void check_hyper(const tenon_hyper_desc& hyper, const What& what, std::set<std::string>& seen,
                 uint32_t known_flags, bool lists) {
  const std::string_view name = text_of(hyper.name, what);
  check_unique(seen, name, what);
  check_flags_zero(hyper.flags & ~known_flags,
                   [&] { return child(what, "hyper-parameter", name); });
  const bool list = lists && hyper.tag == TENON_VALUE_INT_LIST;
  if (hyper.tag != TENON_VALUE_F64 && hyper.tag != TENON_VALUE_I64 &&
      hyper.tag != TENON_VALUE_BOOL && !list) {
    refuse(child(what, "hyper-parameter", name) + " has tag " + std::to_string(hyper.tag) +
           "; TENON_VALUE_F64, I64" + (lists ? ", BOOL or INT_LIST" : " or BOOL") + " is needed");
  }
  if (!list && !(hyper.minimum <= hyper.initial && hyper.initial <= hyper.maximum)) {
    refuse(child(what, "hyper-parameter", name) + " starts at " + std::to_string(hyper.initial) +
           ", outside of its range " + std::to_string(hyper.minimum) + " to " +
           std::to_string(hyper.maximum));
  }
}

void write_hypers(json::Writer& out, std::span<const tenon_hyper_desc> hypers,
                  std::pair<const char*, uint32_t> flag) {
  out.objects("hypers", hypers, [&](const tenon_hyper_desc& hyper) {
    out.member("name", text(hyper.name));
    out.member("doc", text(hyper.doc));
    out.member("type", tag_name(hyper.tag));
    out.member(flag.first, (hyper.flags & flag.second) != 0);
    out.member("default", hyper.initial);
    out.member("minimum", hyper.minimum);
    out.member("maximum", hyper.maximum);
  });
}

}  // namespace tenon::registry
