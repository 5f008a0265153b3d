// SPDX-License-Identifier: Apache-2.0
// examples/02_third_party_plugin/softsign.c: a whole plugin in plain C: one op, its gradient, its
// kernel.
//
//   y = x / (1 + |x|)        dx = dy * (1 - |y|)^2,  for 1 - |y| = 1 / (1 + |x|)
//
// Source: X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", AISTATS 2010. Canonical arithmetic: |x|, 1 + |x| and the division in T, each rounded.
//
// It sees installed headers only and links nothing of Tenon. Everything it hands to the host is
// constant data that lives as long as the library.
#include <math.h>
#include <tenon/sdk/plugin.h>

// ---- The op: what it means ----------------------------------------------------------------------

static const tenon_op_desc softsign_op[] = {{
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_ELEMENTWISE,
    .name = TN_TEXT("acme.softsign"),
    .schema = TN_TEXT("softsign(x: T[...]) -> T[...] where T: float"),
    .doc = TN_TEXT("A smooth step from -1 to 1: `y = x / (1 + |x|)`.\n\n"
                   "Gradient: `dx = dy * (1 - |y|)^2`.\n\n"
                   "Source: Glorot, Bengio, AISTATS 2010."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_SAME_AS_0,
}};

// ---- The gradient: written in ops, so it runs wherever they do ----------------------------------

static tenon_status softsign_vjp(tenon_call* call, void* user) {
  (void)user;
  tn_rule r = tn_rule_of(call);
  const tenon_value y = tn_rule_output(&r, 0);
  const tenon_value size = tn_rule_call2(&r, "tenon.maximum", y, tn_rule_call1(&r, "tenon.neg", y));
  const tenon_value rest = tn_rule_call2(&r, "tenon.sub", tn_float(1), size);
  const tenon_value slope = tn_rule_call2(&r, "tenon.mul", rest, rest);
  tn_rule_grad(&r, 0, tn_rule_call2(&r, "tenon.mul", tn_rule_dy(&r, 0), slope));
  return r.status;
}

// The gradient of input 0 reads output 0; the host saves that and nothing else.
static const tenon_vjp_need softsign_needs[] = {{.outputs = 1u << 0}};

static const tenon_vjp_desc softsign_rule[] = {{
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TN_TEXT("acme.softsign"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 1,
    .needs = softsign_needs,
    .vjp = softsign_vjp,
}};

// ---- The kernel: how host memory runs it --------------------------------------------------------

typedef struct chunk {
  const tenon_view* x;
  const tenon_view* y;
} chunk;

// Both operands are row-major without gaps: the slot rules below ask for that, and the host copies
// what is not.
static tenon_status softsign_f32(void* user, int64_t begin, int64_t end, int64_t number) {
  (void)number;
  const chunk* work = user;
  const float* x = work->x->data;
  float* y = work->y->data;
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] / (1.0f + fabsf(x[i]));
  return TENON_OK;
}

static tenon_status softsign_f64(void* user, int64_t begin, int64_t end, int64_t number) {
  (void)number;
  const chunk* work = user;
  const double* x = work->x->data;
  double* y = work->y->data;
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] / (1.0 + fabs(x[i]));
  return TENON_OK;
}

static tenon_status softsign_launch(tenon_call* call, const tenon_launch* args) {
  chunk work = {tn_view_of(args, 0, 0), tn_view_of(args, 1, 0)};
  const int64_t count = tn_element_count(work.x);
  switch (work.x->dtype) {
    case TENON_DTYPE_F32:
      return call->threads->parallel_for(call, count, 16384, softsign_f32, &work);
    case TENON_DTYPE_F64:
      return call->threads->parallel_for(call, count, 16384, softsign_f64, &work);
    default:
      return tn_fail(call, TENON_E_DTYPE, "softsign has kernels for f32 and f64");
  }
}

static const tenon_slot_rule softsign_slots[] = {
    {.role = TENON_SLOT_IN, .layout = TENON_LAYOUT_CONTIGUOUS},
    {.role = TENON_SLOT_OUT, .layout = TENON_LAYOUT_CONTIGUOUS},
};
static const tenon_dtype softsign_rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

static const tenon_kernel_desc softsign_kernel[] = {{
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
    .op = TN_TEXT("acme.softsign"),
    .device = TN_TEXT("cpu"),
    .revision = 1,
    .slots = softsign_slots,
    .dtype_rows = softsign_rows,
    .n_slots = TN_COUNT(softsign_slots),
    .n_rows = TN_COUNT(softsign_rows),
    .n_variables = 1,
    .launch = softsign_launch,
}};

// ---- Samples: what `tenon verify` and the host's own tests call ---------------------------------

static const tenon_sample softsign_samples[] = {
    {.op = TN_TEXT("acme.softsign"), .text = TN_TEXT("f32[2,3](-4,4)"), .revision = 1},
    {.op = TN_TEXT("acme.softsign"),
     .text = TN_TEXT("f64[5]{0.0,-1.0,3.0,1e300,-1e300}"),
     .revision = 1},
    {.op = TN_TEXT("acme.softsign"),
     .text = TN_TEXT("i64[3]"),
     .fragment = TN_TEXT("x"),
     .expect = TENON_E_DTYPE,
     .revision = 1},
};

TN_UNIT(softsign) = {
    .ops = TN_LIST(softsign_op),
    .vjps = TN_LIST(softsign_rule),
    .kernels = TN_LIST(softsign_kernel),
    .samples = TN_LIST(softsign_samples),
};
