// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/control.h: what tests ask of the emulated driver beyond what CUDA offers.
//
// The driver itself is in memory.cc, streams.cc and driver.cc. Read from the environment, once:
//   TENON_EMULATOR_SEED    of the order in which threads run; 1 unless given
//   TENON_EMULATOR_DEFER   1: work waits in its stream until somebody waits for it or asks after it
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "backends/cuda/driver.h"

namespace tenon::cuda::emulated {

// Functions of the Driver that return a code, in its order. driver.cc makes the table of them.
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
  X(capture_begin)              \
  X(capture_end)                \
  X(graph_run)                  \
  X(graph_release)

// Functions of cuBLASLt that return a status. blas.cc makes what blas_function() finds of them.
#define TENON_EMULATED_BLAS_CALLS(X)      \
  X(cublasLtCreate)                       \
  X(cublasLtDestroy)                      \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatrixLayoutSetAttribute)     \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmul)

#define TENON_EMULATED_NAME(name) #name,
inline constexpr std::string_view kDriverCalls[] = {TENON_EMULATED_CALLS(TENON_EMULATED_NAME)};
inline constexpr std::string_view kBlasCalls[] = {TENON_EMULATED_BLAS_CALLS(TENON_EMULATED_NAME)};
inline constexpr std::string_view kCalls[] = {TENON_EMULATED_CALLS(TENON_EMULATED_NAME)
                                                  TENON_EMULATED_BLAS_CALLS(TENON_EMULATED_NAME)};
#undef TENON_EMULATED_NAME

struct KnownCode {
  Code code;
  const char* name;
  const char* text;
  bool stays = false;  // every later call answers with it: the device is lost
};

// All there are: of the CUDA runtime, and of cuBLASLt, if none stays.
std::span<const KnownCode> known_codes();
std::span<const KnownCode> known_blas_statuses();

// Lets `after` calls of the Driver's or cuBLASLt's function `call` pass; `count` calls then return
// `code` and do nothing, but what frees or releases does so all the same. Replaces what was asked
// before for that function. False if there is no such function.
bool inject(std::string_view call, Code code, int64_t after, int64_t count);

// How many are alive: "blocks", "bytes" (both of device memory), "pinned", "streams", "events",
// "graphs", "blas" (handles and descriptions of cuBLASLt); how much "waits" in streams; how often a
// function of that name was called. Nothing if `what` is none of these.
std::optional<int64_t> live(std::string_view what);

// Device memory from now on, of each device; at first 256 MiB.
void limit_memory(uint64_t bytes);

// Work waits in its stream or runs at once, from now on.
void defer(bool yes);

// Devices that are lost work again; faults, limits and counts of calls are as at first. What is
// alive stays.
void reset();

}  // namespace tenon::cuda::emulated
