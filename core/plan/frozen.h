// SPDX-License-Identifier: Apache-2.0
// core/plan/frozen.h: numbers that captured plans take over as they are: hyper-parameters that are
// attributes, whether a layer trains. Their owner tells here what they become, so that a plan knows
// when it is stale. Plans may outlive the owner, and be run by other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/storage.h"

namespace tenon::plan {

class Frozen {
 public:
  // What it is, for messages, and its value.
  using Values = std::vector<std::pair<std::string, std::string>>;

  // `owner` outlives whoever calls `set`. Without `listed`, what a plan's text need not say.
  [[gnu::cold]] Frozen(tensor::Owner& owner, Values values, bool listed = true);

  const bool is_listed;

  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  // Values as of `changes`.
  Values get(uint64_t& changes) const;
  void set(size_t index, std::string value) noexcept;

 private:
  tensor::Owner& owner_;
  mutable std::mutex mutex_;
  std::atomic<uint64_t> changes_{0};
  Values values_;
};

}  // namespace tenon::plan
