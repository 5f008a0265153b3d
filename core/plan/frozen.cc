// SPDX-License-Identifier: Apache-2.0
// core/plan/frozen.cc: numbers that captured plans take over.
#include "core/plan/frozen.h"

namespace tenon::plan {

Frozen::Frozen(tensor::Owner& owner, Values values, bool listed)
    : is_listed(listed), owner_(owner), values_(std::move(values)) {}

Frozen::Values Frozen::get(uint64_t& changes) const {
  const std::lock_guard lock(mutex_);
  changes = changes_.load(std::memory_order_relaxed);
  return values_;
}

void Frozen::set(size_t index, std::string value) noexcept {
  {
    const std::lock_guard lock(mutex_);
    values_[index].second = std::move(value);
    changes_.fetch_add(1, std::memory_order_release);
  }
  owner_.changes.fetch_add(1, std::memory_order_release);
}

}  // namespace tenon::plan
