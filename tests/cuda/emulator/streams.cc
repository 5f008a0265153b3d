// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/streams.cc: streams, events and graphs of the emulated devices.
//
// A stream runs its work when it is enqueued; where work is deferred, when somebody waits for it,
// frees what it may use, or asks after an event of it: then one piece each time.
#include "state.h"

namespace tenon::cuda::emulated {

Code stream_create(void** out_stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::stream_create); code != kSuccess) return code;
  auto stream = std::make_unique<Stream>();
  stream->device = chosen_device();
  *out_stream = stream.get();
  s.streams[stream.get()] = std::move(stream);
  return kSuccess;
}

Code stream_release(void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::stream_release);
  Stream* released = s.find_stream(stream);
  if (!released) return kInvalidHandle;
  if (released->capturing) return State::refuse_capture(released);
  const Code drained = s.wait_for(released);
  s.streams.erase(stream);
  return begun != kSuccess ? begun : drained;
}

Code stream_wait(void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::stream_wait); code != kSuccess) return code;
  if (!stream) return s.drain_device(chosen_device());
  Stream* waited = s.find_stream(stream);
  if (!waited) return kInvalidHandle;
  if (waited->capturing) return State::refuse_capture(waited);
  return s.wait_for(waited);
}

// ---- Events -------------------------------------------------------------------------------------

Code event_create(void** out_event) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::event_create); code != kSuccess) return code;
  auto event = std::make_unique<Event>();
  event->device = chosen_device();
  *out_event = event.get();
  s.events[event.get()] = std::move(event);
  return kSuccess;
}

Code event_release(void* event) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::event_release);
  return s.events.erase(event) == 0 ? kInvalidHandle : begun;
}

Code event_record(void* event, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::event_record); code != kSuccess) return code;
  Event* recorded = s.find_event(event);
  Stream* on = s.find_stream(stream);
  if (!recorded || (stream && !on)) return kInvalidHandle;
  if (on && on->device != recorded->device) return kInvalidHandle;
  auto mark = std::make_shared<Mark>();
  mark->stream = on;
  mark->captured = on && on->capturing;
  recorded->mark = mark;
  if (mark->captured) return kSuccess;
  return s.enqueue(on, [mark] {
    mark->done = true;
    return kSuccess;
  });
}

// Within a capture only for the stream's own events: a graph here is one line of work.
Code event_wait(void* event, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::event_wait); code != kSuccess) return code;
  const Event* awaited = s.find_event(event);
  Stream* on = s.find_stream(stream);
  if (!awaited || (stream && !on)) return kInvalidHandle;
  const std::shared_ptr<Mark> mark = awaited->mark;
  if (!mark) return kSuccess;
  if (mark->captured) return mark->stream == on ? kSuccess : kCaptureUnsupported;
  if (on && on->capturing) {
    on->invalid = true;
    return kCaptureIsolation;
  }
  if (mark->done) return kSuccess;
  return s.enqueue(on, [mark] { return mark->done ? kSuccess : state().drain(mark->stream); });
}

Code event_query(void* event) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::event_query); code != kSuccess) return code;
  const Event* asked = s.find_event(event);
  if (!asked) return kInvalidHandle;
  if (s.breaks_own_capture()) return kCaptureUnsupported;
  const std::shared_ptr<Mark> mark = asked->mark;
  if (!mark || mark->done) return kSuccess;
  if (mark->captured) return kCapturedEvent;
  const int32_t device = mark->stream->device;
  s.step(mark->stream);
  if (s.lost[device] != kSuccess) return s.lost[device];
  return mark->done ? kSuccess : kNotReady;
}

// ---- Graphs -------------------------------------------------------------------------------------

Code capture_begin(void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::capture_begin); code != kSuccess) return code;
  if (!stream) return kCaptureUnsupported;  // the default stream cannot be captured
  Stream* on = s.find_stream(stream);
  if (!on) return kInvalidHandle;
  if (on->capturing) return kIllegalState;
  on->capturing = true;
  on->invalid = false;
  on->capturer = std::this_thread::get_id();
  on->captured.clear();
  return kSuccess;
}

Code capture_end(void* stream, void** out_graph) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::capture_end);
  Stream* on = s.find_stream(stream);
  if (!on) return kInvalidHandle;
  if (!on->capturing) return kIllegalState;
  if (on->capturer != std::this_thread::get_id()) {
    on->invalid = true;
    return kCaptureWrongThread;
  }
  on->capturing = false;
  std::vector<Work> works = std::move(on->captured);
  on->captured.clear();
  if (begun != kSuccess) return begun;
  if (on->invalid) return kCaptureInvalidated;
  auto graph = std::make_unique<Graph>();
  graph->device = on->device;
  graph->works = std::make_shared<const std::vector<Work>>(std::move(works));
  *out_graph = graph.get();
  s.graphs[graph.get()] = std::move(graph);
  return kSuccess;
}

Code graph_run(void* graph, void* stream) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (const Code code = s.begin(Call::graph_run); code != kSuccess) return code;
  const Graph* run = s.find_graph(graph);
  Stream* on = s.find_stream(stream);
  if (!run || (stream && !on)) return kInvalidHandle;
  if (on && on->device != run->device) return kInvalidValue;
  return s.enqueue(on, [works = run->works] {
    for (const Work& work : *works) {
      if (const Code code = work(); code != kSuccess) return code;
    }
    return kSuccess;
  });
}

Code graph_release(void* graph) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Code begun = s.begin(Call::graph_release);
  return s.graphs.erase(graph) == 0 ? kInvalidHandle : begun;
}

}  // namespace tenon::cuda::emulated
