// SPDX-License-Identifier: Apache-2.0
// core/history/series.h: a named series of numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::history {

struct Point {
  int64_t step = 0;
  double value = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  // as they were added
};

}  // namespace tenon::history
