// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_tenth.c: nine good ops and a tenth that is not: none of them stays.
// needs: op hostile.a
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.a"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.b"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.c"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.d"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.e"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.f"}}
// manifest: {"op": "add", "path": "/ops/-", "value": {"name": "hostile.g"}}
// refused: op hostile.g: shape rule 9 is unknown; the plugin needs a newer Tenon
#include "../hostile.h"

static const char* const schemas[7] = {"a(x: T) -> T", "b(x: T) -> T", "c(x: T) -> T",
                                       "d(x: T) -> T", "e(x: T) -> T", "f(x: T) -> T",
                                       "g(x: T) -> T"};

void spoil(void) {
  static long_op more[7];
  static const char* const names[7] = {"hostile.a", "hostile.b", "hostile.c", "hostile.d",
                                       "hostile.e", "hostile.f", "hostile.g"};
  for (int i = 0; i < 7; ++i) {
    set_op(&more[i], names[i], schemas[i], TENON_SHAPE_SAME_AS_0);
    ops[ops_table.count++] = &more[i].desc;
  }
  more[6].desc.shape_rule = 9;
}
