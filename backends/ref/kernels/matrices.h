// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/matrices.h: matrices of a batch, one after another, as row-major doubles.
#pragma once

#include <cmath>
#include <tenon/sdk/decomposition.hpp>

#include "kernels/ref.h"

namespace tenon::ref {

// The batch dimensions of the result, which those of operands broadcast to.
using Batch = std::span<const int64_t>;

inline Batch batch_of(const tenon_view& view, size_t own_dims) {
  return {view.shape, static_cast<size_t>(view.rank) - own_dims};
}

// One operand: `own_dims` dimensions of its own (2: rows and columns; 1: a vector, as one column),
// the others are a batch.
class Matrices {
 public:
  Matrices(const tenon_view& view, size_t own_dims, Batch batch) : batch_(batch) {
    const sdk::Strided s = sdk::strided(view);
    const size_t lead = static_cast<size_t>(view.rank) - own_dims;
    data_ = s.data;
    for (size_t d = 0; d < lead; ++d) {
      steps_[batch.size() - lead + d] = view.shape[d] == 1 ? 0 : s.step[d];
    }
    rows = view.shape[lead];
    row_step_ = s.step[lead];
    if (own_dims == 2) {
      columns = view.shape[lead + 1];
      column_step_ = s.step[lead + 1];
    }
  }

  template <class T>
  void load(int64_t number, double* to) const {
    walk(number, [&](char* at) { *to++ = static_cast<double>(sdk::load<T>(at)); });
  }
  template <class T>
  void store(int64_t number, const double* from) const {
    walk(number, [&](char* at) { sdk::store(at, sdk::narrow<T>(*from++)); });
  }

  int64_t rows = 0;
  int64_t columns = 1;

 private:
  template <class Body>
  void walk(int64_t number, const Body& body) const {
    char* first = data_;
    for (size_t d = batch_.size(); d-- > 0;) {
      first += number % batch_[d] * steps_[d];
      number /= batch_[d];
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) body(first + i * row_step_ + j * column_step_);
    }
  }

  Batch batch_;
  char* data_ = nullptr;
  std::array<int64_t, TENON_MAX_RANK> steps_{};
  int64_t row_step_ = 0;
  int64_t column_step_ = 0;
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
                                          std::span<const tenon_slot_rule> slots,
                                          uint32_t n_attrs) {
  return kernel(op, slots, kMatrixDtypes, n_attrs, sdk::launch_fn<Run>,
                {.flags = kOracle, .workspace = sdk::workspace_fn<Bytes>});
}

template <class F>
void dispatch_matrices(tenon_dtype dtype, F&& body) {
  sdk::dispatch_dtype<sdk::TypeList<float, double>>(dtype, body);
}

}  // namespace tenon::ref
