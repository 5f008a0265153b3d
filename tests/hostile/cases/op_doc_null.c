// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_doc_null.c: a documentation text that is NULL but has a length.
// refused: op hostile.twice: a string is NULL but has length 10
#include "../hostile.h"

void spoil(void) { twice_op.desc.doc.data = NULL; }
