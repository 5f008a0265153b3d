// SPDX-License-Identifier: Apache-2.0
// examples/03_gradient/main.c: the README's ten lines: y = x * x and its gradient.
#include <stdio.h>
#include <tenon/tenon.h>

int main(void) {
  // README: begin
  tenon_runtime* runtime;
  tenon_context* cx;
  const tenon_op* mul;
  tenon_tensor *x, *y, *gradient;
  tenon_runtime_create(NULL, NULL, &runtime);          // finds plugins, opens none
  tenon_context_create(runtime, NULL, &cx);            // one per thread
  tenon_op_find(cx, "tenon.mul", TENON_NUL, 0, &mul);  // opens the plugin that lists it
  tenon_tensor_create_from(cx, TENON_DTYPE_F64, NULL, 0, NULL, &(double){3}, 8, &x);
  tenon_tensor_set_requires_grad(cx, x, 1);
  tenon_value in[2] = {{TENON_VALUE_TENSOR, 0, {.tensor = x}},
                       {TENON_VALUE_TENSOR, 0, {.tensor = x}}};
  tenon_op_call(cx, mul, in, 2, NULL, 0, &y, 1);  // y = x * x
  tenon_backward_run(cx, &y, NULL, 1, 0);
  tenon_tensor_get_grad(cx, x, &gradient);  // dy/dx = 2 x = 6
  // README: end
  tenon_value value = {0};
  const tenon_status status = tenon_tensor_get_item(cx, gradient, &value);
  printf("dy/dx = %g\n", value.as.f64);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  tenon_context_release(cx);
  tenon_runtime_release(runtime);
  return status == TENON_OK && value.as.f64 == 6.0 ? 0 : 1;
}
