// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/matrices.hpp: what ops that take matrices apart share: shapes, and the algebra
// of their gradients. Matrices are the last two dimensions, all others are batches.
#pragma once

#include <tenon/ext/draft/bits.h>

#include <algorithm>

#include "rules.hpp"

namespace tenon::matrices {

namespace sdk = tenon::sdk;
using rules::Dims;

// Operand `slot` as matrices of M rows and N columns.
struct Extent {
  std::span<const int64_t> batch;
  int64_t m = 0;
  int64_t n = 0;

  int64_t least() const { return m < n ? m : n; }
};

inline Extent extent_of(const sdk::Args& args, uint32_t slot, const char* operand) {
  const std::span<const int64_t> shape = args.shape(slot);
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " must have 2 dimensions or more",
                       operand, "[...,M,N]", sdk::shape_text(shape)};
  }
  return {shape.first(shape.size() - 2), shape[shape.size() - 2], shape.back()};
}

inline Extent square_of(const sdk::Args& args, uint32_t slot, const char* operand) {
  const Extent e = extent_of(args, slot, operand);
  if (e.m == e.n) return e;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " must hold square matrices", operand,
                     "[...,N,N]", sdk::shape_text(args.shape(slot))};
}

// The batch in which those of two operands meet. `b` is all of the second one, which is blamed.
inline Dims common_batch(std::span<const int64_t> a_batch, std::span<const int64_t> b_batch,
                         std::span<const int64_t> b) {
  const size_t rank = std::max(a_batch.size(), b_batch.size());
  Dims common;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t left = i + a_batch.size() < rank ? 1 : a_batch[i + a_batch.size() - rank];
    const int64_t right = i + b_batch.size() < rank ? 1 : b_batch[i + b_batch.size() - rank];
    if (left != right && left != 1 && right != 1) {
      throw sdk::Failure{TENON_E_SHAPE, "the batch dimensions do not broadcast", "b",
                         "batch dimensions that broadcast with " + sdk::shape_text(a_batch),
                         sdk::shape_text(b)};
    }
    common.push(left == 1 ? right : left);
  }
  return common;
}

inline void set_matrices(tenon_meta& meta, const Extent& of, int64_t rows, int64_t columns) {
  Dims shape(of.batch);
  shape.push(rows);
  shape.push(columns);
  sdk::set_shape(meta, shape.span());
}

inline tenon_tensor* transposed(sdk::Calls& c, sdk::Value x) {
  return c.call("tenon.transpose", {x}, {-2, -1});
}
inline tenon_tensor* product(sdk::Calls& c, sdk::Value a, sdk::Value b) {
  return c.call("tenon.matmul", {a, b});
}
inline tenon_tensor* sum(sdk::Calls& c, sdk::Value a, sdk::Value b) {
  return c.call("tenon.add", {a, b});
}
inline tenon_tensor* difference(sdk::Calls& c, sdk::Value a, sdk::Value b) {
  return c.call("tenon.sub", {a, b});
}
inline tenon_tensor* times(sdk::Calls& c, sdk::Value a, sdk::Value b) {
  return c.call("tenon.mul", {a, b});
}

// Vectors as matrices of one row or of one column.
inline tenon_tensor* as_rows(sdk::Calls& c, sdk::Value x) {
  Dims shape(c.meta(x.tensor()));
  const int64_t last = shape[shape.count() - 1];
  shape[shape.count() - 1] = 1;
  shape.push(last);
  return rules::reshape(c, x, shape);
}
inline tenon_tensor* as_columns(sdk::Calls& c, sdk::Value x) {
  Dims shape(c.meta(x.tensor()));
  shape.push(1);
  return rules::reshape(c, x, shape);
}

// One matrix with 1 on the diagonal.
inline tenon_tensor* identity(sdk::Calls& c, int64_t n, tenon_dtype dtype) {
  const int64_t shape[] = {n, n};
  tenon_tensor* ones =
      c.call("tenon.full", {}, {std::span<const int64_t>(shape), 1, sdk::Value::dtype(dtype)});
  return c.call("tenon.tril", {c.call("tenon.triu", {ones}, {0})}, {0});
}

// 1 / (d_k - d_j) in row j and column k, and 0 on the diagonal.
inline tenon_tensor* inverse_gaps(sdk::Calls& c, sdk::Value d, sdk::Value one) {
  tenon_tensor* gaps = difference(c, as_rows(c, d), as_columns(c, d));
  return c.call("tenon.div", {difference(c, 1, one), sum(c, gaps, one)});
}

inline tenon_tensor* symmetric_half(sdk::Calls& c, sdk::Value x) {
  return times(c, sum(c, x, transposed(c, x)), 0.5);
}

}  // namespace tenon::matrices
