// SPDX-License-Identifier: Apache-2.0
// sdk/common/company.cc: see company.h.
#include "company.h"

#include <algorithm>
#include <utility>

namespace tenon::tools {
namespace {

bool lists(const Json& names, const std::string& name) {
  const std::vector<std::string> all = names_of(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool has_kernel(const Json& plugin, const std::string& op) {
  for (const Json& entry : plugin.at("kernels")) {
    if (entry.at("ops").is_string() || lists(entry.at("ops"), "*") || lists(entry.at("ops"), op)) {
      return true;
    }
  }
  return false;
}

bool holds_role(const Json& plugin) {
  for (const Json& op : plugin.at("ops")) {
    if (!op.value("role", "").empty()) return true;
  }
  return false;
}

}  // namespace

bool Company::is_member(const Json& plugin) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Json* member) { return member->at("id") == plugin.at("id"); });
}

// Adds the plugin that offers most of `names`, until no other offers one of the rest. Of equals it
// is one with a device: a plugin that adds kernels to that device would bring it along.
template <class Offers>
void Company::need(std::set<std::string> names, const Offers& offers) {
  const auto erase_offered = [&](const Json& plugin) {
    std::erase_if(names, [&](const std::string& name) { return offers(plugin, name); });
  };
  for (const Json* member : members_) erase_offered(*member);
  while (!names.empty()) {
    const Json* best = nullptr;
    std::pair<ptrdiff_t, bool> most{0, true};
    for (const Json& plugin : plugins_) {
      if (plugin.at("state") == "refused") continue;
      const auto count = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
        return offers(plugin, name);
      });
      const std::pair<ptrdiff_t, bool> worth{count, !plugin.at("devices").empty()};
      if (worth > most) best = &plugin;
      most = std::max(most, worth);
    }
    if (best == nullptr) return;
    members_.push_back(best);
    erase_offered(*best);
  }
}

void Company::need_all(const char* field) {
  std::set<std::string> all;
  for (const Json& plugin : plugins_) {
    for (const std::string& name : names_of(plugin.at(field))) all.insert(name);
  }
  need(all,
       [&](const Json& other, const std::string& name) { return lists(other.at(field), name); });
}

void Company::need_for(const Json& plugin) {
  std::set<std::string> extended;
  std::set<std::string> devices;
  for (const std::string& op : names_of(plugin.at("vjps"))) extended.insert(op);
  for (const Json& entry : plugin.at("kernels")) {
    devices.insert(entry.at("device").get<std::string>());
    if (!entry.at("ops").is_array()) continue;
    for (const std::string& op : names_of(entry.at("ops"))) extended.insert(op);
  }
  const Json requirements = plugin.value("requires", Json::object());
  for (const std::string& op : names_of(requirements.value("ops", Json::array()))) {
    extended.insert(op);
  }
  std::set<std::string> own;
  for (const std::string& op : names_of(plugin.at("ops"))) own.insert(op);
  need(extended,
       [](const Json& other, const std::string& name) { return lists(other.at("ops"), name); });
  need(devices,
       [](const Json& other, const std::string& name) { return lists(other.at("devices"), name); });
  // What others define runs on what a backend has, or as a composition.
  const bool is_probed = &plugin == members_.front();
  need(own, [&](const Json& other, const std::string& name) {
    return (is_probed || !other.at("devices").empty()) && has_kernel(other, name);
  });
  // A layer may call any op, a dataset read a text with any tokenizer.
  if (!names_of(plugin.at("layers")).empty()) need_all("ops");
  if (!names_of(plugin.at("datasets")).empty()) need_all("tokenizers");
  // Samples of a dataset, batches, tokens, tensors of a file and of others lie in host memory.
  if (!plugin.at("datasets").empty() || !plugin.at("formats").empty() ||
      !plugin.at("transforms").empty() || !plugin.at("tokenizers").empty() ||
      !plugin.at("collectives").empty()) {
    need({"cpu"}, [](const Json& other, const std::string& name) {
      return lists(other.at("devices"), name);
    });
  }
  // Of collectives the host adds what is received.
  const bool calls_ops = !plugin.at("optimizers").empty() || !plugin.at("layers").empty() ||
                         !plugin.at("collectives").empty();
  if (own.empty() && extended.empty() && !calls_ops) return;
  need({"roles"}, [](const Json& other, const std::string&) { return holds_role(other); });
}

std::vector<std::string> Company::excluded_for(const Json& plugin) {
  members_.assign(1, &plugin);
  for (size_t i = 0; i < members_.size(); ++i) need_for(*members_[i]);
  std::vector<std::string> excluded;
  for (const Json& other : plugins_) {
    if (!is_member(other)) excluded.push_back(other.at("id"));
  }
  return excluded;
}

}  // namespace tenon::tools
