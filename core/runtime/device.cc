// SPDX-License-Identifier: Apache-2.0
// core/runtime/device.cc: one device of one runtime.
#include "core/runtime/device.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "core/registry/plugin.h"

namespace tenon {

void WorkWindow::add(const char* what, uint64_t sequence, Asker asker) {
  if (std::find(askers_.begin(), askers_.end(), asker) == askers_.end()) askers_.push_back(asker);
  newest_[count_ % kNamed] = {what, sequence};
  ++count_;
}

std::string WorkWindow::text() const {
  const uint64_t pieces = count_ - known_good_;
  const uint64_t named = std::min(pieces, kNamed);
  std::string out;
  for (uint64_t i = count_ - named; i < count_; ++i) {
    const Entry& entry = newest_[i % kNamed];
    if (!out.empty()) out += ", ";
    out += entry.what;
    if (entry.sequence != 0) out += " #" + std::to_string(entry.sequence);
  }
  if (pieces > named) out += " (and " + std::to_string(pieces - named) + " before)";
  return out.empty() ? "nothing" : out;
}

std::string WorkWindow::only() const {
  const Entry& newest = newest_[(count_ + kNamed - 1) % kNamed];
  return count_ - known_good_ == 1 && newest.sequence != 0 ? newest.what : "";
}

namespace {

constexpr uintptr_t kAlignment = 64;
constexpr uint64_t kSmallestBlock = 4096;  // of pinned memory
constexpr const char* kCopyIn = "copy from host memory";
constexpr const char* kCopyOut = "copy to host memory";

std::string words_of(tenon_diag& diag) {
  diag.message[sizeof diag.message - 1] = 0;
  return diag.message;
}

bool is_aligned(const void* data) noexcept {
  return reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
}

// What every backend owes for each block, and the words for one that does not give it.
[[noreturn]] void fail_unaligned(const registry::Backend& backend, const std::string& what,
                                 const void* data) {
  const uintptr_t over = reinterpret_cast<uintptr_t>(data) % kAlignment;
  fail_with(
      TENON_E_PLUGIN, {}, backend.plugin->id,
      what + ": plugin " + backend.plugin->id + " gave memory that is not aligned to 64 bytes", {},
      "an address that is a multiple of 64", std::to_string(over) + " bytes beyond one",
      "a backend's alloc rounds the address up");
}

}  // namespace

const void* find_table(const registry::Backend& backend, std::string_view id) {
  return backend.plugin->interface.get_interface(backend.self, id.data(), id.size());
}

void refuse_table(const registry::Backend& backend, std::string_view id, size_t needed,
                  uint32_t given, const char* functions) {
  fail_with(TENON_E_PLUGIN, {}, backend.plugin->id,
            "plugin " + backend.plugin->id + ": its table " + std::string(id) +
                " is too short or has an empty slot",
            {}, "struct_size " + std::to_string(needed) + " and " + functions,
            "struct_size " + std::to_string(given));
}

Device::Device(tensor::Owner& of, const registry::Backend& from, int32_t index, uint64_t limit,
               bool waits_each)
    : Memory(of, {from.kind, index}, (from.table->flags & TENON_BACKEND_HOST_MEMORY) != 0),
      backend(&from),
      waits_each_(waits_each) {
  memory::Source source;
  source.self = this;
  source.alloc = [](void* self, uint64_t bytes, void** out) {
    Device* d = static_cast<Device*>(self);
    const tenon_status status = d->backend->table->alloc(d->backend->self, d->id.index, bytes, out);
    if (status == TENON_E_DEVICE_LOST) {
      char detail[48];
      std::snprintf(detail, sizeof detail, " of %llu bytes",
                    static_cast<unsigned long long>(bytes));
      d->note_lost("", "an allocation", detail);
    }
    if (status != TENON_OK && status != TENON_E_MEMORY && status != TENON_E_DEVICE_LOST) {
      d->check(status, "allocate " + std::to_string(bytes) + " bytes");
    }
    if (status == TENON_OK && !is_aligned(*out)) {
      d->backend->table->free(d->backend->self, d->id.index, *out, bytes);
      fail_unaligned(*d->backend, "device " + d->name(), *out);
    }
    return status == TENON_OK;
  };
  source.free = [](void* self, void* data, uint64_t bytes) {
    Device* d = static_cast<Device*>(self);
    d->settle();  // what is queued may still use it
    d->backend->table->free(d->backend->self, d->id.index, data, bytes);
  };
  allocator = std::make_unique<memory::CachingAllocator>(source, limit);
  if (host_memory()) return;
  if (const auto* table =
          static_cast<const tenon_backend_pinned_table*>(find_table(from, kPinnedId))) {
    if (table->struct_size < sizeof *table || !table->alloc || !table->free) {
      refuse_table(from, kPinnedId, sizeof *table, table->struct_size, "two functions");
    }
    pinned_ = std::make_unique<PinnedPool>(*this, *table);
  }
  const tenon_status status = backend->table->stream_create(backend->self, index, &stream);
  if (status != TENON_OK) {
    const bool known = status == TENON_E_DEVICE_LOST || status == TENON_E_MEMORY;
    fail_with(known ? status : TENON_E_DEVICE, {}, backend->plugin->id,
              "device " + name() + " cannot create a stream", {}, "a device that works",
              tenon_status_get_name(status));
  }
}

Device::~Device() {
  settle();
  pinned_.reset();
  allocator.reset();
  if (stream) backend->table->stream_release(backend->self, id.index, stream);
}

std::string Device::name() const { return backend->kind_name + ":" + std::to_string(id.index); }

memory::Block Device::allocate_apart(const memory::Size& size) {
  require_alive();
  try {
    return allocator->allocate(size);
  } catch (const OutOfMemory&) {
    require_alive();
    throw;
  }
}

void Enqueueing::begin(const char* what, uint64_t sequence, Asker asker) {
  device_->require_alive();
  std::lock_guard lock(device_->mutex_);
  device_->window_.add(what, sequence, asker);
  ++device_->entering_;
}

void Enqueueing::end() noexcept {
  std::lock_guard lock(device_->mutex_);
  --device_->entering_;
}

void Device::check(tenon_status status, const std::string& what) {
  if (status == TENON_OK) return;
  if (status == TENON_E_DEVICE_LOST) {
    note_lost("", "the request to ", what.c_str());
    require_alive();
  }
  fail_with(status, {}, backend->plugin->id, "device " + name() + " failed to " + what, {},
            "TENON_OK", tenon_status_get_name(status));
}

void Device::raw_copy(uint32_t direction, void* destination, const void* source, uint64_t bytes,
                      Asker asker) {
  tenon_status status = TENON_OK;
  {
    const Enqueueing entry(*this, direction == TENON_COPY_TO_HOST ? kCopyOut : kCopyIn, 0, asker);
    status = backend->table->copy(backend->self, id.index, stream, direction, destination, source,
                                  bytes);
  }
  if (status != TENON_OK) check(status, "copy " + std::to_string(bytes) + " bytes");
}

void Device::copy_from_host(void* destination, const void* source, uint64_t bytes, Asker asker) {
  if (bytes == 0) return;
  if (!host_memory()) require_alive();
  PinnedPool::Block* block = pinned_ ? pinned_->take(bytes) : nullptr;
  if (!block) {
    raw_copy(TENON_COPY_TO_DEVICE, destination, source, bytes, asker);
    return wait(asker);
  }
  std::memcpy(block->data, source, bytes);
  tenon_status status = TENON_OK;
  try {
    raw_copy(TENON_COPY_TO_DEVICE, destination, block->data, bytes, asker);
    status = pinned_->send(block);
  } catch (...) {
    settle();
    pinned_->give_back(block);
    throw;
  }
  if (status != TENON_OK) {
    settle();
    pinned_->give_back(block);
    check(status, "record an event");
  }
  if (waits_each_) wait(asker);
}

void Device::copy_to_host(void* destination, const void* source, uint64_t bytes, Asker asker) {
  if (bytes == 0) return;
  raw_copy(TENON_COPY_TO_HOST, destination, source, bytes, asker);
  wait(asker);
}

void Device::wait(Asker asker) {
  if (host_memory()) return;
  require_alive();
  collect();
  std::unique_ptr<Error> failure;
  tenon_status wordless = TENON_OK;
  {
    std::lock_guard lock(mutex_);
    const auto entry = untold_.find(asker);
    // Copied before it is taken: without memory it waits for the next call.
    if (failure_) {
      failure = std::make_unique<Error>(*failure_);
      for (const Asker other : concerned_) {
        if (other != asker) untold_.try_emplace(other, failure_);
      }
      failure_ = nullptr;
    } else if (entry != untold_.end()) {
      failure = std::make_unique<Error>(*entry->second);
    }
    untold_.erase(asker);
    wordless = std::exchange(wordless_, TENON_OK);
  }
  require_alive();
  if (failure) throw Error(std::move(*failure));
  check(wordless, "finish its work");
}

void Device::settle() noexcept {
  if (!host_memory()) collect();
}

void Device::collect() noexcept {
  // What another thread is about to enqueue may not be part of this wait: it then stays named.
  uint64_t enqueued = 0;
  {
    std::lock_guard lock(mutex_);
    if (entering_ == 0) enqueued = window_.count();
  }
  tenon_diag diag{};
  const tenon_status status = backend->table->stream_wait(backend->self, id.index, stream, &diag);
  if (status != TENON_OK) {
    try {
      keep(status, words_of(diag));
    } catch (...) {  // out of memory: the status is kept without words
      std::lock_guard lock(mutex_);
      wordless_ = status;
    }
  }
  std::lock_guard lock(mutex_);
  window_.settle(enqueued);
}

void Device::keep(tenon_status status, const std::string& words) {
  std::string window;
  std::string only;
  {
    std::lock_guard lock(mutex_);
    window = window_.text();
    only = window_.only();
  }
  if (status == TENON_E_DEVICE_LOST) {
    return note_lost(words, "a wait for: ", window.c_str());
  }
  auto made = std::make_shared<const Error>(Error{
      .status = status,
      .message = "device " + name() +
                 " failed: " + (words.empty() ? "its backend gave no words" : words) +
                 "; enqueued since the last good wait: " + window,
      .op = only,
      .expected = "work that succeeds",
      .found = window,
      .plugin = backend->plugin->id,
      .hint = waits_each_ ? "" : "TENON_CHECK=launch waits after every launch and names the one"});
  std::lock_guard lock(mutex_);
  if (failure_) return;
  concerned_ = window_.askers();
  failure_ = std::move(made);
}

void Device::forget(Asker asker) noexcept {
  std::lock_guard lock(mutex_);
  untold_.erase(asker);
  std::erase(concerned_, asker);
}

void Device::note_lost(const std::string& words, const char* noticed_by,
                       const char* detail) noexcept {
  Error error{.status = TENON_E_DEVICE_LOST, .message = {}};
  try {
    error.message = "device " + name() + " is lost, noticed by " + noticed_by + detail +
                    (words.empty() ? "" : ": " + words);
    error.expected = "a device that works";
    error.found = "a lost one";
    error.plugin = backend->plugin->id;
    error.hint = "release what is on it; start a new runtime once the device is back";
  } catch (const std::bad_alloc&) {
    error.message = "device lost";  // short enough to need no memory
  }
  std::lock_guard lock(mutex_);
  if (lost_.load(std::memory_order_relaxed)) return;
  lost_error_ = std::move(error);
  lost_.store(true, std::memory_order_release);
}

std::string Device::lost_message() const {
  return lost_.load(std::memory_order_acquire) ? lost_error_.message : std::string();
}

uint64_t Device::pinned_bytes() const { return pinned_ ? pinned_->bytes() : 0; }

PinnedPool::PinnedPool(Device& device, const tenon_backend_pinned_table& table)
    : device_(device), table_(table) {}

PinnedPool::~PinnedPool() {
  const registry::Backend& backend = *device_.backend;
  for (const auto& block : blocks_) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    table_.free(backend.self, block->data, block->capacity);
  }
}

