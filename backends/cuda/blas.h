// SPDX-License-Identifier: Apache-2.0
// backends/cuda/blas.h: matrix products by cuBLASLt, which is opened when one is first prepared.
//
// c[m,n] = f(sum over k of a[m,k] b[k,n] + bias[n]) for each matrix of a batch.
//
// What cuBLASLt refuses for what it is (sizes, alignments, the card) it cannot compute; every other
// status is a failure.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <memory>
#include <mutex>

namespace tenon::cuda {

// How a row-major library is told of a matrix.
struct Storage {
  bool transposed = false;  // columns are packed, not rows
  int64_t leading = 1;      // elements from one packed row or column to the next
  int64_t batch_step = 0;   // elements from one matrix to the next
};

enum class Epilogue { kNone, kRelu, kGelu };  // gelu is the approximation by tanh

// Of the factors, where they are f32. Sums are in f32 either way.
enum class Precision { kWhole, kTf32 };

struct Product {
  int32_t device;
  tenon_dtype dtype;  // of all operands; f16 and bf16 are summed in f32
  int64_t m, n, k;
  int64_t batches;
  Storage a, b, c;
  Epilogue epilogue;
  bool bias;
  Precision precision;
};

// Scratch that a product may use.
uint64_t blas_workspace(const Product& product);

// A device's connection with cuBLASLt, made by its first product. It serves all threads.
class BlasHandle {
 public:
  // The device is chosen on this thread, as it is for `release`. NULL if cuBLASLt cannot use it;
  // throws sdk::Failure.
  void* get();
  void release();

 private:
  std::mutex mutex_;
  void* handle_ = nullptr;
};

// A product that was prepared for its sizes; used by any number of threads at once.
class BlasPlan {
 public:
  BlasPlan() = default;
  BlasPlan(const BlasPlan&) = delete;
  BlasPlan& operator=(const BlasPlan&) = delete;
  virtual ~BlasPlan() = default;
  // Enqueues it; false if cuBLASLt refuses these operands after all. Throws sdk::Failure.
  virtual bool run(const void* a, const void* b, const void* bias, void* c, void* scratch,
                   void* stream) const = 0;
};

// NULL if cuBLASLt is not there or has no way to compute it. The device is chosen on this
// thread; `handle` is its. Throws sdk::Failure.
std::unique_ptr<BlasPlan> prepare_product(const Product& product, BlasHandle& handle);

// Is cuBLASLt there?
bool has_blas();

}  // namespace tenon::cuda
