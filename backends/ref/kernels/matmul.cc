// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/matmul.cc: matmul: C[m,n] = sum over k of A[m,k] B[k,n], k ascending.
//
// Products and sums are double (a product of two floats is exact there) and round once at the end;
// integers wrap. Shapes are numpy.matmul's: a vector is a row on the left and a column on the
// right, and leading dimensions broadcast. The work is cut into tiles of the output, which only
// bounds how often a row of B is fetched and converted: each element's own sum is the plain one.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTileColumns = 64;
constexpr int64_t kBlock = 8;               // columns added together
constexpr int64_t kGrainProducts = 262144;  // multiplications worth handing to another thread

// One operand: its batch dimensions lined up with the output's, then its two matrix dimensions.
struct Matrix {
  char* data = nullptr;
  std::array<int64_t, TENON_MAX_RANK> batch{};
  int64_t row_step = 0;
  int64_t column_step = 0;
};

struct Problem {
  Matrix a, b, c;
  std::span<const int64_t> batch_shape;
  int64_t m = 1, n = 1, k = 1;
};

// `matrix_dims` trailing dimensions belong to the matrix, those before them broadcast to the batch.
Matrix lay_out(const tenon_view& view, size_t matrix_dims, std::span<const int64_t> batch_shape) {
  const sdk::Strided s = sdk::strided(view);
  const size_t own = static_cast<size_t>(view.rank) - matrix_dims;
  Matrix matrix;
  matrix.data = s.data;
  for (size_t d = 0; d < own; ++d) {
    matrix.batch[batch_shape.size() - own + d] = view.shape[d] == 1 ? 0 : s.step[d];
  }
  if (matrix_dims == 2) {
    matrix.row_step = s.step[own];
    matrix.column_step = s.step[own + 1];
  }
  return matrix;
}

Problem problem(const sdk::Launch& l) {
  const tenon_view& a = l.view(0);
  const tenon_view& b = l.view(1);
  const tenon_view& c = l.out();
  const bool a_vector = a.rank == 1;
  const bool b_vector = b.rank == 1;
  const size_t c_dims = (a_vector ? 0u : 1u) + (b_vector ? 0u : 1u);
  Problem p;
  p.batch_shape = sdk::shape_of(c).first(static_cast<size_t>(c.rank) - c_dims);
  p.a = lay_out(a, a_vector ? 1 : 2, p.batch_shape);
  p.b = lay_out(b, b_vector ? 1 : 2, p.batch_shape);
  p.c = lay_out(c, c_dims, p.batch_shape);
  const sdk::Strided c_steps = sdk::strided(c);
  const size_t c_own = p.batch_shape.size();
  if (a_vector) p.a.column_step = sdk::strided(a).step[0];
  if (b_vector) p.b.row_step = sdk::strided(b).step[0];
  if (a_vector && !b_vector) p.c.column_step = c_steps.step[c_own];
  if (b_vector && !a_vector) p.c.row_step = c_steps.step[c_own];
  p.k = a.shape[a.rank - 1];
  if (!a_vector) p.m = a.shape[a.rank - 2];
  if (!b_vector) p.n = b.shape[b.rank - 1];
  return p;
}

char* batch_data(const Matrix& matrix, std::span<const int64_t> shape, int64_t number) {
  char* data = matrix.data;
  for (size_t d = shape.size(); d-- > 0;) {
    data += number % shape[d] * matrix.batch[d];
    number /= shape[d];
  }
  return data;
}

// Rows x columns elements of C; a, b and c point at the tile's first row, column and element.
template <class T>
void tile(const Problem& p, const char* a, const char* b, char* c, int64_t rows, int64_t columns) {
  using W = sdk::Wide<T>;
  W sum[kTileRows][kTileColumns] = {};
  W b_row[kTileColumns] = {};
  for (int64_t k = 0; k < p.k; ++k) {
    const char* b_data = b + k * p.b.row_step;
    for (int64_t j = 0; j < columns; ++j) {
      b_row[j] = static_cast<W>(sdk::load<T>(b_data + j * p.b.column_step));
    }
    for (int64_t i = 0; i < rows; ++i) {
      const W x = static_cast<W>(sdk::load<T>(a + i * p.a.row_step + k * p.a.column_step));
      // Whole blocks, also where columns end before: the constant bound makes vectors of them.
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
  const Problem p = problem(l);
  const int64_t batches = sdk::count_of(p.batch_shape);
  if (batches == 0 || p.m == 0 || p.n == 0) return;
  const int64_t row_tiles = (p.m + kTileRows - 1) / kTileRows;
  const int64_t column_tiles = (p.n + kTileColumns - 1) / kTileColumns;
  const int64_t tiles = batches * row_tiles * column_tiles;
  const int64_t products = kTileRows * kTileColumns * std::max<int64_t>(p.k, 1);
  const int64_t grain = std::max<int64_t>(1, kGrainProducts / products);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    l.parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t column = t % column_tiles * kTileColumns;
        const int64_t row = t / column_tiles % row_tiles * kTileRows;
        const int64_t batch = t / column_tiles / row_tiles;
        tile<T>(
            p, batch_data(p.a, p.batch_shape, batch) + row * p.a.row_step,
            batch_data(p.b, p.batch_shape, batch) + column * p.b.column_step,
            batch_data(p.c, p.batch_shape, batch) + row * p.c.row_step + column * p.c.column_step,
            std::min(kTileRows, p.m - row), std::min(kTileColumns, p.n - column));
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
