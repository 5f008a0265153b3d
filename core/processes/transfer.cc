// SPDX-License-Identifier: Apache-2.0
// core/processes/transfer.cc: transfers as objects that are waited for.
#include "core/processes/transfer.h"

#include <array>
#include <chrono>

namespace tenon::processes {

std::string_view name_of(uint32_t collective) noexcept {
  static constexpr std::array<std::string_view, TENON_COLLECTIVE_BARRIER + 1> names = {
      "send",       "receive",        "broadcast",  "all_gather",
      "all_to_all", "reduce_scatter", "all_reduce", "barrier"};
  return collective < names.size() ? names[collective] : std::string_view("?");
}

bool between_two(uint32_t collective) noexcept { return collective <= TENON_COLLECTIVE_RECEIVE; }

bool is_sum(uint32_t collective) noexcept {
  return collective == TENON_COLLECTIVE_REDUCE_SCATTER || collective == TENON_COLLECTIVE_ALL_REDUCE;
}

bool takes_rows(uint32_t collective) noexcept {
  return collective == TENON_COLLECTIVE_ALL_TO_ALL || collective == TENON_COLLECTIVE_REDUCE_SCATTER;
}

Transfer::Transfer(Runtime& runtime, std::vector<Move> moves, bool sums_fast, int64_t timeout,
                   int64_t sequence)
    : OfRuntime(runtime),
      moves_(std::move(moves)),
      sums_fast_(sums_fast),
      timeout_(timeout),
      sequence_(sequence) {}

std::string Transfer::words() const {
  return std::string(name_of(moves_[0].collective)) + ", transfer " + std::to_string(sequence_);
}

void Transfer::end(Context* context) {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (!context) {
      changed_.wait(lock);
      continue;
    }
    // So that tenon_context_interrupt is heard while others do not come.
    changed_.wait_for(lock, std::chrono::milliseconds(50));
    if (!ended_) context->check_interrupt();
  }
  if (!error_) return;
  if (error_->status == TENON_E_MEMORY) throw OutOfMemory{};
  throw Error(*error_);
}

bool Transfer::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Transfer::finish(const Error* error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    try {
      if (error) error_ = *error;
    } catch (...) {
      error_.emplace();
      error_->status = TENON_E_MEMORY;
    }
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace tenon::processes
