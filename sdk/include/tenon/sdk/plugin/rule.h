// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/rule.h: callbacks that call ops: backward rules, compositions, the forward of a
// layer; part of tenon/sdk/plugin.h.
//
//   static tenon_status vjp(tenon_call* call, void* user) {
//     (void)user;
//     tn_rule r = tn_rule_of(call);
//     const tenon_value slope = tn_rule_call2(&r, "tenon.mul", tn_rule_input(&r, 0), tn_float(2));
//     tn_rule_grad(&r, 0, tn_rule_call2(&r, "tenon.mul", tn_rule_dy(&r, 0), slope));
//     return r.status;
//   }
//
// The first failure stays in `status`, and the host has its words; from then on nothing is done,
// and values are NONE, numbers 0. Tensors belong to the host and go when the callback returns.
#ifndef TENON_SDK_PLUGIN_RULE_H
#define TENON_SDK_PLUGIN_RULE_H

#include <tenon/client/values.h>
#include <tenon/sdk/plugin/fail.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_rule {
  tenon_call* call;
  tenon_status status;  // of the first failure
} tn_rule;

static inline tn_rule tn_rule_of(tenon_call* call) {
  tn_rule rule;
  rule.call = call;
  rule.status = TENON_OK;
  return rule;
}

// Whether the rule goes on. A status that is not TENON_OK is kept; the host has its words.
static inline int tn_rule_take(tn_rule* rule, tenon_status status) {
  if (rule->status == TENON_OK) rule->status = status;
  return rule->status == TENON_OK;
}

// The tensor of a value. A number or NONE is the plugin's fault, and the rule's failure.
static inline tenon_tensor* tn_rule_need_tensor(tn_rule* rule, tenon_value value) {
  if (value.tag == TENON_VALUE_TENSOR) return value.as.tensor;
  if (rule->status == TENON_OK) {
    rule->status = tn_fail(rule->call, TENON_E_PLUGIN, "a rule was to give a tensor, and gave %s",
                           value.tag == TENON_VALUE_NONE ? "nothing" : "a number or a list");
  }
  return NULL;
}

// ---- Calls --------------------------------------------------------------------------------------

static inline tn_args tn_no_args(void) {
  const tn_args none = {NULL, 0};
  return none;
}

// All outputs of an op: out_outputs[n_outputs], at most TENON_MAX_SLOTS. `attrs` by position; those
// at the end may be left out.
static inline void tn_rule_call_all(tn_rule* rule, const char* name, tn_args inputs, tn_args attrs,
                                    tenon_value* out_outputs, uint32_t n_outputs) {
  const struct tenon_host_dispatch* host = rule->call->dispatch;
  tenon_tensor* made[TENON_MAX_SLOTS] = {NULL};
  for (uint32_t i = 0; i < n_outputs; ++i) out_outputs[i] = tn_none();
  if (rule->status != TENON_OK) return;
  const tenon_op* op = host->find(rule->call, name, TENON_NUL);
  if (!tn_rule_take(rule, op ? TENON_OK : TENON_E_NOT_FOUND)) return;
  if (!tn_rule_take(rule, host->call(rule->call, op, inputs.values, inputs.n, attrs.values, attrs.n,
                                     made, n_outputs))) {
    return;
  }
  for (uint32_t i = 0; i < n_outputs; ++i) out_outputs[i] = tn_value(made[i]);
}

// The first output of an op.
static inline tenon_value tn_rule_call(tn_rule* rule, const char* name, tn_args inputs,
                                       tn_args attrs) {
  tenon_value output;
  tn_rule_call_all(rule, name, inputs, attrs, &output, 1);
  return output;
}

// name(x), name(a, b)
static inline tenon_value tn_rule_call1(tn_rule* rule, const char* name, tenon_value x) {
  const tn_args inputs = {&x, 1};
  return tn_rule_call(rule, name, inputs, tn_no_args());
}
static inline tenon_value tn_rule_call2(tn_rule* rule, const char* name, tenon_value a,
                                        tenon_value b) {
  const tenon_value both[2] = {a, b};
  const tn_args inputs = {both, 2};
  return tn_rule_call(rule, name, inputs, tn_no_args());
}

// Shape, dtype and device of a tensor.
static inline tenon_meta tn_rule_meta(tn_rule* rule, tenon_value value) {
  tenon_meta meta;
  memset(&meta, 0, sizeof meta);
  const tenon_tensor* tensor = tn_rule_need_tensor(rule, value);
  if (rule->status == TENON_OK) {
    tn_rule_take(rule, rule->call->dispatch->meta(rule->call, tensor, &meta));
  }
  return meta;
}

// ---- A backward rule: reading what its `needs` do not declare is an error
// -------------------------

typedef tenon_status (*tn_rule_getter)(tenon_call* call, uint32_t index, tenon_value* out_value);
static inline tenon_value tn_rule_get(tn_rule* rule, tn_rule_getter get, uint32_t index) {
  tenon_value value = tn_none();
  if (rule->status == TENON_OK && !tn_rule_take(rule, get(rule->call, index, &value))) {
    value = tn_none();
  }
  return value;
}

// A saved input or output, and the gradient of an output.
static inline tenon_value tn_rule_input(tn_rule* rule, uint32_t index) {
  return tn_rule_get(rule, rule->call->vjp->get_input, index);
}
static inline tenon_value tn_rule_output(tn_rule* rule, uint32_t index) {
  return tn_rule_get(rule, rule->call->vjp->get_output, index);
}
static inline tenon_value tn_rule_dy(tn_rule* rule, uint32_t index) {
  return tn_rule_get(rule, rule->call->vjp->get_output_grad, index);
}
static inline tenon_value tn_rule_attr(tn_rule* rule, uint32_t index) {
  return tn_rule_get(rule, rule->call->vjp->get_attr, index);
}

// Shape, dtype and device of an input that is not a list, or of an output.
static inline tenon_meta tn_rule_input_meta(tn_rule* rule, uint32_t index) {
  tenon_meta meta;
  memset(&meta, 0, sizeof meta);
  if (rule->status == TENON_OK) {
    tn_rule_take(rule, rule->call->vjp->get_input_meta(rule->call, index, 0, &meta));
  }
  return meta;
}
static inline tenon_meta tn_rule_output_meta(tn_rule* rule, uint32_t index) {
  tenon_meta meta;
  memset(&meta, 0, sizeof meta);
  if (rule->status == TENON_OK) {
    tn_rule_take(rule, rule->call->vjp->get_output_meta(rule->call, index, &meta));
  }
  return meta;
}

// Does the input require a gradient? If not, setting one is wasted work.
static inline int tn_rule_wants(const tn_rule* rule, uint32_t index) {
  return rule->status == TENON_OK && rule->call->vjp->wants(rule->call, index) != 0;
}

// Sets the gradient of an input that is not a list; broadcasting is undone by the engine.
static inline void tn_rule_grad(tn_rule* rule, uint32_t index, tenon_value gradient) {
  tenon_tensor* tensor = tn_rule_need_tensor(rule, gradient);
  if (rule->status != TENON_OK) return;
  tn_rule_take(rule, rule->call->vjp->set_input_grad(rule->call, index, 0, tensor));
}

// ---- A composition, the forward of a layer ------------------------------------------------------

static inline void tn_rule_set(tn_rule* rule, uint32_t index, tenon_value output) {
  tenon_tensor* tensor = tn_rule_need_tensor(rule, output);
  if (rule->status != TENON_OK) return;
  tn_rule_take(rule, rule->call->dispatch->set_output(rule->call, index, tensor));
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PLUGIN_RULE_H
