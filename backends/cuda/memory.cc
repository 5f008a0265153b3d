// SPDX-License-Identifier: Apache-2.0
// backends/cuda/memory.cc: raw memory of a GPU and of the host.
//
// Tenon caches what it is given, so this is called seldom. Where the card has memory pools they are
// used: giving memory back then waits for nothing, while cudaFree waits for the whole device. A
// pool's memory belongs to a stream; the wait after an allocation makes it everybody's.
#include "device.h"

namespace tenon::cuda {

tenon_status alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  State& state = *static_cast<State*>(self);
  const tenon_status chosen = state.choose(index);
  if (chosen != TENON_OK) return chosen;
  void* stream = state.device(index).memory_stream;
  void* data = nullptr;
  Code code = driver().alloc(&data, bytes ? bytes : 1, stream);
  if (code == kSuccess && stream) {
    code = driver().stream_wait(stream);
    if (code != kSuccess) driver().free(data, stream);
  }
  if (code == kSuccess) *out_data = data;
  return state.judge(index, code);
}

// Tenon has waited for all work that uses the memory.
void free(void* self, int32_t index, void* data, uint64_t) {
  State& state = *static_cast<State*>(self);
  if (!state.choose_to_release(index)) return;
  state.judge(index, driver().free(data, state.device(index).memory_stream));
}

namespace {

tenon_status pinned_alloc(void* self, uint64_t bytes, void** out_data) {
  State& state = *static_cast<State*>(self);
  const tenon_status chosen = state.choose(0);
  if (chosen != TENON_OK) return chosen;
  void* data = nullptr;
  const Code code = driver().pinned_alloc(&data, bytes ? bytes : 1);
  if (code == kSuccess) *out_data = data;
  return state.judge(0, code);
}

void pinned_free(void* self, void* data) {
  State& state = *static_cast<State*>(self);
  if (state.choose_to_release(0)) state.judge(0, driver().pinned_free(data));
}

}  // namespace

const tenon_backend_pinned_table pinned_table = {
    .struct_size = sizeof(tenon_backend_pinned_table),
    .flags = 0,
    .alloc = pinned_alloc,
    .free = [](void* self, void* data, uint64_t) { pinned_free(self, data); },
};

}  // namespace tenon::cuda
