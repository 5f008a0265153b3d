// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pattern_cost.cc: for how long a text an expression may be tried.
#include "pattern_cost.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace tenon::tokenizer_json {
namespace {

constexpr double kUnbounded = 1e6;  // times, as if for a text of so many characters
constexpr double kFewSteps = 1e7;   // of look-arounds, for such a text
constexpr double kMaxSteps = 1e8;   // for any text; they take about a second
constexpr std::string_view kLooks[] = {"(?=", "(?!", "(?<=", "(?<!"};

// Of what stands between two parentheses.
struct Group {
  bool looks = false;   // it is a look-around
  double steps = 1;     // of its longest way
  double repeated = 0;  // steps of look-arounds in it, as often as they are repeated
};

class Reader {
 public:
  explicit Reader(std::string_view expression) : rest_(expression) {}

  double steps_of_looks() {
    while (!rest_.empty()) take_part();
    while (groups_.size() > 1) close(1);
    return groups_[0].repeated;
  }

 private:
  void skip(size_t length) { rest_.remove_prefix(std::min(length, rest_.size())); }

  void take_part() {
    double steps = 1;
    if (rest_[0] == '(') return open();
    if (rest_[0] == ')') {
      skip(1);
      return close(take_times());
    }
    if (rest_[0] == '[') {
      skip_class();
    } else if (rest_[0] == '\\') {
      const bool of_any_length = rest_.starts_with("\\X") || rest_.starts_with("\\g");
      if (of_any_length) steps = kUnbounded;
      skip(2);
    } else {
      skip(1);
    }
    add_steps(groups_.back(), steps * take_times());
  }

  void open() {
    Group group;
    for (const std::string_view look : kLooks) group.looks = group.looks || rest_.starts_with(look);
    if (rest_.starts_with("(?~")) group.steps = kUnbounded;
    groups_.push_back(group);
    skip(1);
    if (!rest_.starts_with('?')) return;
    skip(rest_.starts_with("?<") ? 2 : 1);  // no signs of repetition
  }

  // times  as often as it is repeated
  void close(double times) {
    const Group group = groups_.back();
    if (groups_.size() > 1) groups_.pop_back();
    Group& around = groups_.back();
    const double looks = group.looks ? std::max(group.steps, group.repeated) : group.repeated;
    around.repeated = std::max(around.repeated, looks * times);
    add_steps(around, group.looks ? group.steps : group.steps * times);
  }

  // Each step takes a character, so there are no more than a text has.
  static void add_steps(Group& group, double steps) {
    group.steps = std::max(group.steps, std::min(steps, kUnbounded));
  }

  void skip_class() {
    int depth = 0;
    do {
      if (rest_[0] == '\\') {
        skip(2);
        continue;
      }
      if (rest_[0] == '[') ++depth;
      if (rest_[0] == ']') --depth;
      const bool opens = rest_[0] == '[';
      skip(1);
      if (opens && rest_.starts_with('^')) skip(1);
      if (opens && rest_.starts_with(']')) skip(1);  // a first ] is one of the characters
    } while (depth > 0 && !rest_.empty());
  }

  // How often what stood before is taken at most, by one sign of repetition after the other.
  double take_times() {
    double times = 1;
    while (!rest_.empty()) {
      if (rest_[0] == '*' || rest_[0] == '+') {
        times *= kUnbounded;
      } else if (rest_[0] == '{') {
        const size_t end = rest_.find('}');
        if (end == std::string_view::npos) break;
        times *= most_of(rest_.substr(1, end - 1));
        skip(end);
      } else if (rest_[0] != '?') {
        break;
      }
      skip(1);
    }
    return std::min(times, 1e18);
  }

  // Of "2", "1,3", ",3" and "1,".
  static double most_of(std::string_view bounds) {
    const size_t comma = bounds.find(',');
    const std::string_view last = bounds.substr(comma == std::string_view::npos ? 0 : comma + 1);
    if (last.empty()) return kUnbounded;
    int most = 1;
    std::from_chars(last.data(), last.data() + last.size(), most);
    return std::max(most, 1);
  }

  std::string_view rest_;
  std::vector<Group> groups_ = {Group{}};
};

}  // namespace

size_t longest_text(std::string_view expression) {
  const auto has = [&](std::string_view part) {
    return expression.find(part) != std::string_view::npos;
  };
  // A call of a group may be one of itself, and parentheses in comments are not told from others:
  // such an expression is taken to be as bad as it can be.
  const bool is_unclear = has("\\g") || has("(?#") || (has("#") && has("x"));
  const double steps = Reader(expression).steps_of_looks() * (is_unclear ? kUnbounded : 1);
  if (steps <= kFewSteps) return std::numeric_limits<size_t>::max();
  const double power = std::log(steps) / std::log(kUnbounded);  // of the length of a text
  return static_cast<size_t>(std::pow(kMaxSteps, 1 / power));
}

}  // namespace tenon::tokenizer_json
