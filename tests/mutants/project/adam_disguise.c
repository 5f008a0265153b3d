// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/adam_disguise.c: how the pair of faults of cases/addcmul_addcdiv_adam.cc
// hides. A program trains with an Adam composed of ops, once parameters that are row-major and once
// parameters with gaps. No call fails and no number is out of place, yet the second ones never
// move; with only one of the two faults anybody would see it.
//
// Usage: adam_disguise <absolute folder with mutant/ and twin/>; status 0 where all of that is so.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

enum { ROWS = 4, COLUMNS = 3, COUNT = ROWS * COLUMNS, STEPS = 25 };

static const double beta1 = 0.9, beta2 = 0.999, rate = 0.05, eps = 1e-8;

struct run {
  tenon_context* context;
  tenon_tensor *param, *mean, *square;  // of one shape and layout
  tenon_tensor* target;
};

static void check(tenon_context* context, tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  tenon_error error = {.struct_size = sizeof error};
  const char* words = "";
  if (context && tenon_context_get_error(context, &error) == TENON_OK) words = error.message;
  fprintf(stderr, "%s: %s: %s\n", what, tenon_status_get_name(status), words);
  exit(1);
}

static tenon_value tensor(tenon_tensor* t) {
  return (tenon_value){.tag = TENON_VALUE_TENSOR, .as.tensor = t};
}
static tenon_value number(double x) { return (tenon_value){.tag = TENON_VALUE_F64, .as.f64 = x}; }

static const tenon_op* find(tenon_context* context, const char* name) {
  const tenon_op* op = NULL;
  check(context, tenon_op_find(context, name, TENON_NUL, 0, &op), name);
  return op;
}

// A new tensor: name(a, b).
static tenon_tensor* call(const struct run* r, const char* name, tenon_value a, tenon_value b) {
  const tenon_value inputs[] = {a, b};
  const uint32_t count = b.tag == TENON_VALUE_NONE ? 1u : 2u;
  tenon_tensor* out = NULL;
  check(r->context,
        tenon_op_call(r->context, find(r->context, name), inputs, count, NULL, 0, &out, 1), name);
  return out;
}

// In place: x = name(x, a, b | value); a zero `b` and a NaN `value` are left out.
static void update(const struct run* r, const char* name, tenon_tensor* x, tenon_value a,
                   tenon_value b, double value) {
  const tenon_value inputs[] = {tensor(x), a, b};
  const tenon_value attr = number(value);
  check(
      r->context,
      tenon_op_call_into(r->context, find(r->context, name), inputs,
                         b.tag == TENON_VALUE_NONE ? 2u : 3u, &attr, isnan(value) ? 0u : 1u, &x, 1),
      name);
}

// Zeros, or with `gaps` every second column of zeros twice as wide.
static tenon_tensor* make(tenon_context* context, int gaps) {
  const float zeros[2 * COUNT] = {0};
  const int64_t wide[] = {ROWS, 2 * COLUMNS};
  const int64_t shape[] = {ROWS, COLUMNS};
  const int64_t strides[] = {2 * COLUMNS, 2};
  tenon_tensor *base = NULL, *out = NULL;
  if (!gaps) {
    check(context,
          tenon_tensor_create_from(context, TENON_DTYPE_F32, NULL, 2, shape, zeros,
                                   COUNT * sizeof(float), &out),
          "create");
    return out;
  }
  check(
      context,
      tenon_tensor_create_from(context, TENON_DTYPE_F32, NULL, 2, wide, zeros, sizeof zeros, &base),
      "create");
  check(context, tenon_tensor_create_view(context, base, 2, shape, strides, 0, &out), "view");
  tenon_tensor_release(base);
  return out;
}

// Half the squared distance to the target; its gradient is left in *out_grad, owned.
static double loss(const struct run* r, tenon_tensor** out_grad) {
  tenon_tensor* leaf = NULL;
  tenon_tensor* borrowed = NULL;
  tenon_value value = {0};
  check(r->context, tenon_tensor_create_detached(r->context, r->param, &leaf), "detach");
  check(r->context, tenon_tensor_set_requires_grad(r->context, leaf, 1), "requires grad");
  tenon_tensor* distance = call(r, "tenon.sub", tensor(leaf), tensor(r->target));
  tenon_tensor* squares = call(r, "tenon.mul", tensor(distance), tensor(distance));
  tenon_tensor* sum = call(r, "tenon.sum", tensor(squares), (tenon_value){0});
  tenon_tensor* half = call(r, "tenon.mul", tensor(sum), number(0.5));
  check(r->context, tenon_backward_run(r->context, &half, NULL, 1, 0), "backward");
  check(r->context, tenon_tensor_get_grad(r->context, leaf, &borrowed), "gradient");
  check(r->context, tenon_tensor_create_detached(r->context, borrowed, out_grad), "detach");
  check(r->context, tenon_tensor_get_item(r->context, half, &value), "loss");
  tenon_tensor* const made[] = {leaf, distance, squares, sum, half};
  for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i) tenon_tensor_release(made[i]);
  return value.as.f64;
}

