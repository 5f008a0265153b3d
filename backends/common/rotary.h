// SPDX-License-Identifier: Apache-2.0
// backends/common/rotary.h: the rows that rope rotates, in host memory: where they are and their
// positions.
#pragma once

#include "common/indices.h"

namespace tenon::backends {

enum RopeInput : uint32_t { kRopeX, kRopeCos, kRopeSin, kRopePositions };
enum RopeAttribute : uint32_t { kRopeLayout, kRopeOffset, kRopeInverse, kRopeAttributes };

// One row; `position` is its line of the tables.
struct RotaryRow {
  const char* from;
  char* to;
  int64_t position;
};

class RotaryRows {
 public:
  // Refuses positions that the tables do not have, before anything is written.
  explicit RotaryRows(const sdk::Launch& l)
      : shape_(l.shape(kRopeX).first(l.shape(kRopeX).size() - 1)),
        operands_{sdk::strided(l.out()), sdk::strided(l.view(kRopeX)), sdk::Strided()},
        offset_(l.attrs.integer(kRopeOffset)) {
    if (!l.given(kRopePositions)) return;
    const tenon_view& positions = l.view(kRopePositions);
    check_indices<int64_t>(positions, l.shape(kRopeCos)[0], "positions");
    const sdk::Strided own = sdk::strided(positions);
    operands_[2].data = own.data;
    operands_[2].step[shape_.size() - 1] = own.step[static_cast<size_t>(positions.rank) - 1];
    if (positions.rank == 2) operands_[2].step[0] = own.step[0];
  }

  int64_t count() const { return sdk::count_of(shape_); }

  // Calls body(RotaryRow) for rows [begin, end).
  template <class Body>
  void each(int64_t begin, int64_t end, Body&& body) const {
    sdk::walk_range(shape_, operands_, begin, end, [&](const sdk::Run<3>& run) {
      const int64_t first = run.first % shape_.back() + offset_;
      for (int64_t i = 0; i < run.count; ++i) {
        const auto at = [&](size_t o) { return run.data[o] + i * run.step[o]; };
        body(RotaryRow{at(1), at(0), operands_[2].data ? sdk::load<int64_t>(at(2)) : first + i});
      }
    });
  }

 private:
  std::span<const int64_t> shape_;
  std::array<sdk::Strided, 3> operands_;  // the result, x, positions
  int64_t offset_;
};

// Along a row the steps from a pair to the next, and from the first element of a pair to the other.
struct RotaryPairs {
  int64_t next;
  int64_t other;

  RotaryPairs(const sdk::Launch& l, int64_t step) {
    const bool neighbours = l.attrs.text(kRopeLayout) == "pairs";
    next = neighbours ? 2 * step : step;
    other = neighbours ? step : l.shape(kRopeCos)[1] * step;
  }
};

}  // namespace tenon::backends
