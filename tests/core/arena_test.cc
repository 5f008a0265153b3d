// SPDX-License-Identifier: Apache-2.0
// tests/core/arena_test.cc: where temporaries of a plan lie.
#include "core/plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tenon::tests {
namespace {

using plan::Interval;

std::vector<Interval> random_intervals(std::mt19937& random, uint32_t count) {
  std::vector<Interval> out;
  for (uint32_t i = 0; i < count; ++i) {
    Interval each;
    each.bytes = 64 * (1 + random() % 40);
    each.first = random() % (2 * count);
    each.last = each.first + random() % (random() % 4 == 0 ? count : 6);
    out.push_back(each);
  }
  return out;
}

uint64_t expect_apart(const std::vector<Interval>& placed) {
  uint64_t end = 0;
  for (size_t i = 0; i < placed.size(); ++i) {
    end = std::max(end, placed[i].offset + placed[i].bytes);
    for (size_t j = 0; j < i; ++j) {
      const Interval &a = placed[i], &b = placed[j];
      const bool at_once = a.first <= b.last && b.first <= a.last;
      const bool shared = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      EXPECT_FALSE(at_once && shared) << i << " and " << j;
    }
  }
  return end;
}

TEST(Arena, WhatLivesAtOneTimeSharesNoByte) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 200; ++turn) {
    SCOPED_TRACE(turn);
    std::vector<Interval> all = random_intervals(random, 1 + random() % 60);
    const uint64_t bytes = plan::place(all);
    EXPECT_EQ(expect_apart(all), bytes);
    // The most that is in use at one launch, counted launch by launch.
    uint64_t most = 0;
    for (uint32_t at = 0; at < 300; ++at) {
      uint64_t live = 0;
      for (const Interval& each : all) {
        if (each.first <= at && at <= each.last) live += each.bytes;
      }
      most = std::max(most, live);
    }
    EXPECT_EQ(plan::least_bytes(all), most);
    EXPECT_GE(bytes, most);
  }
}

TEST(Arena, OfStepsIsHardlyLargerThanWhatIsInUse) {
  // A forward that keeps what the backward takes in reverse, with short-lived values between.
  std::mt19937 random(2);
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<Interval> all;
    const uint32_t layers = 4 + random() % 40;
    for (uint32_t i = 0; i < layers; ++i) {
      all.push_back({64 * (1 + random() % 64), 2 * i, 4 * layers - 2 * i});
      all.push_back({64 * (1 + random() % 64), 2 * i, 2 * i + 1});
      all.push_back({64 * (1 + random() % 64), 4 * layers - 2 * i, 4 * layers - 2 * i + 1});
    }
    const uint64_t bytes = plan::place(all);
    EXPECT_EQ(expect_apart(all), bytes);
    EXPECT_LE(static_cast<double>(bytes), 1.05 * static_cast<double>(plan::least_bytes(all)));
  }
}

TEST(Arena, OfNothingIsEmpty) {
  EXPECT_EQ(plan::place({}), 0u);
  EXPECT_EQ(plan::least_bytes({}), 0u);
}

}  // namespace
}  // namespace tenon::tests
