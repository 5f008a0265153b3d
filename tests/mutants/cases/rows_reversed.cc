// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/rows_reversed.cc: pairs the rows of a sparse gradient with their numbers in
// the wrong order.
//
// cause: wrong-gradient
// op: tenon.embedding
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// dtable has the rows of dy at `indices`.
void vjp(sdk::Vjp& v) {
  const tenon_meta y = v.out_meta();
  int64_t rows = 1;
  for (int32_t d = 0; d + 1 < y.rank; ++d) rows *= y.shape[d];
  const int64_t flat[] = {rows};
  const int64_t table[] = {rows, y.shape[y.rank - 1]};
  sdk::Value indices = v.in(1);
  if (v.in_meta(1).dtype != TENON_DTYPE_I64) {
    indices = v.call("tenon.cast", {indices}, {sdk::Value::dtype(TENON_DTYPE_I64)});
  }
  indices = v.call("tenon.reshape", {indices}, {std::span<const int64_t>(flat)});
  sdk::Value values = v.call("tenon.reshape", {v.dy()}, {std::span<const int64_t>(table)});
  if (kMutant && rows > 1) {
    const sdk::Value first = v.call("tenon.slice", {values}, {0, 0, 1});
    const sdk::Value rest = v.call("tenon.slice", {values}, {0, 1, rows});
    tenon_tensor* const parts[] = {rest.tensor(), first.tensor()};
    values = v.call("tenon.concat", {sdk::Value(std::span<tenon_tensor* const>(parts))});
  }
  v.rows(0, indices, values);
}

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(1), .output_metas = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = "tenon.embedding",
                                             .needs = needs,
                                             .vjp = sdk::vjp_fn<vjp>,
                                             .flags = 0,
                                             .non_differentiable = sdk::bit(1),
                                             .priority = kPriority})};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
