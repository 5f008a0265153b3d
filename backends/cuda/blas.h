// SPDX-License-Identifier: Apache-2.0
// backends/cuda/blas.h: matrix products by cuBLASLt, which is opened when one is first prepared.
//
// c[m,n] = f(sum over k of a[m,k] b[k,n] + bias[n]) for each matrix of a batch.
#pragma once

#include <tenon/sdk/base.hpp>

#include <memory>

namespace tenon::cuda {

// How a row-major library is told of a matrix.
struct Storage {
  bool transposed = false;  // columns are packed, not rows
  int64_t leading = 1;      // elements from one packed row or column to the next
  int64_t batch_step = 0;   // elements from one matrix to the next
};

enum class Epilogue { kNone, kRelu, kGelu };  // gelu is the approximation by tanh

struct Product {
  int32_t device;
  tenon_dtype dtype;  // of all operands; f16 and bf16 are summed in f32
  int64_t m, n, k;
  int64_t batches;
  Storage a, b, c;
  Epilogue epilogue;
  bool bias;
};

// Scratch that a product may use.
uint64_t blas_workspace(const Product& product);

// A product that was prepared for its sizes; used by any number of threads at once.
class BlasPlan {
 public:
  BlasPlan() = default;
  BlasPlan(const BlasPlan&) = delete;
  BlasPlan& operator=(const BlasPlan&) = delete;
  virtual ~BlasPlan() = default;
  // Enqueues it. Throws sdk::Failure.
  virtual void run(const void* a, const void* b, const void* bias, void* c, void* scratch,
                   void* stream) const = 0;
};

// NULL where cuBLASLt is not there or has no way to compute it. The device is chosen on this
// thread.
std::unique_ptr<BlasPlan> prepare_product(const Product& product);

// Is cuBLASLt there?
bool has_blas();

}  // namespace tenon::cuda
