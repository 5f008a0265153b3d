// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/results.cc: see results.h.
#include "process/results.h"

namespace tenon::verify {

void Failures::add(const FailureNote& note) {
  if (++counts_[{note.op, note.cause}] <= kToldFailures) told_.push_back(note);
}

uint64_t Failures::total() const {
  uint64_t sum = 0;
  for (const auto& [key, count] : counts_) sum += count;
  return sum;
}

Tally PluginResult::total() const {
  Tally sum;
  for (const GroupResult& group : groups) sum.add(group.tally);
  return sum;
}

uint64_t PluginResult::skipped() const {
  uint64_t count = 0;
  for (const GroupResult& group : groups) count += group.cut ? 1 : 0;
  return count;
}

}  // namespace tenon::verify
