// SPDX-License-Identifier: Apache-2.0
// core/processes/agree.h: processes tell each other what they are about to do, so that one that
// does otherwise, or nothing, is an error with its rank and not a program that hangs.
#pragma once

#include <functional>
#include <span>

#include "core/processes/transfer.h"

namespace tenon::processes {

// What another process does is not what this one does. All whom it concerns know of it, and nothing
// has moved.
struct Mismatch : Error {};
// Another process has given up what all were doing. All know of it, and nothing has moved.
struct GivenUp : Mismatch {};

// How an engine's `run` is called: transfers, and which of them are done. Throws what it
// reported.
using Run = std::function<void(std::span<const tenon_transfer_desc>, std::span<uint8_t>)>;

struct Agreed {
  int64_t bytes_sent = 0;
  std::vector<bool> parted;       // of SEND and RECEIVE: the other one does otherwise
  std::optional<Mismatch> first;  // what is to be thrown when the others have been made
};

// All of the group, for a transfer that all take part in; each two, for SEND and RECEIVE. Throws
// Mismatch; what `run` throws gets the ranks of those that did not come.
Agreed agree(const tenon_members& members, Transfer& transfer, const tenon_device& host,
             const Run& run);

}  // namespace tenon::processes
