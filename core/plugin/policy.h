// SPDX-License-Identifier: Apache-2.0
// core/plugin/policy.h: which files may be opened. All functions throw Error{TENON_E_PLUGIN} with
// path, what was found and the cure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::plugin {

// `path` without links and dots; "" if it cannot be found (errno says why).
std::string real_path(const std::string& path);

// TENON_POLICY_OWNED: refuses `path` (which must exist) when it or a folder above it is writable by
// all users, or belongs to neither root nor the caller. World-writable folders with the sticky bit
// (/tmp) are accepted: what others put there is not ours, and is refused by its owner.
void check_owned(const std::string& path);

// The same two for many paths of one moment: a folder is resolved once, and what was found in order
// is not looked at again.
class PathsOfNow {
 public:
  std::string real_path(const std::string& path);
  void check_owned(const std::string& path);

 private:
  std::map<std::string, std::string> folders_;  // as given -> real
  std::set<std::string> in_order_;
};

// Refuses CPU features this machine lacks, and names it does not know.
void check_cpu_features(const std::vector<std::string>& features);

}  // namespace tenon::plugin
