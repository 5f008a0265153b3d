// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_step_static.c: an optimizer whose step op lacks a fixed
// hyper-parameter.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd: hyper-parameter 'nesterov' is no attribute of the step op; its
//   schema is step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]) -> ()
#include "../hostile.h"

void spoil(void) {
  step_op.desc.schema =
      text_of("step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[]) -> ()");
}
