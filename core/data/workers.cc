// SPDX-License-Identifier: Apache-2.0
// core/data/workers.cc: reading ahead.
#include "core/data/workers.h"

#include <chrono>
#include <system_error>

namespace tenon::data {

Workers::Workers(uint32_t count, const MakeWorkerContext& make) : slots_(kAhead * count) {
  contexts_.reserve(count);
  threads_.reserve(count);
  try {
    for (uint32_t i = 0; i < count; ++i) {
      contexts_.push_back(make());
      threads_.emplace_back([this, context = contexts_.back().get()] { work(*context); });
    }
  } catch (const std::system_error& error) {
    end();
    fail(TENON_E_MEMORY,
         "loader: the system starts no thread for worker " + std::to_string(threads_.size() + 1) +
             ": " + error.what(),
         "n_workers", "as many threads as the system has room for", std::to_string(count),
         "ask for fewer");
  } catch (...) {
    end();
    throw;
  }
}

Workers::~Workers() { end(); }

void Workers::end() {
  {
    std::unique_lock lock(mutex_);
    ends_ = true;
    drop(lock);
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Waits until nobody reads, and drops what was read and not asked for.
void Workers::drop(std::unique_lock<std::mutex>& lock) {
  n_batches_ = 0;
  ready_.wait(lock, [this] { return reading_ == 0; });
  for (Slot& slot : slots_) slot = {};
  begun_ = given_ = 0;
}

void Workers::begin(std::shared_ptr<const Pass> pass, int64_t position, int64_t n_batches) {
  {
    std::unique_lock lock(mutex_);
    drop(lock);
    pass_ = std::move(pass);
    position_ = position;
    n_batches_ = n_batches;
  }
  room_.notify_all();
}

void Workers::work(WorkerContext& context) noexcept {
  const auto n_slots = static_cast<int64_t>(slots_.size());
  std::unique_lock lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] { return ends_ || (begun_ < n_batches_ && begun_ - given_ < n_slots); });
    if (ends_) return;
    const int64_t position = position_ + begun_ * pass_->batch;
    Slot& slot = slots_[static_cast<size_t>(begun_ % n_slots)];
    const Pass& pass = *pass_;
    ++begun_;
    ++reading_;
    lock.unlock();
    // Until this worker is back nobody else looks at the slot, and the pass stays.
    Fields fields;
    const auto read = [&](Context& cx) { fields = pass.read(cx, position); };
    // By reference: a function of so many captures would take memory, which may fail here.
    const bool good = context.run(std::cref(read));
    lock.lock();
    slot.fields = std::move(fields);
    slot.failed = !good;
    slot.is_read = true;
    --reading_;
    ready_.notify_all();
  }
}

std::optional<Fields> Workers::take(Context& context) {
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[static_cast<size_t>(given_) % slots_.size()];
  while (!slot.is_read) {
    // So that tenon_context_interrupt is heard while a slow dataset is read.
    ready_.wait_for(lock, std::chrono::milliseconds(50));
    if (!slot.is_read) context.check_interrupt();
  }
  if (slot.failed) return std::nullopt;
  Fields fields = std::move(slot.fields);
  advance(std::move(lock));
  return fields;
}

void Workers::skip() { advance(std::unique_lock(mutex_)); }

void Workers::advance(std::unique_lock<std::mutex> lock) {
  slots_[static_cast<size_t>(given_) % slots_.size()] = {};
  ++given_;
  // Not for each batch: to wake a thread costs the caller some microseconds. One that is awake
  // reads on until there is no room.
  const bool wake =
      begun_ - given_ <= static_cast<int64_t>(slots_.size() / 2) && begun_ < n_batches_;
  lock.unlock();
  if (wake) room_.notify_one();
}

}  // namespace tenon::data
