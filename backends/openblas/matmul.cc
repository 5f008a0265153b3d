// SPDX-License-Identifier: Apache-2.0
// backends/openblas/matmul.cc: matmul by cblas_sgemm and cblas_dgemm.
//
// BLAS reads a matrix whose rows or whose columns lie packed one after the
// other, further apart or not, so windows and transposed operands need no copy. What it cannot read
// (both strides above 1, negative or zero ones inside a matrix) goes to the second kernel below,
// for which the dispatcher packs the operands.
//
// Bits do not depend on layouts. For small products and for vectors OpenBLAS has kernels of their
// own for each way in which operands are stored, and these add in different orders; such operands
// are packed first. A large product is always computed from the same packed panels.
//
// Nor do they depend on threads: work is cut into tiles of the output by shape alone, and each tile
// is one call on one thread. Source: BLAS, level 3, xGEMM.
#include <cblas.h>
#include <algorithm>
#include <limits>
#include <optional>
#include <tenon/sdk/plugin/matmul.hpp>

#include "common/slots.h"
#include "openblas.h"

namespace tenon::openblas {
namespace {

using Matrix = sdk::MatmulOperand;

// A tile packs its rows of a and columns of b once, so it should not be small; and a matrix should
// give work to several threads.
constexpr int64_t kTileRows = 256;
constexpr int64_t kTileColumns = 512;
constexpr int64_t kTileUnit = 16;            // tiles end where registers do
constexpr int64_t kGrainProducts = 1 << 20;  // multiplications worth handing to another thread
// More multiplications than any of OpenBLAS' kernels for small products takes; its largest limit is
// 28 * 512 * 512, in sgemm_direct_performant.
constexpr int64_t kLargeProducts = 1 << 23;
constexpr int64_t kMaxExtent = std::numeric_limits<blasint>::max();

// How BLAS is told of a matrix.
struct Storage {
  bool transposed = false;  // columns are packed, not rows
  int64_t leading = 1;      // elements from one packed row or column to the next
};

// One dimension of the output in pieces of `size`, of which the last may be smaller.
struct Cut {
  explicit Cut(int64_t of = 0, int64_t most = 1) : whole(of), count((of + most - 1) / most) {
    if (count == 0) return;
    size = ((whole + count - 1) / count + kTileUnit - 1) / kTileUnit * kTileUnit;
    count = (whole + size - 1) / size;
  }
  int64_t at(int64_t piece) const { return std::min(size, whole - piece * size); }
  int64_t whole;
  int64_t count;
  int64_t size = 1;
};

struct Problem : sdk::Matmul {
  Storage a_storage, b_storage, c_storage;
  bool folds = true;  // where the shapes want a's and c's batches as further rows, strides agree
  Cut rows, columns;

  bool empty() const { return c.rows == 0 || c.columns == 0 || batches() == 0; }
};

// nullopt if neither rows nor columns are packed. The step along a dimension of size 1 is never
// taken and may be anything.
std::optional<Storage> storage_of(const Matrix& m) {
  const int64_t one = 1;
  const bool one_row = m.rows <= 1;
  const bool one_column = m.columns <= 1;
  if ((one_column || m.column_step == 1) && (one_row || m.row_step >= std::max(one, m.columns))) {
    return Storage{false, one_row ? std::max(one, m.columns) : m.row_step};
  }
  if ((one_row || m.row_step == 1) && (one_column || m.column_step >= std::max(one, m.rows))) {
    return Storage{true, one_column ? std::max(one, m.rows) : m.column_step};
  }
  return std::nullopt;
}

// Does `m` go on over its innermost batch dimension as if there were more rows?
bool fold(Matrix& m, size_t dimension, int64_t count) {
  if (m.rows == 1) m.row_step = m.batch[dimension];  // the step within one row is never taken
  const bool goes_on = m.batch[dimension] == m.rows * m.row_step;
  m.rows *= count;
  return goes_on;
}

// Innermost batch dimensions that b does not have are further rows of one product. The shapes alone
// decide, so that layouts do not change what is computed.
void fold_batches(Problem& p, const tenon_view& b) {
  for (int32_t d = b.rank - 3; p.batch_rank > 0; --d) {
    if (d >= 0 && b.shape[d] != 1) return;
    const size_t last = --p.batch_rank;
    const int64_t count = p.batch_shape[last];
    if (count == 1) continue;
    const bool a_goes_on = fold(p.a, last, count);
    const bool c_goes_on = fold(p.c, last, count);
    p.folds = p.folds && a_goes_on && c_goes_on;
  }
}

Problem problem(const sdk::Args& l) {
  Problem p;
  sdk::read_matmul(l, p);
  if (!p.empty()) fold_batches(p, l.view(1));
  p.rows = Cut(p.c.rows, kTileRows);
  p.columns = Cut(p.c.columns, kTileColumns);
  return p;
}

// Are all tiles beyond OpenBLAS' kernels for small products and vectors?
bool is_large(const Problem& p) {
  if (p.empty()) return false;
  const int64_t rows = p.rows.at(p.rows.count - 1);
  const int64_t columns = p.columns.at(p.columns.count - 1);
  return rows > 1 && columns > 1 && rows * columns * p.a.columns > kLargeProducts;
}

// Fills in the storages; false and why where BLAS cannot take the operands as they are.
bool fits(Problem& p, const char*& why) {
  if (!p.folds) {
    why = "the matrices of a batch do not follow each other row by row";
    return false;
  }
  const std::pair<const Matrix*, Storage*> operands[] = {
      {&p.a, &p.a_storage}, {&p.b, &p.b_storage}, {&p.c, &p.c_storage}};
  for (const auto& [matrix, storage] : operands) {
    const auto found = storage_of(*matrix);
    if (!found) {
      why = "neither rows nor columns of an operand's matrices are packed, as BLAS needs them";
      return false;
    }
    *storage = *found;
    if (storage->leading > kMaxExtent) {
      why = "a stride is more than the integers of this OpenBLAS hold";
      return false;
    }
    if (storage->transposed && !is_large(p)) {
      why = "small products of transposed operands have other bits";
      return false;
    }
  }
  return true;
}

void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE a_how, CBLAS_TRANSPOSE b_how, blasint m, blasint n,
          blasint k, const float* a, blasint lda, const float* b, blasint ldb, float* c,
          blasint ldc) {
  cblas_sgemm(order, a_how, b_how, m, n, k, 1.0f, a, lda, b, ldb, 0.0f, c, ldc);
}
void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE a_how, CBLAS_TRANSPOSE b_how, blasint m, blasint n,
          blasint k, const double* a, blasint lda, const double* b, blasint ldb, double* c,
          blasint ldc) {
  cblas_dgemm(order, a_how, b_how, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

// Rows x columns elements of c; a, b and c point at the tile's first row, column and element. Said
// in the order that c is stored in, an operand stored the other way is a transposed one.
template <class T>
void tile(const Problem& p, const T* a, const T* b, T* c, int64_t rows, int64_t columns) {
  const auto how = [&](const Storage& s) {
    return s.transposed == p.c_storage.transposed ? CblasNoTrans : CblasTrans;
  };
  gemm(p.c_storage.transposed ? CblasColMajor : CblasRowMajor, how(p.a_storage), how(p.b_storage),
       static_cast<blasint>(rows), static_cast<blasint>(columns), static_cast<blasint>(p.a.columns),
       a, static_cast<blasint>(p.a_storage.leading), b, static_cast<blasint>(p.b_storage.leading),
       c, static_cast<blasint>(p.c_storage.leading));
}

// Sums over nothing. BLAS is not asked: implementations differ in what they do with k = 0.
template <class T>
void zero_tile(const Problem& p, T* c, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * p.c.row_step + j * p.c.column_step] = T(0);
  }
}

