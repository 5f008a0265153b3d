// SPDX-License-Identifier: Apache-2.0
// core/base/nearest.cc: counts the characters in which two names differ.
#include "core/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenon::base {
namespace {

constexpr size_t kFar = SIZE_MAX;
constexpr size_t kLongest = 128;  // no name is longer

// How many characters of two names differ, vendors left out; one more if those are not the same.
// kFar if it is more than every third.
[[gnu::cold]] size_t distance(std::string_view given, std::string_view listed) {
  const size_t dot = given.rfind('.') + 1;
  const size_t listed_dot = listed.rfind('.') + 1;
  const std::string_view a = given.substr(dot);
  const std::string_view b = listed.substr(listed_dot);
  if (a.size() > kLongest) return kFar;
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min(std::min(above, row[j - 1]) + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1));
      corner = above;
    }
  }
  const bool strange = dot > 0 && given.substr(0, dot) != listed.substr(0, listed_dot);
  return row.back() <= (a.size() + 1) / 3 ? row.back() + (strange ? 1 : 0) : kFar;
}

}  // namespace

void Nearest::show(std::string_view name) {
  const size_t apart = distance(given_, name);
  if (apart == kFar || apart > least_) return;
  if (apart < least_) names_.clear();
  least_ = apart;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

}  // namespace tenon::base
