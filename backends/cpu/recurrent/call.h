// SPDX-License-Identifier: Apache-2.0
// backends/cpu/recurrent/call.h: a call of a recurrent op: its sizes, the way through time, and the
// length of each sequence.
//
// Sequences are independent of each other, so they are shared out by rows of the batch, and each
// thread walks through time for its rows. Of few sequences each step's products are shared out by
// columns. How calls are cut changes no bits.
#pragma once

#include <tenon/sdk/plugin/loops.hpp>

#include <algorithm>
#include <string>

#include "cpu.h"
#include "gemm/plan.h"

namespace tenon::cpu::recurrent {

// The way through time of a call whose operand `slot` is a sequence.
struct Walk {
  Walk(const sdk::Args& args, uint32_t slot, bool is_reverse, bool batch_first)
      : time_axis(batch_first ? 1 : 0),
        steps(args.shape(slot)[time_axis]),
        batch(args.shape(slot)[1 - time_axis]),
        reverse(is_reverse) {}

  // Refuses lengths outside the steps, before anything is written.
  void read_lengths(const sdk::Args& args, uint32_t slot) {
    if (!args.given(slot)) return;
    lengths = sdk::strided(args.view(slot));
    for (int64_t b = 0; b < batch; ++b) {
      if (length(b) >= 0 && length(b) <= steps) continue;
      const std::string found = std::to_string(length(b));
      throw sdk::Failure{TENON_E_DATA,
                         "lengths[" + std::to_string(b) + "] is " + found + ", outside the steps",
                         "lengths", "a number from 0 to " + std::to_string(steps), found};
    }
  }

  int64_t length(int64_t b) const {
    return lengths.data ? sdk::load<int64_t>(lengths.data + b * lengths.step[0]) : steps;
  }
  bool is_live(int64_t b, int64_t time) const { return time < length(b); }
  // Where step `step` of the walk lies.
  int64_t time_of(int64_t step) const { return reverse ? steps - 1 - step : step; }
  // Does the walk of row b begin at this step?
  bool begins(int64_t b, int64_t time) const { return time == (reverse ? length(b) - 1 : 0); }

  size_t time_axis;
  int64_t steps;
  int64_t batch;
  bool reverse;
  sdk::Strided lengths{};
};

// A sequence [M,N,n] by step and row, or a state [B,n] by row, in bytes. No data: it is absent.
struct Rows {
  Rows() = default;
  Rows(const tenon_view& view, size_t time_axis) {
    const sdk::Strided s = sdk::strided(view);
    data = s.data;
    columns = view.shape[view.rank - 1];
    column = s.step[static_cast<size_t>(view.rank - 1)];
    const bool is_state = view.rank == 2;
    row = is_state ? s.step[0] : s.step[1 - time_axis];
    time = is_state ? 0 : s.step[time_axis];
  }
  char* at(int64_t t, int64_t b) const { return data + t * time + b * row; }

  char* data = nullptr;
  int64_t columns = 0;
  int64_t column = 0, row = 0, time = 0;
};
inline Rows rows_of(const sdk::Args& args, uint32_t slot, size_t time_axis) {
  return args.given(slot) ? Rows(args.view(slot), time_axis) : Rows();
}
inline Rows out_rows(const sdk::Launch& l, uint32_t output, size_t time_axis) {
  return l.wants_out(output) ? Rows(l.out(output), time_axis) : Rows();
}

// Rows of the batch that a thread walks through time with. More would use the packed weights more
// often while they are in the first cache, fewer leave something to do for other threads.
inline int64_t rows_together(int64_t batch) {
  constexpr int64_t kRows = 8;
  constexpr int64_t kManyRows = 32;
  const int64_t rows = batch < 4 * kManyRows ? kRows : kManyRows;
  return gemm::pieces(batch, gemm::pieces(std::max(batch, int64_t{1}), rows));
}

// Is the whole batch that of one thread? Then products are shared out by columns.
inline bool is_together(int64_t batch) { return batch <= rows_together(batch); }

// From one row of scratch to the next: an odd number of cache lines, so that rows do not push each
// other out of the first cache.
inline int64_t row_step(int64_t columns) { return gemm::round_up(columns, 32) + 16; }

}  // namespace tenon::cpu::recurrent
