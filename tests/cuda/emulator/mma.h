// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/mma.h: products of 16 x 16 matrices by a warp, in place of CUDA's header.
//
// A fragment belongs to the warp: which lane has which element is not said, so lane 0 has all of
// them here and the others none. Every function waits for all lanes, and refuses addresses and
// steps that CUDA does not allow. Sums are rounded worse than a card's may be.
// Source: "CUDA C++ Programming Guide", Warp Matrix Functions.
#pragma once

#include <cstdint>

#include "backends/cuda/portable.h"

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are CUDA's.
struct __half {
  uint16_t bits;
};
struct __nv_bfloat16 {
  uint16_t bits;
};

namespace tenon::cuda::emulated {

inline constexpr unsigned kTileSide = 16;
inline constexpr unsigned kTileElements = kTileSide * kTileSide;

inline float number_of(__half x) { return static_cast<float>(std::bit_cast<sdk::F16>(x)); }
inline float number_of(__nv_bfloat16 x) { return static_cast<float>(std::bit_cast<sdk::BF16>(x)); }

// Waits for the warp; throws if a tile may not lie there. True in lane 0.
bool enter_tile(const void* data, unsigned step, unsigned element_bytes);
// d = a b + c, by rows; d may be c.
void multiply_tiles(float* d, const float* a, const float* b, const float* c);

}  // namespace tenon::cuda::emulated

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static_assert(m == 16 && n == 16 && k == 16, "the only size that is emulated");
  float elements[::tenon::cuda::emulated::kTileElements];  // by rows, of lane 0 alone
};

template <class T, class Keep>
void tenon_emulated_walk(T* data, unsigned step, bool by_rows, const Keep& keep) {
  namespace e = ::tenon::cuda::emulated;
  if (!e::enter_tile(data, step, sizeof(T))) return;
  for (unsigned i = 0; i < e::kTileElements; ++i) {
    const unsigned row = i / e::kTileSide;
    const unsigned column = i % e::kTileSide;
    keep(i, data[by_rows ? row * step + column : row + column * step]);
  }
}

template <class Use, class T, class Layout>
void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& to, const T* from, unsigned step) {
  tenon_emulated_walk(from, step, std::is_same_v<Layout, row_major>, [&](unsigned i, T element) {
    to.elements[i] = ::tenon::cuda::emulated::number_of(element);
  });
}
inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float>& to, const float* from,
                             unsigned step, layout_t layout) {
  tenon_emulated_walk(from, step, layout == mem_row_major,
                      [&](unsigned i, float element) { to.elements[i] = element; });
}
inline void store_matrix_sync(float* to, const fragment<accumulator, 16, 16, 16, float>& from,
                              unsigned step, layout_t layout) {
  tenon_emulated_walk(to, step, layout == mem_row_major,
                      [&](unsigned i, float& element) { element = from.elements[i]; });
}
inline void fill_fragment(fragment<accumulator, 16, 16, 16, float>& to, float value) {
  for (float& element : to.elements) element = value;
}
template <class T, class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 16, float>& d,
              const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
              const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
              const fragment<accumulator, 16, 16, 16, float>& c) {
  namespace e = ::tenon::cuda::emulated;
  if (e::enter_tile(nullptr, 0, 0)) {
    e::multiply_tiles(d.elements, a.elements, b.elements, c.elements);
  }
}

}  // namespace nvcuda::wmma
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
