// SPDX-License-Identifier: Apache-2.0
// backends/cuda/capture.cc: a captured plan as a CUDA graph.
#include "device.h"

namespace tenon::cuda {
namespace {

tenon_status begin(void* self, int32_t index, void* stream) {
  State& state = *static_cast<State*>(self);
  const tenon_status chosen = state.choose(index);
  return chosen != TENON_OK ? chosen : state.judge(index, driver().capture_begin(stream));
}

tenon_status end(void* self, int32_t index, void* stream, void** out_graph, tenon_diag* diag) {
  State& state = *static_cast<State*>(self);
  // Whatever the device's state is: a stream that goes on recording is of no use to anybody.
  if (!state.choose_to_release(index)) return TENON_E_DEVICE_LOST;
  const Code code = driver().capture_end(stream, out_graph);
  if (code == kSuccess) return TENON_OK;
  const tenon_status status = state.judge(index, code);
  try {
    return say(diag, status, words_of(code));
  } catch (const std::bad_alloc&) {
    return status;
  }
}

tenon_status run(void* self, int32_t index, void* stream, void* graph) {
  State& state = *static_cast<State*>(self);
  const tenon_status chosen = state.choose(index);
  return chosen != TENON_OK ? chosen : state.judge(index, driver().graph_run(graph, stream));
}

void release(void* self, int32_t index, void* graph) {
  State& state = *static_cast<State*>(self);
  if (state.choose_to_release(index)) state.judge(index, driver().graph_release(graph));
}

}  // namespace

const tenon_backend_capture_table capture_table = {
    .struct_size = sizeof(tenon_backend_capture_table),
    .flags = 0,
    .begin = begin,
    .end = end,
    .run = run,
    .release = release,
};

}  // namespace tenon::cuda
