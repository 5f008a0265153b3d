// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/copy.cu: copy, bit for bit, between any two layouts and any two addresses;
// the same for parts of operands, and fills, for the ops that move data (moving.h).
//
// What lies together in both operands is moved in units of up to 16 bytes. A thread moves four
// units, all of them loaded before the first is stored; neighbouring threads have neighbouring
// units of the destination. Where the source lies together along another dimension than the
// destination, squares of both dimensions go through shared memory (`transpose`), so that reads and
// writes are whole lines of the cache.
#include <cstring>

#include "elementwise.h"
#include "moving.h"

namespace tenon::cuda::copy_unit {
namespace {

inline constexpr int kUnitsPerThread = 4;

template <class U>
__global__ void __launch_bounds__(kBlock) move_units(Geometry<2> g, U* to, const U* from) {
  const uint32_t start = blockIdx.x * (kBlock * kUnitsPerThread) + threadIdx.x;
  U unit[kUnitsPerThread];
  int64_t place[kUnitsPerThread];
#pragma unroll
  for (int k = 0; k < kUnitsPerThread; ++k) {
    const uint32_t number = start + static_cast<uint32_t>(k) * kBlock;
    if (number >= g.count) break;
    int64_t at[2];
    g.offsets(number, at);
    place[k] = at[0];
    unit[k] = from[at[1]];
  }
#pragma unroll
  for (int k = 0; k < kUnitsPerThread; ++k) {
    if (start + static_cast<uint32_t>(k) * kBlock < g.count) to[place[k]] = unit[k];
  }
}

template <class U>
__global__ void __launch_bounds__(kBlock) fill_units(Geometry<1> g, U* to, U unit) {
  const uint32_t start = blockIdx.x * (kBlock * kUnitsPerThread) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kUnitsPerThread; ++k) {
    const uint32_t number = start + static_cast<uint32_t>(k) * kBlock;
    if (number >= g.count) return;
    int64_t at[1];
    g.offsets(number, at);
    to[at[0]] = unit;
  }
}

// Squares of small units are larger, so that a row of one fills lines of the cache.
template <class U>
inline constexpr uint32_t kSide = sizeof(U) < 4 ? 64 : 32;
// Columns of a padded row of the square: columns of the square then lie in different banks.
template <class U>
inline constexpr uint32_t kPitch = kSide<U> + (sizeof(U) < 4 ? 4 / sizeof(U) : 1);

// to[r to_step + c] = from[r + c from_step] for r < rows, c < columns, in each batch.
struct Matrix {
  uint32_t rows;
  uint32_t columns;
  Divisor tiles_down;
  Divisor tiles_across;
  int64_t to_step;
  int64_t from_step;
};

template <class U>
__global__ void __launch_bounds__(kBlock)
    transpose(Geometry<2> batches, Matrix m, U* to, const U* from) {
  constexpr uint32_t side = kSide<U>;
  constexpr uint32_t lines = kBlock / side;  // of the square, at once
  __shared__ U square[side][kPitch<U>];
  const uint32_t rest = m.tiles_across.divide(blockIdx.x);
  const uint32_t left = (blockIdx.x - rest * m.tiles_across.value) * side;
  const uint32_t batch = m.tiles_down.divide(rest);
  const uint32_t top = (rest - batch * m.tiles_down.value) * side;
  int64_t at[2];
  batches.offsets(batch, at);
  const uint32_t x = threadIdx.x % side;
  const uint32_t y = threadIdx.x / side;
#pragma unroll
  for (uint32_t i = 0; i < side; i += lines) {
    const uint32_t r = top + x;
    const uint32_t c = left + y + i;
    if (r < m.rows && c < m.columns) square[y + i][x] = from[at[1] + r + c * m.from_step];
  }
  __syncthreads();
#pragma unroll
  for (uint32_t i = 0; i < side; i += lines) {
    const uint32_t r = top + y + i;
    const uint32_t c = left + x;
    if (r < m.rows && c < m.columns) to[at[0] + r * m.to_step + c] = square[x][y + i];
  }
}

// Below this many rows or columns most threads of a square would have nothing to do.
constexpr int64_t kLeastSide = 8;

// The dimension that is a matrix's rows, where the last one is its columns; -1: there is none.
int32_t rows_of(const Dims<2>& dims) {
  if (dims.count < 2) return -1;
  const auto& columns = dims.at[dims.count - 1];
  if (columns.step[0] != 1 || columns.size < kLeastSide) return -1;
  for (int32_t d = 0; d + 1 < dims.count; ++d) {
    const bool is_small = dims.at[d].size <= INT32_MAX && columns.size <= INT32_MAX;
    if (dims.at[d].step[1] == 1 && dims.at[d].size >= kLeastSide && is_small) return d;
  }
  return -1;
}

template <class U>
void move_matrices(const sdk::Launch& l, Dims<2> dims, int32_t d, U* to, const U* from) {
  const auto columns = dims.take_last();
  const auto rows = dims.at[d];
  dims.erase(d);
  Matrix m{};
  m.rows = static_cast<uint32_t>(rows.size);
  m.columns = static_cast<uint32_t>(columns.size);
  const uint32_t down = blocks_for(rows.size, kSide<U>);
  const uint32_t across = blocks_for(columns.size, kSide<U>);
  m.tiles_down = Divisor(down);
  m.tiles_across = Divisor(across);
  m.to_step = rows.step[0];
  m.from_step = columns.step[1];
  const int64_t tiles = int64_t{down} * across;
  for_launches<2>(
      dims, {},
      [&](const Layout<2>& batches, const std::array<int64_t, 2>& at) {
        enqueue(l, &transpose<U>, {static_cast<uint32_t>(batches.count() * tiles)}, {kBlock}, 0,
                batches.geometry(), m, to + at[0], from + at[1]);
      },
      std::max<int64_t>(1, kMaxElements / tiles));
}

void copy(const sdk::Launch& l) { move_elements(l, l.out(), l.out().data, l.view(0)); }

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.copy", slots, sdk::kAllDtypes, sdk::launch_fn<copy>),
};

}  // namespace
}  // namespace tenon::cuda::copy_unit

