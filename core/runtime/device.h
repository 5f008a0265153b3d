// SPDX-License-Identifier: Apache-2.0
// core/runtime/device.h: one device of one runtime: memory, copies, its stream, and what went wrong
// on it.
//
// A host-memory device has finished all work when a call returns. Any other has one stream: work is
// enqueued and runs in order, so what is released while work is queued may be handed out again at
// once, since its next use is queued after. Waiting is needed only if the host reads results,
// if host memory must outlive a copy, and before memory goes back to the backend.
//
// What fails after its call has returned is noticed by the next wait. The words name the backend's
// own and what was enqueued since the last good wait. A failure is told to the context that waits
// first, and once to every other one that had work in that window, when it waits. A lost device
// fails every use from then on; only releases work.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/registry/registry.h"
#include "core/tensor/tensor.h"

namespace tenon {

inline constexpr std::string_view kPinnedId = "tenon.backend.pinned/1";

// The backend's table of this interface, unchecked; NULL if it has none.
const void* find_table(const registry::Backend& backend, std::string_view id);
// For one that cannot be used. functions: "two functions", that it has to have.
[[noreturn, gnu::cold]] void refuse_table(const registry::Backend& backend, std::string_view id,
                                          size_t needed, uint32_t given, const char* functions);

// Which context asks: its number, which no other context of the runtime has or had.
using Asker = uint64_t;

// What was enqueued since the last good wait; the newest are named. Guarded by its owner.
class WorkWindow {
 public:
  // `what` lives as long as the runtime; sequence 0 for what is not an op call.
  void add(const char* what, uint64_t sequence, Asker asker);
  uint64_t count() const { return count_; }
  // The first `count` pieces of work are settled.
  void settle(uint64_t count) {
    known_good_ = std::max(known_good_, count);
    if (known_good_ == count_) askers_.clear();
  }
  const std::vector<Asker>& askers() const { return askers_; }
  // "vendor.add #7, vendor.relu #8 (and 3 before)"
  std::string text() const;
  // The op of the only piece of work there is; else "".
  std::string only() const;

 private:
  struct Entry {
    const char* what = nullptr;
    uint64_t sequence = 0;
  };
  static constexpr uint64_t kNamed = 8;
  std::array<Entry, kNamed> newest_{};
  uint64_t count_ = 0;
  uint64_t known_good_ = 0;
  std::vector<Asker> askers_;  // who had work in it; each once
};

struct Device;

// Blocks of pinned host memory ("tenon.backend.pinned/1") that copies to a device read from while
// the host goes on.
//
// A block is used again once the event recorded after its copy says so. The pool is bounded: if
// no block is to be had the copy is made straight from the caller's memory and waited for.
class PinnedPool : NoCopy {
 public:
  static constexpr uint64_t kLargestBlock = uint64_t{8} << 20;
  static constexpr uint64_t kLimit = uint64_t{32} << 20;

  struct Block {
    void* data = nullptr;
    uint64_t capacity = 0;
    void* event = nullptr;
    enum State : uint8_t { Idle, Taken, Sent } state = Idle;
  };

  PinnedPool(Device& device, const tenon_backend_pinned_table& table);
  // No copy may be under way any more.
  ~PinnedPool();

  // A block of at least `bytes` for one copy; NULL if there is none.
  Block* take(uint64_t bytes);
  // The copy is enqueued: the block comes back when it is done. Returns the backend's answer; if
  // that is a failure the block is still the caller's, to give back after a wait.
  tenon_status send(Block* block);
  void give_back(Block* block);
  uint64_t bytes() const;

 private:
  bool finished(Block& block);
  Block* make(uint64_t capacity);

  Device& device_;
  const tenon_backend_pinned_table& table_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  uint64_t bytes_ = 0;
};

struct Device final : tensor::Memory {
  // limit       of bytes allocated; 0: none
  // waits_each  after each copy, for TENON_CHECK=launch
  Device(tensor::Owner& of, const registry::Backend& from, int32_t index, uint64_t limit,
         bool waits_each);
  ~Device() override;

  std::string name() const override;

  // Host memory to here. On return `source` may change, whether or not the copy has been made.
  void copy_from_host(void* destination, const void* source, uint64_t bytes, Asker asker);
  // From here to host memory; the bytes are there on return.
  void copy_to_host(void* destination, const void* source, uint64_t bytes, Asker asker);

  // Waits for the stream; throws the first failure that `asker` has not been told.
  void wait(Asker asker);
  // The same, but keeps a failure for the next wait(). Memory and objects that work was enqueued
  // with may go back to their plugin after it.
  void settle() noexcept;

  // Throws TENON_E_DEVICE_LOST if the device is lost.
  void require_alive() const {
    if (!host_memory() && lost_.load(std::memory_order_acquire)) throw Error(lost_error_);
  }
  // A slot of the backend, or a kernel, answered TENON_E_DEVICE_LOST. The first one counts.
  void note_lost(const std::string& words, const char* noticed_by,
                 const char* detail = "") noexcept;
  // Throws for the status of a slot that was asked to `what`, if it is a failure.
  void check(tenon_status status, const std::string& what);
  // "" if it is not; else the message.
  std::string lost_message() const;
  // The context goes: nobody will ask for what it has not been told.
  void forget(Asker asker) noexcept;

  uint64_t pinned_bytes() const;

  const registry::Backend* backend;
  void* stream = nullptr;

 private:
  friend class PinnedPool;
  friend class Enqueueing;

  memory::Block allocate_apart(const memory::Size& size) override;
  void raw_copy(uint32_t direction, void* destination, const void* source, uint64_t bytes,
                Asker asker);
  void collect() noexcept;
  void keep(tenon_status status, const std::string& words);

  const bool waits_each_;
  std::unique_ptr<PinnedPool> pinned_;  // NULL if the backend has none
  std::atomic<bool> lost_{false};
  Error lost_error_;          // written once, before lost_
  mutable std::mutex mutex_;  // guards what follows, and the writing of lost_error_
  WorkWindow window_;
  uint64_t entering_ = 0;  // pieces of the window that may not have reached the backend yet
  std::shared_ptr<const Error> failure_;                  // noticed, and told to nobody yet
  std::vector<Asker> concerned_;                          // who had work in its window
  std::map<Asker, std::shared_ptr<const Error>> untold_;  // told to another one already
  tenon_status wordless_ = TENON_OK;                      // one for whose words there was no memory
};

inline Device& device_of(const tensor::Tensor& tensor) {
  return static_cast<Device&>(*tensor.storage->memory);
}

// Around the enqueueing of one piece of work: refuses a lost device, and remembers what the message
// of a later failure names. Nothing to do for host memory.
class Enqueueing : NoCopy {
 public:
  Enqueueing(Device& device, const char* what, uint64_t sequence, Asker asker)
      : device_(device.host_memory() ? nullptr : &device) {
    if (device_) begin(what, sequence, asker);
  }
  ~Enqueueing() {
    if (device_) end();
  }

 private:
  void begin(const char* what, uint64_t sequence, Asker asker);
  void end() noexcept;
  Device* device_;
};

}  // namespace tenon
