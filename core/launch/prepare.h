// SPDX-License-Identifier: Apache-2.0
// core/launch/prepare.h: what a kernel is asked before it launches, and the cache of what it
// prepared.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/base/kept.h"
#include "core/launch/block.h"
#include "core/runtime/context.h"

namespace tenon::launch {

// Least recently used first out; what is still launched lives on through its shared pointer.
class PrepareCache final : public Kept {
 public:
  static constexpr size_t kCapacity = 1024;
  std::shared_ptr<const Prepared> find(const std::string& key);
  void insert(const std::string& key, std::shared_ptr<const Prepared> prepared);
  void drop(const registry::Plugin& plugin);  // what its kernels have prepared

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Prepared>>;
  std::mutex mutex_;
  std::list<Entry> order_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator> map_;
};

inline PrepareCache& prepared_of(const Runtime& runtime) {
  return static_cast<PrepareCache&>(*runtime.prepared);
}

// While it lives, the block's views have no data, except numbers: answers given now must hold for
// other data, too.
class WithoutData : NoCopy {
 public:
  explicit WithoutData(Block& block);
  ~WithoutData();

 private:
  Block& block_;
  Small<void*, 8> data_;
};

// NULL for a kernel without `prepare`.
std::shared_ptr<const Prepared> prepare(Context& context, const registry::Op& op,
                                        const registry::Kernel& kernel, Device& device,
                                        Block& block);

// The bytes of scratch it wants.
uint64_t workspace(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                   Block& block);

}  // namespace tenon::launch
