// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_state.c: an optimizer whose step op names its state otherwise.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: input 2 of its step op must be 'momentum!: T[...]*'; its schema
//   is step(params!: T[...]*, grads: T[...]*, speed!: T[...]*, lr: f64[], *, nesterov: bool=false)
//   -> ()
#include "../hostile.h"

void spoil(void) {
  step_op.desc.schema = text_of(
      "step(params!: T[...]*, grads: T[...]*, speed!: T[...]*, lr: f64[], *, nesterov: bool=false) "
      "-> ()");
}
