// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/board.h: the page of memory a child and its parent share: what the child is
// doing now. It outlives the child, so a crash is known by the case it happened in.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::verify {

struct Board {
  static constexpr size_t kTextBytes = 3072;

  std::atomic<uint64_t> beats;   // grows with every sign of life
  std::atomic<uint64_t> number;  // of the case, among its group's
  std::atomic<uint32_t> group;
  std::atomic<uint32_t> running;  // 1 between the begin and the end of a case
  std::atomic<uint32_t> length;
  char text[kTextBytes];  // of the case that runs or, between cases, of the last

  void enter(uint32_t new_group);
  void start(uint64_t case_number, std::string_view case_text);
  void stop();
  std::string case_text() const;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "processes share it");

// One page of memory without a name.
class BoardPage {
 public:
  BoardPage();                         // a new one; throws Failure
  explicit BoardPage(int descriptor);  // the one a parent has made; throws Failure
  ~BoardPage();
  BoardPage(const BoardPage&) = delete;
  BoardPage& operator=(const BoardPage&) = delete;

  Board* get() const { return board_; }
  int descriptor() const { return descriptor_; }

 private:
  void map();

  int descriptor_ = -1;
  Board* board_ = nullptr;
};

}  // namespace tenon::verify
