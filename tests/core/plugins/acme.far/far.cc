// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.far/far.cc: the device kind "far": memory that the host cannot reach.
//
// Its addresses are host addresses with a bit set that no valid address has, so that whoever
// forgets to copy crashes at once. Work is done when it is enqueued, on a stream object of its own.
#include <cstdlib>
#include <cstring>

#include "../acme.toy/kernels.hpp"

namespace {

namespace sdk = tenon::sdk;

constexpr uintptr_t kFar = uintptr_t{1} << 62;

struct Stream {
  uint64_t copies = 0;
};

struct Far {
  static constexpr std::string_view device = "far";
  static void* host(void* address) {
    return address ? reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) & ~kFar)
                   : nullptr;
  }
  static const void* host(const void* address) { return host(const_cast<void*>(address)); }

  // The launch block with addresses of the host.
  template <void (*Run)(const sdk::Launch&)>
  static tenon_status launch(tenon_call* call, const tenon_launch* args) {
    return sdk::guarded(call, [&] {
      if (!call->memory->stream(call)) {
        throw sdk::Failure{TENON_E_INTERNAL, "a far kernel was launched without its stream"};
      }
      std::vector<tenon_view> views(args->views, args->views + args->slot_begin[args->n_slots]);
      for (tenon_view& view : views) {
        if (view.flags & TENON_VIEW_HOST_SCALAR) continue;
        const bool far = (reinterpret_cast<uintptr_t>(view.data) & kFar) != 0;
        if (!far) throw sdk::Failure{TENON_E_INTERNAL, "a far kernel was given host memory"};
        view.data = host(view.data);
      }
      tenon_launch near = *args;
      near.views = views.data();
      Run(sdk::Launch(call, &near));
    });
  }
};

tenon_status device_count(void*, int32_t* out_count, tenon_diag*) {
  *out_count = 1;
  return TENON_OK;
}

tenon_status alloc(void*, int32_t, uint64_t bytes, void** out_data) {
  if (bytes > uint64_t{1} << 40) return TENON_E_MEMORY;
  void* data = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (!data) return TENON_E_MEMORY;
  *out_data = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) | kFar);
  return TENON_OK;
}

void release(void*, int32_t, void* data, uint64_t) { std::free(Far::host(data)); }

tenon_status copy(void*, int32_t, void* stream, uint32_t direction, void* destination,
                  const void* source, uint64_t bytes) {
  const bool to_far = (reinterpret_cast<uintptr_t>(destination) & kFar) != 0;
  const bool from_far = (reinterpret_cast<uintptr_t>(source) & kFar) != 0;
  if (!stream || to_far != (direction != TENON_COPY_TO_HOST) ||
      from_far != (direction != TENON_COPY_TO_DEVICE)) {
    return TENON_E_ARGUMENT;
  }
  std::memcpy(Far::host(destination), Far::host(source), bytes);
  ++static_cast<Stream*>(stream)->copies;
  return TENON_OK;
}

tenon_status stream_create(void*, int32_t, void** out_stream) {
  *out_stream = new Stream;
  return TENON_OK;
}
void stream_release(void*, int32_t, void* stream) { delete static_cast<Stream*>(stream); }
tenon_status stream_wait(void*, int32_t, void*, tenon_diag*) { return TENON_OK; }
tenon_status event_create(void* self, int32_t, void** out_event) {
  *out_event = self;
  return TENON_OK;
}
void event_release(void*, int32_t, void*) {}
tenon_status event_order(void*, int32_t, void*, void*) { return TENON_OK; }
tenon_status event_query(void*, int32_t, void*, uint32_t* out_done, tenon_diag*) {
  *out_done = 1;
  return TENON_OK;
}

constexpr tenon_backend_table table = {sizeof(tenon_backend_table),
                                       0,
                                       sdk::str(Far::device),
                                       sdk::str("Memory out of the host's reach."),
                                       device_count,
                                       alloc,
                                       release,
                                       copy,
                                       stream_create,
                                       stream_release,
                                       stream_wait,
                                       event_create,
                                       event_release,
                                       event_order,
                                       event_order,
                                       event_query};

}  // namespace

TENON_UNIT(far) = {.kernels = acme::kKernels<Far>, .backend = &table};
