// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/systems.hpp: what solve and solve_triangular share: a y = b.
#pragma once

#include "linalg/matrices.hpp"

namespace tenon::matrices {

inline void infer_system(const sdk::Args& args, std::span<tenon_meta> out) {
  const Extent a = square_of(args, 0, "a");
  const std::span<const int64_t> b = args.shape(1);
  const bool vector = b.size() == 1;
  if (b.empty() || b[b.size() - (vector ? 1 : 2)] != a.n) {
    throw sdk::Failure{TENON_E_SHAPE, "b must have as many rows as a", "b",
                       "[" + std::to_string(a.n) + "] or [...," + std::to_string(a.n) + ",K]",
                       sdk::shape_text(b)};
  }
  const auto batch = b.first(vector ? 0 : b.size() - 2);
  Dims shape = common_batch(a.batch, batch, b);
  shape.push(a.n);
  if (!vector) shape.push(b.back());
  sdk::set_shape(out[0], shape.span());
}

// db, and for da the product db y^T, where a vector goes along as one column. `solve` solves with
// the transpose of a. Broadcast batches are summed by the engine.
template <class Solve, class Part>
void vjp_system(sdk::Vjp& v, const Solve& solve, const Part& part) {
  const bool vector = v.in_meta(1).rank == 1;
  tenon_tensor* db = solve(vector ? as_columns(v, v.dy()) : v.dy());
  if (v.wants(1)) {
    const tenon_meta out = v.out_meta();
    v.grad(1, vector ? rules::reshape(v, db, Dims(out)) : db);
  }
  if (!v.wants(0)) return;
  const sdk::Value y = vector ? as_columns(v, v.out()) : v.out();
  v.grad(0, v.call("tenon.neg", {part(product(v, db, transposed(v, y)))}));
}

}  // namespace tenon::matrices
