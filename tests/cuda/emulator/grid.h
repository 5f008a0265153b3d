// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/grid.h: runs all threads of a launch on the processor.
#pragma once

#include <string>

#include "backends/cuda/driver.h"

namespace tenon::cuda::emulated {

struct Grid {
  const void* kernel;
  void (*invoke)(const void* kernel, void** arguments);
  void** arguments;
  Extent blocks;
  Extent threads;
  uint32_t shared_bytes;
  uint64_t seed;  // of the order in which blocks and threads run
};

// Returns what went wrong, in words; empty if nothing did. One call at a time: the caller holds
// the emulator's lock. Throws std::bad_alloc before anything has run.
std::string run_grid(const Grid& grid);

}  // namespace tenon::cuda::emulated
