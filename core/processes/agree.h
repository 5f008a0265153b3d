// SPDX-License-Identifier: Apache-2.0
// core/processes/agree.h: processes tell each other what they are about to do, so that one that
// does otherwise, or nothing, is an error with its rank and not a program that hangs.
#pragma once

#include <functional>
#include <span>

#include "core/processes/transfer.h"

namespace tenon::processes {

// What another process does is not what this one does, or it has given that up. All whom it
// concerns know of it, and nothing has moved.
struct Mismatch : Error {};

// Others have left the group, which is of no more use then. Nothing is under way.
struct Gone : Error {};

// Of each rank, whether it has left, so that it waits for nothing more.
using Left = std::vector<bool>;

// How an engine's `run` is called: transfers, and which of them are done. Throws what it
// reported.
using Run = std::function<void(std::span<const tenon_transfer_desc>, std::span<uint8_t>)>;

struct Agreed {
  int64_t bytes_sent = 0;
  std::vector<bool> parted;       // of SEND and RECEIVE: the other one does otherwise
  std::optional<Mismatch> first;  // what is to be thrown when the others have been made
  std::optional<Gone> gone;       // the same, and before it
};

// All of the group, for a transfer that all take part in; each two, for SEND and RECEIVE. Throws
// Mismatch and Gone; what `run` throws gets the ranks of those that did not come.
Agreed agree(const tenon_members& members, Transfer& transfer, const tenon_device& host,
             const Run& run, Left& left);

// What every process says last in a group that has not failed, in place of what it is about to do:
// that it leaves. Whoever agrees with it then throws Gone. It is said for all of an engine's groups
// before anything is waited for, and nobody has to hear it: so no order of releases is a deadlock.
void tell_leaving(const tenon_members& members, const tenon_device& host, const Run& run,
                  const Left& left);
// The same in a large group, whose processes gather what they agree on: waits for all others.
void gather_leaving(const tenon_members& members, const tenon_device& host, const Run& run,
                    const Left& left);

}  // namespace tenon::processes
