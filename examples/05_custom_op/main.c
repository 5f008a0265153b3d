// SPDX-License-Identifier: Apache-2.0
// examples/05_custom_op/main.c: an op with a gradient that the program itself defines, without a
// plugin file: y = x / (1 + |x|), dx = dy (1 - |y|)^2.
//
// It is written in other ops, so that it runs on every device, in every dtype. The program finds
// the line (2 x + 0.5) behind four values of it, looks at a gradient on its way through a hook, and
// draws what was recorded: `05_custom_op picture.svg`.
#include <tenon/client.h>
#include <tenon/plugin.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

// ---- The op -------------------------------------------------------------------------------------

// *out = name(a, b), or name(a) where b is NULL. Where it fails the host already knows why.
static tenon_status call_op(tenon_call* host, const char* name, tenon_value a, const tenon_value* b,
                            tenon_value* out) {
  const tenon_op* op = host->dispatch->find(host, name, TENON_NUL);
  if (!op) return TENON_E_NOT_FOUND;
  const tenon_value inputs[2] = {a, b ? *b : a};
  tenon_tensor* result = NULL;
  const tenon_status status =
      host->dispatch->call(host, op, inputs, b ? 2 : 1, NULL, 0, &result, 1);
  *out = tn_value(result);
  return status;
}

// |x| = max(x, -x)
static tenon_status size_of(tenon_call* host, tenon_value x, tenon_value* out) {
  tenon_status status = call_op(host, "tenon.neg", x, NULL, out);
  if (status == TENON_OK) status = call_op(host, "tenon.maximum", x, out, out);
  return status;
}

static tenon_status softsign(tenon_call* host, const tenon_value* inputs, uint32_t n_inputs,
                             const tenon_value* attrs, uint32_t n_attrs) {
  (void)n_inputs;
  (void)attrs;
  (void)n_attrs;
  tenon_value y;
  const tenon_value number = tn_float(1);
  tenon_status status = size_of(host, inputs[0], &y);
  if (status == TENON_OK) status = call_op(host, "tenon.add", y, &number, &y);
  if (status == TENON_OK) status = call_op(host, "tenon.div", inputs[0], &y, &y);
  return status == TENON_OK ? host->dispatch->set_output(host, 0, y.as.tensor) : status;
}

static tenon_status softsign_vjp(tenon_call* host, void* user) {
  (void)user;
  tenon_value dy, y, slope;
  tenon_status status = host->vjp->get_output_grad(host, 0, &dy);
  if (status == TENON_OK) status = host->vjp->get_output(host, 0, &y);
  if (status == TENON_OK) status = size_of(host, y, &slope);
  if (status == TENON_OK) status = call_op(host, "tenon.sub", tn_float(1), &slope, &slope);
  if (status == TENON_OK) status = call_op(host, "tenon.mul", slope, &slope, &slope);
  if (status == TENON_OK) status = call_op(host, "tenon.mul", dy, &slope, &slope);
  return status == TENON_OK ? host->vjp->set_input_grad(host, 0, 0, slope.as.tensor) : status;
}

static const tenon_op_desc op = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_ELEMENTWISE,
    .name = TEXT("example.softsign"),
    .schema = TEXT("softsign(x: T[...]) -> T[...] where T: float"),
    .doc = TEXT("A smooth step from -1 to 1: `y = x / (1 + |x|)`."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_SAME_AS_0,
    .compose = softsign,
};
// The gradient of input 0 reads output 0.
static const tenon_vjp_need needs[] = {{.outputs = 1u << 0}};
static const tenon_vjp_desc rule = {
    .struct_size = sizeof(tenon_vjp_desc),
    .flags = TENON_VJP_TWICE,
    .op = TEXT("example.softsign"),
    .revision = 1,
    .n_inputs = 1,
    .n_outputs = 1,
    .needs = needs,
    .vjp = softsign_vjp,
};

// ---- The program's plugin -----------------------------------------------------------------------

static const tenon_op_desc* const ops[] = {&op};
static const tenon_vjp_desc* const rules[] = {&rule};
static const tenon_ops_table ops_table = {sizeof(tenon_ops_table), 1, ops};
static const tenon_vjps_table rules_table = {sizeof(tenon_vjps_table), 1, rules};

static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = NULL;
  return TENON_OK;
}
static void release(void* self) { (void)self; }
static const void* get_interface(void* self, const char* id, uint64_t length) {
  (void)self;
  if (length == 11 && memcmp(id, "tenon.ops/1", 11) == 0) return &ops_table;
  if (length == 12 && memcmp(id, "tenon.vjps/1", 12) == 0) return &rules_table;
  return NULL;
}

static tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  (void)diag;
  *out = (tenon_plugin){
      .struct_size = sizeof *out,
      .built_major = TENON_ABI_MAJOR,
      .built_minor = TENON_ABI_MINOR,
      .required_minor = TENON_ABI_MINOR,
      .fingerprint = host->fingerprint,
      .id = TEXT("example.program"),
      .version = TEXT("1.0.0"),
      .license = TEXT("Apache-2.0"),
      .init = init,
      .release = release,
      .get_interface = get_interface,
  };
  return TENON_OK;
}

// ---- Its use ------------------------------------------------------------------------------------

// A hook that notes the largest gradient of softsign's input.
static tenon_status note_largest(tenon_context* context, tenon_tensor* gradient,
                                 tenon_tensor** out_gradient, void* user) {
  (void)out_gradient;  // the gradient stays what it is
  double numbers[4];
  double* largest = user;
  const tenon_status status = tenon_tensor_get_data(context, gradient, numbers, sizeof numbers);
  for (int i = 0; i < 4; ++i) {
    const double size = numbers[i] < 0 ? -numbers[i] : numbers[i];
    if (size > *largest) *largest = size;
  }
  return status;
}

static void write_picture(tn_client* c, tenon_tensor* root, const char* path) {
  tenon_text* svg = NULL;
  const char* data = NULL;
  uint64_t length = 0;
  tn_check(c, tenon_graph_query(c->context, &root, 1, "svg", TENON_NUL, &svg));
  tn_check(c, tenon_text_get(svg, &data, &length));
  FILE* file = fopen(path, "w");
  if (!file || fwrite(data, 1, length, file) != length || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
  tenon_text_release(svg);
}

static tenon_tensor* doubles(tn_client* c, int32_t rank, int64_t n, const double* numbers) {
  tenon_tensor* made = NULL;
  tn_check(c, tenon_tensor_create_from(c->context, TENON_DTYPE_F64, NULL, rank, &n, numbers,
                                       (uint64_t)n * sizeof *numbers, &made));
  return tn_keep(c, made);
}

int main(int argc, char** argv) {
  tn_client client, *c = &client;
  tn_open(c, 0, 0);
  tn_check(c, tenon_plugin_load(c->context, query));
  tenon_tensor* x = doubles(c, 1, 4, (const double[]){-2, -1, 1, 2});
  tenon_tensor* target = doubles(c, 1, 4, (const double[]){-7.0 / 9, -0.6, 5.0 / 7, 9.0 / 11});
  tenon_tensor* weight = doubles(c, 0, 1, &(const double){0.1});
  tenon_tensor* shift = doubles(c, 0, 1, &(const double){0.0});
  tenon_tensor* params[2] = {weight, shift};
  tenon_optimizer* sgd = NULL;
  const tenon_string names[1] = {TEXT("lr")};
  const tenon_value lr[1] = {tn_float(1.0)};
  for (int i = 0; i < 2; ++i) {
    tn_check(c, tenon_tensor_set_requires_grad(c->context, params[i], 1));
  }
  tn_check(
      c, tenon_optimizer_create(c->context, "tenon.sgd", TENON_NUL, params, 2, names, lr, 1, &sgd));
  tn_hold(c, TN_OPTIMIZER, sgd);
  double loss = 0, largest = 0;
  const size_t region = tn_begin(c);
  for (int step = 0; step < 200; ++step, tn_end(c, region)) {
    tenon_tensor* line = tn_call2(c, "tenon.add", tn_call2(c, "tenon.mul", x, weight), shift);
    tenon_tensor* y = tn_call1(c, "example.softsign", line);
    tenon_tensor* error = tn_call2(c, "tenon.sub", y, target);
    tenon_tensor* total = tn_call1(c, "tenon.mean", tn_call2(c, "tenon.mul", error, error));
    uint64_t hook = 0;
    tn_check(c, tenon_hook_begin(c->context, line, note_largest, &largest, NULL, &hook));
    if (step == 0 && argc > 1) write_picture(c, total, argv[1]);
    tn_backward(c, total);
    tn_step(c, sgd);
    loss = tn_item(c, total);
  }
  printf("weight %.4f, shift %.4f, loss %.2e, largest gradient %.4f\n", tn_item(c, weight),
         tn_item(c, shift), loss, largest);
  tn_close(c);
  return loss < 1e-4 && largest > 0 ? 0 : 1;
}
