// SPDX-License-Identifier: Apache-2.0
// tests/core/recorder_test.cc: what a recording holds, how it is escaped, and how it is bounded.
#include "core/trace/recorder.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using nlohmann::json;
using tenon::trace::now_ns;
using tenon::trace::Recorder;

// The events of one phase, in order.
std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST(Recorder, RecordsOnlyBetweenBeginAndEnd) {
  Recorder recorder;
  EXPECT_FALSE(recorder.active());
  recorder.add_complete("before", "op", 1, 1, 0, "");
  recorder.begin();
  EXPECT_TRUE(recorder.active());
  recorder.add_complete("during", "op", 1, 1, 0, "");
  const json trace = json::parse(recorder.end());
  EXPECT_FALSE(recorder.active());
  recorder.add_complete("after", "op", 1, 1, 0, "");
  recorder.add_counter("after", 1);
  ASSERT_EQ(events_of(trace, "X").size(), 1u);
  EXPECT_EQ(events_of(trace, "X")[0].at("name"), "during");
  recorder.begin();
  EXPECT_EQ(events_of(json::parse(recorder.end()), "X").size(), 0u);
}

TEST(Recorder, WritesTheFieldsTheFormatAsksFor) {
  Recorder recorder;
  recorder.set_process_name("digits");
  recorder.set_thread_name(7, "stream 0");
  recorder.begin();
  // More digits than a double holds: they are written from the integer.
  recorder.add_complete("matmul", "launch", 9007199254740993, 1234567, 7, R"({"m": 64})");
  recorder.add_complete("copy", "", 5, 0, 7, "");
  const uint64_t before = now_ns();
  recorder.add_instant("epoch", "data", 3, R"({"index": 1})");
  recorder.add_counter("live bytes", 4096);
  const uint64_t after = now_ns();
  const std::string text = recorder.end();
  EXPECT_NE(text.find("\"ts\":9007199254740.993,\"dur\":1234.567"), std::string::npos) << text;
  EXPECT_NE(text.find("\"ts\":0.005,\"dur\":0.000"), std::string::npos) << text;
  const json trace = json::parse(text);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ns");
  EXPECT_EQ(trace.at("otherData").at("dropped_events"), 0);
  const json complete = events_of(trace, "X").at(0);
  EXPECT_EQ(complete.at("name"), "matmul");
  EXPECT_EQ(complete.at("cat"), "launch");
  EXPECT_EQ(complete.at("tid"), 7);
  EXPECT_EQ(complete.at("args").at("m"), 64);
  EXPECT_TRUE(complete.at("pid").is_number_integer());
  EXPECT_FALSE(events_of(trace, "X").at(1).contains("cat"));
  const json instant = events_of(trace, "i").at(0);
  EXPECT_EQ(instant.at("s"), "t");
  EXPECT_EQ(instant.at("tid"), 3);
  EXPECT_EQ(instant.at("args").at("index"), 1);
  EXPECT_GE(instant.at("ts").get<double>(), static_cast<double>(before) / 1000 - 1);
  EXPECT_LE(instant.at("ts").get<double>(), static_cast<double>(after) / 1000 + 1);
  const json counter = events_of(trace, "C").at(0);
  EXPECT_EQ(counter.at("name"), "live bytes");
  EXPECT_EQ(counter.at("args").at("value"), 4096);
  const std::vector<json> names = events_of(trace, "M");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].at("name"), "process_name");
  EXPECT_EQ(names[0].at("args").at("name"), "digits");
  EXPECT_EQ(names[1].at("name"), "thread_name");
  EXPECT_EQ(names[1].at("tid"), 7);
  EXPECT_EQ(names[1].at("args").at("name"), "stream 0");
}

