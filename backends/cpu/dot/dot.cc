// SPDX-License-Identifier: Apache-2.0
// backends/cpu/dot/dot.cc: packing of pairs, and tiles by VDPBF16PS.
//
// Intrinsics, since no x86 target of the vector library stands for this one instruction alone.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, VDPBF16PS.
#include "dot/dot.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tenon::cpu_bf16 {
namespace {

uint32_t pair(uint16_t first, uint16_t second) {
  return first | static_cast<uint32_t>(second) << 16;
}

// Rows of b: 32 columns of two rows become pairs.
void pack_side_by_side(const Lines& lines, int64_t k, uint32_t* to, int64_t width) {
  const auto count = static_cast<uint32_t>(std::min<int64_t>(lines.count, kTileColumns));
  const __mmask32 mask = count == 32 ? ~0u : (1u << count) - 1;
  const __m512i low = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8,
                                       39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  for (int64_t i = 0; i < k; i += 2) {
    const uint16_t* row = lines.from + i * lines.k_step;
    const __m512i first = _mm512_maskz_loadu_epi16(mask, row);
    const __m512i second =
        i + 1 < k ? _mm512_maskz_loadu_epi16(mask, row + lines.k_step) : _mm512_setzero_si512();
    _mm512_storeu_si512(to, _mm512_permutex2var_epi16(first, low, second));
    _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi16(first, high, second));
    to += width;
  }
}

// Lines packed along k: their pairs lie there.
void pack_along_k(const Lines& lines, int64_t k, uint32_t* to, int64_t width) {
  const int64_t whole = k / 2;
  for (int64_t i = 0; i < whole; ++i) {
    for (int64_t line = 0; line < lines.count; ++line) {
      std::memcpy(to + i * width + line, lines.from + line * lines.line_step + 2 * i, 4);
    }
  }
  for (int64_t line = 0; line < lines.count && k % 2 == 1; ++line) {
    to[whole * width + line] = lines.from[line * lines.line_step + k - 1];
  }
}

void pack_scattered(const Lines& lines, int64_t k, uint32_t* to, int64_t width) {
  for (int64_t i = 0; i < k; i += 2) {
    for (int64_t line = 0; line < lines.count; ++line) {
      const uint16_t* at = lines.from + line * lines.line_step + i * lines.k_step;
      to[i / 2 * width + line] = pair(*at, i + 1 < k ? at[lines.k_step] : uint16_t{0});
    }
  }
}

template <int kRows>
void run(const Tile& t) {
  __m512 sum[kRows][2];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = _mm512_setzero_ps();
  const uint32_t* a = t.a;
  const uint32_t* b = t.b;
  for (int64_t k = 0; k < t.pairs; ++k) {
    const auto low = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
    const auto high = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + 16));
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[i])));
      sum[i][0] = _mm512_dpbf16_ps(sum[i][0], x, low);
      sum[i][1] = _mm512_dpbf16_ps(sum[i][1], x, high);
    }
    a += kPanelRows;
    b += kTileColumns;
  }
  const auto mask = static_cast<__mmask32>(t.columns == 32 ? ~0u : (1u << t.columns) - 1);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    const auto v = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(sum[i][1], sum[i][0]));
    uint16_t* const to = t.c + i * t.row_step;
    if (t.column_step == 1) {
      _mm512_mask_storeu_epi16(to, mask, v);
    } else {
      uint16_t row[kTileColumns];
      _mm512_storeu_si512(row, v);
      for (int64_t j = 0; j < t.columns; ++j) to[j * t.column_step] = row[j];
    }
  }
}

template <int... kRow>
constexpr auto tiles(std::integer_sequence<int, kRow...>) {
  return std::array<void (*)(const Tile&), sizeof...(kRow)>{run<kRow + 1>...};
}
constexpr auto kTiles = tiles(std::make_integer_sequence<int, kTileRows>());

}  // namespace

void pack(const Lines& lines, int64_t k, uint32_t* to, int64_t width) {
  if (k == 0) return;  // there is no memory for it either
  if (lines.line_step == 1 && width == kTileColumns) return pack_side_by_side(lines, k, to, width);
  if (lines.count < width) std::memset(to, 0, static_cast<size_t>((k + 1) / 2 * width) * 4);
  if (lines.k_step == 1) return pack_along_k(lines, k, to, width);
  pack_scattered(lines, k, to, width);
}

void multiply(const Tile& tile) { kTiles[static_cast<size_t>(tile.rows - 1)](tile); }

}  // namespace tenon::cpu_bf16
