// SPDX-License-Identifier: Apache-2.0
// core/processes/transfer.h: from what a program asks for to moves of memory: what one process does
// in one transfer, and how far it is.
#pragma once

#include <tenon/ext/draft/processes.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/kind_object.h"
#include "core/tensor/tensor.h"

namespace tenon::processes {

using tensor::Ref;
using tensor::Tensor;

// In place of a collective: a group is parted.
inline constexpr uint32_t kSplit = TENON_COLLECTIVE_BARRIER + 1;
// Of a process that gives up what all are doing; agreed on as the others, and nothing is moved.
inline constexpr uint32_t kGiveUp = TENON_COLLECTIVE_BARRIER + 2;

// "all_reduce"
std::string_view name_of(uint32_t collective) noexcept;
bool between_two(uint32_t collective) noexcept;  // SEND, RECEIVE
bool is_sum(uint32_t collective) noexcept;       // REDUCE_SCATTER, ALL_REDUCE
bool takes_rows(uint32_t collective) noexcept;   // ALL_TO_ALL, REDUCE_SCATTER: a row per process

// What a transfer is asked with: tensors, or memory that somebody else holds until it has ended.
struct Request {
  uint32_t collective = TENON_COLLECTIVE_BARRIER;
  int32_t peer = 0;
  Ref input;
  Ref output;
};

// One request, ready to be made.
struct Move {
  uint32_t collective = TENON_COLLECTIVE_BARRIER;
  int32_t peer = 0;
  Device* device = nullptr;  // NULL: a barrier
  tenon_meta agreed{};       // of the operand whose shape and dtype all processes share
  int64_t count = 0;         // as tenon_transfer_desc
  int64_t part = 0;          // ALL_REDUCE: what each process sums, at most
  Ref input;
  Ref output;
  // Row-major memory of the transfer's own: for an operand that is not row-major; for an input
  // that is padded, or that the output overwrites; for the rows of a sum.
  Ref packed_input;
  Ref packed_output;
  Ref padded;  // [n * part]
  Ref rows;    // [n, ...]
};

// Checks the requests, and takes all memory that the transfer needs, so that nothing is short once
// others wait. Throws TENON_E_ARGUMENT, SHAPE, DTYPE, DEVICE, ALIAS.
std::vector<Move> moves_of(Context& context, const tenon_collective_desc& desc,
                           const tenon_members& members, std::vector<Request> requests,
                           bool sums_fast);

class Transfer : public OfRuntime {
 public:
  Transfer(Runtime& runtime, std::vector<Move> all, bool fast, int64_t most)
      : OfRuntime(runtime), moves(std::move(all)), sums_fast(fast), timeout(most) {}

  // Waits; throws the error it ended with. context  NULL: cannot be interrupted
  void end(Context* context);
  bool ended() const;
  void finish(const Error* error) noexcept;

  // "all_reduce, transfer 7"
  std::string words() const;
  uint32_t collective() const { return moves[0].collective; }

  std::vector<Move> moves;
  const bool sums_fast;
  const int64_t timeout;  // milliseconds
  // Lines that are to be the same in all processes; NULL: none.
  std::shared_ptr<const std::string> alike;
  uint64_t step = 0;     // of those that can be given up; 0: of none
  int64_t sequence = 0;  // among those that all take part in, when its turn has come

 private:
  mutable std::mutex mutex_;  // guards the two below
  bool ended_ = false;
  std::optional<Error> error_;
  std::condition_variable changed_;
};

}  // namespace tenon::processes
