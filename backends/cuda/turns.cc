// SPDX-License-Identifier: Apache-2.0
// backends/cuda/turns.cc: the words by which blocks take turns, made for each stream that wants
// them.
#include "turns.h"

#include <tenon/plugin.h>

#include "device.h"

namespace tenon::cuda {

namespace {

Code make_turns(const Device& device, Turns** out_turns) {
  constexpr Turns nothing{};
  void* const stream = device.memory_stream;
  void* memory = nullptr;
  Code code = driver().alloc(&memory, sizeof nothing, stream);
  if (code != kSuccess) return code;
  code = driver().copy(memory, &nothing, sizeof nothing, TENON_COPY_TO_DEVICE, stream);
  if (code == kSuccess) code = driver().stream_wait(stream);
  if (code == kSuccess) {
    *out_turns = static_cast<Turns*>(memory);
  } else {
    driver().free(memory, stream);
  }
  return code;
}

}  // namespace

Turns* turns_of(const sdk::Launch& l) {
  Device& device = device_of(l.launch());
  const std::scoped_lock lock(device.turns_mutex);
  for (const auto& [stream, turns] : device.turns) {
    if (stream == l.stream()) return turns;
  }
  device.turns.reserve(device.turns.size() + 1);
  Turns* made = nullptr;
  const Code code = make_turns(device, &made);
  if (code != kSuccess) {
    throw sdk::Failure{state_of(l.launch()).judge(device.index, code),
                       "there are no words for blocks to take turns by: " + words_of(code), "",
                       "a few bytes of the device's memory", driver().name(code)};
  }
  device.turns.emplace_back(l.stream(), made);
  return made;
}

}  // namespace tenon::cuda
