// SPDX-License-Identifier: Apache-2.0
// core/history/picture.h: named series of numbers, and one picture of them as lines, in SVG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// axis  the name of the x axis
std::string draw(const std::vector<Series>& all, std::string_view title, std::string_view axis);

}  // namespace tenon::history
