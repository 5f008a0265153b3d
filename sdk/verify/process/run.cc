// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/run.cc: see run.h.
#include "process/run.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "child_process.h"
#include "process/board.h"

namespace tenon::verify {
namespace {

using tools::ChildEnd;
using Clock = std::chrono::steady_clock;

// Opening plugins costs more than the few cases of a group on a low level.
size_t groups_in_a_process(int level) {
  if (level <= kSmoke) return 16;
  return level == kValues ? 4 : 1;
}

std::string limit_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

struct Death {
  Cause cause;
  std::string words;
};

Death death_of(const ChildEnd& end, double seconds) {
  std::string said = end.err.empty() ? end.out : end.err;
  if (!said.empty()) said = "; it printed \"" + tools::one_line(said) + "\"";
  if (end.stopped) return {causes::kHang, "no progress for " + limit_text(seconds) + "; killed"};
  if (WIFSIGNALED(end.status)) {
    return {causes::kCrash, "ended by " + tools::end_text(end.status) + said};
  }
  return {causes::kExit, "ended the process with " + tools::end_text(end.status) + said};
}

std::vector<std::string> arguments_for(const PluginResult& result, const Order& order) {
  std::vector<std::string> arguments = tools::arguments_of(result.options);
  arguments.emplace_back("verify-child");
  arguments.push_back(json_of(order).dump());
  return arguments;
}

// One process after another, for some groups.
class Batch {
 public:
  Batch(PluginResult& result, const Request& request, const RunOptions& options,
        std::mutex& results, std::vector<size_t> groups)
      : result_(result),
        request_(request),
        options_(options),
        results_(results),
        pending_(std::move(groups)) {}

  void run() {
    while (!pending_.empty()) run_process();
  }

 private:
  void run_process() {
    const BoardPage board;
    const Order order{result_.id, request_, groups(), resume_};
    current_ = done_ = 0;
    finished_ = false;
    refused_.clear();
    phase_ = "starting";
    const ChildEnd end =
        tools::run_child(arguments_for(result_, order), options_.seconds,
                         [this](const std::string& line) { take(line); },
                         {board.descriptor(), [&board] { return board.get()->beats.load(); }});
    const std::lock_guard<std::mutex> lock(results_);
    if (!refused_.empty()) return give_up();
    const bool died = end.stopped || WIFSIGNALED(end.status) || !finished_;
    if (died) return note_death(end, *board.get());
    pending_.clear();
  }

  std::vector<Group> groups() const {
    std::vector<Group> list;
    for (const size_t index : pending_) list.push_back(result_.groups[index].group);
    return list;
  }

  void take(const std::string& line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    const std::lock_guard<std::mutex> lock(results_);
    phase_ = said.value("phase", phase_);
    finished_ = finished_ || said.contains("end");
    if (said.contains("refused")) refused_ = said.at("refused");
    if (said.contains("group")) {
      current_ = said.at("group");
      upto_ = current_ == 0 ? resume_.skip_before : 0;
      began_ = Clock::now();
    }
    if (said.contains("upto")) add_lot(said);
    if (said.contains("done")) {
      done_ = said.at("done").get<size_t>() + 1;
      result_.groups[pending_[current_]].seconds +=
          std::chrono::duration<double>(Clock::now() - began_).count();
    }
    if (options_.progress) options_.progress(result_, result_.groups[pending_[current_]].group);
  }

  void add_lot(const Json& lot) {
    upto_ = std::max<uint64_t>(upto_, lot.at("upto"));
    result_.groups[pending_[current_]].tally.add(tally_of(lot.at("tally")));
    for (const Json& failure : lot.at("failed")) {
      const std::string op = failure.at("op");
      const std::string cause = failure.at("cause");
      if (failure.contains("words")) {
        result_.failures.add({op, cause, failure.at("case"), failure.at("words")});
      } else {
        result_.failures.count(op, cause);
      }
    }
    for (const Json& entry : lot.at("uncovered")) {
      result_.uncovered.emplace(entry.at("op"), entry.at("what"), entry.at("why"));
      if (!entry.contains("unwitnessed")) continue;
      const std::string what = entry.at("what");
      result_.unwitnessed.emplace(entry.at("op"), what + ": " + entry.at("why").get<std::string>());
    }
  }

  void give_up() {
    for (const size_t index : pending_) {
      GroupResult& group = result_.groups[index];
      group.cut = true;
      ++group.tally.failed;
      result_.failures.add({group.group.name(), std::string(causes::kUnusable.name), "", refused_});
    }
    pending_.clear();
  }

