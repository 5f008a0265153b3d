// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_dynamic.c: an optimizer whose step op takes lists where
// numbers come.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: input 3 of its step op must be 'lr: f64[]'; its schema is
//   step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]*, *, nesterov: bool=false)
//   -> ()
#include "../hostile.h"

void spoil(void) {
  step_op.desc.schema = text_of(
      "step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]*, *, nesterov: "
      "bool=false) -> ()");
}
