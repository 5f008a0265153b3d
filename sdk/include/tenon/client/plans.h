// SPDX-License-Identifier: Apache-2.0
// tenon/client/plans.h: a step that repeats, captured once for each kind of its inputs; part of
// tenon/client.h, which programs include.
#ifndef TENON_CLIENT_PLANS_H
#define TENON_CLIENT_PLANS_H

#include <tenon/client/region.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_MAX_STEP_INPUTS = 8 };

// A step as a function of its inputs. What it returns, which may be NULL, is neither an input nor a
// view of one: later runs write it anew. No value can be read in it.
typedef tenon_tensor* (*tn_step_fn)(tn_client* c, void* user, tenon_tensor* const* inputs);

// One kind of inputs, and what was captured with them.
typedef struct tn_step_plan {
  int mode;
  tenon_view kinds[TN_MAX_STEP_INPUTS];  // shape and strides: below
  int64_t dims[TN_MAX_STEP_INPUTS][2][TENON_MAX_RANK];
  tenon_plan* plan;
  tenon_tensor* result;
} tn_step_plan;

typedef struct tn_captured_step {
  tn_step_fn step;
  void* user;
  uint32_t n_inputs;
  tn_step_plan* plans;
  size_t n_plans;
} tn_captured_step;

// `user` is what the step gets. Released with tn_release_step.
static inline tn_captured_step tn_step_of(tn_step_fn step, void* user, uint32_t n_inputs) {
  const tn_captured_step made = {step, user, n_inputs, NULL, 0};
  return made;
}

static inline void tn_release_step(tn_captured_step* s) {
  for (size_t i = 0; i < s->n_plans; ++i) {
    tenon_plan_release(s->plans[i].plan);
    tenon_tensor_release(s->plans[i].result);
  }
  free(s->plans);
  s->plans = NULL;
  s->n_plans = 0;
}

static inline int tn_is_kind(const tenon_view* a, const tenon_view* b) {
  if (a->rank != b->rank || a->dtype != b->dtype || a->device.kind != b->device.kind ||
      a->device.index != b->device.index) {
    return 0;
  }
  for (int32_t d = 0; d < a->rank; ++d) {
    if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->strides[d] != b->strides[d])) return 0;
  }
  return 1;
}

// The plan for these inputs; NULL if there is none.
static inline tn_step_plan* tn_find_plan(tn_client* c, tn_captured_step* s, int mode,
                                         tenon_tensor* const* inputs) {
  tenon_view views[TN_MAX_STEP_INPUTS];
  for (uint32_t i = 0; i < s->n_inputs; ++i) {
    tn_check(c, tenon_tensor_get_view(c->context, inputs[i], &views[i]));
  }
  for (size_t at = 0; at < s->n_plans; ++at) {
    tn_step_plan* const each = &s->plans[at];
    int same = each->mode == mode;
    for (uint32_t i = 0; same && i < s->n_inputs; ++i) {
      each->kinds[i].shape = each->dims[i][0];
      each->kinds[i].strides = each->dims[i][1];
      same = tn_is_kind(&each->kinds[i], &views[i]);
    }
    if (same) return each;
  }
  return NULL;
}

static inline tn_step_plan* tn_add_plan(tn_client* c, tn_captured_step* s, int mode,
                                        tenon_tensor* const* inputs) {
  tn_step_plan* plans = (tn_step_plan*)realloc(s->plans, (s->n_plans + 1) * sizeof *plans);
  if (!plans) tn_check(c, TENON_E_MEMORY);
  s->plans = plans;
  tn_step_plan* const made = &plans[s->n_plans];
  memset(made, 0, sizeof *made);
  made->mode = mode;
  for (uint32_t i = 0; i < s->n_inputs; ++i) {
    tenon_view* const view = &made->kinds[i];
    tn_check(c, tenon_tensor_get_view(c->context, inputs[i], view));
    for (int32_t d = 0; d < view->rank; ++d) {
      made->dims[i][0][d] = view->shape[d];
      made->dims[i][1][d] = view->strides[d];
    }
  }
  tn_check(c, tenon_capture_begin(c->context, inputs, s->n_inputs));
  // Tensors that are released before the end share memory in the plan.
  const size_t region = tn_begin(c);
  tenon_tensor* const result = s->step(c, s->user, inputs);
  made->result = result ? tn_own(c, result) : NULL;
  tn_end(c, region);
  tn_check(c, tenon_capture_end(c->context, &made->plan));
  ++s->n_plans;
  return made;
}

// Runs the step: with inputs of a kind that is new (shapes, strides, dtypes, devices) it is
// captured while it runs, else its plan is replayed with them. `mode` is a number of the program's
// own, for whatever else the step depends on: training and evaluation are two modes. What the step
// returned belongs to the captured step, and the next run of the same kind writes it anew.
static inline tenon_tensor* tn_run_step(tn_client* c, tn_captured_step* s, int mode,
                                        tenon_tensor* const* inputs) {
  if (s->n_inputs > TN_MAX_STEP_INPUTS) tn_check(c, TENON_E_UNSUPPORTED);
  tn_step_plan* const known = tn_find_plan(c, s, mode, inputs);
  if (!known) return tn_add_plan(c, s, mode, inputs)->result;
  for (uint32_t i = 0; i < s->n_inputs; ++i) {
    tn_check(c, tenon_plan_set(c->context, known->plan, i, inputs[i]));
  }
  tn_check(c, tenon_plan_run(c->context, known->plan));
  return known->result;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_CLIENT_PLANS_H
