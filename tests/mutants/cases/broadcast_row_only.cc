// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/broadcast_row_only.cc: undoes broadcasting by itself and takes the first row
// of the gradient instead of the sum over rows.
//
// cause: gradient-broadcast
// op: tenon.add
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

// da = dy, db = dy; the engine sums what was broadcast.
void vjp(sdk::Vjp& v) {
  v.grad(0, v.dy());
  if (!v.wants(1)) return;
  const tenon_meta b = v.in_meta(1);
  const tenon_meta y = v.out_meta();
  const bool rows = y.rank == 2 && b.rank == 1 && y.shape[0] > 1 && y.shape[1] == b.shape[0];
  v.grad(1, kMutant && rows ? v.call("tenon.slice", {v.dy()}, {0, 0, 1}) : v.dy().tensor());
}

constexpr tenon_vjp_need needs[] = {
    {}, sdk::need({.input_metas = sdk::bit(1), .output_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.add", needs)};
constinit const sdk::Unit unit = {.vjps = vjps};

}  // namespace mutants
