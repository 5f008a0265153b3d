// SPDX-License-Identifier: Apache-2.0
// core/trace/recorder.cc: collects timed events and writes them as Chrome trace JSON.
#include "core/trace/recorder.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json/writer.h"

namespace tenon::trace {
namespace {

// Names come from programs and plugins and need not be UTF-8: what is not becomes U+FFFD.
std::string quoted(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

// `args` itself when it is the text of a JSON object; otherwise an object that shows it.
std::string as_object(std::string_view args) {
  if (args.empty()) return "{}";
  const size_t first = args.find_first_not_of(" \t\r\n");
  if (first != args.npos && args[first] == '{' && nlohmann::json::accept(args))
    return std::string(args);
  return "{\"text\":" + quoted(args) + "}";
}

// Nanoseconds in the format's unit, microseconds, without losing the digits a double would lose.
void append_us(std::string& out, uint64_t ns) {
  const std::string fraction = std::to_string(ns % 1000);
  out += std::to_string(ns / 1000);
  out += '.';
  out.append(3 - fraction.size(), '0');
  out += fraction;
}

// JSON has no infinities and no NaN; they are shown as text.
std::string number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return std::string(digits, end);
}

// Metadata events name the process and its rows.
void append_name(std::string& out, std::string_view what, uint64_t tid, std::string_view name) {
  out += "{\"ph\":\"M\",\"name\":\"";
  out += what;
  out += "\",\"pid\":" + std::to_string(::getpid()) + ",\"tid\":" + std::to_string(tid);
  out += ",\"args\":{\"name\":" + quoted(name) + "}}";
}

}  // namespace

uint64_t now_ns() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(since).count());
}

uint64_t thread_row() noexcept { return static_cast<uint64_t>(::syscall(SYS_gettid)); }

void Recorder::begin() noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  events_.clear();
  text_bytes_ = 0;
  dropped_ = 0;
  active_.store(true, std::memory_order_relaxed);
}

void Recorder::add_complete(std::string_view name, std::string_view category, uint64_t start_ns,
                            uint64_t duration_ns, uint64_t tid,
                            std::string_view args_json) noexcept {
  if (!active()) return;
  add({'X', start_ns, duration_ns, tid, 0, 0, 0, {}}, name, category, args_json);
}

void Recorder::add_instant(std::string_view name, std::string_view category, uint64_t tid,
                           std::string_view args_json) noexcept {
  if (!active()) return;
  add({'i', now_ns(), 0, tid, 0, 0, 0, {}}, name, category, args_json);
}

void Recorder::add_counter(std::string_view name, double value) noexcept {
  if (!active()) return;
  add({'C', now_ns(), 0, 0, value, 0, 0, {}}, name, {}, {});
}

void Recorder::add(Event event, std::string_view name, std::string_view category,
                   std::string_view args_json) noexcept {
  const uint64_t bytes = uint64_t{name.size()} + category.size() + args_json.size();
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!active()) return;  // ended since the caller looked
  if (events_.size() >= most_events_ || bytes > most_text_bytes_ - text_bytes_) {
    ++dropped_;
    return;
  }
  try {
    event.name_bytes = name.size();
    event.category_bytes = category.size();
    event.text.reserve(bytes);
    event.text.append(name).append(category).append(args_json);
    events_.push_back(std::move(event));
    text_bytes_ += bytes;
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

// A name that finds no memory is left out: recording must not make a program fail.
void Recorder::set_thread_name(uint64_t tid, std::string_view name) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  try {
    thread_names_[tid] = name;
  } catch (const std::bad_alloc&) {
    return;
  }
}

void Recorder::set_process_name(std::string_view name) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  try {
    process_name_ = name;
  } catch (const std::bad_alloc&) {
    return;
  }
}

std::string Recorder::end() {
  const std::lock_guard<std::mutex> guard(mutex_);
  std::string text = write();  // if memory runs out here the recording goes on
  active_.store(false, std::memory_order_relaxed);
  events_.clear();
  events_.shrink_to_fit();
  text_bytes_ = 0;
  dropped_ = 0;
  return text;
}

std::string Recorder::write() const {
  const std::string process = ",\"pid\":" + std::to_string(::getpid()) + ",\"tid\":";
  std::string out = "{\"traceEvents\":[\n";
  append_name(out, "process_name", 0, process_name_);
  for (const auto& [tid, name] : thread_names_) {
    out += ",\n";
    append_name(out, "thread_name", tid, name);
  }
  for (const Event& event : events_) {
    const std::string_view text = event.text;
    const std::string_view category = text.substr(event.name_bytes, event.category_bytes);
    out += ",\n{\"ph\":\"";
    out += event.phase;
    out += "\",\"name\":" + quoted(text.substr(0, event.name_bytes));
    if (!category.empty()) out += ",\"cat\":" + quoted(category);
    out += process + std::to_string(event.tid) + ",\"ts\":";
    append_us(out, event.start_ns);
    if (event.phase == 'X') {
      out += ",\"dur\":";
      append_us(out, event.duration_ns);
    }
    if (event.phase == 'i') out += ",\"s\":\"t\"";
    if (event.phase == 'C') {
      out += ",\"args\":{\"value\":" + number(event.value) + "}}";
    } else {
      out += ",\"args\":" + as_object(text.substr(event.name_bytes + event.category_bytes)) + "}";
    }
  }
  out += "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped_events\":";
  out += std::to_string(dropped_) + "}}\n";
  return out;
}

}  // namespace tenon::trace
