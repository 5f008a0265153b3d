// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/fibers.cc: stacks, and the switch between them.
#include "fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_FIBERS_ADDRESS 1
#elif __has_feature(thread_sanitizer)
#define TENON_FIBERS_THREAD 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TENON_FIBERS_ADDRESS 1
#elif defined(__SANITIZE_THREAD__)
#define TENON_FIBERS_THREAD 1
#endif
#if defined(TENON_FIBERS_ADDRESS)
#include <sanitizer/common_interface_defs.h>
#elif defined(TENON_FIBERS_THREAD)
#include <sanitizer/tsan_interface.h>
#endif

// tenon_fiber_switch(void** save, void* to): keeps on the stack what a called function must keep,
// stores the stack pointer in *save, and takes up what `to` points to. tenon_fiber_begin is what
// the first switch into a fiber returns to: it calls the function that it finds in one kept
// register with what it finds in another.
extern "C" {
void tenon_fiber_switch(void** save, void* to);
void tenon_fiber_begin();
}

#if defined(__x86_64__)
__asm__(R"(
.text
.hidden tenon_fiber_switch
.globl tenon_fiber_switch
.type tenon_fiber_switch, @function
tenon_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tenon_fiber_switch, .-tenon_fiber_switch
.hidden tenon_fiber_begin
.globl tenon_fiber_begin
.type tenon_fiber_begin, @function
tenon_fiber_begin:
  movq %r12, %rdi
  callq *%r13
  ud2
.size tenon_fiber_begin, .-tenon_fiber_begin
)");
#elif defined(__aarch64__)
__asm__(R"(
.text
.hidden tenon_fiber_switch
.globl tenon_fiber_switch
.type tenon_fiber_switch, %function
tenon_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size tenon_fiber_switch, .-tenon_fiber_switch
.hidden tenon_fiber_begin
.globl tenon_fiber_begin
.type tenon_fiber_begin, %function
tenon_fiber_begin:
  mov x0, x19
  blr x20
  brk #1
.size tenon_fiber_begin, .-tenon_fiber_begin
)");
#else
#error "fibers.cc has no switch for this machine"
#endif

namespace tenon::cuda::emulated {

namespace {

// Sanitizers need several times the stack that the program does.
#if defined(TENON_FIBERS_ADDRESS) || defined(TENON_FIBERS_THREAD)
constexpr size_t kStackBytes = 512 << 10;
#else
constexpr size_t kStackBytes = 128 << 10;
#endif

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// What tenon_fiber_switch finds when it first switches to a new stack.
void* first_frame(std::byte* top, void (*function)(Fiber*), Fiber* argument) {
#if defined(__x86_64__)
  // r15, r14, r13, r12, rbx, rbp, the address to return to; what that returns to finds the stack at
  // a multiple of 16, as a call wants it.
  void** frame = reinterpret_cast<void**>(top) - 9;
  for (int i = 0; i < 9; ++i) frame[i] = nullptr;
  frame[2] = reinterpret_cast<void*>(function);
  frame[3] = argument;
  frame[6] = reinterpret_cast<void*>(tenon_fiber_begin);
#else
  // x19 to x30, d8 to d15.
  void** frame = reinterpret_cast<void**>(top) - 20;
  for (int i = 0; i < 20; ++i) frame[i] = nullptr;
  frame[0] = argument;
  frame[1] = reinterpret_cast<void*>(function);
  frame[11] = reinterpret_cast<void*>(tenon_fiber_begin);
#endif
  return frame;
}

}  // namespace

Fiber::Fiber(uint32_t number) {
  const size_t guard = page_bytes();
  void* memory = mmap(nullptr, guard + kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, guard, PROT_NONE);
  stack_ = static_cast<std::byte*>(memory) + guard;
  constexpr uint32_t kColours = 61;  // no divisor of a power of two
  top_ = stack_ + kStackBytes - size_t{64} * (number % kColours);
#if defined(TENON_FIBERS_THREAD)
  inner_thread_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(TENON_FIBERS_THREAD)
  __tsan_destroy_fiber(inner_thread_);
#endif
  munmap(stack_ - page_bytes(), page_bytes() + kStackBytes);
}

void Fiber::start(Body body, void* data) {
  body_ = body;
  data_ = data;
  ended_ = false;
  inner_fake_ = nullptr;
  inner_ = first_frame(top_, &Fiber::enter, this);
  switch_in();
}

void Fiber::resume() { switch_in(); }

void Fiber::suspend() { switch_out(false); }

void Fiber::enter(Fiber* self) {
#if defined(TENON_FIBERS_ADDRESS)
  __sanitizer_finish_switch_fiber(nullptr, &self->outer_stack_, &self->outer_size_);
#endif
  self->body_(self->data_);
  self->ended_ = true;
  self->switch_out(true);
}

void Fiber::switch_in() {
#if defined(TENON_FIBERS_ADDRESS)
  __sanitizer_start_switch_fiber(&outer_fake_, stack_, kStackBytes);
#elif defined(TENON_FIBERS_THREAD)
  outer_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inner_thread_, 0);
#endif
  tenon_fiber_switch(&outer_, inner_);
#if defined(TENON_FIBERS_ADDRESS)
  __sanitizer_finish_switch_fiber(outer_fake_, nullptr, nullptr);
#endif
}

void Fiber::switch_out([[maybe_unused]] bool for_good) {
#if defined(TENON_FIBERS_ADDRESS)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &inner_fake_, outer_stack_, outer_size_);
#elif defined(TENON_FIBERS_THREAD)
  __tsan_switch_to_fiber(outer_thread_, 0);
#endif
  tenon_fiber_switch(&inner_, outer_);
#if defined(TENON_FIBERS_ADDRESS)
  __sanitizer_finish_switch_fiber(inner_fake_, &outer_stack_, &outer_size_);
#endif
}

}  // namespace tenon::cuda::emulated
