// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/memory.cc: memory of the emulated devices, and copies.
//
// A block is the host's memory: filled with 0xFD when it is new and with 0xFE when it is given
// back. Bytes after its end tell whether anybody wrote there. What is allocated on a stream cannot
// be copied on another one before somebody has waited for the first.
#include <cstdlib>
#include <cstring>

#include "state.h"
#include "tenon/plugin.h"

namespace tenon::cuda::emulated {

namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kGuard = 64;

std::byte* create_block(uint64_t bytes, int32_t device, bool pinned, const Stream* on) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes + kGuard) != 0) return nullptr;
  auto* data = static_cast<std::byte*>(memory);
  std::memset(data, 0xFD, bytes);
  std::memset(data + bytes, 0xFB, kGuard);
  state().blocks[data] = {bytes, device, pinned, false, on};
  return data;
}

// A failure of the device where something was written after the block.
Code release_block(std::byte* data) {
  State& s = state();
  const Block block = s.blocks.at(data);
  bool whole = true;
  for (uint64_t i = 0; i < kGuard; ++i) whole &= data[block.bytes + i] == std::byte{0xFB};
  s.blocks.erase(data);
  std::memset(data, 0xFE, block.bytes);
  std::free(data);
  if (whole) return kSuccess;
  return s.lose(
      block.device, kIllegalAddress,
      "something was written behind a block of " + std::to_string(block.bytes) + " bytes");
}

// The block that begins at `data` and can be given back, or NULL.
Block* block_at(void* data, bool pinned) {
  State& s = state();
  const auto found = s.blocks.find(static_cast<std::byte*>(data));
  if (found == s.blocks.end()) return nullptr;
  Block& block = found->second;
  return block.pinned == pinned && !block.given_back ? &block : nullptr;
}

bool fits(const void* data, uint64_t bytes, bool on_device, const Stream* on) {
  State& s = state();
  if (!on_device) return !s.is_on_device(data, bytes);
  const Block* block = s.find_block(data, bytes);
  if (!block || block->pinned || block->given_back) return false;
  return !block->made_on || block->made_on == on;
}

bool is_pinned(const void* data, uint64_t bytes) {
  const Block* block = state().find_block(data, bytes);
  return block && block->pinned;
}

}  // namespace

Code alloc(void** out_data, uint64_t bytes, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::alloc); code != kSuccess) return code;
  Stream* on = s.find_stream(stream);
  if (stream && !on) return kInvalidHandle;
  if (on && on->capturing) return State::refuse_capture(on);
  if (!on && s.breaks_own_capture()) return kCaptureUnsupported;
  if (bytes == 0) {
    *out_data = nullptr;
    return kSuccess;
  }
  const int32_t device = on ? on->device : chosen_device();
  const uint64_t used = bytes_on_device(s, device);
  if (used > s.limit || bytes > s.limit - used) return kOutOfMemory;
  std::byte* data = create_block(bytes, device, false, on);
  if (!data) return kOutOfMemory;
  *out_data = data;
  return kSuccess;
}

// Also where the call is to fail: CUDA's failures of freeing are those of earlier work.
Code free(void* data, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::free);
  Stream* on = s.find_stream(stream);
  if (stream && !on) return kInvalidHandle;
  if (on && on->capturing) return State::refuse_capture(on);
  if (!on && s.breaks_own_capture()) return kCaptureUnsupported;
  if (!data) return begun;
  Block* block = block_at(data, false);
  if (!block) return kInvalidValue;
  auto* bytes = static_cast<std::byte*>(data);
  if (!on || s.lost[on->device] != kSuccess) {
    const Code drained = on ? kSuccess : s.drain_device(block->device);
    const Code freed = release_block(bytes);
    if (begun != kSuccess) return begun;
    return drained != kSuccess ? drained : freed;
  }
  block->given_back = true;
  const Code code = s.enqueue(on, [bytes] { return release_block(bytes); });
  return begun != kSuccess ? begun : code;
}

Code pinned_alloc(void** out_data, uint64_t bytes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::pinned_alloc); code != kSuccess) return code;
  if (s.breaks_own_capture()) return kCaptureUnsupported;
  std::byte* data = bytes ? create_block(bytes, chosen_device(), true, nullptr) : nullptr;
  if (bytes && !data) return kOutOfMemory;
  *out_data = data;
  return kSuccess;
}

// Waits for all devices first, as CUDA does.
Code pinned_free(void* data) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::pinned_free);
  if (s.breaks_own_capture()) return kCaptureUnsupported;
  if (!data) return begun;
  if (!block_at(data, true)) return kInvalidValue;
  for (int32_t device = 0; device < kDevices; ++device) s.drain_device(device);
  const Code freed = release_block(static_cast<std::byte*>(data));
  return begun != kSuccess ? begun : freed;
}

// A copy of memory that is not pinned is done when the call returns, after what waits before it.
Code copy(void* destination, const void* source, uint64_t bytes, uint32_t direction, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::copy); code != kSuccess) return code;
  Stream* on = s.find_stream(stream);
  if (stream && !on) return kInvalidHandle;
  if (bytes == 0) return kSuccess;
  const bool to_device = direction != TENON_COPY_TO_HOST;
  const bool from_device = direction != TENON_COPY_TO_DEVICE;
  if (direction > TENON_COPY_ON_DEVICE || !destination || !source ||
      !fits(destination, bytes, to_device, on) || !fits(source, bytes, from_device, on)) {
    return kInvalidValue;
  }
  if (!on && s.breaks_own_capture()) return kCaptureUnsupported;
  const int32_t device = on ? on->device : chosen_device();
  const Code code = s.enqueue(on, [=] {
    if (const Code lost = state().lost[device]; lost != kSuccess) return lost;
    // Since the call, memory may have been given back.
    const bool there = (!to_device || state().find_block(destination, bytes)) &&
                       (!from_device || state().find_block(source, bytes));
    if (!there) {
      return state().lose(device, kIllegalAddress, "a copy met memory that was given back");
    }
    std::memmove(destination, source, bytes);
    return kSuccess;
  });
  const bool at_once =
      (!to_device && !is_pinned(destination, bytes)) || (!from_device && !is_pinned(source, bytes));
  return code == kSuccess && on && !on->capturing && at_once ? s.drain(on) : code;
}

}  // namespace tenon::cuda::emulated
