// SPDX-License-Identifier: Apache-2.0
// core/registry/removal.cc: takes a deactivated plugin's entries out of the registry.
#include <algorithm>
#include <mutex>

#include "core/plugin/plugin_host.h"
#include "core/registry/transaction.h"

namespace tenon::registry {
namespace {

// The best rule for `op` among all that were ever registered and whose plugin is still active.
const VjpRule* best_rule(const Op& op, const plugin::Plugin& removed,
                         const std::vector<const VjpRule*>& rules) {
  const VjpRule* best = nullptr;
  for (const VjpRule* rule : rules) {
    if (rule->op != &op || rule->plugin == &removed || rule->plugin->is_deactivated()) continue;
    if (best == nullptr ||
        better(rule->desc.priority, rule->plugin->id, best->desc.priority, best->plugin->id)) {
      best = rule;
    }
  }
  return best;
}

}  // namespace

void Registry::remove(const plugin::Plugin& plugin) {
  const auto is_its = [&](const auto* entry) { return entry->plugin == &plugin; };
  auto content = std::make_unique<Content>();
  auto next = std::make_unique<Index>(*index_);
  std::erase_if(next->ops, is_its);
  for (auto& [name, revisions] : next->ops_by_name) std::erase_if(revisions, is_its);
  std::erase_if(next->ops_by_name, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(next->backends, is_its);
  std::erase_if(next->optimizers, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->datasets, [&](const auto& entry) { return is_its(entry.second); });
  std::erase_if(next->samples, [&](const Sample& sample) { return sample.plugin == &plugin; });
  for (uint32_t role = 1; role < kRoleEnd; ++role) {
    if (next->roles[role] == nullptr || !is_its(next->roles[role])) continue;
    const auto heir = std::find_if(next->ops.begin(), next->ops.end(),
                                   [role](const Op* op) { return op->desc.role == role; });
    next->roles[role] = heir == next->ops.end() ? nullptr : *heir;
  }

  std::vector<const VjpRule*> rules;
  for (const auto& added : contents_) {
    for (const VjpRule& rule : added->rules) rules.push_back(&rule);
  }
  std::vector<std::pair<Op*, const KernelSet*>> new_sets;
  std::vector<std::pair<Op*, const VjpRule*>> new_rules;
  for (Op* op : next->ops) {
    const KernelSet* set = op->kernels.load(std::memory_order_acquire);
    if (set != nullptr && std::any_of(set->kernels.begin(), set->kernels.end(), is_its)) {
      content->kernel_sets.push_back(*set);
      std::erase_if(content->kernel_sets.back().kernels, is_its);
      new_sets.emplace_back(op, &content->kernel_sets.back());
    }
    const VjpRule* rule = op->vjp.load(std::memory_order_acquire);
    if (rule != nullptr && is_its(rule)) {
      new_rules.emplace_back(op, best_rule(*op, plugin, rules));
    }
  }

  const std::unique_lock lock(mutex_);
  contents_.reserve(contents_.size() + 1);
  // Nothing below allocates.
  for (const auto& [op, set] : new_sets) op->kernels.store(set, std::memory_order_release);
  for (const auto& [op, rule] : new_rules) op->vjp.store(rule, std::memory_order_release);
  index_.swap(next);
  contents_.push_back(std::move(content));
  raise_epoch();
}

}  // namespace tenon::registry
