// SPDX-License-Identifier: Apache-2.0
// tenon/client.h: short programs in C and C++: values, calls by name, objects that are released
// together, and a check that prints the whole error and ends the program.
//
//   tn_client c;
//   tn_open(&c, 0, 42);                                   // all threads; seed 42
//   tenon_tensor* x = tn_tensor(&c, (int64_t[]){2, 3}, 2, numbers);
//   tenon_tensor* y = tn_call(&c, "tenon.sum", TN_ARGS(tn_value(x)),
//                             TN_NAMED({"axes", tn_ints((int64_t[]){1}, 1)}));
//   printf("%g\n", tn_item(&c, tn_call(&c, "tenon.mean", TN_ARGS(tn_value(y)), TN_NONE)));
//   tn_close(&c);
//
// What a function here returns belongs to the client, which releases it at the end of the region it
// was made in (tn_begin, tn_end), else in tn_close, the last one first; tn_own takes a tensor out.
//
// For examples and small programs: what fails ends the program with status 1. A library calls the
// functions of tenon/tenon.h, which this header adds nothing to; both can be mixed. Header-only.
//
// Five pages show it at work: share/doc/tenon/docs/c, beginning with first_program.md.
//
// threads  one client for each thread
#ifndef TENON_CLIENT_H
#define TENON_CLIENT_H

#include <tenon/client/objects.h>
#include <tenon/client/plans.h>
#include <tenon/client/region.h>
#include <tenon/client/values.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Tensors ------------------------------------------------------------------------------------

// f32[shape] with these values, or zeros if `values` is NULL.
static inline tenon_tensor* tn_tensor(tn_client* c, const int64_t* shape, int32_t rank,
                                      const float* values) {
  tenon_tensor* made = NULL;
  uint64_t elements = 1;
  for (int32_t d = 0; d < rank; ++d) elements *= (uint64_t)shape[d];
  float* zeros = values ? NULL : (float*)calloc(elements + 1, sizeof *zeros);
  tn_check(c, !values && !zeros ? TENON_E_MEMORY
                                : tenon_tensor_create_from(c->context, TENON_DTYPE_F32, NULL, rank,
                                                           shape, values ? values : zeros,
                                                           elements * sizeof(float), &made));
  free(zeros);
  return tn_keep(c, made);
}

// The one element of a tensor.
static inline double tn_item(tn_client* c, const tenon_tensor* tensor) {
  tenon_value value = tn_none();
  tn_check(c, tenon_tensor_get_item(c->context, tensor, &value));
  return value.tag == TENON_VALUE_F64 ? value.as.f64 : (double)value.as.i64;
}

// Gradients of all leaves that the loss depends on.
static inline void tn_backward(tn_client* c, tenon_tensor* loss) {
  tn_check(c, tenon_backward_run(c->context, &loss, NULL, 1, 0));
}

// ---- Ops ----------------------------------------------------------------------------------------

static inline const tenon_op* tn_op(tn_client* c, const char* name) {
  const tenon_op* op = NULL;
  tn_check(c, tenon_op_find(c->context, name, TENON_NUL, 0, &op));
  return op;
}

// Attributes in the order of the op's schema; those that are not named are none.
typedef struct tn_attrs {
  tenon_value values[TN_MAX_NAMED];
  uint32_t n;
} tn_attrs;
static inline tn_attrs tn_attrs_of(tn_client* c, const tenon_op* op, tn_named named) {
  tn_attrs attrs;
  memset(&attrs, 0, sizeof attrs);
  for (uint32_t i = 0; i < named.n; ++i) {
    uint32_t at = 0;
    tn_check(c, tenon_op_find_attribute(c->context, op, named.options[i].name, TENON_NUL, &at));
    if (at >= TN_MAX_NAMED) tn_check(c, TENON_E_UNSUPPORTED);
    attrs.values[at] = named.options[i].value;
    if (at >= attrs.n) attrs.n = at + 1;
  }
  return attrs;
}

// Calls an op by name for its first n outputs.
static inline void tn_call_all(tn_client* c, const char* name, tn_args args, tn_named named,
                               tenon_tensor** outputs, uint32_t n) {
  const tenon_op* op = tn_op(c, name);
  const tn_attrs attrs = tn_attrs_of(c, op, named);
  tn_check(c,
           tenon_op_call(c->context, op, args.values, args.n, attrs.values, attrs.n, outputs, n));
  for (uint32_t i = 0; i < n; ++i) tn_keep(c, outputs[i]);
}
// For its first output.
static inline tenon_tensor* tn_call(tn_client* c, const char* name, tn_args args, tn_named named) {
  tenon_tensor* out = NULL;
  tn_call_all(c, name, args, named, &out, 1);
  return out;
}
// Writes the first output into a tensor that is there, which may be one of the inputs.
static inline void tn_call_into(tn_client* c, const char* name, tn_args args, tn_named named,
                                tenon_tensor* out) {
  const tenon_op* op = tn_op(c, name);
  const tn_attrs attrs = tn_attrs_of(c, op, named);
  tn_check(c,
           tenon_op_call_into(c->context, op, args.values, args.n, attrs.values, attrs.n, &out, 1));
}

// name(x), name(a, b)
static inline tenon_tensor* tn_call1(tn_client* c, const char* name, tenon_tensor* x) {
  const tenon_value values[1] = {tn_value(x)};
  const tn_args args = {values, 1};
  const tn_named none = {NULL, 0};
  return tn_call(c, name, args, none);
}
static inline tenon_tensor* tn_call2(tn_client* c, const char* name, tenon_tensor* a,
                                     tenon_tensor* b) {
  const tenon_value values[2] = {tn_value(a), tn_value(b)};
  const tn_args args = {values, 2};
  const tn_named none = {NULL, 0};
  return tn_call(c, name, args, none);
}

// ---- Steps that repeat --------------------------------------------------------------------------

// tn_run_step (tenon/client/plans.h) captures and replays by itself; these are its parts.

// Records what is launched until tn_captured, and runs it as well; tn_replay may exchange `inputs`.
static inline void tn_capture(tn_client* c, tenon_tensor* const* inputs, uint32_t n) {
  tn_check(c, tenon_capture_begin(c->context, inputs, n));
}
// What was recorded. Results that a later replay is to write anew must live as long: make it in the
// region that they are made in. Whatever else is still held here keeps memory of its own; tensors
// that were released before share it.
static inline tenon_plan* tn_captured(tn_client* c) {
  tenon_plan* made = NULL;
  tn_check(c, tenon_capture_end(c->context, &made));
  return (tenon_plan*)tn_hold(c, TN_PLAN, made);
}
// Runs the step with inputs of the same shapes, in the order of tn_capture.
static inline void tn_replay(tn_client* c, tenon_plan* plan, tenon_tensor* const* inputs,
                             uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) tn_check(c, tenon_plan_set(c->context, plan, i, inputs[i]));
  tn_check(c, tenon_plan_run(c->context, plan));
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_CLIENT_H
