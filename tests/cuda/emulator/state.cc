// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/state.cc: the emulated driver's state, and what tests ask of it.
#include "state.h"

#include <algorithm>
#include <cstdlib>

namespace tenon::cuda::emulated {

namespace {

constexpr uint64_t kUsualLimit = uint64_t{256} << 20;

template <class Map>
auto find_in(const Map& map, void* key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second.get();
}

Fault* find_fault(std::string_view call) {
  const auto* found = std::find(std::begin(kCalls), std::end(kCalls), call);
  return found == std::end(kCalls) ? nullptr : &state().faults[found - std::begin(kCalls)];
}

}  // namespace

// It outlives whoever still uses the driver at the process's end.
State& state() {
  static State& only = *new State;
  return only;
}

int32_t& chosen_device() {
  static thread_local int32_t device = 0;
  return device;
}

State::State() : limit(kUsualLimit) {
  const char* given_seed = std::getenv("TENON_EMULATOR_SEED");
  if (given_seed) seed = std::strtoull(given_seed, nullptr, 10);
  const char* given_defer = std::getenv("TENON_EMULATOR_DEFER");
  defers = given_defer && std::string_view(given_defer) == "1";
}

Code State::begin_elsewhere(Call call) {
  Fault& fault = faults[static_cast<uint32_t>(call)];
  ++fault.calls;
  if (fault.count <= 0) return kSuccess;
  if (fault.after > 0) {
    --fault.after;
    return kSuccess;
  }
  --fault.count;
  return fault.code;
}

Code State::begin(Call call) {
  Code& lost_with = lost[chosen_device()];
  const Code code = begin_elsewhere(call);
  if (code == kSuccess || lost_with != kSuccess) return lost_with;
  const KnownCode* known = find_code(code);
  if (known && known->stays) lost_with = code;
  return code;
}

Stream* State::find_stream(void* stream) const { return find_in(streams, stream); }
Event* State::find_event(void* event) const { return find_in(events, event); }
Graph* State::find_graph(void* graph) const { return find_in(graphs, graph); }

Block* State::find_block(const void* data, uint64_t bytes) {
  auto* first = static_cast<std::byte*>(const_cast<void*>(data));
  auto after = blocks.upper_bound(first);
  if (after == blocks.begin()) return nullptr;
  auto& [begin, block] = *--after;
  const auto offset = static_cast<uint64_t>(first - begin);
  return offset <= block.bytes && bytes <= block.bytes - offset ? &block : nullptr;
}

bool State::is_on_device(const void* data, uint64_t bytes) {
  auto* first = static_cast<std::byte*>(const_cast<void*>(data));
  auto at = blocks.upper_bound(first);
  if (at != blocks.begin()) --at;
  for (; at != blocks.end() && at->first < first + bytes; ++at) {
    if (!at->second.pinned && at->first + at->second.bytes > first) return true;
  }
  return false;
}

Code State::enqueue(Stream* stream, Work work) {
  if (stream && stream->capturing) {
    stream->captured.push_back(std::move(work));
    return kSuccess;
  }
  if (!stream || !defers) {
    const Code before = stream ? drain(stream) : kSuccess;
    const Code code = work();
    return before != kSuccess ? before : code;
  }
  stream->waiting.push_back(std::move(work));
  return kSuccess;
}

Code State::step(Stream* stream) {
  if (stream->waiting.empty()) return kSuccess;
  const Work work = std::move(stream->waiting.front());
  stream->waiting.pop_front();
  return work();
}

Code State::drain(Stream* stream) {
  Code first = kSuccess;
  while (!stream->waiting.empty()) {
    const Code code = step(stream);
    if (first == kSuccess) first = code;
  }
  return first;
}

Code State::wait_for(Stream* stream) {
  for (auto& [data, block] : blocks) {
    if (block.made_on == stream) block.made_on = nullptr;
  }
  return drain(stream);
}

Code State::drain_device(int32_t device) {
  Code first = kSuccess;
  for (const auto& [key, stream] : streams) {
    if (stream->device != device) continue;
    const Code code = wait_for(stream.get());
    if (first == kSuccess) first = code;
  }
  return first;
}

Code State::refuse_capture(Stream* stream) {
  stream->invalid = true;
  return kCaptureUnsupported;
}

bool State::breaks_own_capture() {
  bool breaks = false;
  for (const auto& [key, stream] : streams) {
    if (!stream->capturing || stream->capturer != std::this_thread::get_id()) continue;
    stream->invalid = true;
    breaks = true;
  }
  return breaks;
}

Code State::lose(int32_t device, Code code, std::string words) {
  lost[device] = code;
  all_said.push_back(std::string(name_of_code(code)) + ": " + std::move(words));
  said[code] = &all_said.back();
  return code;
}

uint64_t bytes_on_device(const State& state, int32_t device) {
  uint64_t bytes = 0;
  for (const auto& [data, block] : state.blocks) {
    if (!block.pinned && (device < 0 || block.device == device)) bytes += block.bytes;
  }
  return bytes;
}

// ---- What tests ask -----------------------------------------------------------------------------

bool inject(std::string_view call, Code code, int64_t after, int64_t count) {
  const std::lock_guard lock(state().mutex);
  Fault* fault = find_fault(call);
  if (!fault) return false;
  *fault = {code, after, count, fault->calls};
  return true;
}

std::optional<int64_t> live(std::string_view what) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto pinned = std::count_if(s.blocks.begin(), s.blocks.end(),
                                    [](const auto& block) { return block.second.pinned; });
  if (what == "blocks") return static_cast<int64_t>(s.blocks.size()) - pinned;
  if (what == "bytes") return static_cast<int64_t>(bytes_on_device(s, -1));
  if (what == "pinned") return pinned;
  if (what == "streams") return static_cast<int64_t>(s.streams.size());
  if (what == "events") return static_cast<int64_t>(s.events.size());
  if (what == "graphs") return static_cast<int64_t>(s.graphs.size());
  if (what == "blas") return s.blas_objects;
  if (what == "waits") {
    int64_t waits = 0;
    for (const auto& [key, stream] : s.streams) {
      waits += static_cast<int64_t>(stream->waiting.size());
    }
    return waits;
  }
  const Fault* fault = find_fault(what);
  return fault ? std::optional(fault->calls) : std::nullopt;
}

void limit_memory(uint64_t bytes) {
  const std::lock_guard lock(state().mutex);
  state().limit = bytes;
}

void defer(bool yes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.defers = yes;
}

void reset() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  std::fill(std::begin(s.faults), std::end(s.faults), Fault{});
  std::fill(std::begin(s.lost), std::end(s.lost), kSuccess);
  s.said.clear();
  s.limit = kUsualLimit;
}

}  // namespace tenon::cuda::emulated