// An event that failed is answered by waiting for everything: nothing is under way after that.
bool PinnedPool::finished(Block& block) {
  const registry::Backend& backend = *device_.backend;
  tenon_diag diag{};
  uint32_t done = 0;
  const tenon_status status =
      backend.table->event_query(backend.self, device_.id.index, block.event, &done, &diag);
  if (status == TENON_OK) return done != 0;
  diag.message[sizeof diag.message - 1] = 0;
  device_.keep(status, diag.message[0] ? diag.message : "an event failed");
  device_.collect();
  return true;
}

PinnedPool::Block* PinnedPool::make(uint64_t capacity) {
  const registry::Backend& backend = *device_.backend;
  if (bytes_ + capacity > kLimit) return nullptr;
  auto block = std::make_unique<Block>();
  blocks_.reserve(blocks_.size() + 1);
  if (backend.table->event_create(backend.self, device_.id.index, &block->event) != TENON_OK) {
    return nullptr;
  }
  if (table_.alloc(backend.self, capacity, &block->data) != TENON_OK || !block->data) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    return nullptr;
  }
  if (!is_aligned(block->data)) {
    backend.table->event_release(backend.self, device_.id.index, block->event);
    table_.free(backend.self, block->data, capacity);
    fail_unaligned(backend, "pinned memory of " + device_.name(), block->data);
  }
  block->capacity = capacity;
  bytes_ += capacity;
  blocks_.push_back(std::move(block));
  return blocks_.back().get();
}

PinnedPool::Block* PinnedPool::take(uint64_t bytes) {
  if (bytes > kLargestBlock) return nullptr;
  const uint64_t capacity = std::bit_ceil(std::max(bytes, kSmallestBlock));
  std::lock_guard lock(mutex_);
  Block* found = nullptr;
  for (const auto& block : blocks_) {
    if (block->capacity != capacity || block->state == Block::Taken) continue;
    if (block->state == Block::Sent && !finished(*block)) continue;
    found = block.get();
    break;
  }
  if (!found) found = make(capacity);
  if (found) found->state = Block::Taken;
  return found;
}

tenon_status PinnedPool::send(Block* block) {
  const registry::Backend& backend = *device_.backend;
  const tenon_status status =
      backend.table->event_record(backend.self, device_.id.index, block->event, device_.stream);
  std::lock_guard lock(mutex_);
  if (status == TENON_OK) block->state = Block::Sent;
  return status;
}

void PinnedPool::give_back(Block* block) {
  std::lock_guard lock(mutex_);
  block->state = Block::Idle;
}

uint64_t PinnedPool::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace tenon
