// SPDX-License-Identifier: Apache-2.0
// tenon/ops.h: finding and calling ops, and plans: steps that were recorded once and run again. The
// conventions are those of tenon/tenon.h.
//
// What an op means is its schema (docs/schema.md) and its documentation, which
// tenon_op_get_info returns; which kernel runs it is asked with tenon_op_explain.
#ifndef TENON_OPS_H
#define TENON_OPS_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Ops ----------------------------------------------------------------------------------------

// Finds an op; opens the plugin that lists it. revision 0: the newest.
// errors   TENON_E_NOT_FOUND (names what is missing and where it was looked for), TENON_E_PLUGIN
TENON_EXPORT tenon_status tenon_op_find(tenon_context* context, const char* name,
                                        uint64_t name_length, uint32_t revision,
                                        const tenon_op** out_op);

typedef struct tenon_op_info {
  uint32_t struct_size;
  uint32_t flags;  // TENON_OP_*
  const char* name;
  const char* schema;
  const char* doc;
  const char* plugin;
  uint32_t revision;
  uint32_t n_inputs;
  uint32_t n_attrs;
  uint32_t n_outputs;
} tenon_op_info;
TENON_EXPORT tenon_status tenon_op_get_info(tenon_context* context, const tenon_op* op,
                                            tenon_op_info* out_info);

// The position of an attribute in the `attrs` of a call.
// errors   TENON_E_ATTRIBUTE (unknown; lists those there are)
TENON_EXPORT tenon_status tenon_op_find_attribute(tenon_context* context, const tenon_op* op,
                                                  const char* name, uint64_t name_length,
                                                  uint32_t* out_index);

// Applies `op` and returns new tensors.
// inputs   [n_inputs] in the schema's order; NONE for an absent optional one; numbers are weak
//          scalars. Trailing optional inputs may be left out.
// attrs    [n_attrs] in the schema's order; NONE or left out: the default
// outputs  [n_outputs], at most as many as the schema has; a NULL-able aux output that is not asked
//          for is left out at the end
// dtypes   promoted if the schema says so, else equal
// errors   TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_DEVICE, TENON_E_ATTRIBUTE, TENON_E_NO_KERNEL,
//          TENON_E_NO_ROLE, TENON_E_ALIAS, TENON_E_GRAD, TENON_E_GRAPH_OWNER
TENON_EXPORT tenon_status tenon_op_call(tenon_context* context, const tenon_op* op,
                                        const tenon_value* inputs, uint32_t n_inputs,
                                        const tenon_value* attrs, uint32_t n_attrs,
                                        tenon_tensor** out_outputs, uint32_t n_outputs);

// Applies `op` and writes into outputs[n_outputs], which must have the inferred shape, dtype and
// device; any layout that does not overlap itself. If outputs overlap inputs the result is as if
// all inputs had been read first. An output that is also an input (the same handle) is in-place.
TENON_EXPORT tenon_status tenon_op_call_into(tenon_context* context, const tenon_op* op,
                                             const tenon_value* inputs, uint32_t n_inputs,
                                             const tenon_value* attrs, uint32_t n_attrs,
                                             tenon_tensor* const* outputs, uint32_t n_outputs);

// What op_call would do with these operands, as JSON: promotion, output shapes, the kernel chosen,
// every candidate and why it lost, the backward rule. Runs nothing.
TENON_EXPORT tenon_status tenon_op_explain(tenon_context* context, const tenon_op* op,
                                           const tenon_value* inputs, uint32_t n_inputs,
                                           const tenon_value* attrs, uint32_t n_attrs,
                                           tenon_text** out_json);

// ---- Plans --------------------------------------------------------------------------------------

// Starts to record every launch of this context, and runs them as well. inputs[n_inputs] are what
// tenon_plan_set may exchange later: whatever launches read or write of an input's memory, a run
// reads or writes of what was set in its place. A tensor that names an input's memory goes on
// naming that; return a copy of it. Until `end`, reading values on the host is TENON_E_CAPTURE.
// errors   TENON_E_STATE, TENON_E_ALIAS (inputs that share memory)
TENON_EXPORT tenon_status tenon_capture_begin(tenon_context* context, tenon_tensor* const* inputs,
                                              uint32_t n_inputs);

// Ends recording. Memory that launches overwrite before anything else touches it, and that nobody
// refers to now, is the plan's own: parts of it share bytes, and launches that only make what
// nothing needs are left out. All other storages they touch stay alive as long as the plan; tensors
// held by the caller keep naming them and are overwritten by each run.
// errors   TENON_E_STATE, TENON_E_CAPTURE (a launch that cannot be replayed, by name),
//          TENON_E_MEMORY: the capture goes on
TENON_EXPORT tenon_status tenon_capture_end(tenon_context* context, tenon_plan** out_plan);

// Replays all launches once: no allocation, no look-up, no graph. Plans of one context share memory
// for what is their own; the first run in another context finds it there. Advances the versions of
// all that it writes, and the random counter as if the step had run eagerly.
// errors   TENON_E_STATE (something that the step has used is not as it was captured, by name: the
//          table "what it has frozen" of docs/plans.md), TENON_E_ALIAS (an input that is written
//          shares memory with another), TENON_E_PLUGIN (a plugin was deactivated), TENON_E_MEMORY
//          (the first run in another context), those of the launches
TENON_EXPORT tenon_status tenon_plan_run(tenon_context* context, tenon_plan* plan);

// Exchanges declared input `index` for a tensor of the same shape, strides, dtype and device.
// errors   TENON_E_PLAN_SHAPE, TENON_E_ALIAS (memory that the plan itself writes, such as a result)
TENON_EXPORT tenon_status tenon_plan_set(tenon_context* context, tenon_plan* plan, uint32_t index,
                                         tenon_tensor* tensor);

// One line a launch: number, op, kernel's plugin, shapes, scope; then the plan's own memory, and
// the numbers that are frozen. For people and for `tenon plan`.
TENON_EXPORT tenon_status tenon_plan_get_text(tenon_context* context, tenon_plan* plan,
                                              tenon_text** out_text);
TENON_EXPORT void tenon_plan_release(tenon_plan* plan);

#ifdef __cplusplus
}
#endif

#endif  // TENON_OPS_H
