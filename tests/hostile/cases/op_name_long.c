// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_long.c: an op whose name has 300 bytes.
// refused: op 0: the name 'hostile.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not
//   of the form vendor.name in small letters, digits and '_'
#include "../hostile.h"

#include <string.h>

void spoil(void) {
  static char name[301];
  memset(name, 'a', 300);
  memcpy(name, "hostile.", sizeof "hostile." - 1);
  twice_op.desc.name = text_of(name);
}
