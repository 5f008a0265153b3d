// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/repeats.cc: the same call again gives the same bits, also with other numbers
// of threads, and leaves nothing behind.
#include <algorithm>
#include <array>

#include "case/both_ways.h"
#include "extremes/checks.h"
#include "extremes/enlarged.h"
#include "process_state.h"

namespace tenon::verify {
namespace {

constexpr int kCalls = 16;
constexpr int kLargeCalls = 4;
constexpr size_t kLargeElements = size_t{1} << 16;  // more than any kernel gives to one thread

// What fills once (caches, free lists of the allocator) does not grow in every round.
constexpr int kWarmCalls = 8;
// What leaks grows in every one; caches of freed memory, which each thread of a device has, do for
// a few.
constexpr int kRounds = 8;
constexpr int kCallsInRound = 64;
constexpr int64_t kHeapSlack = kCallsInRound * 8;

// ---- the same bits ------------------------------------------------------------------------------

void check_again(Work& work, const SampleCall& call, const std::string& detail, int calls) {
  if (!work.recorder.begin(plain_case(call, Form::Repeated, work.backend, detail))) return;
  const Session& session = work.subject.session();
  const Outcome first = outcome_of(session, call, work.device);
  for (int i = 1; i < calls; ++i) {
    const std::string difference = difference_of(first, outcome_of(session, call, work.device));
    if (difference.empty()) continue;
    return work.recorder.fail(causes::kNondeterministic, "call " + std::to_string(i + 1) + " of " +
                                                             std::to_string(calls) +
                                                             " against the first: " + difference);
  }
  work.recorder.pass();
}

// A session of each number of threads, made when first needed.
class Sessions {
 public:
  explicit Sessions(Work& work) : work_(work) {}
  const Session& with(int threads) {
    std::unique_ptr<Session>& session = all_[threads];
    if (!session) session = work_.subject.with_threads(threads);
    return *session;
  }

 private:
  Work& work_;
  std::map<int, std::unique_ptr<Session>> all_;
};

std::vector<int> thread_counts(int level) {
  return level >= kSoak ? std::vector<int>{2, 3, 8} : std::vector<int>{3};
}

void check_threads(Work& work, Sessions& sessions, const SampleCall& call,
                   const std::string& detail) {
  for (const int threads : thread_counts(work.request.level)) {
    const std::string name = std::to_string(threads) + (detail.empty() ? "" : "-" + detail);
    if (!work.recorder.begin(plain_case(call, Form::Threads, work.backend, name))) continue;
    const auto run = [&](const Session& session) {
      return outcome_of(session, call, device_in(session, work.backend));
    };
    const Outcome one = run(sessions.with(1));
    const Outcome many = run(sessions.with(threads));
    const std::string difference = difference_of(one, many);
    if (difference.empty()) {
      work.recorder.pass();
    } else {
      work.recorder.fail(causes::kThreads,
                         std::to_string(threads) + " compute threads against one: " + difference);
    }
  }
}

// ---- nothing left over --------------------------------------------------------------------------

struct Count {
  const char* what;
  int64_t value;
  int64_t slack;  // growth in a round that means nothing
};

// What is still waiting to run on a device holds memory, and rightly so.
std::array<Count, 7> counts_now(const Session& session) {
  session.check(tenon_device_wait(session.context(), nullptr));
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  session.check(tenon_runtime_get_stats(session.context(), &stats));
  const tools::Held held = tools::held_now();
  return {{{"tensors", stats.tensors, 0},
           {"storages", stats.storages, 0},
           {"graph nodes", stats.nodes, 0},
           {"bytes of device memory", static_cast<int64_t>(stats.bytes_live), 0},
           {"bytes reserved on the device", static_cast<int64_t>(stats.bytes_reserved), 0},
           {"bytes of the heap", held.heap_bytes, kHeapSlack},
           {"open files", static_cast<int64_t>(held.files.size()), kCallsInRound / 2}}};
}

void check_nothing_held(Work& work, const SampleCall& call) {
  if (!work.recorder.begin(plain_case(call, Form::Repeated, work.backend, "held"))) return;
  const Session& session = work.subject.session();
  const auto run = [&](int calls) {
    for (int i = 0; i < calls; ++i) both_ways(session, call, work.device, work.op.rule);
  };
  run(kWarmCalls);
  std::array<bool, 7> growing{};
  growing.fill(true);
  auto before = counts_now(session);
  const auto first = before;
  for (int round = 0; round < kRounds; ++round) {
    run(kCallsInRound);
    const auto after = counts_now(session);
    for (size_t i = 0; i < after.size(); ++i) {
      growing[i] = growing[i] && after[i].value - before[i].value > after[i].slack;
    }
    before = after;
    if (std::none_of(growing.begin(), growing.end(), [](bool is) { return is; })) break;
  }
  std::string words;
  for (size_t i = 0; i < growing.size(); ++i) {
    if (!growing[i]) continue;
    words += (words.empty() ? "" : ", ") + std::to_string(before[i].value - first[i].value) +
             " more " + before[i].what;
  }
  if (words.empty()) return work.recorder.pass();
  work.recorder.fail(causes::kLeak, "after " + std::to_string(kRounds * kCallsInRound) + " calls" +
                                        (work.op.rule ? " with backward" : "") + ": " + words);
}

}  // namespace

void check_repeats(Work& work) {
  if (work.request.level < kValues) return;
  Sessions sessions(work);
  for (const SampleText* sample : good_samples(work.op)) {
    if (!work.recorder.wants(work.op.name, sample->number)) continue;
    const std::optional<SampleCall> call = make_call(work.op, *sample, "", "", work.request.seed);
    if (!call) continue;
    const std::optional<SampleCall> large =
        enlarged(work.subject.session(), *call, work.device, kLargeElements);
    check_again(work, *call, "", kCalls);
    if (large) check_again(work, *large, "large", kLargeCalls);
    check_threads(work, sessions, *call, "");
    if (large) check_threads(work, sessions, *large, "large");
    check_nothing_held(work, *call);
  }
}

}  // namespace tenon::verify
