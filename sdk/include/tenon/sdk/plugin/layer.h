// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/layer.h: a layer: its tensors and children, and a forward that uses them; part
// of tenon/sdk/plugin.h.
//
//   static tenon_status describe(tenon_call* call, const tenon_value* values) {
//     const tn_option attr = {"value", values[INITIAL]};
//     const tn_named attrs = {&attr, 1};
//     return tn_add_parameter(call, "weight", &values[FEATURES].as.i64, 1, TENON_DTYPE_F32,
//                             "tenon.full", attrs);
//   }
//   static tenon_status forward(tenon_call* call, const tenon_value* values,
//                               const tenon_value* inputs, uint32_t n_inputs, uint32_t flags) {
//     tn_rule r = tn_rule_of(call);
//     tn_rule_set(&r, 0, tn_rule_call2(&r, "tenon.mul", inputs[0], tn_rule_tensor(&r, "weight")));
//     return r.status;
//   }
#ifndef TENON_SDK_PLUGIN_LAYER_H
#define TENON_SDK_PLUGIN_LAYER_H

#include <tenon/ext/draft/layers.h>
#include <tenon/sdk/plugin/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

// NULL, and an error stored, if the host has no layers.
static inline const tenon_host_layers* tn_host_layers(tenon_call* call) {
  const void* table = call->host->get_interface(call->host, TENON_HOST_LAYERS, TENON_NUL);
  if (!table) tn_fail(call, TENON_E_UNSUPPORTED, "the host has no %s", TENON_HOST_LAYERS);
  return (const tenon_host_layers*)table;
}

// Names and values apart, as host tables take them.
typedef struct tn_options {
  tenon_string names[TN_MAX_NAMED];
  tenon_value values[TN_MAX_NAMED];
} tn_options;
static inline tenon_status tn_take_options(tenon_call* call, tn_named named, tn_options* out) {
  if (named.n > TN_MAX_NAMED) {
    return tn_fail(call, TENON_E_UNSUPPORTED, "%u attributes or options of one call, at most %u",
                   (unsigned)named.n, (unsigned)TN_MAX_NAMED);
  }
  for (uint32_t i = 0; i < named.n; ++i) {
    out->names[i].data = named.options[i].name;
    out->names[i].length = TENON_NUL;
    out->values[i] = named.options[i].value;
  }
  return TENON_OK;
}

// ---- describe -----------------------------------------------------------------------------------

// What op(shape, dtype, attrs...) gives, as a tensor of the layer; flags: TENON_LAYER_BUFFER.
static inline tenon_status tn_add_tensor(tenon_call* call, uint32_t flags, const char* name,
                                         const int64_t* shape, int32_t rank, tenon_dtype dtype,
                                         const char* op, tn_named attrs) {
  const tenon_host_layers* host = tn_host_layers(call);
  if (!host) return TENON_E_UNSUPPORTED;
  tn_options given;
  const tenon_status status = tn_take_options(call, attrs, &given);
  if (status != TENON_OK) return status;
  tenon_layer_tensor_spec spec;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = (uint32_t)sizeof spec;
  spec.flags = flags;
  spec.name.data = name;
  spec.name.length = TENON_NUL;
  spec.op.data = op;
  spec.op.length = TENON_NUL;
  spec.attr_names = given.names;
  spec.attr_values = given.values;
  spec.n_attrs = attrs.n;
  spec.rank = rank;
  spec.dtype = dtype;
  for (int32_t d = 0; d < rank && d < TENON_MAX_RANK; ++d) spec.shape[d] = shape[d];
  return host->add_tensor(call, &spec);
}
static inline tenon_status tn_add_parameter(tenon_call* call, const char* name,
                                            const int64_t* shape, int32_t rank, tenon_dtype dtype,
                                            const char* op, tn_named attrs) {
  return tn_add_tensor(call, 0, name, shape, rank, dtype, op, attrs);
}
static inline tenon_status tn_add_buffer(tenon_call* call, const char* name, const int64_t* shape,
                                         int32_t rank, tenon_dtype dtype, const char* op,
                                         tn_named attrs) {
  return tn_add_tensor(call, TENON_LAYER_BUFFER, name, shape, rank, dtype, op, attrs);
}

// A layer of any plugin as a child.
static inline tenon_status tn_add_child(tenon_call* call, const char* name, const char* layer,
                                        tn_named options) {
  const tenon_host_layers* host = tn_host_layers(call);
  if (!host) return TENON_E_UNSUPPORTED;
  tn_options given;
  const tenon_status status = tn_take_options(call, options, &given);
  if (status != TENON_OK) return status;
  const tenon_string child = {name, TENON_NUL}, kind = {layer, TENON_NUL};
  return host->add_child(call, &child, &kind, given.names, given.values, options.n);
}

// ---- forward ------------------------------------------------------------------------------------

// The layer's own tensor of that name.
static inline tenon_value tn_rule_tensor(tn_rule* rule, const char* name) {
  if (rule->status != TENON_OK) return tn_none();
  const tenon_host_layers* host = tn_host_layers(rule->call);
  tenon_tensor* found = NULL;
  if (!tn_rule_take(rule, host ? host->get_tensor(rule->call, name, TENON_NUL, &found)
                               : TENON_E_UNSUPPORTED)) {
    return tn_none();
  }
  return tn_value(found);
}

// A buffer takes the values of a tensor.
static inline void tn_rule_set_buffer(tn_rule* rule, const char* name, tenon_value value) {
  tenon_tensor* tensor = tn_rule_need_tensor(rule, value);
  if (rule->status != TENON_OK) return;
  const tenon_host_layers* host = tn_host_layers(rule->call);
  tn_rule_take(rule,
               host ? host->set_buffer(rule->call, name, TENON_NUL, tensor) : TENON_E_UNSUPPORTED);
}

// The one output of child `index`, in order of addition, for one input.
static inline tenon_value tn_rule_child(tn_rule* rule, uint32_t index, tenon_value input) {
  if (rule->status != TENON_OK) return tn_none();
  const tenon_host_layers* host = tn_host_layers(rule->call);
  tenon_tensor* output = NULL;
  if (!tn_rule_take(rule, host ? host->call_child(rule->call, index, &input, 1, &output, 1)
                               : TENON_E_UNSUPPORTED)) {
    return tn_none();
  }
  return tn_value(output);
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PLUGIN_LAYER_H
