// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/optimizers.h: interface "tenon.optimizers/1": update rules as a step op and what it
// needs. The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_OPTIMIZERS_H
#define TENON_PLUGIN_OPTIMIZERS_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HYPER_DYNAMIC \
  1u  // may change between runs of a plan: a 0-d f64 tensor to the step op
typedef struct tenon_hyper_desc {
  tenon_string name;  // a dynamic one is an input of the step op, a static one its attribute
  tenon_string doc;
  uint32_t flags;  // TENON_HYPER_*
  uint32_t tag;    // TENON_VALUE_F64, I64 or BOOL
  double initial;  // the default
  double minimum;  // accepted range, ends included
  double maximum;
} tenon_hyper_desc;

#define TENON_STATE_LIKE_PARAMETER 0u  // shape, layout of the parameter
#define TENON_STATE_SCALAR 1u          // rank 0
typedef struct tenon_state_desc {
  tenon_string name;
  tenon_string doc;
  uint32_t shape;     // TENON_STATE_*
  tenon_dtype dtype;  // TENON_DTYPE_NONE: the parameter's
  double initial;     // every element
} tenon_state_desc;

// The step op's schema is, in this order: `params!: T[...]*`, `grads: T[...]*`, one list
// `<state>!: ...*` for each state, one `<hyper>: f64[]` for each dynamic hyper-parameter; then the
// static hyper-parameters as attributes of the same names. The rows op has `indices: i64[...]*`
// and `values: T[...]*` in place of `grads`.
typedef struct tenon_optimizer_desc {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string name;
  tenon_string doc;
  tenon_string step_op;
  tenon_string rows_op;  // empty: row gradients are made dense
  const tenon_hyper_desc* hypers;
  const tenon_state_desc* states;
  uint32_t n_hypers;
  uint32_t n_states;
} tenon_optimizer_desc;

typedef struct tenon_optimizers_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_optimizer_desc* const* descs;
} tenon_optimizers_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_OPTIMIZERS_H
