// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/fibers.h: functions that can stop in the middle and go on later, each with a
// stack of its own, all on one thread.
//
// Switching is a few instructions, without a system call. AddressSanitizer and ThreadSanitizer are
// told of each switch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::cuda::emulated {

class Fiber {
 public:
  using Body = void (*)(void* data);

  // `number` spreads the beginnings of stacks, which would otherwise share a few lines of the
  // cache. Throws std::bad_alloc.
  explicit Fiber(uint32_t number);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs body(data) until it returns or calls suspend(). Only where no body is under way. The body
  // may not throw.
  void start(Body body, void* data);
  // Goes on behind suspend().
  void resume();
  // Called by the body: back to whoever called start() or resume().
  void suspend();
  bool ended() const { return ended_; }

 private:
  static void enter(Fiber* self);
  void switch_in();
  void switch_out(bool for_good);

  std::byte* stack_ = nullptr;  // its lowest address, above a page that faults
  std::byte* top_ = nullptr;
  void* inner_ = nullptr;  // the stack pointers of the side that does not run
  void* outer_ = nullptr;
  Body body_ = nullptr;
  void* data_ = nullptr;
  bool ended_ = true;
  // What sanitizers keep.
  [[maybe_unused]] void* inner_fake_ = nullptr;
  [[maybe_unused]] void* outer_fake_ = nullptr;
  [[maybe_unused]] const void* outer_stack_ = nullptr;
  [[maybe_unused]] size_t outer_size_ = 0;
  [[maybe_unused]] void* inner_thread_ = nullptr;
  [[maybe_unused]] void* outer_thread_ = nullptr;
};

}  // namespace tenon::cuda::emulated
