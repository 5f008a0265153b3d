// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tiles.h: products of 16 x 16 matrices of 16 bits by a warp's tensor cores, summed
// in f32.
//
// Both factors lie in shared memory, by rows or by columns. All lanes of the warp take part in each
// function; what other lanes wrote must be there (__syncwarp). Source: NVIDIA, "CUDA C++
// Programming Guide", Warp Matrix Functions.
#pragma once

#include <mma.h>  // CUDA's, or the emulator's (tests/cuda)

#include "portable.h"

namespace tenon::cuda {

namespace wmma = nvcuda::wmma;

inline constexpr int kTile = 16;  // rows, columns and depth of a product

// Does the card multiply these? bf16 from compute capability 8.0 on.
template <class T>
inline constexpr bool kHasTiles = std::is_same_v<T, sdk::F16>;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <>
inline constexpr bool kHasTiles<sdk::BF16> = true;
#endif

// From a row to the next of `columns` elements: rows lie on different banks of shared memory.
template <class T>
constexpr int tile_pitch(int columns) {
  return columns + static_cast<int>(16 / sizeof(T));
}

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
  // Adds a b: a [16 rows, 16] by rows, b [16, 16 columns] by rows.
  __device__ void add(const T* a, int a_step, const T* b, int b_step) {
    add_as<wmma::row_major>(a, a_step, b, b_step);
  }
  // The same with b by columns.
  __device__ void add_turned(const T* a, int a_step, const T* b, int b_step) {
    add_as<wmma::col_major>(a, a_step, b, b_step);
  }

 private:
  using Stored = std::conditional_t<std::is_same_v<T, sdk::F16>, __half, __nv_bfloat16>;

  template <class Order>
  __device__ void add_as(const T* a, int a_step, const T* b, int b_step) {
    wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, Stored, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Stored, Order> right;
    wmma::load_matrix_sync(left, reinterpret_cast<const Stored*>(a), a_step);
    wmma::load_matrix_sync(right, reinterpret_cast<const Stored*>(b), b_step);
    wmma::mma_sync(sum_, left, right, sum_);
  }

  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum_;
};

}  // namespace tenon::cuda
