// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_hyper_tag.c: an optimizer with a hyper-parameter of no known kind.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' has tag 1; TENON_VALUE_F64, I64 or
//   BOOL is needed
#include "../hostile.h"

void spoil(void) { hypers[1].tag = TENON_VALUE_TENSOR; }