// As torch.optim.Adam composes it: the second moment with addcmul, the step with addcdiv.
static void adam(const struct run* r, tenon_tensor* grad, int t) {
  const tenon_value none = {0};
  tenon_tensor* part = call(r, "tenon.mul", tensor(grad), number(1 - beta1));
  update(r, "tenon.mul", r->mean, number(beta1), none, NAN);
  update(r, "tenon.add", r->mean, tensor(part), none, NAN);
  update(r, "tenon.mul", r->square, number(beta2), none, NAN);
  update(r, "tenon.addcmul", r->square, tensor(grad), tensor(grad), 1 - beta2);
  tenon_tensor* root = call(r, "tenon.sqrt", tensor(r->square), none);
  tenon_tensor* scaled = call(r, "tenon.div", tensor(root), number(sqrt(1 - pow(beta2, t))));
  tenon_tensor* slope = call(r, "tenon.add", tensor(scaled), number(eps));
  update(r, "tenon.addcdiv", r->param, tensor(r->mean), tensor(slope), -rate / (1 - pow(beta1, t)));
  tenon_tensor* const made[] = {part, root, scaled, slope};
  for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i) tenon_tensor_release(made[i]);
}

struct outcome {
  double first_loss, last_loss, furthest;  // of the parameters from where they began, 0
};

// `right`: an op that Tenon's own kernel is pinned for, or NULL.
static struct outcome train(const char* folder, int gaps, const char* right) {
  const tenon_string path = {folder, TENON_NUL};
  // Where both are wrong, a user who looks for infinities finds none.
  const tenon_string finite = {right ? "" : "finite", TENON_NUL};
  tenon_runtime_options options = {
      .struct_size = sizeof options, .paths = &path, .n_paths = 1, .check = finite};
  const int64_t shape[] = {ROWS, COLUMNS};
  float target[COUNT], found[COUNT];
  struct outcome outcome = {0};
  tenon_runtime* runtime = NULL;
  struct run r = {0};
  check(NULL, tenon_runtime_create(&options, NULL, &runtime), "runtime");
  check(NULL, tenon_context_create(runtime, NULL, &r.context), "context");
  if (right) {
    check(r.context, tenon_runtime_set_pin(r.context, right, TENON_NUL, "tenon.ref", TENON_NUL),
          "pin");
  }
  for (int i = 0; i < COUNT; ++i) target[i] = 0.25f * (float)(i - 5);
  r.param = make(r.context, gaps);
  r.mean = make(r.context, gaps);
  r.square = make(r.context, gaps);
  check(r.context,
        tenon_tensor_create_from(r.context, TENON_DTYPE_F32, NULL, 2, shape, target, sizeof target,
                                 &r.target),
        "target");
  for (int t = 1; t <= STEPS; ++t) {
    tenon_tensor* grad = NULL;
    outcome.last_loss = loss(&r, &grad);
    if (t == 1) outcome.first_loss = outcome.last_loss;
    adam(&r, grad, t);
    tenon_tensor_release(grad);
  }
  check(r.context, tenon_tensor_get_data(r.context, r.param, found, sizeof found), "read");
  for (int i = 0; i < COUNT; ++i) {
    const double far = isfinite(found[i]) ? fabs(found[i]) : INFINITY;
    outcome.furthest = fmax(outcome.furthest, far);
  }
  tenon_tensor* const made[] = {r.param, r.mean, r.square, r.target};
  for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i) tenon_tensor_release(made[i]);
  tenon_context_release(r.context);
  tenon_runtime_release(runtime);
  return outcome;
}

static int show(const char* who, struct outcome o, int as_expected) {
  printf("%-44s loss %.4g -> %.4g, parameters at most %.4g%s\n", who, o.first_loss, o.last_loss,
         o.furthest, as_expected ? "" : "  NOT AS EXPECTED");
  return !as_expected;
}

static int trained(struct outcome o) { return o.last_loss < 0.5 * o.first_loss && o.furthest < 5; }

int main(int argc, char** argv) {
  char mutant[4096], twin[4096];
  int wrong = 0;
  if (argc != 2) return 2;
  snprintf(mutant, sizeof mutant, "%s/mutant/mutant.addcmul_addcdiv_adam", argv[1]);
  snprintf(twin, sizeof twin, "%s/twin/twin.addcmul_addcdiv_adam", argv[1]);
  struct outcome o = train(twin, 0, NULL);
  wrong += show("twin, row-major", o, trained(o));
  o = train(twin, 1, NULL);
  wrong += show("twin, with gaps", o, trained(o));
  o = train(mutant, 0, NULL);
  wrong += show("mutant, row-major", o, trained(o));
  // No call fails, in check mode `finite` either: nobody is told.
  o = train(mutant, 1, NULL);
  wrong += show("mutant, with gaps: nothing moves", o, o.furthest == 0);
  o = train(mutant, 1, "tenon.addcdiv");
  wrong += show("only addcmul wrong: parameters leap", o, o.furthest > 1000);
  o = train(mutant, 1, "tenon.addcmul");
  wrong += show("only addcdiv wrong: nothing moves", o, o.furthest == 0);
  return wrong != 0;
}
