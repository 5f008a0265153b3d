// SPDX-License-Identifier: Apache-2.0
// examples/03_gradient/main.c: the README's ten lines: y = x * x and its gradient.
#include <tenon/client.h>

int main(void) {
  // README: begin
  tn_client client, *c = &client;
  tn_open(c, 0, 0);  // finds plugins, opens none
  tenon_tensor* x = tn_tensor(c, NULL, 0, (float[]){3});
  tn_check(c, tenon_tensor_set_requires_grad(c->context, x, 1));
  tenon_tensor* y = tn_call2(c, "tenon.mul", x, x);  // opens the plugin that lists it
  tn_backward(c, y);
  tenon_tensor* gradient;
  tn_check(c, tenon_tensor_get_grad(c->context, x, &gradient));  // dy/dx = 2 x = 6
  const double slope = tn_item(c, gradient);
  printf("dy/dx = %g\n", slope);
  tn_close(c);
  // README: end
  return slope == 6.0 ? 0 : 1;
}