namespace tenon::cuda {

void move_bytes(const sdk::Launch& l, const Dims<2>& all, void* to, const void* from) {
  using namespace copy_unit;
  if (all.empty()) return;
  Dims<2> dims = collapsed(all);
  const int64_t unit = in_units<2>(dims, {address_of(to), address_of(from)});
  const int32_t rows = rows_of(dims);
  dispatch_unit(unit, [&]<class U>() {
    auto* const to_units = static_cast<U*>(to);
    const auto* const from_units = static_cast<const U*>(from);
    if (rows >= 0) return move_matrices(l, dims, rows, to_units, from_units);
    for_launches<2>(dims, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
      enqueue(l, &move_units<U>, {blocks_for(part.count(), kBlock * kUnitsPerThread)}, {kBlock}, 0,
              part.geometry(), to_units + at[0], from_units + at[1]);
    });
  });
}

void move_elements(const sdk::Launch& l, const tenon_view& out, void* to, const tenon_view& from) {
  Dims<2> dims;
  for (size_t d = 0; d < static_cast<size_t>(from.rank); ++d) {
    dims.push(from.shape[d], {step_of(out, d), step_of(from, d)});
  }
  dims.push(sdk::size_of(from.dtype), {1, 1});
  move_bytes(l, dims, to, from.data);
}

void fill_elements(const sdk::Launch& l, const tenon_view& out, uint64_t bits) {
  using namespace copy_unit;
  const int64_t size = sdk::size_of(out.dtype);
  Dims<1> dims;
  for (size_t d = 0; d < static_cast<size_t>(out.rank); ++d) {
    dims.push(out.shape[d], {step_of(out, d)});
  }
  dims.push(size, {1});
  if (dims.empty()) return;
  dims = collapsed(dims);
  const int64_t unit = in_units<1>(dims, {address_of(out.data)});
  dispatch_unit(unit, [&]<class U>() {
    U pattern;
    for (int64_t i = 0; i < unit; ++i) {
      reinterpret_cast<char*>(&pattern)[i] = reinterpret_cast<const char*>(&bits)[i % size];
    }
    for_launches<1>(dims, {}, [&](const Layout<1>& part, const std::array<int64_t, 1>& at) {
      enqueue(l, &fill_units<U>, {blocks_for(part.count(), kBlock * kUnitsPerThread)}, {kBlock}, 0,
              part.geometry(), static_cast<U*>(out.data) + at[0], pattern);
    });
  });
}

uint64_t bits_of(const tenon_value& value, tenon_dtype dtype) {
  uint64_t bits = 0;
  sdk::dispatch_dtype(dtype, [&]<class T>() {
    const T element = value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64);
    std::memcpy(&bits, &element, sizeof element);
  });
  return bits;
}

}  // namespace tenon::cuda

TENON_UNIT(copy) = {.kernels = tenon::cuda::copy_unit::kernels};
