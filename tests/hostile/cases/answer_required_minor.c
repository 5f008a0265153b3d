// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_required_minor.c: needs a minor version that this Tenon does not have.
// refused: needs a newer Tenon: it requires ABI {major}.98; this one offers {major}.{minor}
#include "../hostile.h"

void spoil(void) {
  answer.built_minor = 99;
  answer.required_minor = 98;
}
