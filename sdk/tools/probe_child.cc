// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_child.cc: the process `tenon doctor --probe` gives to one plugin. It does with
// the plugin all that a program could, tells each step before it, and prints nothing itself.
#include <cstdio>
#include <optional>

#include "child_process.h"
#include "command.h"
#include "kinds.h"
#include "plugin_library.h"
#include "probe_samples.h"

namespace tenon::tools {
namespace {

// Caches fill in the first cycles; what still grows after that is lost memory.
constexpr int kWarmCycles = 10;
constexpr int kCycles = 50;
// What the allocator and Tenon itself may be off by, over all cycles.
constexpr int64_t kHeapSlack = int64_t{16} << 10;
constexpr int64_t kResidentSlack = int64_t{8} << 20;

Json entry_of(const Session& session, const std::string& id) {
  for (const Json& plugin : session.query("plugins")) {
    if (plugin.at("id") == id) return plugin;
  }
  return Json::object();
}

// By hand, so that each step can be named. Not if an allow-list decides what may be opened: the
// host hashes the bytes, and nothing may run before it has.
void step_through(const std::string& library, ProbeReport& report) {
  try {
    read_library(library, [&](const char* phase) { report.phase(phase); });
  } catch (const Failure&) {
    // The host says the same in its own words.
  }
}

Json counts_of(const Session& session, const std::string& id) {
  Json counts = Json::object();
  size_t kernels = 0;
  size_t vjps = 0;
  size_t ops = 0;
  for (const Json& op : session.query("ops")) {
    ops += op.at("plugin") == id ? 1 : 0;
    vjps += op.at("vjp") == id ? 1 : 0;
    for (const Json& kernel : op.at("kernels")) kernels += kernel.at("plugin") == id ? 1 : 0;
  }
  counts["ops"] = ops;
  counts["kernels"] = kernels;
  counts["vjps"] = vjps;
  const auto count = [&](const char* topic) {
    size_t own = 0;
    for (const Json& entry : session.query(topic)) own += entry.at("plugin") == id ? 1 : 0;
    counts[topic] = own;
  };
  for (const EntryKind& kind : kEntryKinds) count(kind.topic);
  count("devices");
  return counts;
}

void look_for_leftovers(const Session& session, ProbeReport& report) {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  session.check(tenon_runtime_get_stats(session.context(), &stats));
  const auto look = [&](const char* what, uint64_t count) {
    if (count != 0) {
      report.problem("leaks: " + std::to_string(count) + " " + what +
                     " still alive after its samples");
    }
  };
  look("tensors", static_cast<uint64_t>(stats.tensors));
  look("storages", static_cast<uint64_t>(stats.storages));
  look("bytes of device memory", stats.bytes_live);
}

// False if the plugin did not open.
bool run_all(const Options& options, const std::string& id, ProbeReport& report) {
  std::optional<Session> session(std::in_place, options);
  report.phase("opening it in a runtime");
  session->query("devices");
  const Json plugin = entry_of(*session, id);
  if (plugin.value("state", "absent") != "open") {
    report.send("refused", plugin.value("reason", "it is not found any more"));
    report.phase("releasing the runtime");
    session.reset();
    return false;
  }
  report.phase("listing what it registers");
  Json counts = counts_of(*session, id);
  counts["sample_calls"] = run_samples(*session, id, report);
  report.send("counts", counts);
  report.phase("looking at what is left");
  look_for_leftovers(*session, report);
  report.phase("releasing the runtime");
  session.reset();
  return true;
}

std::string growth_text(const char* what, int64_t more) {
  return std::string("leaks ") + what + ": " + std::to_string(more) + " more after " +
         std::to_string(kCycles) + " cycles of opening and releasing it";
}

void look_for_growth(const Held& before, const Held& after, ProbeReport& report) {
  const std::vector<std::string> files = new_files(before, after);
  if (files.size() >= kCycles) {
    report.problem(growth_text("file descriptors", static_cast<int64_t>(files.size())) + " (" +
                   one_line(files.back()) + ")");
  }
  const int64_t heap = after.heap_bytes - before.heap_bytes;
  const int64_t resident = after.resident_bytes - before.resident_bytes;
  const bool measured = before.resident_bytes >= 0;
  report.send("growth", {{"cycles", kCycles},
                         {"files", files.size()},
                         {"threads", after.threads - before.threads},
                         {"heap_bytes", heap},
                         {"resident_bytes", measured ? Json(resident) : Json()}});
  if (after.threads - before.threads >= kCycles) {
    // Each holds memory of its own.
    return report.problem(growth_text("threads", after.threads - before.threads));
  }
  if (heap > kHeapSlack || (measured && resident > kResidentSlack)) {
    const int64_t bytes = heap > kHeapSlack ? heap : resident;
    report.problem("leaks memory: about " + std::to_string(bytes / kCycles) +
                   " bytes in each cycle of opening and releasing it");
  }
}

// What it holds on to once: a pool of threads, an open device. Legal, but worth knowing.
void note_kept(const Held& before, const Held& after, ProbeReport& report) {
  const std::vector<std::string> files = new_files(before, after);
  if (!files.empty() && files.size() < kCycles) {
    report.send("note", "keeps " + count_text(files.size(), "file descriptor") +
                            " after its release (" + one_line(files.front()) + ")");
  }
  const int64_t threads = after.threads - before.threads;
  if (threads > 0 && threads < kCycles) {
    report.send("note", "keeps " + count_text(static_cast<size_t>(threads), "thread") +
                            " after its release");
  }
}

void run_cycles(const Options& options, const Held& start, ProbeReport& report) {
  Held before;
  for (int cycle = -kWarmCycles; cycle < kCycles; ++cycle) {
    if (cycle == 0) before = held_after(start);
    report.phase("opening and releasing it again");
    const Session session(options);
    session.query("devices");
  }
  report.phase("looking at what is left");
  const Held after = held_after(before);
  look_for_growth(before, after, report);
  note_kept(start, after, report);
}

}  // namespace

int probe_child(const Options& options, const std::string& id, const std::string& library) {
  limit_child();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what is printed before a crash is seen
  ProbeReport report;
  const Held start = held_now();
  try {
    if (options.allowlist.empty()) step_through(library, report);
    if (run_all(options, id, report)) run_cycles(options, start, report);
  } catch (const Failure& failure) {
    report.problem("ended the probe: " + one_line(failure.text));
  }
  report.phase("ending the process");
  report.send("end", true);
  return kGood;
}

}  // namespace tenon::tools
