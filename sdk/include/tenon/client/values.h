// SPDX-License-Identifier: Apache-2.0
// tenon/client/values.h: inputs, attributes and options of calls; part of tenon/client.h, which
// programs include.
#ifndef TENON_CLIENT_VALUES_H
#define TENON_CLIENT_VALUES_H

#include <string.h>
#include <tenon/types.h>

#ifdef __cplusplus
#include <initializer_list>
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Values -------------------------------------------------------------------------------------

static inline tenon_value tn_none(void) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  return value;
}
static inline tenon_value tn_value(tenon_tensor* tensor) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_TENSOR;
  value.as.tensor = tensor;
  return value;
}
static inline tenon_value tn_int(int64_t number) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_I64;
  value.as.i64 = number;
  return value;
}
static inline tenon_value tn_float(double number) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_F64;
  value.as.f64 = number;
  return value;
}
static inline tenon_value tn_bool(int truth) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_BOOL;
  value.as.i64 = truth != 0;
  return value;
}
// Borrowed, as are the lists.
static inline tenon_value tn_text(const char* text) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_STRING;
  value.count = (uint32_t)strlen(text);
  value.as.string = text;
  return value;
}
static inline tenon_value tn_ints(const int64_t* numbers, uint32_t count) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_INT_LIST;
  value.count = count;
  value.as.ints = numbers;
  return value;
}
static inline tenon_value tn_floats(const double* numbers, uint32_t count) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_FLOAT_LIST;
  value.count = count;
  value.as.floats = numbers;
  return value;
}
static inline tenon_value tn_tensors(tenon_tensor* const* tensors, uint32_t count) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_TENSOR_LIST;
  value.count = count;
  value.as.tensors = tensors;
  return value;
}
static inline tenon_value tn_dtype(tenon_dtype dtype) {
  tenon_value value = tn_none();
  value.tag = TENON_VALUE_DTYPE;
  value.as.dtype = dtype;
  return value;
}

// Inputs, in the order of a schema.
typedef struct tn_args {
  const tenon_value* values;
  uint32_t n;
} tn_args;

// An attribute or option by its name.
typedef struct tn_option {
  const char* name;
  tenon_value value;
} tn_option;
typedef struct tn_named {
  const tn_option* options;
  uint32_t n;
} tn_named;

#define TN_MAX_NAMED 32u  // of one call

#ifdef __cplusplus
}
static inline tn_args tn_args_of(std::initializer_list<tenon_value> values) {
  return {values.begin(), (uint32_t)values.size()};
}
static inline tn_named tn_named_of(std::initializer_list<tn_option> options) {
  return {options.begin(), (uint32_t)options.size()};
}
#define TN_ARGS(...) (tn_args_of({__VA_ARGS__}))
#define TN_NAMED(...) (tn_named_of({__VA_ARGS__}))
#define TN_NONE (tn_named_of({}))
#define TN_NO_INPUTS (tn_args_of({}))
extern "C" {
#else
// TN_ARGS(tn_value(x), tn_float(2)); TN_NAMED({"axes", tn_int(1)}, {"keepdims", tn_bool(1)})
#define TN_ARGS(...)                             \
  ((tn_args){(const tenon_value[]){__VA_ARGS__}, \
             sizeof((const tenon_value[]){__VA_ARGS__}) / sizeof(tenon_value)})
#define TN_NAMED(...)                           \
  ((tn_named){(const tn_option[]){__VA_ARGS__}, \
              sizeof((const tn_option[]){__VA_ARGS__}) / sizeof(tn_option)})
#define TN_NONE ((tn_named){NULL, 0})
#define TN_NO_INPUTS ((tn_args){NULL, 0})
#endif

#ifdef __cplusplus
}
#endif

#endif  // TENON_CLIENT_VALUES_H
