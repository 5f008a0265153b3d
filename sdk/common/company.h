// SPDX-License-Identifier: Apache-2.0
// sdk/common/company.h: which plugins a plugin that is looked at is opened with.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "program.h"

namespace tenon::tools {

// The plugins a probed one is opened with: those that define the ops it extends, offer its devices,
// run its ops, and hold the roles of the core. Few, so that what happens is its own doing.
class Company {
 public:
  // `plugins`: the answer to the query of that name; must outlive this.
  explicit Company(const Json& plugins) : plugins_(plugins) {}

  // Ids of all plugins but `plugin`, one of them, and its company.
  std::vector<std::string> excluded_for(const Json& plugin);

 private:
  bool is_member(const Json& plugin) const;
  template <class Offers>
  void need(std::set<std::string> names, const Offers& offers);
  void need_all(const char* field);  // every name that plugins list there
  void need_for(const Json& plugin);

  const Json& plugins_;
  std::vector<const Json*> members_;
};

}  // namespace tenon::tools
