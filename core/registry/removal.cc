// SPDX-License-Identifier: Apache-2.0
// core/registry/removal.cc: takes a deactivated plugin's entries out of the registry.
#include <algorithm>
#include <mutex>

#include "core/plugin/plugin_host.h"
#include "core/registry/transaction.h"

namespace tenon::registry {

void Registry::remove(const plugin::Plugin& plugin) {
  const auto is_its = [&](const auto* entry) { return entry->plugin == &plugin; };
  auto content = std::make_unique<Content>();
  auto next = std::make_unique<Index>(*index_);
  std::erase_if(next->ops, is_its);
  for (auto& [name, revisions] : next->ops_by_name) std::erase_if(revisions, is_its);
  std::erase_if(next->ops_by_name, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(next->backends, is_its);
  std::erase_if(next->optimizers, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->schedules, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->datasets, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->formats, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->layers, [&](const auto& entry) { return is_its(entry.second); });
  const auto own = [&](const auto& entry) { return entry.plugin == &plugin; };
  std::erase_if(next->samples, own);
  std::erase_if(next->tolerances, own);
  std::erase_if(next->optimizer_samples, own);
  for (uint32_t role = 1; role < kRoleEnd; ++role) {
    if (next->roles[role] == nullptr || !is_its(next->roles[role])) continue;
    const auto heir = std::find_if(next->ops.begin(), next->ops.end(),
                                   [role](const Op* op) { return op->desc.role == role; });
    next->roles[role] = heir == next->ops.end() ? nullptr : *heir;
  }

  std::vector<std::pair<Op*, const KernelSet*>> new_kernel_sets;
  std::vector<std::pair<Op*, const RuleSet*>> new_rule_sets;
  for (Op* op : next->ops) {
    const KernelSet* kernels = op->kernels.load(std::memory_order_acquire);
    if (kernels != nullptr &&
        std::any_of(kernels->kernels.begin(), kernels->kernels.end(), is_its)) {
      KernelSet& left = content->kernel_sets.emplace_back(*kernels);
      std::erase_if(left.kernels, is_its);
      new_kernel_sets.emplace_back(op, &left);
    }
    const RuleSet* rules = op->rules.load(std::memory_order_acquire);
    if (rules != nullptr && std::any_of(rules->rules.begin(), rules->rules.end(), is_its)) {
      RuleSet& left = content->rule_sets.emplace_back(*rules);
      std::erase_if(left.rules, is_its);
      new_rule_sets.emplace_back(op, &left);
    }
  }

  const std::unique_lock lock(mutex_);
  contents_.reserve(contents_.size() + 1);
  // Nothing below allocates.
  for (const auto& [op, set] : new_kernel_sets) op->kernels.store(set, std::memory_order_release);
  for (const auto& [op, set] : new_rule_sets) op->rules.store(set, std::memory_order_release);
  index_.swap(next);
  contents_.push_back(std::move(content));
  raise_epoch();
}

}  // namespace tenon::registry