TEST(Recorder, AnyTextGivesValidJson) {
  Recorder recorder;
  recorder.begin();
  const std::string odd = "a\"b\\c\n\t\x01/\xc3\xa9";
  recorder.add_complete(odd, odd, 1, 1, 0, "");
  recorder.add_complete("bad \xff\xfe utf-8", "", 1, 1, 0, "");
  recorder.add_complete(std::string_view("nul\0inside", 10), "", 1, 1, 0, "");
  for (const char* args :
       {"not json", "[1]", "{\"open\":", "{\"a\":1} x", "{\"a\":\"\xff\"}", " "}) {
    recorder.add_complete("args", "", 1, 1, 0, args);
  }
  recorder.add_complete("args", "", 1, 1, 0, " \n{\"kept\": [1, {\"as\": \"is\"}]}");
  recorder.add_counter("nan", std::numeric_limits<double>::quiet_NaN());
  recorder.add_counter("inf", -std::numeric_limits<double>::infinity());
  recorder.add_counter("small", 1e-300);
  const json trace = json::parse(recorder.end());
  const std::vector<json> events = events_of(trace, "X");
  ASSERT_EQ(events.size(), 10u);
  EXPECT_EQ(events[0].at("name"), odd);
  EXPECT_EQ(events[0].at("cat"), odd);
  EXPECT_EQ(events[1].at("name"), "bad \xef\xbf\xbd\xef\xbf\xbd utf-8");
  EXPECT_EQ(events[2].at("name"), std::string("nul\0inside", 10));
  EXPECT_EQ(events[3].at("args").at("text"), "not json");
  for (size_t i = 3; i < 9; ++i) EXPECT_TRUE(events[i].at("args").contains("text")) << i;
  EXPECT_EQ(events[9].at("args").at("kept")[1].at("as"), "is");
  const std::vector<json> counters = events_of(trace, "C");
  EXPECT_EQ(counters.at(0).at("args").at("value"), "nan");
  EXPECT_EQ(counters.at(1).at("args").at("value"), "-inf");
  EXPECT_EQ(counters.at(2).at("args").at("value"), 1e-300);
}

TEST(Recorder, DropsAndCountsWhatDoesNotFit) {
  Recorder recorder(100);
  recorder.begin();
  for (int i = 0; i < 105; ++i) recorder.add_counter("n", i);
  const json full = json::parse(recorder.end());
  EXPECT_EQ(full.at("otherData").at("dropped_events"), 5);
  const std::vector<json> events = events_of(full, "C");
  ASSERT_EQ(events.size(), 100u);
  EXPECT_EQ(events.back().at("args").at("value"), 99);
  recorder.begin();
  recorder.add_counter("n", 1);
  const json next = json::parse(recorder.end());
  EXPECT_EQ(next.at("otherData").at("dropped_events"), 0);
  EXPECT_EQ(events_of(next, "C").size(), 1u);
}

TEST(Recorder, TheTextOfAllEventsIsBounded) {
  Recorder recorder(100, 50);
  recorder.begin();
  // 4 + 3 + 15 bytes each: two fit, and six bytes more.
  for (int i = 0; i < 5; ++i) recorder.add_instant("name", "cat", 0, "{\"a\": 12345678}");
  recorder.add_counter("1234567", 1);
  recorder.add_counter("123456", 1);
  recorder.add_counter("1", 1);
  const json trace = json::parse(recorder.end());
  EXPECT_EQ(events_of(trace, "i").size(), 2u);
  ASSERT_EQ(events_of(trace, "C").size(), 1u);
  EXPECT_EQ(events_of(trace, "C")[0].at("name"), "123456");
  EXPECT_EQ(trace.at("otherData").at("dropped_events"), 5);
}

TEST(Recorder, TimeNeverRunsBackwards) {
  uint64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const uint64_t next = now_ns();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(RecorderThreads, ManyThreadsRecordWhileOneBeginsAndEnds) {
  Recorder recorder;
  constexpr int kThreads = 3;
  constexpr int kEach = 2000;
  recorder.begin();
  std::vector<std::thread> threads;
  for (uint64_t tid = 0; tid < kThreads; ++tid) {
    threads.emplace_back([&recorder, tid] {
      recorder.set_thread_name(tid, "worker " + std::to_string(tid));
      for (int i = 0; i < kEach; ++i) recorder.add_complete("work", "op", now_ns(), 1, tid, "");
    });
  }
  size_t seen = events_of(json::parse(recorder.end()), "X").size();
  recorder.begin();
  for (std::thread& thread : threads) thread.join();
  const json last = json::parse(recorder.end());
  seen += events_of(last, "X").size();
  // Those between end and begin are lost, as they should be; none is seen twice.
  EXPECT_LE(seen, size_t{kThreads * kEach});
  EXPECT_EQ(events_of(last, "M").size(), size_t{kThreads + 1});
}

}  // namespace
