// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/matrices.h: matrices of a batch, one after another, as row-major doubles.
#pragma once

#include <cmath>
#include <tenon/sdk/plugin/decomposition.hpp>
#include <tenon/sdk/plugin/matmul.hpp>

#include "kernels/ref.h"

namespace tenon::ref {

// The batch dimensions of the result, which those of operands broadcast to.
using Batch = std::span<const int64_t>;

inline Batch batch_of(const tenon_view& view, size_t own_dims) {
  return {view.shape, static_cast<size_t>(view.rank) - own_dims};
}

// One operand: `own_dims` dimensions of its own (2: rows and columns; 1: a vector, as one column;
// 0: numbers), the others are a batch.
class Matrices {
 public:
  Matrices(const tenon_view& view, size_t own_dims, Batch batch)
      : batch_(batch), data_(static_cast<char*>(view.data)) {
    const int32_t row = own_dims == 0 ? -1 : view.rank - static_cast<int32_t>(own_dims);
    sdk::read_operand(view, row, own_dims == 2 ? row + 1 : -1, batch.size(), operand_);
    operand_.count_bytes(sdk::size_of(view.dtype));
  }

  int64_t rows() const { return operand_.rows; }
  int64_t columns() const { return operand_.columns; }

  template <class T>
  void load(int64_t number, double* to) const {
    walk(number, [&](char* at) { *to++ = static_cast<double>(sdk::load<T>(at)); });
  }
  template <class T>
  void store(int64_t number, const double* from) const {
    walk(number, [&](char* at) { sdk::store(at, sdk::narrow<T>(*from++)); });
  }

 private:
  template <class Body>
  void walk(int64_t number, const Body& body) const {
    char* const first = data_ + operand_.offset(batch_, number);
    for (int64_t i = 0; i < operand_.rows; ++i) {
      for (int64_t j = 0; j < operand_.columns; ++j) {
        body(first + i * operand_.row_step + j * operand_.column_step);
      }
    }
  }

  Batch batch_;
  char* data_;
  sdk::MatmulOperand operand_;
};

// (x + x^T) / 2 of a square matrix.
inline void make_symmetric(double* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) x[i * n + j] = x[j * n + i] = (x[i * n + j] + x[j * n + i]) / 2;
  }
}

// The scratch that a kernel asked for.
inline double* doubles(const sdk::Launch& l) {
  return reinterpret_cast<double*>(l.scratch().data());
}

inline constexpr tenon_dtype kMatrixDtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

// A kernel of the family: f32 and f64, any layout; Bytes says how much scratch it takes.
template <void (*Run)(const sdk::Launch&), uint64_t (*Bytes)(const sdk::Args&)>
constexpr tenon_kernel_desc matrix_kernel(std::string_view op,
                                          std::span<const tenon_slot_rule> slots, uint32_t n_attrs,
                                          uint32_t flags = kOracle) {
  return kernel(op, slots, kMatrixDtypes, n_attrs, sdk::launch_fn<Run>,
                {.flags = flags, .workspace = sdk::workspace_fn<Bytes>});
}

template <class F>
void dispatch_matrices(tenon_dtype dtype, F&& body) {
  sdk::dispatch_dtype<sdk::TypeList<float, double>>(dtype, body);
}

}  // namespace tenon::ref
