// SPDX-License-Identifier: Apache-2.0
// examples/02_third_party_plugin/softsign.c: a whole plugin in plain C: one op, its gradient, its
// kernel.
//
//   y = x / (1 + |x|)        dx = dy * (1 - |y|)^2,  for 1 - |y| = 1 / (1 + |x|)
//
// Source: X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", AISTATS 2010. Canonical arithmetic: |x|, 1 + |x| and the division in T, each rounded.
//
// It sees installed headers only and links nothing. Everything it hands to the host is constant
// data that lives as long as the library.
#include <math.h>
#include <string.h>
#include <tenon/plugin.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

// ---- The op: what it means ----------------------------------------------------------------------

static const tenon_op_desc softsign_op = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_ELEMENTWISE,
    .name = TEXT("acme.softsign"),
    .schema = TEXT("softsign(x: T[...]) -> T[...] where T: float"),
    .doc = TEXT("A smooth step from -1 to 1: `y = x / (1 + |x|)`.\n\n"
                "Gradient: `dx = dy * (1 - |y|)^2`.\n\n"
                "Source: Glorot, Bengio, AISTATS 2010."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_SAME_AS_0,
};

// ---- The gradient: written in ops, so it runs wherever they do ----------------------------------

static tenon_value tensor_value(tenon_tensor* tensor) {
  tenon_value value = {.tag = TENON_VALUE_TENSOR};
  value.as.tensor = tensor;
  return value;
}

// *out = name(inputs). Where it fails the host already knows why.
static tenon_status call_op(tenon_call* call, const char* name, const tenon_value* inputs,
                            uint32_t n_inputs, tenon_value* out) {
  const tenon_op* op = call->dispatch->find(call, name, TENON_NUL);
  if (!op) return TENON_E_NOT_FOUND;
  tenon_tensor* result = NULL;
  const tenon_status status = call->dispatch->call(call, op, inputs, n_inputs, NULL, 0, &result, 1);
  *out = tensor_value(result);
  return status;
}

static tenon_status softsign_vjp(tenon_call* call, void* user) {
  (void)user;
  tenon_value dy, y, negative, size, slope;
  tenon_status status = call->vjp->get_output_grad(call, 0, &dy);
  if (status == TENON_OK) status = call->vjp->get_output(call, 0, &y);
  if (status == TENON_OK) status = call_op(call, "tenon.neg", &y, 1, &negative);
  const tenon_value both[2] = {y, negative};
  if (status == TENON_OK) status = call_op(call, "tenon.maximum", both, 2, &size);
  tenon_value rest[2] = {{.tag = TENON_VALUE_F64}, size};
  rest[0].as.f64 = 1.0;
  if (status == TENON_OK) status = call_op(call, "tenon.sub", rest, 2, &slope);
  const tenon_value slopes[2] = {slope, slope};
  if (status == TENON_OK) status = call_op(call, "tenon.mul", slopes, 2, &slope);
  const tenon_value factors[2] = {dy, slope};
  if (status == TENON_OK) status = call_op(call, "tenon.mul", factors, 2, &slope);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 0, 0, slope.as.tensor);
}

// The gradient of input 0 reads output 0; the host saves that and nothing else.
static const tenon_vjp_need softsign_needs[] = {{.outputs = 1u << 0}};

static const tenon_vjp_desc softsign_rule = {
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TEXT("acme.softsign"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 1,
    .needs = softsign_needs,
    .vjp = softsign_vjp,
};

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
  chunk work = {&args->views[args->slot_begin[0]], &args->views[args->slot_begin[1]]};
  int64_t count = 1;
  for (int32_t d = 0; d < work.x->rank; ++d) count *= work.x->shape[d];
  switch (work.x->dtype) {
    case TENON_DTYPE_F32:
      return call->threads->parallel_for(call, count, 16384, softsign_f32, &work);
    case TENON_DTYPE_F64:
      return call->threads->parallel_for(call, count, 16384, softsign_f64, &work);
    default:
      return call->base->fail(call, TENON_E_DTYPE, "softsign has kernels for f32 and f64",
                              TENON_NUL);
  }
}

static const tenon_slot_rule softsign_slots[] = {
    {.role = TENON_SLOT_IN, .layout = TENON_LAYOUT_CONTIGUOUS},
    {.role = TENON_SLOT_OUT, .layout = TENON_LAYOUT_CONTIGUOUS},
};
static const tenon_dtype softsign_rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

static const tenon_kernel_desc softsign_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
    .op = TEXT("acme.softsign"),
    .device = TEXT("cpu"),
    .revision = 1,
    .slots = softsign_slots,
    .dtype_rows = softsign_rows,
    .n_slots = 2,
    .n_rows = 2,
    .n_variables = 1,
    .launch = softsign_launch,
};

// ---- Samples: what `tenon verify` and the host's own tests call ---------------------------------

static const tenon_sample softsign_samples[] = {
    {.op = TEXT("acme.softsign"), .text = TEXT("f32[2,3](-4,4)"), .revision = 1},
    {.op = TEXT("acme.softsign"), .text = TEXT("f64[5]{0.0,-1.0,3.0,1e300,-1e300}"), .revision = 1},
    {.op = TEXT("acme.softsign"),
     .text = TEXT("i64[3]"),
     .fragment = TEXT("x"),
     .expect = TENON_E_DTYPE,
     .revision = 1},
};

// ---- The plugin ---------------------------------------------------------------------------------

static const tenon_op_desc* const ops[] = {&softsign_op};
static const tenon_vjp_desc* const vjps[] = {&softsign_rule};
static const tenon_kernel_desc* const kernels[] = {&softsign_kernel};
static const tenon_ops_table ops_table = {sizeof(tenon_ops_table), 1, ops};
static const tenon_vjps_table vjps_table = {sizeof(tenon_vjps_table), 1, vjps};
static const tenon_kernels_table kernels_table = {sizeof(tenon_kernels_table), 1, kernels};
static const tenon_selftest_table selftest_table = {
    sizeof(tenon_selftest_table), sizeof softsign_samples / sizeof *softsign_samples,
    softsign_samples};

static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = NULL;  // this plugin keeps nothing
  return TENON_OK;
}

static void release(void* self) { (void)self; }

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  static const struct {
    const char* id;
    const void* table;
  } tables[] = {{"tenon.ops/1", &ops_table},
                {"tenon.vjps/1", &vjps_table},
                {"tenon.kernels/1", &kernels_table},
                {"tenon.selftest/1", &selftest_table}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    if (strlen(tables[i].id) == id_length && memcmp(tables[i].id, id, id_length) == 0) {
      return tables[i].table;
    }
  }
  return NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag) {
  (void)host;
  static const char too_old[] = "this host is older than the plugin acme.softsign";
  if (out->struct_size < sizeof *out) {
    diag->status = TENON_E_PLUGIN;
    diag->length = (int32_t)(sizeof too_old - 1);
    memcpy(diag->message, too_old, sizeof too_old);
    return TENON_E_PLUGIN;
  }
  *out = (tenon_plugin){
      .struct_size = sizeof *out,
      .built_major = TENON_ABI_MAJOR,
      .built_minor = TENON_ABI_MINOR,
      .required_minor = TENON_ABI_MINOR,
      .fingerprint = TENON_FINGERPRINT_BUILT,
      .id = TEXT("acme.softsign"),
      .version = TEXT("1.0.0"),
      .license = TEXT("Apache-2.0"),
      .init = init,
      .release = release,
      .get_interface = get_interface,
  };
  return TENON_OK;
}
