// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/moments.c: the op acme.moments: the mean of each row, and the
// mean of its squares.
//
//   mean_n = sum_d x_nd / D      square_n = sum_d x_nd^2 / D
//   dx_nd = (dmean_n + 2 x_nd dsquare_n) / D
//
// Canonical arithmetic: in f64 from the first column to the last, rounded to the dtype once.
#include <string.h>

#include <unit.h>
#include <walk.h>

// ---- What it means -----------------------------------------------------------------------------

static tenon_status infer(tenon_call* call, const tenon_launch* args, tenon_meta* outputs,
                          uint32_t n_outputs) {
  const tenon_view* x = view_of(args, 0, 0);
  if (x->shape[1] < 1) {
    return call->base->fail_detail(call, TENON_E_SHAPE, "a row without columns has no mean", "x",
                                   "at least 1 column", "0 columns", NULL);
  }
  for (uint32_t i = 0; i < n_outputs; ++i) {
    outputs[i].rank = 1;
    outputs[i].shape[0] = x->shape[0];
  }
  return TENON_OK;
}

static const tenon_op_desc ops[] = {{
    .struct_size = sizeof(tenon_op_desc),
    .name = TEXT("acme.moments"),
    .schema = TEXT("moments(x: T[N,D]) -> (mean: T[N], square: T[N]) where T: f32|f64"),
    .doc = TEXT("The mean of each row and the mean of its squares.\n\n"
                "Gradient: `dx = (dmean + 2 x dsquare) / D`."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_CALLBACK,
    .infer = infer,
}};

// ---- Its gradient ------------------------------------------------------------------------------

static tenon_value real_value(double number) {
  tenon_value value = {.tag = TENON_VALUE_F64};
  value.as.f64 = number;
  return value;
}

// *out = name(inputs, attrs). Where it fails the host already knows why.
static tenon_status call_op(tenon_call* call, const char* name, const tenon_value* inputs,
                            uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                            tenon_value* out) {
  const tenon_op* op = call->dispatch->find(call, name, TENON_NUL);
  if (!op) return TENON_E_NOT_FOUND;
  tenon_value result = {.tag = TENON_VALUE_TENSOR};
  const tenon_status status =
      call->dispatch->call(call, op, inputs, n_inputs, attrs, n_attrs, &result.as.tensor, 1);
  *out = result;
  return status;
}

static tenon_status vjp(tenon_call* call, void* user) {
  (void)user;
  static const int64_t last[] = {1};
  tenon_value axes = {.tag = TENON_VALUE_INT_LIST, .count = 1}, pair[2], mean;
  axes.as.ints = last;
  tenon_meta x = {0};
  tenon_status status = call->vjp->get_input_meta(call, 0, 0, &x);
  if (status == TENON_OK) status = call->vjp->get_output_grad(call, 0, &mean);
  if (status == TENON_OK) status = call_op(call, "tenon.unsqueeze", &mean, 1, &axes, 1, &mean);
  if (status == TENON_OK) status = call->vjp->get_output_grad(call, 1, &pair[0]);
  if (status == TENON_OK) status = call_op(call, "tenon.unsqueeze", pair, 1, &axes, 1, &pair[0]);
  if (status == TENON_OK) status = call->vjp->get_input(call, 0, &pair[1]);
  if (status == TENON_OK) status = call_op(call, "tenon.mul", pair, 2, NULL, 0, &pair[0]);
  pair[1] = real_value(2);
  if (status == TENON_OK) status = call_op(call, "tenon.mul", pair, 2, NULL, 0, &pair[0]);
  pair[1] = mean;
  if (status == TENON_OK) status = call_op(call, "tenon.add", pair, 2, NULL, 0, &pair[0]);
  pair[1] = real_value((double)x.shape[1]);
  if (status == TENON_OK) status = call_op(call, "tenon.div", pair, 2, NULL, 0, &pair[0]);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 0, 0, pair[0].as.tensor);
}

static const tenon_vjp_need needs[] = {{.inputs = 1u << 0, .input_metas = 1u << 0}};
static const tenon_vjp_desc vjps[] = {{
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TEXT("acme.moments"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 2,
    .needs = needs,
    .vjp = vjp,
}};

// ---- How host memory runs it --------------------------------------------------------------------

static double load(const char* at, tenon_dtype dtype) {
  if (dtype == TENON_DTYPE_F64) {
    double wide;
    memcpy(&wide, at, sizeof wide);
    return wide;
  }
  float narrow;
  memcpy(&narrow, at, sizeof narrow);
  return (double)narrow;
}

static void store(const tenon_view* view, int64_t index, double value) {
  char* at = (char*)view->data + index * view->strides[0] * element_size(view->dtype);
  const float narrow = (float)value;
  if (view->dtype == TENON_DTYPE_F64) {
    memcpy(at, &value, sizeof value);
  } else {
    memcpy(at, &narrow, sizeof narrow);
  }
}

// Rows [begin, end), perhaps on another thread.
static tenon_status run(void* user, int64_t begin, int64_t end, int64_t chunk) {
  (void)chunk;
  const tenon_view *x = view_of(user, 0, 0), *mean = view_of(user, 1, 0);
  const tenon_view* square = view_of(user, 2, 0);
  const int64_t size = element_size(x->dtype), columns = x->shape[1];
  for (int64_t row = begin; row < end; ++row) {
    double sum = 0, squares = 0;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t place = row * x->strides[0] + column * x->strides[1];
      const double value = load((const char*)x->data + place * size, x->dtype);
      sum += value;
      squares += value * value;
    }
    store(mean, row, sum / (double)columns);
    store(square, row, squares / (double)columns);
  }
  return TENON_OK;
}

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return call->threads->parallel_for(call, view_of(args, 0, 0)->shape[0], 1024, run, (void*)args);
}

static const tenon_slot_rule slots[] = {STRIDED_IN, STRIDED_WRITTEN(TENON_SLOT_OUT),
                                        STRIDED_WRITTEN(TENON_SLOT_OUT)};
static const tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
static const tenon_kernel_desc kernels[] = {{
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
    .op = TEXT("acme.moments"),
    .device = TEXT("cpu"),
    .revision = 1,
    .slots = slots,
    .dtype_rows = rows,
    .n_slots = COUNT(slots),
    .n_rows = COUNT(rows),
    .n_variables = 1,
    .launch = launch,
}};

// ---- Calls that must work, and two that must be refused -----------------------------------------

#define SAMPLE(call) \
  { .op = TEXT("acme.moments"), .text = TEXT(call), .revision = 1 }
#define REFUSED(call, status, words)                                                           \
  {                                                                                            \
    .op = TEXT("acme.moments"), .text = TEXT(call), .fragment = TEXT(words), .expect = status, \
    .revision = 1                                                                              \
  }
static const tenon_sample samples[] = {
    SAMPLE("f64[2,3](-4,4)"),
    SAMPLE("f32[3,5]"),
    SAMPLE("f32[0,3]"),
    SAMPLE("f64[4,1]"),
    REFUSED("f32[2,0]", TENON_E_SHAPE, "without columns"),
    REFUSED("i64[2,3]", TENON_E_DTYPE, "i64"),
};

const unit moments_unit = {
    .ops = ops,
    .n_ops = COUNT(ops),
    .vjps = vjps,
    .n_vjps = COUNT(vjps),
    .kernels = kernels,
    .n_kernels = COUNT(kernels),
    .samples = samples,
    .n_samples = COUNT(samples),
};
