// SPDX-License-Identifier: Apache-2.0
// tests/training/progress_test.cc: the progress line, loss curves and event files.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <tenon/sdk/client/events.h>
#include <tenon/sdk/client/progress.h>

#include <boost/crc.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class Progress : public testing::Test {
 protected:
  Progress() {
    std::string made = (std::filesystem::temp_directory_path() / "tenon-XXXXXX").string();
    folder = mkdtemp(made.data());
  }
  ~Progress() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::string path(const char* name) const { return (folder / name).string(); }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  // What `body` writes to a stream.
  template <class Body>
  std::string written(Body body) {
    FILE* stream = fopen(path("stream").c_str(), "w");
    body(stream);
    fclose(stream);
    return content(path("stream"));
  }

  std::filesystem::path folder;
};

size_t count_of(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(Progress, LineIsForTerminalsOnly) {
  const std::string quiet = written([](FILE* stream) {
    tenon_sdk_progress line;
    tenon_sdk_progress_begin(&line, stream, "epoch 1/5", 100);
    tenon_sdk_progress_run(&line, 50, 0.5);
    tenon_sdk_progress_end(&line);
  });
  EXPECT_EQ(quiet, "");
}

TEST_F(Progress, LineSaysShareLossRateAndTimeLeft) {
  const std::string shown = written([](FILE* stream) {
    tenon_sdk_progress line;
    tenon_sdk_progress_begin(&line, stream, "epoch 1/5", 4000);
    line.visible = 1;
    line.started -= 10;
    tenon_sdk_progress_run(&line, 1000, 0.51239);
    tenon_sdk_progress_run(&line, 1001, 0.4);  // too soon after the last
    tenon_sdk_progress_end(&line);
  });
  EXPECT_EQ(shown, "\repoch 1/5   25 %  loss 0.5124  100/s  0:30 left\033[K\r\033[K");
  const std::string endless = written([](FILE* stream) {
    tenon_sdk_progress line;
    tenon_sdk_progress_begin(&line, stream, "stream", 0);
    line.visible = 1;
    line.started -= 10;
    tenon_sdk_progress_run(&line, 70, 2);
  });
  EXPECT_EQ(endless, "\rstream  70  loss 2.0000  7/s\033[K");
}

TEST_F(Progress, Durations) {
  char out[32];
  for (const auto& [seconds, expected] : {std::pair<double, const char*>{0, "0:00"},
                                          {3.4, "0:03"},
                                          {59.6, "1:00"},
                                          {3599, "59:59"},
                                          {3723, "1:02:03"},
                                          {-1, "-"},
                                          {1e300, "-"},
                                          {std::numeric_limits<double>::quiet_NaN(), "-"}}) {
    tenon_sdk_duration_get(seconds, out);
    EXPECT_STREQ(out, expected);
  }
}

class History : public Progress {
 protected:
  ~History() override { tenon_sdk_history_release(&history); }
  std::string picture(const char* title = "Digits") {
    EXPECT_EQ(tenon_sdk_history_run(&history, title, "step", path("loss.svg").c_str()), TENON_OK);
    return content(path("loss.svg"));
  }
  void set(const char* name, int64_t step, double value) {
    EXPECT_EQ(tenon_sdk_history_set(&history, name, step, value), TENON_OK);
  }
  tenon_sdk_history history{};
};

TEST_F(History, IsALineForEachSeries) {
  for (int64_t i = 0; i <= 10; ++i) {
    set("loss", i, 2.0 - 0.2 * static_cast<double>(i));
    set("a < b & c", i, 1);
  }
  const std::string svg = picture("R&D");
  EXPECT_EQ(count_of(svg, "<path fill=\"none\""), 2u);
  EXPECT_THAT(svg, HasSubstr(">loss</text>"));
  EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; c</text>"));
  EXPECT_THAT(svg, HasSubstr(">R&amp;D</text>"));
  // From the upper left corner of the frame to the lower right one.
  EXPECT_THAT(svg, HasSubstr("\"M64.0 40.0h0.01L127.2 70.0"));
  EXPECT_THAT(svg, HasSubstr("L696.0 340.0\"/>"));
  for (const char* number : {">0<", ">0.5<", ">1<", ">1.5<", ">2<", ">4<", ">10<"}) {
    EXPECT_THAT(svg, HasSubstr(number));
  }
  EXPECT_FALSE(std::filesystem::exists(path("loss.svg.new")));
}

TEST_F(History, NumbersThatAreNone) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {1.0, nan, 2.0, inf, -inf, 3.0}) {
    set("loss", static_cast<int64_t>(history.series[0].count), value);
  }
  const std::string svg = picture();
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_EQ(count_of(svg, "h0.01"), 3u) << "broken where there is no number: " << svg;
}

TEST_F(History, NothingOneValueAndHugeOnes) {
  EXPECT_THAT(picture(), HasSubstr("</svg>"));
  set("loss", 5, 1e15);
  EXPECT_THAT(picture(), Not(HasSubstr("nan")));
  set("loss", 6, 1e15 + 0.125);
  EXPECT_THAT(picture(), Not(HasSubstr("nan")));
  set("loss", std::numeric_limits<int64_t>::max(), -1.7e308);
  set("loss", std::numeric_limits<int64_t>::min(), 1.7e308);
  EXPECT_THAT(picture(), HasSubstr("</svg>"));
}

TEST_F(History, MillionsOfValuesStaySmall) {
  for (int64_t i = 0; i < 1000000; ++i) set("loss", i, static_cast<double>(i % 1000));
  EXPECT_LT(picture().size(), 100000u);
}

