// SPDX-License-Identifier: Apache-2.0
// core/registry/registry.cc: look-ups, and the life of what transactions added.
#include "core/registry/registry.h"

#include <algorithm>
#include <mutex>

namespace tenon::registry {

void OpDeleter::operator()(Op* op) const noexcept {
  base::Slab<Op, kOpKind>::instance().destroy(op);
}

Registry::Registry(void* runtime) : runtime_(runtime), index_(std::make_unique<Index>()) {}

Registry::~Registry() = default;

uint32_t Registry::intern(std::string_view name) {
  if (const uint32_t id = find_name(name)) return id;
  const std::unique_lock lock(mutex_);
  name_list_.reserve(name_list_.size() + 1);
  const auto id = static_cast<uint32_t>(name_list_.size() + 1);
  const auto [found, is_new] = names_.try_emplace(std::string(name), id);
  if (is_new) name_list_.push_back(&found->first);
  return found->second;
}

std::string Registry::name_of(uint32_t id) const {
  const std::shared_lock lock(mutex_);
  return id == 0 || id > name_list_.size() ? std::string() : *name_list_[id - 1];
}

uint32_t Registry::find_name(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? 0 : found->second;
}

Op* Registry::find_op(std::string_view name, uint32_t revision) const {
  const std::shared_lock lock(mutex_);
  return index_->find_op(name, revision);
}

Op* Registry::Index::find_op(std::string_view name, uint32_t revision) const {
  const auto found = ops_by_name.find(name);
  if (found == ops_by_name.end()) return nullptr;
  if (revision == 0) return found->second.back();
  const auto has_it = [&](const Op* op) { return op->desc.revision == revision; };
  const auto op = std::ranges::find_if(found->second, has_it);
  return op == found->second.end() ? nullptr : *op;
}

Op* Registry::role(uint32_t role) const {
  if (role >= kRoleEnd) return nullptr;
  const std::shared_lock lock(mutex_);
  return index_->roles[role];
}

const Backend* Registry::backend(uint32_t kind) const {
  const std::shared_lock lock(mutex_);
  const auto found = std::ranges::find(index_->backends, kind, &Backend::kind);
  return found == index_->backends.end() ? nullptr : *found;
}

const Backend* Registry::host_backend() const {
  const std::shared_lock lock(mutex_);
  for (const Backend* backend : index_->backends) {
    if ((backend->table->flags & TENON_BACKEND_HOST_MEMORY) != 0) return backend;
  }
  return nullptr;
}

const Entry* Registry::find_entry(uint32_t kind, std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = index_->entries[kind].find(name);
  return found == index_->entries[kind].end() ? nullptr : found->second;
}

std::vector<const Op*> Registry::ops() const {
  std::vector<const Op*> list;
  {
    const std::shared_lock lock(mutex_);
    list.assign(index_->ops.begin(), index_->ops.end());
  }
  std::sort(list.begin(), list.end(), [](const Op* a, const Op* b) {
    return a->name != b->name ? a->name < b->name : a->desc.revision < b->desc.revision;
  });
  return list;
}

std::vector<const Backend*> Registry::backends() const {
  const std::shared_lock lock(mutex_);
  return index_->backends;
}

std::vector<const Entry*> Registry::entries(uint32_t kind) const {
  const std::shared_lock lock(mutex_);
  std::vector<const Entry*> list;
  for (const auto& [name, entry] : index_->entries[kind]) list.push_back(entry);
  return list;
}

std::vector<Sample> Registry::samples() const {
  const std::shared_lock lock(mutex_);
  std::vector<Sample> all;
  for (const SamplesOfPlugin& each : index_->samples) {
    all.insert(all.end(), each.list->begin(), each.list->end());
  }
  return all;
}

std::vector<Tolerance> Registry::tolerances() const {
  const std::shared_lock lock(mutex_);
  return index_->tolerances;
}

std::vector<OptimizerSample> Registry::optimizer_samples() const {
  const std::shared_lock lock(mutex_);
  return index_->optimizer_samples;
}

std::vector<std::string> Registry::report_of(const Op& op) const {
  const std::shared_lock lock(mutex_);
  return op.report;
}

}  // namespace tenon::registry
