// SPDX-License-Identifier: Apache-2.0
// backends/cuda/turns.h: which block of a launch is the first, and which the last: what saves the
// second launch that joins the blocks' results. This is the host's part; take_turns.h has the
// kernels'.
//
// Blocks take turns by counting in words of device memory. All are 0 when a launch begins, and its
// last block leaves them so; launches of one stream, and of a graph, come one after another and
// share them.
#pragma once

#include <cstdint>

#include "launch.h"

namespace tenon::cuda {

struct Turns {
  uint32_t begun;  // blocks
  uint32_t ended;
  uint32_t told;  // what the first block has found, and 1
  uint32_t padding;
};

// Those of the launch's stream.
Turns* turns_of(const sdk::Launch& l);

}  // namespace tenon::cuda
