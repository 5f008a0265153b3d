// SPDX-License-Identifier: Apache-2.0
// core/plugin/allowlist.cc: reads
//
//   {"lock": 1, "plugins": [{"id": "vendor.name", "sha256": "64 hex digits"}, ...]}
//
// What else an entry says (version, library) is for people.
#include "core/plugin/allowlist.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include "core/base/error.h"
#include "core/json/reader.h"
#include "core/plugin/policy.h"
#include "core/plugin/sha256.h"
#include "core/registry/checks.h"

namespace tenon::plugin {
namespace {

using json::Kind;
using json::Value;

[[noreturn]] void refuse_list(const std::string& path, tenon_status status,
                              const std::string& problem) {
  fail(status, "allow-list " + path + " " + problem, "allowlist", "a lock file", {},
       "write it with `tenon plugin lock -o " + path + "`");
}

std::string read_all(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOMEM) throw std::bad_alloc();
  if (!file) refuse_list(path, TENON_E_IO, std::string("cannot be read: ") + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) refuse_list(path, TENON_E_IO, "cannot be read");
  return text;
}

std::string text_at(const Value& entry, const char* name) {
  const Value& found = entry.member(name);
  return found.is(Kind::String) ? found.text : std::string();
}

Value parse_text(const std::string& text) {
  try {
    return json::parse(text, TENON_E_DATA);
  } catch (const Error&) {
    return {};  // refused as no object
  }
}

}  // namespace

Allowlist Allowlist::load(const std::string& path) {
  const std::string text = read_all(path);
  check_owned(path);
  return {path, text};
}

Allowlist::Allowlist(const std::string& path, const std::string& text) : path_(path) {
  const Value root = parse_text(text);
  if (!root.is(Kind::Object)) refuse_list(path_, TENON_E_DATA, "is not a JSON object");
  const Value& version = root.member("lock");
  if (!version.is(Kind::Unsigned) || version.number != 1) {
    refuse_list(path_, TENON_E_DATA, "has no \"lock\": 1; this Tenon reads format 1");
  }
  const Value& plugins = root.member("plugins");
  if (!plugins.is(Kind::List)) refuse_list(path_, TENON_E_DATA, "has no list \"plugins\"");
  for (size_t i = 0; i < plugins.items.size(); ++i) {
    const Value& entry = plugins.items[i];
    std::string where = "plugins[" + std::to_string(i) + "]";
    if (!entry.is(Kind::Object)) refuse_list(path_, TENON_E_DATA, where + " is not an object");
    const std::string id = text_at(entry, "id");
    const std::string hash = text_at(entry, "sha256");
    if (id.empty()) refuse_list(path_, TENON_E_DATA, where + " has no \"id\"");
    where.append(" (").append(id).append(")");
    if (!is_sha256(hash)) {
      refuse_list(path_, TENON_E_DATA,
                  where + ": \"sha256\" must be 64 hexadecimal digits in small letters");
    }
    if (!hashes_.emplace(id, hash).second) {
      refuse_list(path_, TENON_E_DATA, where + " is listed twice");
    }
  }
}

const std::string& Allowlist::hash_of(const std::string& id) const {
  const auto found = hashes_.find(id);
  if (found != hashes_.end()) return found->second;
  registry::refuse("the allow-list " + path_ +
                   " does not list it; if it should be permitted, write the list again with "
                   "`tenon plugin lock`");
}

}  // namespace tenon::plugin
