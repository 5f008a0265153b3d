// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/op.c: plugin museum.op: the op museum.twice, its kernel, its gradient.
#include "exhibit.h"

static const tenon_op_desc twice = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR,
    .name = TEXT("museum.twice"),
    .schema = TEXT("twice(x: T[...]) -> T[...] where T: float"),
    .doc = TEXT("y = 2x"),
    .revision = 1,
    .shape_rule = TENON_SHAPE_SAME_AS_0,
};
static const tenon_op_desc* const ops[] = {&twice};
static const tenon_ops_table ops_table = {sizeof(tenon_ops_table), 1, ops};

static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
    .op = TEXT("museum.twice"),
    .device = TEXT("cpu"),
    .revision = 1,
    .slots = twice_slots,
    .dtype_rows = twice_rows,
    .n_slots = 2,
    .n_rows = 1,
    .n_variables = 1,
    .launch = launch_twice,
};
static const tenon_kernel_desc* const kernels[] = {&kernel};
static const tenon_kernels_table kernels_table = {sizeof(tenon_kernels_table), 1, kernels};

// dx = 2 dy: the op itself.
static tenon_status vjp(tenon_call* call, void* user) {
  static const char name[] = "museum.twice";
  tenon_value dy;
  tenon_tensor* dx = NULL;
  const tenon_op* op = call->dispatch->find(call, name, sizeof(name) - 1);
  tenon_status status = call->vjp->get_output_grad(call, 0, &dy);
  (void)user;
  if (op == NULL) return TENON_E_NOT_FOUND;
  if (status == TENON_OK) status = call->dispatch->call(call, op, &dy, 1, NULL, 0, &dx, 1);
  return status == TENON_OK ? call->vjp->set_input_grad(call, 0, 0, dx) : status;
}
static const tenon_vjp_need needs[] = {{0, 0, 0, 0}};
static const tenon_vjp_desc rule = {
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TEXT("museum.twice"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 1,
    .needs = needs,
    .vjp = vjp,
};
static const tenon_vjp_desc* const vjps[] = {&rule};
static const tenon_vjps_table vjps_table = {sizeof(tenon_vjps_table), 1, vjps};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  if (is_id(id, id_length, "tenon.ops/1")) return &ops_table;
  if (is_id(id, id_length, "tenon.kernels/1")) return &kernels_table;
  if (is_id(id, id_length, "tenon.vjps/1")) return &vjps_table;
  return NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.op");
  (void)host;
  (void)diag;
  return answer(out, id);
}
