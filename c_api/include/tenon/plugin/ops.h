// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/ops.h: interface "tenon.ops/1": what an op means. Its schema, its shapes, how it is
// made of other ops; not how a machine runs it (tenon/plugin/kernels.h) and not its gradient
// (tenon/plugin/vjps.h). The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_OPS_H
#define TENON_PLUGIN_OPS_H

#include <tenon/plugin/call.h>

#ifdef __cplusplus
extern "C" {
#endif

// How the output shapes follow from the inputs.
#define TENON_SHAPE_CALLBACK 0u   // `infer`
#define TENON_SHAPE_BROADCAST 1u  // all inputs broadcast together; every output has that shape
#define TENON_SHAPE_SAME_AS_0 2u  // every output has input 0's shape
#define TENON_SHAPE_REDUCE 3u     // input 0 without the axes in attributes "axes", "keepdims"

// What the core itself needs an op for. One holder per role and runtime. Signatures:
#define TENON_ROLE_NONE 0u
#define TENON_ROLE_COPY 1u      // (x: T[...]) -> T[...]                    any layout on both sides
#define TENON_ROLE_FILL 2u      // (*, shape: int[], value: number, dtype: D) -> D[...]
#define TENON_ROLE_CAST 3u      // (x: T[...], *, dtype: U) -> U[...]
#define TENON_ROLE_ADD 4u       // (a: T[...], b: T[...]) -> T[...]         broadcasting
#define TENON_ROLE_SUM_TO 5u    // (x: T[...], *, shape: int[]) -> T[...]   undoes broadcasting
#define TENON_ROLE_ROWS_ADD 6u  // (x!: T[N,...], indices: i64[R], values: T[R,...]) -> ()
#define TENON_ROLE_ISFINITE 7u  // (x: T[...]) -> bool[...]
// (x!: T[...]*, *, group: int) -> (): the sum of each over the processes of a group, see
// tenon/ext/draft/processes.h
#define TENON_ROLE_ALL_REDUCE 8u

#define TENON_OP_ELEMENTWISE \
  1u                        // output element i depends on the inputs' elements i alone; the
                            // kernel sees operands broadcast (stride 0) and collapsed
#define TENON_OP_RANDOM 2u  // draws random numbers (`random_words` says how many)
#define TENON_OP_EFFECT 4u  // must run even when no output is used
#define TENON_OP_LINEAR 8u  // documentation: linear in its tensor inputs
// Signature (x: T[...], *, kind: int, index: int) -> T[...]: the output lies on the device
// {kind, index} (as in tenon_device; kind 0 is host memory), and Tenon itself moves the data there;
// the op has no kernels.
#define TENON_OP_TRANSFER 16u

// Fills out_metas[n_outputs] (shape and dtype preset to the dtype the schema gives, rank 0).
// state [infer]
typedef tenon_status (*tenon_infer_fn)(tenon_call* call, const tenon_launch* args,
                                       tenon_meta* out_metas, uint32_t n_outputs);

// A view op's answer, in elements of input 0's storage, relative to its first element.
typedef struct tenon_view_result {
  int64_t shape[TENON_MAX_RANK];
  int64_t strides[TENON_MAX_RANK];
  int64_t offset;        // added to input 0's offset
  int32_t rank;          // as `infer` says
  uint32_t copy_needed;  // 1: no view exists; the op's kernel runs instead
} tenon_view_result;
typedef tenon_status (*tenon_view_fn)(tenon_call* call, const tenon_launch* args,
                                      tenon_view_result* out);

// The op in terms of others. inputs[n_inputs] and attrs are the call's; the rule sets each wanted
// output with host dispatch->set_output.
// state [compose]
typedef tenon_status (*tenon_compose_fn)(tenon_call* call, const tenon_value* inputs,
                                         uint32_t n_inputs, const tenon_value* attrs,
                                         uint32_t n_attrs);

typedef struct tenon_op_desc {
  uint32_t struct_size;
  uint32_t flags;       // TENON_OP_*
  tenon_string name;    // "vendor.op"; the schema's own name is the part after the last dot
  tenon_string schema;  // docs/schema.md
  tenon_string doc;     // Markdown: what, formula, source, canonical arithmetic
  uint32_t revision;    // from 1; raised when results for unchanged arguments change
  uint32_t shape_rule;  // TENON_SHAPE_*
  uint32_t role;        // TENON_ROLE_*
  uint32_t reserved;
  tenon_infer_fn infer;      // needed for TENON_SHAPE_CALLBACK
  tenon_view_fn view;        // a view op; else NULL
  tenon_compose_fn compose;  // or NULL
  // RANDOM ops: how many 32-bit words the call consumes.
  tenon_status (*random_words)(tenon_call* call, const tenon_launch* args, uint64_t* out_words);
} tenon_op_desc;

typedef struct tenon_ops_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_op_desc* const* descs;  // [count]
} tenon_ops_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_OPS_H
