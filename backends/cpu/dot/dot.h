// SPDX-License-Identifier: Apache-2.0
// backends/cpu/dot/dot.h: tiles of a bf16 product by dot products of pairs.
//
// A pair is two neighbouring values of k of one row or column, the first in the low half; where k
// is odd the last one's other half is 0. Packed lines stand side by side: pairs of one k together.
#pragma once

#include <cstdint>

namespace tenon::cpu_bf16 {

inline constexpr int64_t kTileRows = 14;     // accumulators, b and a fill the 32 registers
inline constexpr int64_t kTileColumns = 32;  // two registers
inline constexpr int64_t kPanelRows = 16;    // between pairs of a's packed rows

// Steps are in elements.
struct Lines {
  const uint16_t* from;
  int64_t line_step;
  int64_t k_step;
  int64_t count;  // at least 1
};

struct Tile {
  const uint32_t* a;  // [pairs][kPanelRows]
  const uint32_t* b;  // [pairs][kTileColumns]
  uint16_t* c;
  int64_t pairs;
  int64_t rows;     // 1 to kTileRows
  int64_t columns;  // 1 to kTileColumns
  int64_t row_step;
  int64_t column_step;
};

// to[pair][line], lines `width` apart; those beyond the count are 0.
void pack(const Lines& lines, int64_t k, uint32_t* to, int64_t width);

// c = a b, rounded once to the nearest bf16. Subnormal products and results are flushed to 0.
void multiply(const Tile& tile);

}  // namespace tenon::cpu_bf16
