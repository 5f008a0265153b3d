// SPDX-License-Identifier: Apache-2.0
// core/runtime/running_calls.cc: which contexts are inside a public call, and waiting for them.
//
// A caller first changes what new calls can see, then waits here. `busy` is exchanged by the call
// that enters, and exchanged for itself here: either that comes first, and the call sees the
// change, or the call is seen and waited for.
#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/small.h"
#include "core/runtime/context.h"

namespace tenon {

namespace {

struct Pending {
  uint64_t id;     // of the context
  uint64_t calls;  // that had returned when the wait began
};

// Contexts that wait for others are at rest, or two of them would wait for each other.
bool is_running(Context& context) {
  bool idle = false;
  return !context.busy.compare_exchange_strong(idle, false, std::memory_order_acq_rel) &&
         !context.waiting.load(std::memory_order_acquire);
}

}  // namespace

void Runtime::add_context(Context& context) {
  std::lock_guard lock(mutex_);
  contexts_.push_back(&context);
}

void Runtime::remove_context(Context& context) noexcept {
  std::lock_guard lock(mutex_);
  std::erase(contexts_, &context);
}

void Runtime::wait_for_calls(Context& self) {
  self.waiting.store(true, std::memory_order_release);
  const base::Lowered at_end{self.waiting};
  // In place for any usual number of contexts: what the caller has changed cannot be undone.
  Small<Pending, 256> pending;
  {
    std::lock_guard lock(mutex_);
    for (Context* context : contexts_) {
      // The count is read first: a call that returns in between then counts as returned.
      const uint64_t calls = context->calls.load(std::memory_order_acquire);
      if (context != &self && is_running(*context)) pending.push_back({context->id, calls});
    }
  }
  const auto has_returned = [this](const Pending& entry) {
    const auto found =
        std::find_if(contexts_.begin(), contexts_.end(),
                     [&](const Context* context) { return context->id == entry.id; });
    return found == contexts_.end() ||
           (*found)->calls.load(std::memory_order_acquire) != entry.calls || !is_running(**found);
  };
  while (true) {
    {
      std::lock_guard lock(mutex_);
      pending.erase(std::remove_if(pending.begin(), pending.end(), has_returned), pending.end());
    }
    if (pending.empty()) return;
    self.check_interrupt();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace tenon
