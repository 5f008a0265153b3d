// SPDX-License-Identifier: Apache-2.0
// tests/views/view_steps.h: view ops with attributes drawn at random, and what each of them means:
// which element of its operand every element of the result is.
//
// The meaning is stated place by place, without strides, so that it has no mistake in common with
// the ops' view rules.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/core/support.h"

namespace tenon::tests {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t in(int64_t low, int64_t high) {  // both ends included
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  // An axis of `rank`, now and then counted from the end.
  int64_t axis(size_t rank) { return in(0, static_cast<int64_t>(rank) - 1); }
  int64_t spelled(int64_t axis, size_t rank) {
    return chance(30) ? axis - static_cast<int64_t>(rank) : axis;
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    std::shuffle(items.begin(), items.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

// One call of a view op: its attributes, the result's shape, and for each element of the result in
// row-major order the number of the operand's element it is.
struct Step {
  std::string op;
  std::vector<Value> attrs;
  std::deque<Shape> lists;  // what int[] attributes point to
  Shape shape;
  std::vector<int64_t> from;
  std::string text;  // for messages

  void add(int64_t number) {
    attrs.emplace_back(number);
    text += " " + std::to_string(number);
  }
  void add(const std::optional<int64_t>& number) {
    if (number) return add(*number);
    attrs.emplace_back();
    text += " none";
  }
  void add(const Shape& list) {
    lists.push_back(list);
    attrs.push_back(ints(lists.back()));
    text += " " + sdk::shape_text(list);
  }
};

// Fills in a call on an operand of `shape`; false if the op has none for it.
using MakeStep = bool (*)(Random& random, const Shape& shape, Step& step);

// Every view op of the registry, by name.
const std::map<std::string, MakeStep>& view_steps();

}  // namespace tenon::tests
