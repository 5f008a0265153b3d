// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/moments.c: the op acme.moments: the mean of each row, and the
// mean of its squares.
//
//   mean_n = sum_d x_nd / D      square_n = sum_d x_nd^2 / D
//   dx_nd = (dmean_n + 2 x_nd dsquare_n) / D
//
// Canonical arithmetic: in f64 from the first column to the last, rounded to the dtype once.

#include <tenon/sdk/plugin.h>

// ---- What it means -----------------------------------------------------------------------------

static tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* outputs,
                          uint32_t n_outputs) {
  const tenon_view* x = tn_view_of(args, 0, 0);
  if (x->shape[1] < 1) {
    const tn_details details = {"x", "at least 1 column", "0 columns", NULL};
    return tn_fail_details(call, TENON_E_SHAPE, details, "a row without columns has no mean");
  }
  for (uint32_t i = 0; i < n_outputs; ++i) {
    outputs[i].rank = 1;
    outputs[i].shape[0] = x->shape[0];
  }
  return TENON_OK;
}

static const tenon_op_desc ops[] = {{
    .struct_size = sizeof(tenon_op_desc),
    .name = TN_TEXT("acme.moments"),
    .schema = TN_TEXT("moments(x: T[N,D]) -> (mean: T[N], square: T[N]) where T: f32|f64"),
    .doc = TN_TEXT("The mean of each row and the mean of its squares.\n\n"
                   "Gradient: `dx = (dmean + 2 x dsquare) / D`."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_CALLBACK,
    .infer = infer,
}};

// ---- Its gradient ------------------------------------------------------------------------------

// One gradient for each row, as a column.
static tenon_value column_of(tn_rule* r, uint32_t output) {
  static const int64_t last[] = {1};
  const tenon_value gradient = tn_rule_dy(r, output), axes = tn_ints(last, 1);
  const tn_args inputs = {&gradient, 1}, attrs = {&axes, 1};
  return tn_rule_call(r, "tenon.unsqueeze", inputs, attrs);
}

static tenon_status vjp(tenon_call* call, void* user) {
  (void)user;
  tn_rule r = tn_rule_of(call);
  const tenon_meta x = tn_rule_input_meta(&r, 0);
  const tenon_value mean = column_of(&r, 0), square = column_of(&r, 1);
  tenon_value slope = tn_rule_call2(&r, "tenon.mul", square, tn_rule_input(&r, 0));
  slope = tn_rule_call2(&r, "tenon.mul", slope, tn_float(2));
  slope = tn_rule_call2(&r, "tenon.add", slope, mean);
  tn_rule_grad(&r, 0, tn_rule_call2(&r, "tenon.div", slope, tn_float((double)x.shape[1])));
  return r.status;
}

static const tenon_vjp_need needs[] = {{.inputs = 1u << 0, .input_metas = 1u << 0}};
static const tenon_vjp_desc vjps[] = {{
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TN_TEXT("acme.moments"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 2,
    .needs = needs,
    .vjp = vjp,
}};

// ---- How host memory runs it --------------------------------------------------------------------

static void store(const tenon_view* view, int64_t index, double value) {
  char* at = (char*)view->data + index * view->strides[0] * tn_element_size(view->dtype);
  tn_store_real(at, view->dtype, value);
}

// Rows [begin, end), perhaps on another thread.
static tenon_status run(void* user, int64_t begin, int64_t end, int64_t chunk) {
  (void)chunk;
  const tenon_view *x = tn_view_of(user, 0, 0), *mean = tn_view_of(user, 1, 0);
  const tenon_view* square = tn_view_of(user, 2, 0);
  const int64_t size = tn_element_size(x->dtype), columns = x->shape[1];
  for (int64_t row = begin; row < end; ++row) {
    double sum = 0, squares = 0;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t place = row * x->strides[0] + column * x->strides[1];
      const double value = tn_load_real((const char*)x->data + place * size, x->dtype);
      sum += value;
      squares += value * value;
    }
    store(mean, row, sum / (double)columns);
    store(square, row, squares / (double)columns);
  }
  return TENON_OK;
}

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return call->threads->parallel_for(call, tn_view_of(args, 0, 0)->shape[0], 1024, run,
                                     (void*)args);
}

static const tenon_slot_rule slots[] = {TN_STRIDED_IN, TN_STRIDED_OUT, TN_STRIDED_OUT};
static const tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
static const tenon_kernel_desc kernels[] = {{
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
    .op = TN_TEXT("acme.moments"),
    .device = TN_TEXT("cpu"),
    .revision = 1,
    .slots = slots,
    .dtype_rows = rows,
    .n_slots = TN_COUNT(slots),
    .n_rows = TN_COUNT(rows),
    .n_variables = 1,
    .launch = launch,
}};

// ---- Calls that must work, and two that must be refused -----------------------------------------

#define SAMPLE(call) \
  { .op = TN_TEXT("acme.moments"), .text = TN_TEXT(call), .revision = 1 }
#define REFUSED(call, status, words)                                                  \
  {                                                                                   \
    .op = TN_TEXT("acme.moments"), .text = TN_TEXT(call), .fragment = TN_TEXT(words), \
    .expect = status, .revision = 1                                                   \
  }
static const tenon_sample samples[] = {
    SAMPLE("f64[2,3](-4,4)"),
    SAMPLE("f32[3,5]"),
    SAMPLE("f32[0,3]"),
    SAMPLE("f64[4,1]"),
    REFUSED("f32[2,0]", TENON_E_SHAPE, "without columns"),
    REFUSED("i64[2,3]", TENON_E_DTYPE, "i64"),
};

TN_UNIT(moments) = {
    .ops = TN_LIST(ops),
    .vjps = TN_LIST(vjps),
    .kernels = TN_LIST(kernels),
    .samples = TN_LIST(samples),
};
