// SPDX-License-Identifier: Apache-2.0
// tenon/context.h: the context: what the calls of one thread share. Errors, random numbers,
// devices, scopes, gradient modes and traces. The conventions are those of tenon/tenon.h.
#ifndef TENON_CONTEXT_H
#define TENON_CONTEXT_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

TENON_EXPORT tenon_status tenon_context_create(tenon_runtime* runtime, tenon_diag* diag,
                                               tenon_context** out_context);

// Tensors outlive it with their data, and lose the graph it recorded.
TENON_EXPORT void tenon_context_release(tenon_context* context);

// The last failure. Strings are zero-terminated, never NULL, empty if not known, and valid until
// the context's next failing call.
typedef struct tenon_error {
  uint32_t struct_size;
  uint32_t flags;
  tenon_status status;
  uint32_t n_causes;          // earlier failures that led to it, nearest first
  uint64_t sequence;          // number of the op call in this context
  const char* message;        // one line, complete by itself
  const char* op;             // "tenon.add"
  const char* operand;        // "b"
  const char* expected;       // "f32[2,3]"
  const char* found;          // "f32[4]"
  const char* plugin;         // "tenon.ref"
  const char* scope;          // "step/encoder", from tenon_scope_begin
  const char* hint;           // what to do
  const char* const* causes;  // [n_causes]
} tenon_error;
TENON_EXPORT tenon_status tenon_context_get_error(tenon_context* context, tenon_error* out_error);

// Makes the call running in `context`, or its next one, return TENON_E_INTERRUPTED. Any thread,
// also a signal handler. A kernel that shares out its work ends halfway if everything it writes is
// new; what was there before is written whole.
TENON_EXPORT tenon_status tenon_context_interrupt(tenon_context* context);

// Seed of the context's random numbers; also sets the counter back to 0. Contexts that should draw
// different numbers get different `stream`s.
TENON_EXPORT tenon_status tenon_context_set_seed(tenon_context* context, uint64_t seed,
                                                 uint64_t stream);

// Seed, stream and counter, for checkpoints; any pointer may be NULL.
TENON_EXPORT tenon_status tenon_context_get_seed(tenon_context* context, uint64_t* out_seed,
                                                 uint64_t* out_stream, uint64_t* out_counter);
TENON_EXPORT tenon_status tenon_context_set_counter(tenon_context* context, uint64_t counter);

// Canonical (default): only kernels that give the op's canonical bits. Fast: the best kernel.
#define TENON_ARITHMETIC_CANONICAL 0u
#define TENON_ARITHMETIC_FAST 1u
TENON_EXPORT tenon_status tenon_context_set_arithmetic(tenon_context* context, uint32_t arithmetic);

// The device of tensors made without one, and of ops without tensor inputs. NULL: host memory.
TENON_EXPORT tenon_status tenon_context_set_device(tenon_context* context,
                                                   const tenon_device* device);

// Finds a device by kind and index. An empty kind is the host-memory device.
// errors   TENON_E_NOT_FOUND (names the folders searched), TENON_E_DEVICE (no such index)
TENON_EXPORT tenon_status tenon_device_find(tenon_context* context, const char* kind,
                                            uint64_t kind_length, int32_t index,
                                            tenon_device* out_device);

// Waits for all work of a device (NULL: of all) and returns its first failure.
TENON_EXPORT tenon_status tenon_device_wait(tenon_context* context, const tenon_device* device);

// Scopes nest; their labels, joined by '/', appear in errors, traces and plan listings.
// errors   end without begin: TENON_E_STATE
TENON_EXPORT tenon_status tenon_scope_begin(tenon_context* context, const char* label,
                                            uint64_t label_length);
TENON_EXPORT tenon_status tenon_scope_end(tenon_context* context);

// Until `end`, parallel work of this context runs on the calling thread alone, in the same pieces
// and so with the same bits: for a program whose own threads each have a context. Scopes nest.
// errors   end without begin: TENON_E_STATE
TENON_EXPORT tenon_status tenon_serial_begin(tenon_context* context);
TENON_EXPORT tenon_status tenon_serial_end(tenon_context* context);

// Gradient modes nest; `end` restores the one before. ENABLED is the mode at creation.
#define TENON_GRAD_ENABLED 0u
#define TENON_GRAD_DISABLED 1u  // nothing is recorded
// Nothing is recorded, and nothing inside can change that: a begin of ENABLED has no effect until
// the end of this mode, and a backward is an error.
#define TENON_GRAD_INFERENCE 2u
TENON_EXPORT tenon_status tenon_grad_begin(tenon_context* context, uint32_t mode);
TENON_EXPORT tenon_status tenon_grad_end(tenon_context* context);

// Records ops, kernels, staging copies and allocations until `end`, which returns Chrome/Perfetto
// JSON ("traceEvents"). One recording per runtime at a time (TENON_E_STATE).
TENON_EXPORT tenon_status tenon_trace_begin(tenon_context* context);
TENON_EXPORT tenon_status tenon_trace_end(tenon_context* context, tenon_text** out_json);

#ifdef __cplusplus
}
#endif

#endif  // TENON_CONTEXT_H
