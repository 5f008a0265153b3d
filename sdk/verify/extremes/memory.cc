// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/memory.cc: one sample of an op, again and again while its first, second,
// third ... allocation fails. The call may only be refused, as TENON_E_MEMORY; it leaves nothing
// behind, and the next one is right.
#include "extremes/memory.h"

#include "case/both_ways.h"
#include "extremes/checks.h"

namespace tenon::verify {
namespace {

constexpr int64_t kMaxAllocations = 20000;  // of one call

struct Live {
  int64_t tensors, storages, nodes;
  uint64_t bytes;
  bool operator==(const Live&) const = default;
};

Live live_now(const Session& session) {
  session.check(tenon_device_wait(session.context(), nullptr));
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  session.check(tenon_runtime_get_stats(session.context(), &stats));
  return {stats.tensors, stats.storages, stats.nodes, stats.bytes_live};
}

std::string text_of(const Live& live) {
  return std::to_string(live.tensors) + " tensors, " + std::to_string(live.storages) +
         " storages, " + std::to_string(live.nodes) + " graph nodes, " +
         std::to_string(live.bytes) + " bytes";
}

class Sweep {
 public:
  Sweep(const Session& session, const SampleCall& call, const tenon_device& device, bool backward)
      : session_(session), call_(call), device_(device), backward_(backward) {}

  // The call undisturbed, before anything else; twice, as caches fill the first time.
  const Outcome& right() {
    right_ = run({}, {}).outcome;
    run({}, {});
    live_ = live_now(session_);
    return right_;
  }

  // What is wrong; empty if nothing is. A call whose like was seen before needs less, so that
  // each is tried as the first of its kind and once more.
  std::string host(bool in_backward) {
    const std::string words = host(in_backward, true);
    return words.empty() ? host(in_backward, false) : words;
  }

  std::string device(bool in_backward) {
    for (uint64_t more = 1; more < (uint64_t{1} << 40); more *= 2) {
      bool limited = false;
      const Around failing{[&] { limit(live_now(session_).bytes + more); },
                           [&] {
                             limit(0);
                             limited = true;
                           }};
      const BothWays both = in_backward ? run({}, failing) : run(failing, {});
      const bool refused = both.outcome.status != TENON_OK;
      const std::string words = judge(both.outcome, limited);
      if (!words.empty())
        return "device memory limited to " + std::to_string(more) +
               " bytes more than there were: " + words;
      if (!refused) return {};
    }
    return {};
  }

 private:
  std::string host(bool in_backward, bool first) {
    for (int64_t index = 0; index < kMaxAllocations; ++index) {
      bool failed = false;
      if (first) forget();
      const Around failing{[index] { fail_allocation(index); },
                           [&failed] { failed = stop_failing(); }};
      const BothWays both = in_backward ? run({}, failing) : run(failing, {});
      const std::string words = judge(both.outcome, failed);
      if (!words.empty())
        return "allocation " + std::to_string(index) + " of host memory: " + words;
      if (!failed) return {};
    }
    return "a call that allocates more than " + std::to_string(kMaxAllocations) + " times";
  }

  // What was remembered of earlier calls is dropped whenever a pin changes, also one that is not.
  void forget() const {
    session_.check(tenon_runtime_set_pin(session_.context(), call_.op->name.data(),
                                         call_.op->name.size(), "", 0));
  }

  BothWays run(const Around& forward, const Around& backward) const {
    return both_ways(session_, call_, device_, backward_, forward, backward);
  }

  void limit(uint64_t bytes) const {
    session_.check(tenon_runtime_set_memory_limit(session_.context(), bytes));
  }

  std::string judge(const Outcome& found, bool failed) const {
    if (found.status != TENON_OK && !(failed && found.status == TENON_E_MEMORY)) {
      return "expected TENON_E_MEMORY, found " + found.words;
    }
    if (found.status == TENON_OK) {
      const std::string difference = difference_of(right_, found);
      if (!difference.empty()) return "the call succeeds with other results: " + difference;
    }
    const Live live = live_now(session_);
    if (live != live_) {
      return "left behind: expected " + text_of(live_) + ", found " + text_of(live);
    }
    const std::string difference = difference_of(right_, run({}, {}).outcome);
    return difference.empty() ? "" : "the next call is wrong: " + difference;
  }

  const Session& session_;
  const SampleCall& call_;
  tenon_device device_;
  bool backward_;
  Outcome right_;
  Live live_{};
};

void check_one(Work& work, Sweep& sweep, const SampleCall& call, bool host, bool in_backward) {
  const std::string detail =
      std::string(host ? "host" : "device") + (in_backward ? "-backward" : "");
  if (!work.recorder.begin(plain_case(call, Form::Memory, work.backend, detail))) return;
  const Outcome& right = sweep.right();
  if (right.status != TENON_OK) return work.recorder.fail(causes::kRefused, right.words);
  const std::string words = host ? sweep.host(in_backward) : sweep.device(in_backward);
  if (words.empty()) return work.recorder.pass();
  work.recorder.fail(causes::kMemoryFailure, words);
}

}  // namespace

void check_memory(Work& work) {
  if (work.request.level < kSoak) return;
  if (!can_fail_allocations()) {
    work.recorder.uncovered(work.op.name, "failing host allocations",
                            "this tenon was built with a sanitizer or without glibc");
  }
  for (const SampleText* sample : good_samples(work.op)) {
    if (!work.recorder.wants(work.op.name, sample->number)) continue;
    const std::optional<SampleCall> call = make_call(work.op, *sample, "", "", work.request.seed);
    if (!call || call->has_size_zero()) continue;
    // One compute thread: every allocation of the call is this thread's.
    const std::unique_ptr<Session> session = work.subject.with_threads(1);
    Sweep sweep(*session, *call, device_in(*session, work.backend), work.op.rule);
    for (const bool host : {true, false}) {
      if (host && !can_fail_allocations()) continue;
      check_one(work, sweep, *call, host, false);
      if (work.op.rule && !call->mutates()) check_one(work, sweep, *call, host, true);
    }
    return;  // one sample of each op
  }
}

}  // namespace tenon::verify
