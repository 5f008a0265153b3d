// SPDX-License-Identifier: Apache-2.0
// backends/cuda/stream.cc: copies, streams and events, and how a failure on the device comes to
// words.
#include <string>

#include "device.h"

namespace tenon::cuda {

tenon_status alloc(void* self, int32_t index, uint64_t bytes, void** out_data);
void free(void* self, int32_t index, void* data, uint64_t bytes);

namespace {

tenon_status device_count(void* self, int32_t* out_count, tenon_diag* diag) {
  State& state = *static_cast<State*>(self);
  try {
    state.look();
  } catch (const std::bad_alloc&) {
    return say(diag, TENON_E_MEMORY, "out of memory");
  }
  *out_count = static_cast<int32_t>(state.devices.size());
  if (!state.devices.empty()) return TENON_OK;
  return say(diag, state.failed ? TENON_E_DEVICE : TENON_OK, state.why_none);
}

// Calls `body` with the device chosen; what it returns is judged.
template <class Body>
tenon_status on_device(void* self, int32_t index, Body body) {
  State& state = *static_cast<State*>(self);
  const tenon_status chosen = state.choose(index);
  return chosen != TENON_OK ? chosen : state.judge(index, body());
}

tenon_status copy(void* self, int32_t index, void* stream, uint32_t direction, void* destination,
                  const void* source, uint64_t bytes) {
  if (direction > TENON_COPY_ON_DEVICE) return TENON_E_ARGUMENT;
  return on_device(self, index,
                   [&] { return driver().copy(destination, source, bytes, direction, stream); });
}

tenon_status stream_create(void* self, int32_t index, void** out_stream) {
  return on_device(self, index, [&] { return driver().stream_create(out_stream); });
}
void stream_release(void* self, int32_t index, void* stream) {
  State& state = *static_cast<State*>(self);
  if (state.choose_to_release(index)) state.judge(index, driver().stream_release(stream));
}

tenon_status stream_wait(void* self, int32_t index, void* stream, tenon_diag* diag) {
  State& state = *static_cast<State*>(self);
  try {
    state.require(index);
    const Code code = driver().stream_wait(stream);
    const tenon_status status = state.judge(index, code);
    if (status != TENON_OK) return say(diag, status, words_of(code));
    const std::string report = take_report(*state.device(index).report);
    return report.empty() ? TENON_OK : say(diag, TENON_E_DATA, report);
  } catch (const sdk::Failure& failure) {
    return say(diag, failure.status, failure.what);
  } catch (const std::bad_alloc&) {
    return say(diag, TENON_E_DEVICE, "work failed, and there is no memory for the words");
  }
}

tenon_status event_create(void* self, int32_t index, void** out_event) {
  return on_device(self, index, [&] { return driver().event_create(out_event); });
}
void event_release(void* self, int32_t index, void* event) {
  State& state = *static_cast<State*>(self);
  if (state.choose_to_release(index)) state.judge(index, driver().event_release(event));
}
tenon_status event_record(void* self, int32_t index, void* event, void* stream) {
  return on_device(self, index, [&] { return driver().event_record(event, stream); });
}
tenon_status event_wait(void* self, int32_t index, void* event, void* stream) {
  return on_device(self, index, [&] { return driver().event_wait(event, stream); });
}

tenon_status event_query(void* self, int32_t index, void* event, uint32_t* out_done,
                         tenon_diag* diag) {
  Code code = kSuccess;
  const tenon_status status = on_device(self, index, [&] {
    code = driver().event_query(event);
    return code == kNotReady ? kSuccess : code;
  });
  if (status != TENON_OK) {
    try {
      return say(diag, status, words_of(code));
    } catch (const std::bad_alloc&) {
      return say(diag, status, "");
    }
  }
  *out_done = code == kNotReady ? 0 : 1;
  return TENON_OK;
}

}  // namespace

const tenon_backend_table backend_table = {
    .struct_size = sizeof(tenon_backend_table),
    .flags = 0,
    .kind = sdk::str(kDeviceKind),
    .doc = sdk::str("NVIDIA GPUs of compute capability 7.5 and later, through CUDA."),
    .device_count = device_count,
    .alloc = alloc,
    .free = free,
    .copy = copy,
    .stream_create = stream_create,
    .stream_release = stream_release,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_release = event_release,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
};

tenon_status init(const tenon_host*, const sdk::About& about, void** out_self, tenon_diag* diag) {
  try {
    *out_self = new State(about);
    return TENON_OK;
  } catch (const std::bad_alloc&) {
    return say(diag, TENON_E_MEMORY, "out of memory");
  }
}

}  // namespace tenon::cuda
