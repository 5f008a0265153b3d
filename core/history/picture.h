// SPDX-License-Identifier: Apache-2.0
// core/history/picture.h: series of numbers as lines of one picture, in SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/history/series.h"

namespace tenon::history {

// axis  the name of the x axis
std::string draw(const std::vector<Series>& all, std::string_view title, std::string_view axis);

}  // namespace tenon::history
