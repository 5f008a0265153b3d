// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/matmul.cc: matmul: C[m,n] = sum over k of A[m,k] B[k,n], k ascending.
//
// Products and sums are double (a product of two floats is exact there) and round once at the end;
// integers wrap. The work is cut into tiles of the output, which only
// bounds how often a row of B is fetched and converted: each element's own sum is the plain one.

#include <tenon/sdk/plugin/matmul.hpp>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileColumns = 64;
constexpr int64_t kBlock = 8;               // columns added together
constexpr int64_t kGrainProducts = 262144;  // multiplications worth handing to another thread

// Steps in bytes: operands may lie at any address.
sdk::Matmul problem(const sdk::Launch& l) {
  sdk::Matmul p;
  sdk::read_matmul(l, p);
  const int64_t size = sdk::size_of(l.out().dtype);
  for (sdk::MatmulOperand* operand : {&p.a, &p.b, &p.c}) operand->count_bytes(size);
  return p;
}

// Rows x columns elements of C; a, b and c point at the tile's first row, column and element.
template <class T>
void tile(const sdk::Matmul& p, const char* a, const char* b, char* c, int64_t rows,
          int64_t columns) {
  using W = sdk::Wide<T>;
  W sum[kTileRows][kTileColumns] = {};
  W b_row[kTileColumns] = {};
  for (int64_t k = 0; k < p.a.columns; ++k) {
    const char* b_data = b + k * p.b.row_step;
    for (int64_t j = 0; j < columns; ++j) {
      b_row[j] = static_cast<W>(sdk::load<T>(b_data + j * p.b.column_step));
    }
    for (int64_t i = 0; i < rows; ++i) {
      const W x = static_cast<W>(sdk::load<T>(a + i * p.a.row_step + k * p.a.column_step));
      // Whole blocks, even if columns end before: the constant bound makes vectors of them.
      for (int64_t block = 0; block < columns; block += kBlock) {
        for (int64_t j = block; j < block + kBlock; ++j) sum[i][j] += x * b_row[j];
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      sdk::store(c + i * p.c.row_step + j * p.c.column_step, sdk::narrow<T>(sum[i][j]));
    }
  }
}

void matmul(const sdk::Launch& l) {
  const sdk::Matmul p = problem(l);
  const int64_t m = p.c.rows, n = p.c.columns, k = p.a.columns;
  if (p.batches() == 0 || m == 0 || n == 0) return;
  const int64_t row_tiles = (m + kTileRows - 1) / kTileRows;
  const int64_t column_tiles = (n + kTileColumns - 1) / kTileColumns;
  const int64_t tiles = p.batches() * row_tiles * column_tiles;
  const int64_t products = kTileRows * kTileColumns * std::max<int64_t>(k, 1);
  const int64_t grain = std::max<int64_t>(1, kGrainProducts / products);
  const auto* a = static_cast<const char*>(l.view(0).data);
  const auto* b = static_cast<const char*>(l.view(1).data);
  auto* c = static_cast<char*>(l.out().data);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    l.parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t column = t % column_tiles * kTileColumns;
        const int64_t row = t / column_tiles % row_tiles * kTileRows;
        const int64_t batch = t / column_tiles / row_tiles;
        tile<T>(p, a + p.offset(p.a, batch) + row * p.a.row_step,
                b + p.offset(p.b, batch) + column * p.b.column_step,
                c + p.offset(p.c, batch) + row * p.c.row_step + column * p.c.column_step,
                std::min(kTileRows, m - row), std::min(kTileColumns, n - column));
      }
    });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.matmul", slots, sdk::kNumbers, 0, sdk::launch_fn<matmul>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(matmul) = {.kernels = tenon::ref::kernels};
