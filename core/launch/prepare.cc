// SPDX-License-Identifier: Apache-2.0
// core/launch/prepare.cc: asking kernels, and the cache of what they prepared.
#include "core/launch/prepare.h"

#include "core/registry/values.h"
#include "core/runtime/callback.h"

namespace tenon::launch {

std::shared_ptr<const Prepared> PrepareCache::find(const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto found = map_.find(key);
  if (found == map_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->second;
}

void PrepareCache::insert(const std::string& key, std::shared_ptr<const Prepared> prepared) {
  std::shared_ptr<const Prepared> evicted;  // released outside the lock
  std::lock_guard lock(mutex_);
  if (map_.contains(key)) return;
  std::list<Entry> fresh;
  fresh.emplace_front(key, std::move(prepared));
  map_.emplace(key, fresh.begin());
  order_.splice(order_.begin(), fresh);
  if (order_.size() <= kCapacity) return;
  evicted = std::move(order_.back().second);
  map_.erase(order_.back().first);
  order_.pop_back();
}

void PrepareCache::drop(const registry::Plugin& plugin) {
  std::list<Entry> dropped;  // released outside the lock
  std::lock_guard lock(mutex_);
  for (auto entry = order_.begin(); entry != order_.end();) {
    const auto next = std::next(entry);
    if (entry->second->kernel->plugin == &plugin) {
      map_.erase(entry->first);
      dropped.splice(dropped.end(), order_, entry);
    }
    entry = next;
  }
}

namespace {

std::string key_of(const registry::Kernel& kernel, const Device& device, const Block& block) {
  std::string key;
  const auto put = [&key](uint64_t word) {
    key.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  put(reinterpret_cast<uintptr_t>(&kernel));
  put(uint64_t{device.id.kind} << 32 | static_cast<uint32_t>(device.id.index));
  for (const Item& item : block.items) {
    put(uint64_t{item.slot} << 40 | static_cast<uint64_t>(item.rank) << 32 | item.dtype);
    put(item.flags);
    for (int64_t size : item.dims()) put(static_cast<uint64_t>(size));
    for (int64_t stride : item.steps()) put(static_cast<uint64_t>(stride));
  }
  for (uint32_t i = 0; i < block.launch.n_attrs; ++i) {
    key += registry::value_text(block.launch.attrs[i]);
    key += ';';
  }
  return key;
}

}  // namespace

WithoutData::WithoutData(Block& block) : block_(block) {
  for (tenon_view& view : block_.views) {
    data_.push_back(view.data);
    if (!(view.flags & TENON_VIEW_HOST_SCALAR)) view.data = nullptr;
  }
}

WithoutData::~WithoutData() {
  for (size_t i = 0; i < block_.views.size(); ++i) block_.views[i].data = data_[i];
}

std::shared_ptr<const Prepared> prepare(Context& context, const registry::Op& op,
                                        const registry::Kernel& kernel, Device& device,
                                        Block& block) {
  if (!kernel.desc.prepare) return nullptr;
  PrepareCache& cache = prepared_of(*context.runtime);
  const std::string key = key_of(kernel, device, block);
  if (auto known = cache.find(key)) return known;
  auto made = std::make_shared<Prepared>();
  made->kernel = &kernel;
  made->device = &device;
  const WithoutData asking(block);
  CallbackScope call(context, CallbackState::Prepare, kernel.plugin, &op);
  call.run("prepare", [&](tenon_call* handed) {
    return kernel.desc.prepare(handed, &block.launch, &made->object);
  });
  cache.insert(key, made);
  return made;
}

uint64_t workspace(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                   Block& block) {
  if (!kernel.desc.workspace) return 0;
  const WithoutData asking(block);
  CallbackScope call(context, CallbackState::Prepare, kernel.plugin, &op);
  uint64_t bytes = 0;
  call.run("workspace", [&](tenon_call* handed) {
    return kernel.desc.workspace(handed, &block.launch, &bytes);
  });
  return bytes;
}

}  // namespace tenon::launch
