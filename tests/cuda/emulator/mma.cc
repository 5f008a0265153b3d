// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/mma.cc: where tiles may lie, and their products.
#include "emulator.h"

#include "mma.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tenon::cuda::emulated {
namespace {

// A card's sums keep more digits than f32 has and cut off the rest.
float cut_off(double sum) {
  const auto rounded = static_cast<float>(sum);
  if (std::isfinite(rounded) && std::fabs(double{rounded}) > std::fabs(sum)) {
    return std::nextafter(rounded, 0.0F);
  }
  return rounded;
}

}  // namespace

bool enter_tile(const void* data, unsigned step, unsigned element_bytes) {
  if (reinterpret_cast<uintptr_t>(data) % 32 != 0) {
    throw std::runtime_error("a tile lies where no multiple of 32 bytes is");
  }
  if (step * element_bytes % 16 != 0) {
    throw std::runtime_error("a step from row to row of a tile is no multiple of 16 bytes");
  }
  __syncwarp();
  return lane() == 0;
}

void multiply_tiles(float* d, const float* a, const float* b, const float* c) {
  for (unsigned row = 0; row < kTileSide; ++row) {
    for (unsigned column = 0; column < kTileSide; ++column) {
      double sum = c[row * kTileSide + column];
      for (unsigned k = 0; k < kTileSide; ++k) {
        sum += double{a[row * kTileSide + k]} * double{b[k * kTileSide + column]};
      }
      d[row * kTileSide + column] = cut_off(sum);
    }
  }
}

}  // namespace tenon::cuda::emulated
