// SPDX-License-Identifier: Apache-2.0
// core/plugin/allowlist.h: the lock file of TENON_POLICY_ALLOWLIST, written by `tenon plugin lock`.
#pragma once

#include <map>
#include <string>

namespace tenon::plugin {

class Allowlist {
 public:
  Allowlist() = default;
  // Reads a lock file; throws Error{TENON_E_IO} or {TENON_E_DATA} that names the file and the
  // field, and Error{TENON_E_PLUGIN} if others than root and the caller could change it.
  static Allowlist load(const std::string& path);
  // The same from a text; `path` stands for it in the words.
  Allowlist(const std::string& path, const std::string& text);

  // The sha256 of this plugin's library; throws Error{TENON_E_PLUGIN} if the list has none.
  const std::string& hash_of(const std::string& id) const;

 private:
  std::string path_;
  std::map<std::string, std::string> hashes_;  // id -> sha256
};

}  // namespace tenon::plugin