TEST_F(History, WrongArguments) {
  EXPECT_EQ(tenon_sdk_history_set(&history, std::string(64, 'x').c_str(), 0, 0), TENON_E_ARGUMENT);
  for (int i = 0; i < TENON_SDK_HISTORY_SERIES; ++i) set(std::to_string(i).c_str(), 0, 0);
  EXPECT_EQ(tenon_sdk_history_set(&history, "ninth", 0, 0), TENON_E_ARGUMENT);
  EXPECT_EQ(history.n_series, TENON_SDK_HISTORY_SERIES);
}

TEST_F(History, FilesThatCannotBeWritten) {
  set("loss", 0, 1);
  EXPECT_EQ(tenon_sdk_history_run(&history, "", "", path("no/loss.svg").c_str()), TENON_E_IO);
  EXPECT_EQ(errno, ENOENT);
  std::filesystem::create_directory(path("taken"));
  EXPECT_EQ(tenon_sdk_history_run(&history, "", "", path("taken").c_str()), TENON_E_IO);
  EXPECT_FALSE(std::filesystem::exists(path("taken.new")));
}

// Files of this process grow no longer than that, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int);
};

TEST_F(History, AFullDiskLosesNoPicture) {
  set("loss", 0, 1);
  const std::string before = picture();
  set("loss", 1, 2);
  tenon_status status = TENON_OK;
  int reason = 0;
  {
    const FullDisk full(100);
    status = tenon_sdk_history_run(&history, "Digits", "step", path("loss.svg").c_str());
    reason = errno;
  }
  EXPECT_EQ(status, TENON_E_IO);
  EXPECT_EQ(reason, EFBIG);
  EXPECT_EQ(content(path("loss.svg")), before);
  EXPECT_FALSE(std::filesystem::exists(path("loss.svg.new")));
}

// ---- Event files --------------------------------------------------------------------------------

uint64_t number_of(const std::string& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << 8 * i;
  return value;
}

// Another implementation of CRC-32C than the one that is tested.
uint32_t masked_checksum(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> sum;
  sum.process_bytes(bytes.data(), bytes.size());
  const uint32_t crc = sum.checksum();
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

// The protocol buffers of a file, whose checksums must be right.
std::vector<std::string> records_of(const std::string& file) {
  std::vector<std::string> records;
  for (size_t at = 0; at < file.size();) {
    const size_t length = number_of(file, at, 8);
    EXPECT_EQ(number_of(file, at + 8, 4), masked_checksum(file.substr(at, 8)));
    records.push_back(file.substr(at + 12, length));
    EXPECT_EQ(number_of(file, at + 12 + length, 4), masked_checksum(records.back()));
    at += length + 16;
  }
  return records;
}

class Events : public Progress {
 protected:
  ~Events() override { tenon_sdk_events_release(events); }
  void SetUp() override { ASSERT_EQ(tenon_sdk_events_create(folder.c_str(), &events), TENON_OK); }
  tenon_sdk_events* events = nullptr;
};

TEST_F(Events, ChecksumIsThatOfRfc3720) {
  const std::string digits = "123456789";
  EXPECT_EQ(tenon_sdk_crc32c(reinterpret_cast<const unsigned char*>(digits.data()), 9),
            0xE3069283u);
}

TEST_F(Events, AreRecordsThatTensorBoardReads) {
  ASSERT_EQ(tenon_sdk_events_set(events, "loss", 300, 0.75), TENON_OK);
  const std::vector<std::string> records = records_of(content(events->path));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_THAT(records[0], testing::EndsWith(std::string("\x10\x00\x1A\x0D", 4) + "brain.Event:2"));
  // wall_time, step = 300, summary {value {tag = "loss", simple_value = 0.75}}
  EXPECT_EQ(records[1].substr(9), std::string("\x10\xAC\x02\x2A\x0D\x0A\x0B\x0A\x04loss\x15"
                                              "\x00\x00\x40\x3F",
                                              18));
  double wall = 0;
  std::memcpy(&wall, records[1].data() + 1, sizeof wall);
  EXPECT_EQ(records[1][0], 9);
  EXPECT_NEAR(wall, static_cast<double>(std::time(nullptr)), 60);
  EXPECT_THAT(events->path, HasSubstr("tfevents"));
}

TEST_F(Events, AFileForEachRun) {
  tenon_sdk_events* second = nullptr;
  ASSERT_EQ(tenon_sdk_events_create(folder.c_str(), &second), TENON_OK);
  EXPECT_STRNE(second->path, events->path);
  tenon_sdk_events_release(second);
}

TEST_F(Events, WrongArguments) {
  EXPECT_EQ(tenon_sdk_events_set(events, "", 0, 0), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_events_set(events, std::string(256, 'x').c_str(), 0, 0), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_events_set(events, std::string(255, 'x').c_str(), -1, 1e300), TENON_OK);
  EXPECT_EQ(records_of(content(events->path)).size(), 2u);
  tenon_sdk_events* none = nullptr;
  EXPECT_EQ(tenon_sdk_events_create(path("no").c_str(), &none), TENON_E_IO);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(none, nullptr);
}

TEST_F(Events, AFullDiskTearsNoRecord) {
  ASSERT_EQ(tenon_sdk_events_set(events, "loss", 1, 1), TENON_OK);
  const std::string before = content(events->path);
  tenon_status status = TENON_OK;
  {
    const FullDisk full(before.size() + 10);
    status = tenon_sdk_events_set(events, "loss", 2, 1);
  }
  EXPECT_EQ(status, TENON_E_IO);
  EXPECT_EQ(content(events->path), before);
  EXPECT_EQ(tenon_sdk_events_set(events, "loss", 3, 1), TENON_OK);
  EXPECT_EQ(records_of(content(events->path)).size(), 3u);
}

}  // namespace
}  // namespace tenon::tests