template <class T>
void run(const sdk::Launch& l, const Problem& p) {
  const int64_t products = std::min(p.rows.size, p.c.rows) * std::min(p.columns.size, p.c.columns) *
                           std::max<int64_t>(p.a.columns, 1);
  const int64_t grain = std::max<int64_t>(1, kGrainProducts / products);
  const int64_t tiles = p.batches() * p.rows.count * p.columns.count;
  const T* a = l.data<const T>(0);
  const T* b = l.data<const T>(1);
  T* c = l.out_data<T>();
  l.parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column_tile = t % p.columns.count;
      const int64_t row_tile = t / p.columns.count % p.rows.count;
      const int64_t batch = t / p.columns.count / p.rows.count;
      const int64_t row = row_tile * p.rows.size;
      const int64_t column = column_tile * p.columns.size;
      const int64_t rows = p.rows.at(row_tile);
      const int64_t columns = p.columns.at(column_tile);
      T* out = c + p.offset(p.c, batch) + row * p.c.row_step + column * p.c.column_step;
      if (p.a.columns == 0) {
        zero_tile(p, out, rows, columns);
      } else {
        tile(p, a + p.offset(p.a, batch) + row * p.a.row_step,
             b + p.offset(p.b, batch) + column * p.b.column_step, out, rows, columns);
      }
    }
  });
}

void matmul(const sdk::Launch& l) {
  Problem p = problem(l);
  if (p.empty()) return;
  const char* why = "";
  // Operands without elements may have any strides, and BLAS is not asked about them.
  if (p.a.columns != 0 && !fits(p, why)) throw sdk::Failure{TENON_E_LAYOUT, why};
  if (l.out().dtype == TENON_DTYPE_F32) {
    run<float>(l, p);
  } else {
    run<double>(l, p);
  }
}

// Tiles bound rows and columns, but not what one of their sums runs over, nor the step from one row
// of packed operands to the next.
bool too_long(const Problem& p) { return std::max(p.a.columns, p.b.columns) > kMaxExtent; }
constexpr const char* kTooLong = "a size is more than the integers of this OpenBLAS hold";

tenon_status decline(tenon_call* call, const char* why, uint32_t* out_accepts) {
  *out_accepts = 0;
  return call->base->fail(call, TENON_E_LAYOUT, why, TENON_NUL);
}

tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  Problem p = problem(sdk::Args(args));
  const char* why = kTooLong;
  if (too_long(p) || !fits(p, why)) return decline(call, why, out_accepts);
  *out_accepts = 1;
  return TENON_OK;
}

// Asked about operands that still have to be packed, so only sizes count.
tenon_status accepts_packed(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  if (too_long(problem(sdk::Args(args)))) return decline(call, kTooLong, out_accepts);
  *out_accepts = 1;
  return TENON_OK;
}

constexpr uint32_t kFlags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64;
constexpr tenon_dtype dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr tenon_slot_rule as_it_is[] = {backends::any_in(), backends::any_in(),
                                        backends::any_out()};
constexpr tenon_slot_rule packed[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                      sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.matmul",
                 .device = kDevice,
                 .slots = as_it_is,
                 .rows = dtypes,
                 .flags = kFlags,
                 .priority = kPriority + 1,
                 .launch = sdk::launch_fn<matmul>,
                 .predicate = accepts}),
    sdk::kernel({.op = "tenon.matmul",
                 .device = kDevice,
                 .slots = packed,
                 .rows = dtypes,
                 .flags = kFlags,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<matmul>,
                 .predicate = accepts_packed}),
};

}  // namespace

constinit const sdk::Unit matmul_unit = {.kernels = kernels};

}  // namespace tenon::openblas
