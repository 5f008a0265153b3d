// SPDX-License-Identifier: Apache-2.0
// core/processes/requests.h: from what a program asks for to moves of memory.
#pragma once

#include <vector>

#include "core/processes/transfer.h"

namespace tenon::processes {

// What a transfer is asked with: tensors, or memory that somebody else holds until it has ended.
struct Request {
  uint32_t collective = TENON_COLLECTIVE_BARRIER;
  int32_t peer = 0;
  Ref input;
  Ref output;
};

// Checks the requests, and takes all memory that the transfer needs, so that nothing is short once
// others wait. Throws TENON_E_ARGUMENT, SHAPE, DTYPE, DEVICE, ALIAS.
std::vector<Move> moves_of(Context& context, const tenon_collective_desc& desc,
                           const tenon_members& members, std::vector<Request> requests,
                           bool sums_fast);

}  // namespace tenon::processes
