// SPDX-License-Identifier: Apache-2.0
// backends/cuda/products.cc: launches of matmul and linear that are one product of cuBLASLt.
#include "products.h"

#include <tenon/sdk/plugin/loops.hpp>

#include <algorithm>

namespace tenon::cuda {
namespace {

// nullopt if neither rows nor columns are packed. The step along a dimension of size 1 is never
// taken and may be anything.
std::optional<Storage> storage_of(const sdk::MatmulOperand& m) {
  const int64_t one = 1;
  const bool one_row = m.rows <= 1;
  const bool one_column = m.columns <= 1;
  if ((one_column || m.column_step == 1) && (one_row || m.row_step >= std::max(one, m.columns))) {
    return Storage{false, one_row ? std::max(one, m.columns) : m.row_step, 0};
  }
  if ((one_row || m.row_step == 1) && (one_column || m.column_step >= std::max(one, m.rows))) {
    return Storage{true, one_column ? std::max(one, m.rows) : m.column_step, 0};
  }
  return std::nullopt;
}

// The step from one matrix to the next, where it is one for the whole batch.
std::optional<int64_t> batch_step(const sdk::Matmul& p, const sdk::MatmulOperand& m) {
  std::optional<int64_t> step;
  int64_t inner = 1;  // matrices in the dimensions after this one
  for (size_t d = p.batch_rank; d-- > 0;) {
    if (p.batch_shape[d] == 1) continue;
    if (!step) {
      step = m.batch[d];
    } else if (m.batch[d] != *step * inner) {
      return std::nullopt;
    }
    inner *= p.batch_shape[d];
  }
  return step.value_or(0);
}

// The product as cuBLASLt is told of it; nullopt if it cannot read it.
std::optional<Product> blas_product(const sdk::Args& l, const sdk::Matmul& p) {
  const bool empty = p.c.rows == 0 || p.c.columns == 0 || p.a.columns == 0 || p.batches() == 0;
  if (empty || !sdk::is_float(l.out().dtype) || p.batches() > INT32_MAX) return std::nullopt;
  Product product{};
  const std::pair<const sdk::MatmulOperand*, Storage*> operands[] = {
      {&p.a, &product.a}, {&p.b, &product.b}, {&p.c, &product.c}};
  for (const auto& [matrix, storage] : operands) {
    const auto found = storage_of(*matrix);
    const auto step = batch_step(p, *matrix);
    if (!found || !step) return std::nullopt;
    *storage = *found;
    storage->batch_step = *step;
  }
  if (product.c.transposed) return std::nullopt;
  product.device = l.out().device.index;
  product.dtype = l.out().dtype;
  product.m = p.c.rows;
  product.n = p.c.columns;
  product.k = p.a.columns;
  product.batches = p.batches();
  return product;
}

}  // namespace

std::optional<Product> describe_matmul(const sdk::Args& l) {
  sdk::Matmul p;
  sdk::read_matmul(l, p);
  return blas_product(l, p);
}

// x[...,k] is one matrix [m,k], weight[n,k] one that is read transposed.
std::optional<Product> describe_linear(const sdk::Args& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& weight = l.view(1);
  const std::string_view activation = l.attrs.text(0);
  const bool known = activation == "none" || activation == "relu" || activation == "gelu_tanh";
  if (!known || !sdk::is_float(x.dtype)) return std::nullopt;
  // cuBLASLt's gelu has no more than the digits of f32, whatever the dtype.
  if (activation == "gelu_tanh" && x.dtype == TENON_DTYPE_F64) return std::nullopt;
  Product product{};
  product.device = l.out().device.index;
  product.dtype = x.dtype;
  product.k = x.shape[x.rank - 1];
  product.n = weight.shape[0];
  product.m = sdk::count_of(sdk::shape_of(l.out())) / std::max<int64_t>(product.n, 1);
  product.batches = 1;
  if (product.m == 0 || product.n == 0 || product.k == 0) return std::nullopt;
  product.a = {false, product.k, 0};
  product.b = {true, product.k, 0};
  product.c = {false, product.n, 0};
  product.bias = l.given(2);
  product.epilogue = activation == "relu"   ? Epilogue::kRelu
                     : activation == "none" ? Epilogue::kNone
                                            : Epilogue::kGelu;
  return product;
}

// What is not one launch of cuBLASLt is left to other kernels, or to the op's composition.
tenon_status accept_product(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts,
                            Describe describe) {
  return sdk::guarded(call, [&] {
    *out_accepts = describe(sdk::Args(args)) && has_blas() ? 1 : 0;
    if (*out_accepts) return;
    constexpr std::string_view why =
        "cuBLASLt computes floats of packed rows or columns, with the activations none, relu and, "
        "but for f64, gelu_tanh";
    call->base->fail(call, TENON_E_UNSUPPORTED, why.data(), why.size());
  });
}

bool run_matmul(const BlasPlan& plan, const sdk::Launch& l) {
  return plan.run(l.view(0).data, l.view(1).data, nullptr, l.out().data, l.scratch().data(),
                  l.stream());
}

bool run_linear(const BlasPlan& plan, const sdk::Launch& l) {
  return plan.run(l.view(0).data, l.view(1).data, l.given(2) ? l.view(2).data : nullptr,
                  l.out().data, l.scratch().data(), l.stream());
}

void release_plan(void*, void* prepared) { delete static_cast<BlasPlan*>(prepared); }

}  // namespace tenon::cuda
