// SPDX-License-Identifier: Apache-2.0
// examples/common/session.h: a runtime with its context, and op calls that clean up after
// themselves.
//
// Examples end at the first error: every helper prints the whole error record and exits with 1.
#ifndef EXAMPLES_COMMON_SESSION_H
#define EXAMPLES_COMMON_SESSION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#define SESSION_TENSORS 256
#define SESSION_OPS 64

typedef struct session {
  tenon_runtime* runtime;
  tenon_context* context;
  int explains;  // keep what tenon_op_explain says of each op?
  int n_made;
  tenon_tensor* made[SESSION_TENSORS];  // results that session_clear releases
  int n_ops;
  const char* op_names[SESSION_OPS];      // ops called so far
  tenon_text* op_explained[SESSION_OPS];  // what ran them, as JSON; NULL unless `explains`
} session;

static inline void session_print_line(const char* label, const char* text) {
  if (text && *text) fprintf(stderr, "  %-9s %s\n", label, text);
}

// Does nothing for TENON_OK; else prints the context's error record and ends the program.
static inline void session_check(session* s, tenon_status status) {
  if (status == TENON_OK) return;
  tenon_error error = {.struct_size = sizeof error};
  if (tenon_context_get_error(s->context, &error) != TENON_OK || error.status != status) {
    fprintf(stderr, "error: %s\n", tenon_status_get_name(status));
    exit(1);
  }
  fprintf(stderr, "error: %s\n", error.message);
  session_print_line("status", tenon_status_get_name(status));
  session_print_line("op", error.op);
  session_print_line("operand", error.operand);
  session_print_line("expected", error.expected);
  session_print_line("found", error.found);
  session_print_line("plugin", error.plugin);
  session_print_line("in", error.scope);
  for (uint32_t i = 0; i < error.n_causes; ++i) session_print_line("because", error.causes[i]);
  session_print_line("hint", error.hint);
  exit(1);
}

static inline void session_open(session* s, int64_t threads, int64_t seed) {
  memset(s, 0, sizeof *s);
  tenon_runtime_options options = {.struct_size = sizeof options, .threads = (int32_t)threads};
  tenon_diag diag = {0};
  if (tenon_runtime_create(&options, &diag, &s->runtime) != TENON_OK ||
      tenon_context_create(s->runtime, &diag, &s->context) != TENON_OK) {
    fprintf(stderr, "error: %s\n", diag.message);
    exit(1);
  }
  session_check(s, tenon_context_set_seed(s->context, (uint64_t)seed, 0));
}

// Takes a tensor over, to be released by the next session_clear.
static inline tenon_tensor* session_keep(session* s, tenon_tensor* tensor) {
  if (s->n_made == SESSION_TENSORS) {
    fprintf(stderr, "error: more than %d tensors between two calls of session_clear\n",
            SESSION_TENSORS);
    exit(1);
  }
  return s->made[s->n_made++] = tensor;
}

// Takes a tensor out of what session_clear releases: the caller owns it now.
static inline tenon_tensor* session_own(session* s, tenon_tensor* tensor) {
  session_check(s, tenon_tensor_retain(tensor));
  return tensor;
}

static inline void session_clear(session* s) {
  while (s->n_made > 0) tenon_tensor_release(s->made[--s->n_made]);
}

static inline void session_close(session* s) {
  session_clear(s);
  for (int i = 0; i < s->n_ops; ++i) tenon_text_release(s->op_explained[i]);
  tenon_context_release(s->context);
  tenon_runtime_release(s->runtime);
}

static inline tenon_value tensor_value(tenon_tensor* tensor) {
  return (tenon_value){.tag = TENON_VALUE_TENSOR, .as.tensor = tensor};
}
static inline tenon_value float_value(double number) {
  return (tenon_value){.tag = TENON_VALUE_F64, .as.f64 = number};
}
static inline tenon_value int_value(int64_t number) {
  return (tenon_value){.tag = TENON_VALUE_I64, .as.i64 = number};
}
static inline tenon_value dtype_value(tenon_dtype dtype) {
  return (tenon_value){.tag = TENON_VALUE_DTYPE, .as.dtype = dtype};
}
static inline tenon_value ints_value(const int64_t* numbers, uint32_t count) {
  return (tenon_value){.tag = TENON_VALUE_INT_LIST, .count = count, .as.ints = numbers};
}
static inline tenon_value floats_value(const double* numbers, uint32_t count) {
  return (tenon_value){.tag = TENON_VALUE_FLOAT_LIST, .count = count, .as.floats = numbers};
}
static inline tenon_value text_value(const char* text) {
  return (tenon_value){
      .tag = TENON_VALUE_STRING, .count = (uint32_t)strlen(text), .as.string = text};
}

static inline void session_note(session* s, const char* name, const tenon_op* op,
                                const tenon_value* inputs, uint32_t n_inputs,
                                const tenon_value* attrs, uint32_t n_attrs) {
  for (int i = 0; i < s->n_ops; ++i) {
    if (strcmp(s->op_names[i], name) == 0) return;
  }
  if (s->n_ops == SESSION_OPS) return;
  session_check(s, tenon_op_explain(s->context, op, inputs, n_inputs, attrs, n_attrs,
                                    &s->op_explained[s->n_ops]));
  s->op_names[s->n_ops++] = name;
}

// Calls an op by name and returns its first output, which lives until session_clear.
static inline tenon_tensor* call(session* s, const char* name, const tenon_value* inputs,
                                 uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs) {
  const tenon_op* op = NULL;
  tenon_tensor* out = NULL;
  session_check(s, tenon_op_find(s->context, name, TENON_NUL, 0, &op));
  if (s->explains) session_note(s, name, op, inputs, n_inputs, attrs, n_attrs);
  session_check(s, tenon_op_call(s->context, op, inputs, n_inputs, attrs, n_attrs, &out, 1));
  return session_keep(s, out);
}

// name(x)
static inline tenon_tensor* call1(session* s, const char* name, tenon_tensor* x) {
  return call(s, name, (tenon_value[]){tensor_value(x)}, 1, NULL, 0);
}
// name(a, b)
static inline tenon_tensor* call2(session* s, const char* name, tenon_tensor* a, tenon_tensor* b) {
  return call(s, name, (tenon_value[]){tensor_value(a), tensor_value(b)}, 2, NULL, 0);
}
// name(x, number)
static inline tenon_tensor* call_number(session* s, const char* name, tenon_tensor* x,
                                        double number) {
  return call(s, name, (tenon_value[]){tensor_value(x), float_value(number)}, 2, NULL, 0);
}
// name(x, *, attribute)
static inline tenon_tensor* call_with(session* s, const char* name, tenon_tensor* x,
                                      tenon_value attribute) {
  return call(s, name, (tenon_value[]){tensor_value(x)}, 1, &attribute, 1);
}

// The one element of a tensor.
static inline double item_of(session* s, tenon_tensor* tensor) {
  tenon_value value = {0};
  session_check(s, tenon_tensor_get_item(s->context, tensor, &value));
  return value.tag == TENON_VALUE_F64 ? value.as.f64 : (double)value.as.i64;
}

#endif  // EXAMPLES_COMMON_SESSION_H
