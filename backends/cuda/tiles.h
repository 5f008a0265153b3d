// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tiles.h: products of 16 x 16 matrices of 16 bits by a warp's tensor cores, summed
// in f32.
//
// Both factors lie in shared memory, by rows or by columns. All lanes of the warp take part in each
// function of TileSum; what other lanes wrote must be there (__syncwarp). Source: NVIDIA, "CUDA C++
// Programming Guide", Warp Matrix Functions.
#pragma once

#include <mma.h>  // CUDA's, or the emulator's (tests/cuda)

#include <cmath>

#include "portable.h"

namespace tenon::cuda {

namespace wmma = nvcuda::wmma;

inline constexpr int kTile = 16;  // rows, columns and depth of a product

// Does the card multiply them? bf16, of which parts are (below), from compute capability 8.0 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool kHasTiles = false;
#else
inline constexpr bool kHasTiles = true;
#endif

// From a row to the next of `columns` elements: rows lie on different banks of shared memory.
template <class T>
constexpr int tile_pitch(int columns) {
  return columns + static_cast<int>(16 / sizeof(T));
}

using ByRows = wmma::row_major;
using ByColumns = wmma::col_major;

// A sum of products, [16 rows, 16 columns]. Addresses are multiples of 32 bytes; steps, from one
// row (or column) to the next, are in elements and multiples of 16 bytes.
template <class T>
class TileSum {
 public:
  __device__ void clear() { wmma::fill_fragment(sum_, 0.0F); }
  __device__ void load(const float* rows, int64_t step) {
    wmma::load_matrix_sync(sum_, rows, static_cast<unsigned>(step), wmma::mem_row_major);
  }
  __device__ void store(float* rows, int64_t step) const {
    wmma::store_matrix_sync(rows, sum_, static_cast<unsigned>(step), wmma::mem_row_major);
  }
  // Adds a b for a [16 rows, 16] and b [16, 16 columns], which lie as the orders say.
  template <class OrderA, class OrderB>
  __device__ void add(const T* a, int a_step, const T* b, int b_step) {
    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, Stored, OrderA> left;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Stored, OrderB> right;
    wmma::load_matrix_sync(left, reinterpret_cast<const Stored*>(a), a_step);
    wmma::load_matrix_sync(right, reinterpret_cast<const Stored*>(b), b_step);
    wmma::mma_sync(sum_, left, right, sum_);
  }

 private:
  using Stored = std::conditional_t<std::is_same_v<T, sdk::F16>, __half, __nv_bfloat16>;

  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum_;
};

// to[row, column] of a tile of `width` columns = element(row, column), by the `count` threads of
// which this is number `thread`.
template <class T, class Element>
__device__ __forceinline__ void fill_tile(T* to, int pitch, int width, uint32_t thread,
                                          uint32_t count, const Element& element) {
  for (int i = static_cast<int>(thread); i < kTile * width; i += static_cast<int>(count)) {
    to[i / width * pitch + i % width] = element(i / width, i % width);
  }
}

// A tile of numbers as two of bf16: what each rounds to, and what that lost. Together they have 17
// digits, and the exponents of f32; f16 is exact. So products of numbers that only f32 holds lose
// 2^-17 of themselves.
struct TileParts {
  static constexpr int kPitch = tile_pitch<sdk::BF16>(kTile);
  static constexpr int kElements = kTile * kPitch;
  static constexpr uint32_t kBytes = 2 * kElements * sizeof(sdk::BF16);

  sdk::BF16* rounded;

  __device__ sdk::BF16* lost() const { return rounded + kElements; }
  // False if the number is not finite, or rounds to what is not: then lost is wrong.
  __device__ bool put(int row, int column, float number) const {
    const auto near = cuda::narrow<sdk::BF16>(number);
    const int at = row * kPitch + column;
    rounded[at] = near;
    lost()[at] = cuda::narrow<sdk::BF16>(number - widen(near));
    return std::isfinite(widen(near));
  }
};

// sum += a b. `exact`: bf16 holds b, which lost nothing.
template <class OrderA>
__device__ __forceinline__ void add_parts(TileSum<sdk::BF16>& sum, const TileParts& a,
                                          const TileParts& b, bool exact) {
  constexpr int kPitch = TileParts::kPitch;
  sum.add<OrderA, ByRows>(a.rounded, kPitch, b.rounded, kPitch);
  sum.add<OrderA, ByRows>(a.lost(), kPitch, b.rounded, kPitch);
  if (!exact) sum.add<OrderA, ByRows>(a.rounded, kPitch, b.lost(), kPitch);
}

}  // namespace tenon::cuda
