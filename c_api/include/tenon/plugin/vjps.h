// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/vjps.h: interface "tenon.vjps/1": backward rules (vector-Jacobian products): the
// gradients of an op's inputs from those of its outputs, in terms of ops. The conventions are those
// of tenon/plugin.h.
#ifndef TENON_PLUGIN_VJPS_H
#define TENON_PLUGIN_VJPS_H

#include <tenon/plugin/call.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the gradient of one input needs, as bit masks over slots (bit i = input i / output i).
// Reading anything else is an error. Metadata is shape, dtype and device.
typedef struct tenon_vjp_need {
  uint64_t inputs;
  uint64_t outputs;
  uint64_t input_metas;
  uint64_t output_metas;
} tenon_vjp_need;

#define TENON_VJP_ACCEPTS_ABSENT 1u  // absent output gradients arrive as NONE, not as zeros
#define TENON_VJP_TWICE 2u           // the rule's own ops are differentiable (create_graph)

// Reads through the host table "tenon.host.vjp/1", calls ops through "tenon.host.dispatch/1", and
// sets the gradient of every wanted input (leaving one unset means: zero).
// state [vjp]
typedef tenon_status (*tenon_vjp_fn)(tenon_call* call, void* user);

typedef struct tenon_vjp_desc {
  uint32_t struct_size;
  uint32_t flags;  // TENON_VJP_*
  tenon_string op;
  uint32_t revision;
  int32_t priority;
  uint32_t n_inputs;   // schema inputs known when built
  uint32_t n_outputs;  // schema outputs known when built
  uint32_t n_attrs;    // attributes known when built
  uint32_t reserved;
  const tenon_vjp_need* needs;  // [n_inputs]
  uint64_t non_differentiable;  // bit i: input i never has a gradient (indices, masks)
  tenon_vjp_fn vjp;
  void* user;
} tenon_vjp_desc;

typedef struct tenon_vjps_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_vjp_desc* const* descs;
} tenon_vjps_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_VJPS_H
