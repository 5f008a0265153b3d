// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_role_not_mutated.c: an op that adds rows to an operand it does not write.
// needs: op hostile.rows
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.rows", "role": "rows_add"}}
// refused: op hostile.rows: the holder of role 'rows_add' must have 3 inputs, 0 attributes and 0
//   outputs as tenon/plugin.h says; its schema is rows(x: T[N,...], i: i64[R], v: T[R,...]) ->
//   T[N,...]
#include "../hostile.h"

void spoil(void) {
  static long_op rows_op;
  set_op(&rows_op, "hostile.rows", "rows(x: T[N,...], i: i64[R], v: T[R,...]) -> T[N,...]",
         TENON_SHAPE_SAME_AS_0);
  rows_op.desc.role = TENON_ROLE_ROWS_ADD;
  ops[ops_table.count++] = &rows_op.desc;
}