  // The group is the one that ran, or was to be next.
  void note_death(const ChildEnd& end, const Board& board) {
    const size_t place = std::min(done_, pending_.size() - 1);
    if (place != 0) {
      dead_.clear();
      deaths_ = 0;
    }
    const bool in_group = current_ == place && done_ == place;
    const bool in_case = in_group && board.running.load() != 0 && board.group.load() == place;
    GroupResult& group = result_.groups[pending_[place]];
    const Death death = death_of(end, options_.seconds);
    std::string words = death.words;
    std::string text;
    if (in_case) {
      text = board.case_text();
      dead_.insert(board.number.load());
      count_case(group.tally, text);
    } else {
      const std::string last = in_group ? board.case_text() : "";
      words += last.empty() ? " while " + phase_ : " after the case " + last + " had ended";
    }
    ++group.tally.failed;
    result_.failures.add({group.group.name(), std::string(death.cause.name), text, words});
    go_on(place, in_group ? upto_ : 0);
  }

  static void count_case(Tally& tally, const std::string& text) {
    try {
      tally.count(parse_case(text));
      ++tally.distinct;
    } catch (const Failure&) {
      ++tally.cases;  // the process has written over the page it shares
    }
  }

  void go_on(size_t place, uint64_t upto) {
    GroupResult& group = result_.groups[pending_[place]];
    if (done_ == pending_.size()) return pending_.clear();  // it died on its way out
    if (++deaths_ < kDeaths) {
      pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(place));
      resume_ = {upto, dead_};
      return;
    }
    group.cut = true;
    ++group.tally.failed;
    result_.failures.add({group.group.name(), std::string(causes::kCrash.name), "",
                          std::to_string(kDeaths) +
                              " processes of this op have ended; its other cases were not run"});
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(place) + 1);
    deaths_ = 0;
    dead_.clear();
    resume_ = Resume();
  }

  PluginResult& result_;
  const Request& request_;
  const RunOptions& options_;
  std::mutex& results_;
  std::vector<size_t> pending_;  // indices of groups
  Resume resume_;                // of the first pending group
  std::set<uint64_t> dead_;
  int deaths_ = 0;
  // Of the process that runs.
  size_t current_ = 0;  // position among `pending_`
  size_t done_ = 0;     // groups that are finished
  uint64_t upto_ = 0;   // cases of the current group that were told
  Clock::time_point began_;
  bool finished_ = false;
  std::string phase_, refused_;
};

// What the plugin claims of devices that this machine lacks.
void note_absent(PluginResult& result, const Json& absent) {
  result.lacks_device = !absent.empty();
  for (const auto& [device, claims] : absent.items()) {
    std::string names;
    for (const std::string& op : claims.at("ops").get<std::vector<std::string>>()) {
      names += (names.empty() ? "" : ", ") + op;
    }
    result.uncovered.emplace(
        "", tools::count_text(claims.at("ops").size(), "op") + " on " + device + " (" + names + ")",
        "this machine has no such device: " + claims.at("why").get<std::string>());
  }
}

}  // namespace

bool list_groups(PluginResult& result, const Request& request, const RunOptions& options) {
  const BoardPage board;
  std::string refused;
  std::string phase = "starting";
  Json entries;
  Json absent;
  bool finished = false;
  const auto take = [&](const std::string& line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    phase = said.value("phase", phase);
    refused = said.value("refused", refused);
    finished = finished || said.contains("end");
    if (said.contains("entries")) entries = said.at("entries");
    if (said.contains("absent")) absent = said.at("absent");
  };
  const ChildEnd end = tools::run_child(arguments_for(result, {result.id, request, {}, {}}),
                                        options.seconds, take, {board.descriptor(), {}});
  if (!refused.empty()) {
    result.failures.add({"", std::string(causes::kUnusable.name), "", refused});
  } else if (end.stopped || WIFSIGNALED(end.status) || !finished) {
    const Death death = death_of(end, options.seconds);
    result.failures.add({"", std::string(death.cause.name), "", death.words + " while " + phase});
  }
  if (!entries.is_array()) return false;
  if (absent.is_object()) note_absent(result, absent);
  for (const Json& entry : entries) {
    result.groups.push_back({group_of(entry), entry, {}, 0, false});
  }
  return true;
}

void run_groups(PluginResult& result, const Request& request, const RunOptions& options) {
  std::mutex results;
  std::mutex queue;
  std::exception_ptr failed;
  size_t next = 0;
  const size_t some = groups_in_a_process(request.level);
  const auto work = [&] {
    try {
      while (true) {
        std::vector<size_t> groups;
        {
          const std::lock_guard<std::mutex> lock(queue);
          for (; next < result.groups.size() && groups.size() < some; ++next) {
            groups.push_back(next);
          }
        }
        if (groups.empty()) return;
        Batch(result, request, options, results, std::move(groups)).run();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(queue);
      failed = std::current_exception();
      next = result.groups.size();
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < options.jobs; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace tenon::verify
