// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/recorder.cc: see recorder.h. Standard output and standard error are files
// here, so what a plugin prints shows as their growth.
#include "process/recorder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "child_process.h"
#include "process/board.h"

namespace tenon::verify {
namespace {

using Clock = std::chrono::steady_clock;

// A process that dies takes what it has not told with it; its successor runs those cases again.
constexpr auto kTellEvery = std::chrono::milliseconds(200);

void add_counts(std::map<std::string, uint64_t>& to, const std::map<std::string, uint64_t>& from) {
  for (const auto& [name, count] : from) to[name] += count;
}

}  // namespace

// ---- Tally --------------------------------------------------------------------------------------

namespace {

// Names whose count is 0 are none.
void change(std::map<std::string, uint64_t>& counts, const std::string& name, uint64_t by) {
  if ((counts[name] += by) == 0) counts.erase(name);
}

}  // namespace

void Tally::count(const Case& each) { change_all(each, 1); }
void Tally::take_back(const Case& each) { change_all(each, ~uint64_t{0}); }

void Tally::change_all(const Case& each, uint64_t by) {
  cases += by;
  change(forms, std::string(name_of(each.form)), by);
  change(dtypes, each.to.empty() ? "as written" : each.from + ">" + each.to, by);
  std::set<Layout> seen;
  for (const Layout layout : each.layouts) {
    if (seen.insert(layout).second) change(layouts, std::string(name_of(layout)), by);
  }
}

void Tally::add(const Tally& other) {
  cases += other.cases;
  passed += other.passed;
  failed += other.failed;
  distinct += other.distinct;
  add_counts(forms, other.forms);
  add_counts(layouts, other.layouts);
  add_counts(dtypes, other.dtypes);
}

Json json_of(const Tally& tally) {
  return {{"cases", tally.cases},       {"passed", tally.passed}, {"failed", tally.failed},
          {"distinct", tally.distinct}, {"forms", tally.forms},   {"layouts", tally.layouts},
          {"dtypes", tally.dtypes}};
}

Tally tally_of(const Json& json) {
  Tally tally;
  tally.cases = json.at("cases");
  tally.passed = json.at("passed");
  tally.failed = json.at("failed");
  tally.distinct = json.at("distinct");
  json.at("forms").get_to(tally.forms);
  json.at("layouts").get_to(tally.layouts);
  json.at("dtypes").get_to(tally.dtypes);
  return tally;
}

// ---- Recorder -----------------------------------------------------------------------------------

Recorder::Recorder(const Request& request, Resume resume, Board* board)
    : request_(request), resume_(std::move(resume)), board_(board), told_(Clock::now()) {}

Recorder::~Recorder() { flush(); }

bool Recorder::wants(const std::string& op, uint32_t sample) const {
  if (request_.only_case.empty()) return true;
  const std::string start = op + ":" + std::to_string(sample) + ":";
  return request_.only_case.compare(0, start.size(), start) == 0;
}

bool Recorder::begin(const Case& each) {
  const std::string text = each.text();
  const bool known = !texts_.insert(text).second;
  if (!request_.only_case.empty() && text != request_.only_case) return false;
  const uint64_t number = number_++;
  if (number < resume_.skip_before || resume_.dead.count(number) != 0) return false;
  look_at_output(each, "before this case began");
  running_ = each;
  tally_.count(each);
  is_new_ = !known;
  tally_.distinct += is_new_ ? 1 : 0;
  if (board_ != nullptr) board_->start(number, text);
  return true;
}

void Recorder::must_run() const {
  if (!running_) throw Failure{"a check ended a case that it had not begun"};
}

void Recorder::pass() {
  must_run();
  const std::string text = printed();
  if (!text.empty()) return fail(causes::kOutput, text);
  ++tally_.passed;
  end();
}

void Recorder::fail(const Cause& cause, const std::string& words) {
  must_run();
  if (partial_ && words.find(tenon_status_get_name(TENON_E_NO_KERNEL)) != std::string::npos) {
    return take_back();
  }
  ++tally_.failed;
  record(*running_, cause, words);
  printed();  // a case has one cause
  end();
}

void Recorder::take_back() {
  tally_.take_back(*running_);
  tally_.distinct -= is_new_ ? 1 : 0;
  uncovered(running_->op, "calls on " + running_->backend,
            "some need a kernel, or a dtype of one, that nobody declares there");
  end();
}

void Recorder::fail_outside(const Case& about, const Cause& cause, const std::string& words) {
  ++tally_.cases;
  ++tally_.failed;
  record(about, cause, words);
}

void Recorder::look_at_output(const Case& about, const std::string& when) {
  const std::string text = printed();
  if (!text.empty()) fail_outside(about, causes::kOutput, when + ": " + text);
}

void Recorder::record(const Case& about, const Cause& cause, const std::string& words) {
  ++failures_;
  Json failure = {{"op", about.op}, {"cause", cause.name}};
  if (++causes_[{about.op, std::string(cause.name)}] <= kToldFailures) {
    failure["case"] = about.text();
    failure["words"] = words;
  }
  failed_.push_back(std::move(failure));
}

void Recorder::end() {
  running_.reset();
  if (board_ != nullptr) board_->stop();
  if (Clock::now() - told_ > kTellEvery) flush();
}

void Recorder::uncovered(const std::string& op, const std::string& what, const std::string& why) {
  uncovered_.push_back({{"op", op}, {"what", what}, {"why", why}});
}

void Recorder::unwitnessed(const std::string& op, const std::string& what, const std::string& why) {
  uncovered_.push_back({{"op", op}, {"what", what}, {"why", why}, {"unwitnessed", true}});
}

std::string Recorder::printed() {
  std::fflush(nullptr);
  std::string text;
  const char* names[] = {"standard output", "standard error"};
  for (const int stream : {0, 1}) {
    struct stat info {};
    if (fstat(stream + 1, &info) != 0) continue;
    const int64_t before = std::exchange(printed_[stream], info.st_size);
    if (info.st_size <= before) continue;
    std::string bytes(static_cast<size_t>(std::min<int64_t>(info.st_size - before, 200)), '\0');
    const ssize_t got = pread(stream + 1, bytes.data(), bytes.size(), before);
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (!text.empty()) text += "; ";
    text += std::string("printed to ") + names[stream] + ": \"" + tools::one_line(bytes) + '"';
  }
  return text;
}

void Recorder::flush() {
  told_ = Clock::now();
  tools::send_line({{"upto", running_ ? number_ - 1 : number_},
                    {"tally", json_of(tally_)},
                    {"failed", failed_},
                    {"uncovered", uncovered_}});
  tally_ = Tally();
  failed_ = Json::array();
  uncovered_ = Json::array();
}

}  // namespace tenon::verify
