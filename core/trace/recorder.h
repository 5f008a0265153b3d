// SPDX-License-Identifier: Apache-2.0
// core/trace/recorder.h: collects timed events and writes them as the Chrome trace format, which
// Perfetto and chrome://tracing open.
//
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/no_copy.h"

namespace tenon::trace {

// Nanoseconds of the steady clock; the time all events are stated in.
uint64_t now_ns() noexcept;

// The calling thread's row in a picture: its number in the operating system.
uint64_t thread_row() noexcept;

// threads  any, for every function
class Recorder {
 public:
  // A recording holds at most `most_events` whose texts (names, categories, args) take at most
  // `most_text_bytes` together; what does not fit is dropped and counted.
  explicit Recorder(uint64_t most_events = 1'000'000, uint64_t most_text_bytes = uint64_t{64} << 20)
      : most_events_(most_events), most_text_bytes_(most_text_bytes) {}

  // Starts recording, without the events of an earlier recording that was not ended.
  void begin() noexcept;

  // Whether events are wanted: the one test to make before preparing one.
  bool active() const noexcept { return active_.load(std::memory_order_relaxed); }

  // The add functions do nothing while not active. `args_json` is empty or the text of a JSON
  // object; anything else is shown as a string. `tid` names a row of the picture, a thread or a
  // stream.

  // Something that took time.
  void add_complete(std::string_view name, std::string_view category, uint64_t start_ns,
                    uint64_t duration_ns, uint64_t tid, std::string_view args_json) noexcept;

  // Something that happens now.
  void add_instant(std::string_view name, std::string_view category, uint64_t tid,
                   std::string_view args_json) noexcept;

  // A figure as it is now; drawn as a curve.
  void add_counter(std::string_view name, double value) noexcept;

  // The words shown for a row and for the process. Kept over begin and end.
  void set_thread_name(uint64_t tid, std::string_view name) noexcept;
  void set_process_name(std::string_view name) noexcept;

  // Stops and returns the recording as JSON text; one without events when nothing was begun. The
  // number of dropped events stands in otherData.dropped_events. Throws std::bad_alloc, and then
  // goes on recording.
  std::string end();

 private:
  struct Event {
    char phase;  // the format's: X complete, i instant, C counter
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t tid;
    double value;
    size_t name_bytes;
    size_t category_bytes;
    std::string text;  // name, category and args end to end
  };

  void add(Event event, std::string_view name, std::string_view category,
           std::string_view args_json) noexcept;
  std::string write() const;

  const uint64_t most_events_;
  const uint64_t most_text_bytes_;
  std::atomic<bool> active_{false};
  std::mutex mutex_;  // guards everything below
  std::deque<Event> events_;
  uint64_t text_bytes_ = 0;
  uint64_t dropped_ = 0;
  std::map<uint64_t, std::string> thread_names_;
  std::string process_name_ = "tenon";
};

// A bar on the calling thread's row, from its making to its end, above what is recorded meanwhile.
// The texts outlive it. Costs one test while nothing is recorded.
class Span : NoCopy {
 public:
  Span(Recorder& recorder, std::string_view name, std::string_view category,
       std::string_view args_json = {}) noexcept
      : recorder_(recorder), name_(name), category_(category), args_json_(args_json) {
    if (recorder_.active()) start_ = now_ns();
  }
  ~Span() {
    if (start_ == 0) return;
    recorder_.add_complete(name_, category_, start_, now_ns() - start_, thread_row(), args_json_);
  }

 private:
  Recorder& recorder_;
  const std::string_view name_;
  const std::string_view category_;
  const std::string_view args_json_;
  uint64_t start_ = 0;
};

}  // namespace tenon::trace
