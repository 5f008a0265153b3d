// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/control.h: what tests ask of the emulated driver beyond what CUDA offers.
//
// The driver itself is in memory.cc, streams.cc and driver.cc. Read from the environment, once:
//   TENON_EMULATOR_SEED    of the order in which threads run; 1 unless given
//   TENON_EMULATOR_DEFER   1: work waits in its stream until somebody waits for it or asks after it
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "backends/cuda/driver.h"

namespace tenon::cuda::emulated {

// Functions of the Driver that return a code.
#define TENON_EMULATED_CALLS(X) \
  X(versions)                   \
  X(device_count)               \
  X(facts)                      \
  X(use)                        \
  X(alloc)                      \
  X(free)                       \
  X(pinned_alloc)               \
  X(pinned_free)                \
  X(copy)                       \
  X(stream_create)              \
  X(stream_release)             \
  X(stream_wait)                \
  X(event_create)               \
  X(event_release)              \
  X(event_record)               \
  X(event_wait)                 \
  X(event_query)                \
  X(launch)                     \
  X(allow_shared)               \
  X(capture_begin)              \
  X(capture_end)                \
  X(graph_run)                  \
  X(graph_release)

#define TENON_EMULATED_NAME(name) #name,
inline constexpr std::string_view kCalls[] = {TENON_EMULATED_CALLS(TENON_EMULATED_NAME)};
#undef TENON_EMULATED_NAME

// Lets `after` calls of the Driver's function `call` pass; `count` calls then return `code` and do
// nothing, but what frees or releases does so all the same. Replaces what was asked before for that
// function. False where there is no such function.
bool inject(std::string_view call, Code code, int64_t after, int64_t count);

// How many are alive: "blocks", "bytes" (both of device memory), "pinned", "streams", "events",
// "graphs"; how much "waits" in streams; how often a function of that name was called. Nothing
// where `what` is none of these.
std::optional<int64_t> live(std::string_view what);

// Device memory from now on, of each device; at first 256 MiB.
void limit_memory(uint64_t bytes);

// Work waits in its stream or runs at once, from now on.
void defer(bool yes);

// Devices that are lost work again; faults, limits and counts of calls are as at first. What is
// alive stays.
void reset();

}  // namespace tenon::cuda::emulated
