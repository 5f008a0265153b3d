// SPDX-License-Identifier: Apache-2.0
// tests/templates/rust_panics.c: a panic in a plugin's callback is an error record of the call; the
// process, the runtime and the plugin go on.
//
// usage: rust_panics <folder of test.rust_panics> <the callback that panics> <status> <words>
#include "sdk/templates/any/any/test/check.h.in"

static tenon_tensor* x;

static tenon_status apply(const char* at, tenon_tensor** out) {
  const tenon_op* op = NULL;
  const tenon_value input = tensor_value(x);
  const tenon_value attr = {
      .tag = TENON_VALUE_STRING, .count = (uint32_t)strlen(at), .as.string = at};
  const tenon_status found = tenon_op_find(context, "test.rust_panics", TENON_NUL, 0, &op);
  if (found != TENON_OK) return found;
  return tenon_op_call(context, op, &input, 1, &attr, 1, out, 1);
}

static tenon_status call_backward(const char* at) {
  tenon_tensor* y = NULL;
  tenon_status status = apply(at, &y);
  if (status == TENON_OK) status = tenon_backward_run(context, &y, NULL, 1, 0);
  tenon_tensor_release(y);
  return status;
}

static tenon_status read_sample(int64_t index) {
  tenon_dataset* data = NULL;
  tenon_tensor* field = NULL;
  check(tenon_dataset_create(context, "test.rust_panics", TENON_NUL, NULL, NULL, 0, &data));
  const tenon_status status = tenon_dataset_call(context, data, &index, 1, &field, 1);
  tenon_tensor_release(field);
  tenon_dataset_release(data);
  return status;
}

int main(int argc, char** argv) {
  EXPECT(argc == 5);
  const int is_data = strcmp(argv[2], "get") == 0;
  open_plugins(argv[1]);
  x = new_tensor(1, (int64_t[]){1}, (double[]){2.5});
  check(tenon_tensor_set_requires_grad(context, x, 1));
  tenon_status wanted = TENON_E_PLUGIN;
  if (strcmp(argv[3], "TENON_E_DATA") == 0) wanted = TENON_E_DATA;
  EXPECT(strcmp(tenon_status_get_name(wanted), argv[3]) == 0);
  for (int again = 0; again < 3; ++again) {
    expect_refused(is_data ? read_sample(3) : call_backward(argv[2]), wanted, argv[4]);
    if (strncmp(argv[2], "init", 4) == 0) continue;
    tenon_error error = {.struct_size = sizeof error};
    check(tenon_context_get_error(context, &error));
    EXPECT(strcmp(error.plugin, "test.rust_panics") == 0);
    if (is_data) check(read_sample(2));
    check(call_backward("nowhere"));
  }
  tenon_tensor* grad = NULL;
  check(tenon_tensor_get_grad(context, x, &grad));
  if (strncmp(argv[2], "init", 4) != 0) expect_values(grad, (double[]){3}, 1);
  tenon_tensor_release(x);
  close_plugins();
  return 0;
}
