// SPDX-License-Identifier: Apache-2.0
// tests/core/history_test.cc: what a progress line says after how many seconds, and checksums.
#include <gtest/gtest.h>

#include <limits>

#include "core/history/event_file.h"
#include "core/history/progress.h"

namespace tenon::history {
namespace {

TEST(ProgressLine, SaysShareNumberRateAndTimeLeft) {
  EXPECT_EQ(line_text("epoch 1/5", 4000, 1000, "loss", 0.51239, 10),
            "\repoch 1/5   25 %  loss 0.5124  100/s  0:30 left\033[K");
  EXPECT_EQ(line_text("epoch 1/5", 4000, 4000, "", 0, 10),
            "\repoch 1/5  100 %  400/s  0:00 left\033[K");
  EXPECT_EQ(line_text("stream", 0, 70, "loss", 2, 10), "\rstream  70  loss 2.0000  7/s\033[K");
}

TEST(ProgressLine, OfExtremes) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(line_text("x", 10, 0, "", 0, 10), "\rx    0 %  0/s  - left\033[K");
  EXPECT_EQ(line_text("x", 10, 0, "", 0, 0), "\rx    0 %  0/s  - left\033[K");
  EXPECT_EQ(line_text("x", 1, most, "", 0, 1),
            "\rx  922337203685477580800 %  9223372036854775808/s  - left\033[K");
  EXPECT_EQ(line_text("x", 0, 0, "loss", std::numeric_limits<double>::infinity(), 1),
            "\rx  0  loss inf  0/s\033[K");
  EXPECT_GT(line_text("x", 0, 0, "loss", -1.7e308, 1).size(), 310u);
}

TEST(ProgressLine, Durations) {
  for (const auto& [seconds, expected] : {std::pair<double, const char*>{0, "0:00"},
                                          {3.4, "0:03"},
                                          {59.6, "1:00"},
                                          {3599, "59:59"},
                                          {3723, "1:02:03"},
                                          {-1, "-"},
                                          {1e300, "-"},
                                          {std::numeric_limits<double>::quiet_NaN(), "-"}}) {
    EXPECT_EQ(duration_text(seconds), expected);
  }
}

TEST(EventFile, ChecksumIsThatOfRfc3720) { EXPECT_EQ(crc32c("123456789"), 0xE3069283u); }

}  // namespace
}  // namespace tenon::history
