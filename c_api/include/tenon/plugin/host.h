// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/host.h: the host's tables: what a callback may ask of the host through its
// tenon_call. The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_HOST_H
#define TENON_PLUGIN_HOST_H

#include <tenon/plugin/call.h>

#ifdef __cplusplus
extern "C" {
#endif

// "tenon.host.call/1". Any state.
#define TENON_LOG_ERROR 0u
#define TENON_LOG_WARNING 1u
#define TENON_LOG_INFO 2u
typedef struct tenon_host_call {
  uint32_t struct_size;
  uint32_t flags;
  // Stores an error for the call and returns `status`, so that a callback can end with
  // `return host->fail(...)`. Also legal with the first failure only; later ones become causes.
  tenon_status (*fail)(tenon_call* call, tenon_status status, const char* message,
                       uint64_t message_length);
  // The same with the record's fields; any string may be NULL/0. Lengths may be TENON_NUL.
  tenon_status (*fail_detail)(tenon_call* call, tenon_status status, const char* message,
                              const char* operand, const char* expected, const char* found,
                              const char* hint);
  void (*log)(tenon_call* call, uint32_t level, const char* message, uint64_t message_length);
} tenon_host_call;

// "tenon.host.dispatch/1". States vjp and compose.
//
// Tensors made by `call` belong to the calling callback and are released when it returns; what is
// handed to set_output or set_input_grad is retained by the host.
typedef struct tenon_host_dispatch {
  uint32_t struct_size;
  uint32_t flags;
  // Finds an op by name; NULL (with the error stored) if there is none. Cheap: interned.
  const tenon_op* (*find)(tenon_call* call, const char* name, uint64_t name_length);
  // As tenon_op_call. Absent trailing inputs and attributes may be left out.
  tenon_status (*call)(tenon_call* call, const tenon_op* op, const tenon_value* inputs,
                       uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                       tenon_tensor** out_outputs, uint32_t n_outputs);
  // As tenon_op_call_into.
  tenon_status (*call_into)(tenon_call* call, const tenon_op* op, const tenon_value* inputs,
                            uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                            tenon_tensor* const* outputs, uint32_t n_outputs);
  // Shape, dtype and device of a tensor.
  tenon_status (*meta)(tenon_call* call, const tenon_tensor* tensor, tenon_meta* out_meta);
  // compose only: the composition's output `index`.
  tenon_status (*set_output)(tenon_call* call, uint32_t index, tenon_tensor* tensor);
} tenon_host_dispatch;

// "tenon.host.vjp/1". State vjp.
typedef struct tenon_host_vjp {
  uint32_t struct_size;
  uint32_t flags;
  // Does input `index` require a gradient? For a list: does any of its tensors?
  uint32_t (*wants)(tenon_call* call, uint32_t index);
  // Saved input or output as a value (tensor, list, number, or NONE). An undeclared read is
  // TENON_E_VJP, an overwritten tensor TENON_E_VERSION.
  tenon_status (*get_input)(tenon_call* call, uint32_t index, tenon_value* out_value);
  tenon_status (*get_output)(tenon_call* call, uint32_t index, tenon_value* out_value);
  tenon_status (*get_input_meta)(tenon_call* call, uint32_t index, uint32_t item,
                                 tenon_meta* out_meta);
  tenon_status (*get_output_meta)(tenon_call* call, uint32_t index, tenon_meta* out_meta);
  // Number of tensors of a list input, 1 for a tensor, 0 if absent.
  uint32_t (*get_input_count)(tenon_call* call, uint32_t index);
  tenon_status (*get_attr)(tenon_call* call, uint32_t index, tenon_value* out_value);
  // The gradient of output `index`: a tensor, or NONE under TENON_VJP_ACCEPTS_ABSENT.
  tenon_status (*get_output_grad)(tenon_call* call, uint32_t index, tenon_value* out_value);
  // Sets the gradient of input `index` (`item` of a list, else 0), never NULL. It has the input's
  // dtype and device, and its shape or one that broadcasting made of it: the engine sums that back.
  tenon_status (*set_input_grad)(tenon_call* call, uint32_t index, uint32_t item,
                                 tenon_tensor* grad);
  // Instead: rows `indices` (i64[R]) of input `index` (T[N,...]) have the gradients `values`
  // (T[R,...]); all other rows are zero.
  tenon_status (*accumulate_rows)(tenon_call* call, uint32_t index, tenon_tensor* indices,
                                  tenon_tensor* values);
} tenon_host_vjp;

// "tenon.host.memory/1". State launch.
typedef struct tenon_host_memory {
  uint32_t struct_size;
  uint32_t flags;
  // The scratch that `workspace` announced, 64-byte aligned, on the call's device; NULL if none.
  void* (*scratch)(tenon_call* call, uint64_t* out_bytes);
  // The call's stream, as the backend made it; NULL on host devices.
  void* (*stream)(tenon_call* call);
} tenon_host_memory;

// "tenon.host.threads/1". States launch and data.
// One piece of parallel work: elements [begin, end), the piece number `chunk`. What is not TENON_OK
// ends the work: pieces with higher numbers may be left out. May not call the host.
typedef tenon_status (*tenon_parallel_fn)(void* user, int64_t begin, int64_t end, int64_t chunk);
typedef struct tenon_host_threads {
  uint32_t struct_size;
  uint32_t flags;
  // Calls fn for [0, n) in chunks of `grain`; chunk c is [c*grain, min(n, (c+1)*grain)). The cut
  // depends on n and grain alone, so results may not depend on the number of threads. Nested calls
  // run serially. Returns what the failing chunk with the lowest number returned, the same for any
  // number of threads: all chunks below it have run. It stores no words: end with `fail` and those
  // the chunk left in `user`.
  tenon_status (*parallel_for)(tenon_call* call, int64_t n, int64_t grain, tenon_parallel_fn fn,
                               void* user);
} tenon_host_threads;

// "tenon.host.rng/1". State launch, RANDOM ops.
// Element i uses word i mod 4 of the Philox4x32-10 block whose counter is
// (offset + *device_base + i/4) as 64 bits in words 0 and 1, stream in words 2 and 3. Frozen.
typedef struct tenon_rng {
  uint64_t key;
  uint64_t stream;
  uint64_t offset;
  const uint64_t* device_base;  // in the device's memory; NULL counts as 0
} tenon_rng;
typedef struct tenon_host_rng {
  uint32_t struct_size;
  uint32_t flags;
  tenon_status (*get)(tenon_call* call, tenon_rng* out_rng);
} tenon_host_rng;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_HOST_H
