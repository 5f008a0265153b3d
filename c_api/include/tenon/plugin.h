// SPDX-License-Identifier: Apache-2.0
// tenon/plugin.h: what a plugin and the host say to each other.
//
// A plugin is a folder: a shared library and the `plugin.json` beside it. The library exports ONE
// function, tenon_plugin_query_v0, and links nothing of Tenon. In it the plugin states its versions
// and hands out tables (`tenon.ops/1`, `tenon.kernels/1`, ...) that are plain data. The host reads
// them in one transaction: all of a plugin's entries or none.
//
// Who owns what: all tables, descriptors and strings of a plugin are static data that live as long
// as the library, which is never unmapped. The host copies nothing it can borrow.
//
// Threads: unless a comment says otherwise a callback runs on the thread that entered Tenon, and is
// never called under a lock. Callbacks of one plugin may run on several threads at once (one per
// context), so descriptors are immutable and `self` must be thread-safe.
//
// Call states. Every callback receives a tenon_call; it is valid until the callback returns.
//
//   state     callbacks                        may call ops   may launch parallel work
//   infer     infer, view, random_words        no             no
//   prepare   prepare, workspace, predicate    no             no
//   launch    launch                           no             yes
//   vjp       vjp                              yes            no
//   compose   compose                          yes            no
//   data      dataset callbacks                no             yes
//
// Errors: report with host call->fail(call, status, message), and return the same status. Nothing
// may be thrown across the boundary, and no callback may end the process or print.
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// One callback's window to the host, owned by the host. The host keeps more behind these members.
// Every table pointer is set in every state; a function called in a state that its table does not
// allow returns TENON_E_STATE (or does nothing, where it returns no status). Frozen.
typedef struct tenon_call {
  const struct tenon_host* host;
  void* self;                                  // what the plugin's `init` stored
  const struct tenon_host_call* base;          // "tenon.host.call/1"
  const struct tenon_host_dispatch* dispatch;  // "tenon.host.dispatch/1"
  const struct tenon_host_vjp* vjp;            // "tenon.host.vjp/1"
  const struct tenon_host_memory* memory;      // "tenon.host.memory/1"
  const struct tenon_host_threads* threads;    // "tenon.host.threads/1"
  const struct tenon_host_rng* rng;            // "tenon.host.rng/1"
} tenon_call;

// ---- Handshake ----------------------------------------------------------------------------------

// Compared member by member; a difference refuses the plugin.
#define TENON_SANITIZER_NONE 0u
#define TENON_SANITIZER_ADDRESS 1u
#define TENON_SANITIZER_THREAD 2u
// What this translation unit is instrumented with.
#if defined(__SANITIZE_ADDRESS__)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define TENON_SANITIZER_BUILT TENON_SANITIZER_THREAD
#endif
#endif
#ifndef TENON_SANITIZER_BUILT
#define TENON_SANITIZER_BUILT TENON_SANITIZER_NONE
#endif
// The bytes 1, 2, 3, 4 read as one number of this machine.
#define TENON_BYTE_ORDER_BUILT \
  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0x04030201u : 0x01020304u)
typedef struct tenon_fingerprint {
  uint32_t pointer_bits;  // 64
  uint32_t byte_order;    // TENON_BYTE_ORDER_BUILT
  uint32_t sanitizer;     // TENON_SANITIZER_*
  uint32_t draft;         // TENON_ABI_DRAFT
} tenon_fingerprint;
// Initialises a tenon_fingerprint as this translation unit is built. since 0.1
#define TENON_FINGERPRINT_BUILT \
  { 8u * sizeof(void*), TENON_BYTE_ORDER_BUILT, TENON_SANITIZER_BUILT, TENON_ABI_DRAFT }

// What the host offers. Received by the plugin; borrowed, and valid as long as the runtime.
typedef struct tenon_host tenon_host;
struct tenon_host {
  uint32_t struct_size;
  uint32_t flags;  // 0
  uint32_t abi_major;
  uint32_t abi_minor;
  tenon_fingerprint fingerprint;
  // Returns a host table by its id, for example "tenon.host.call/1", or NULL when this host has
  // none. The table lives as long as the process.
  const void* (*get_interface)(const tenon_host* host, const char* id, uint64_t id_length);
  void* reserved;
};

// What the plugin states. Zeroed by the host; struct_size is set to what the host can read.
typedef struct tenon_plugin {
  uint32_t struct_size;
  uint32_t flags;  // 0
  uint32_t built_major;
  uint32_t built_minor;
  uint32_t required_minor;  // the host refuses only where this is above its own
  uint32_t reserved;
  tenon_fingerprint fingerprint;
  tenon_string id;       // "vendor.name", equal to the manifest's
  tenon_string version;  // the plugin's own
  tenon_string license;  // SPDX expression
  // Once per runtime, first of all (and again after TENON_E_MEMORY); `*out_self` comes back in
  // tenon_call.self. Keep no static host pointer: a process may hold two runtimes.
  tenon_status (*init)(const tenon_host* host, void** out_self, tenon_diag* diag);
  // Once per runtime, after its last object is gone. Never fails.
  void (*release)(void* self);
  // Returns a table by its id ("tenon.ops/1"), or NULL. Never NULL itself.
  const void* (*get_interface)(void* self, const char* id, uint64_t id_length);
} tenon_plugin;

// The one exported function. Returns TENON_OK, or a status with words in `diag`.
#define TENON_PLUGIN_QUERY_NAME "tenon_plugin_query_v0"
typedef tenon_status (*tenon_plugin_query_fn)(const tenon_host* host, tenon_plugin* out,
                                              tenon_diag* diag);

// ---- Launch block -------------------------------------------------------------------------------

// One call's operands, self-contained and immutable. Frozen. Slots are the schema's inputs, then
// its outputs. Slot s has the views slot_begin[s] .. slot_begin[s+1]-1: one; none for an absent
// optional input or an unwanted aux output; n for a list. In `infer`, `view`, `random_words`,
// `prepare`, `workspace` and `predicate` every data pointer is NULL except that of views flagged
// TENON_VIEW_HOST_SCALAR; in `infer` and `view` the output slots are empty.
typedef struct tenon_launch {
  const uint32_t* slot_begin;  // [n_slots + 1]
  const tenon_view* views;
  const tenon_value* attrs;  // [n_attrs], defaults filled in; NONE where optional and not given
  void* prepared;            // what `prepare` made, or NULL
  void* user;                // the descriptor's `user`
  uint32_t n_slots;
  uint32_t n_inputs;  // slots that are inputs
  uint32_t n_attrs;
  uint32_t flags;  // 0
} tenon_launch;

// ---- Ops: interface "tenon.ops/1" ---------------------------------------------------------------

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

// ---- Kernels: interface "tenon.kernels/1" -------------------------------------------------------

#define TENON_SLOT_IN 0u
#define TENON_SLOT_OUT 1u
#define TENON_SLOT_INOUT 2u
#define TENON_SLOT_ACCUM 3u  // an output the kernel adds to; the dispatcher zeroes it first

// Which layouts a slot accepts; the dispatcher stages the rest through a temporary.
#define TENON_LAYOUT_CONTIGUOUS 0u        // row-major, no gaps
#define TENON_LAYOUT_INNER_CONTIGUOUS 1u  // last dimension has stride 1 (or size 1)
#define TENON_LAYOUT_DENSE 2u             // any order of dimensions, no gaps, no overlap
#define TENON_LAYOUT_STRIDED 3u           // any strides > 0

// Bits that widen what a slot accepts.
#define TENON_SLOT_ZERO_STRIDE 1u      // stride 0 in dimensions larger than 1 (inputs)
#define TENON_SLOT_NEGATIVE_STRIDE 2u  // negative strides
#define TENON_SLOT_HOST_SCALAR 4u      // a number in host memory, a view flagged HOST_SCALAR
#define TENON_SLOT_UNALIGNED 8u        // addresses that are no multiple of the element size

typedef struct tenon_slot_rule {
  uint32_t role;      // TENON_SLOT_IN ... ACCUM
  uint32_t layout;    // TENON_LAYOUT_*
  uint32_t flags;     // TENON_SLOT_*
  uint32_t max_rank;  // 0: TENON_MAX_RANK; after collapsing, for elementwise ops
} tenon_slot_rule;

#define TENON_KERNEL_CAPTURE_SAFE 1u  // `launch` only enqueues: it may be replayed from a plan
#define TENON_KERNEL_CANONICAL 2u     // gives the bits of the op's canonical arithmetic
#define TENON_KERNEL_NO_HOST_SYNC 4u  // never waits for the device
#define TENON_KERNEL_INDEX_64 8u      // handles operands of more than 2^31 - 1 elements

typedef struct tenon_kernel_desc {
  uint32_t struct_size;
  uint32_t flags;                 // TENON_KERNEL_*
  tenon_string op;                // "tenon.add"
  tenon_string device;            // device kind, "cpu"
  uint32_t revision;              // of the op
  int32_t priority;               // higher wins; ties go to the plugin id that sorts first
  const tenon_slot_rule* slots;   // [n_slots] schema inputs, then outputs, as built against
  const tenon_dtype* dtype_rows;  // [n_rows][n_variables], in order of the schema's variables
  uint32_t n_slots;
  uint32_t n_attrs;  // attributes known when built
  uint32_t n_rows;
  uint32_t n_variables;
  // Each of the next four may be NULL, the last two together.
  // Bytes of scratch that `launch` will ask for. state [prepare]
  tenon_status (*workspace)(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes);
  // 0 in *out_accepts declines what data cannot say; give the reason with fail's message.
  tenon_status (*predicate)(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts);
  // May allocate and compile; the result is immutable, cached by shapes, strides, dtypes,
  // attributes and device, and may be launched by several threads. state [prepare]
  tenon_status (*prepare)(tenon_call* call, const tenon_launch* args, void** out_prepared);
  void (*release_prepared)(void* user, void* prepared);
  // Runs the work, or enqueues it on the call's stream. Writes every element of its outputs and
  // nothing else. Keeps no pointer. state [launch]
  tenon_status (*launch)(tenon_call* call, const tenon_launch* args);
  void* user;  // handed back in tenon_launch.user
} tenon_kernel_desc;

typedef struct tenon_kernels_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_kernel_desc* const* descs;
} tenon_kernels_table;

// ---- Backward rules: interface "tenon.vjps/1" ---------------------------------------------------

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

// ---- Backends: interface "tenon.backend/1" ------------------------------------------------------

#define TENON_BACKEND_HOST_MEMORY \
  1u  // the host may read and write this device's memory, and all
      // work has finished when a callback returns

#define TENON_COPY_TO_DEVICE 0u
#define TENON_COPY_TO_HOST 1u
#define TENON_COPY_ON_DEVICE 2u

// One device kind. `self` is the plugin's; `index` counts devices of this kind from 0; a NULL
// stream is the device's default stream. No slot is NULL. Callable from any thread.
typedef struct tenon_backend_table {
  uint32_t struct_size;
  uint32_t flags;     // TENON_BACKEND_*
  tenon_string kind;  // "cpu"
  tenon_string doc;
  // Number of usable devices; 0 with words in `diag` says why there is none.
  tenon_status (*device_count)(void* self, int32_t* out_count, tenon_diag* diag);
  // Raw memory, aligned to 64 bytes. TENON_E_MEMORY where there is none left.
  tenon_status (*alloc)(void* self, int32_t index, uint64_t bytes, void** out_data);
  void (*free)(void* self, int32_t index, void* data, uint64_t bytes);
  // Raw copy of `bytes` without overlap, ordered on `stream`; one side is host memory unless
  // direction is ON_DEVICE.
  tenon_status (*copy)(void* self, int32_t index, void* stream, uint32_t direction,
                       void* destination, const void* source, uint64_t bytes);
  tenon_status (*stream_create)(void* self, int32_t index, void** out_stream);
  void (*stream_release)(void* self, int32_t index, void* stream);
  // Waits for all work of `stream`; returns the first failure since the last wait.
  // TENON_E_DEVICE_LOST from here or from any other slot: nothing but release, free and wait is
  // asked of that device again.
  tenon_status (*stream_wait)(void* self, int32_t index, void* stream, tenon_diag* diag);
  tenon_status (*event_create)(void* self, int32_t index, void** out_event);
  void (*event_release)(void* self, int32_t index, void* event);
  tenon_status (*event_record)(void* self, int32_t index, void* event, void* stream);
  // Makes later work of `stream` wait for `event`.
  tenon_status (*event_wait)(void* self, int32_t index, void* event, void* stream);
  // *out_done = 1 when the work before the event has finished.
  tenon_status (*event_query)(void* self, int32_t index, void* event, uint32_t* out_done,
                              tenon_diag* diag);
} tenon_backend_table;

// Optional interface "tenon.backend.pinned/1": host memory that `copy` reads and writes while the
// host goes on. Without it, copies from host memory are waited for. No slot is NULL.
typedef struct tenon_backend_pinned_table {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // Host memory, aligned to 64 bytes. TENON_E_MEMORY where there is none left.
  tenon_status (*alloc)(void* self, uint64_t bytes, void** out_data);
  void (*free)(void* self, void* data, uint64_t bytes);
} tenon_backend_pinned_table;

// ---- Optimizers: interface "tenon.optimizers/1" -------------------------------------------------

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
// and `values: T[...]*` in the place of `grads`.
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

// ---- Self test: interface "tenon.selftest/1" ----------------------------------------------------

// A call that must work (expect = TENON_OK) or must be refused with `expect` and a message that
// contains `fragment`. The text's grammar is "sample/1" in docs/schema.md.
typedef struct tenon_sample {
  tenon_string op;
  tenon_string text;      // "f32[2,3](-2,2), f32[3] | axis=1"
  tenon_string fragment;  // empty where expect is TENON_OK
  tenon_status expect;
  uint32_t revision;
} tenon_sample;

typedef struct tenon_selftest_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_sample* samples;  // [count]
} tenon_selftest_table;

// Optional interface "tenon.selftest.tolerances/1": how far a right kernel's results may lie from
// the exact ones where bits may differ (the order of a sum, a library's exp). An output without a
// tolerance must be equal bit for bit. A value passes when its bits are equal, or when
//   |found - expected| <= max(ulp * (distance of expected to the next number of the dtype),
//                             relative * largest finite |value| of the expected output)
typedef struct tenon_tolerance {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string op;
  tenon_string reason;  // one sentence, never empty
  uint32_t revision;
  tenon_dtype dtype;  // of the output
  double ulp;         // 0 or more, finite
  double relative;    // 0 or more, finite
} tenon_tolerance;

typedef struct tenon_tolerances_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_tolerance* const* descs;
} tenon_tolerances_table;

// Optional interface "tenon.selftest.optimizers/1": runs of an optimizer that must work, or whose
// creation must be refused with `expect` and a message that contains `fragment`.
typedef struct tenon_optimizer_sample {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string optimizer;
  tenon_string text;      // sample/1: parameters | hyper-parameters, "f32[3,2], f32[5] | lr=0.1"
  tenon_string fragment;  // empty where expect is TENON_OK
  tenon_status expect;
  uint32_t steps;  // at least 1 where expect is TENON_OK
} tenon_optimizer_sample;

typedef struct tenon_optimizer_samples_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_optimizer_sample* const* descs;
} tenon_optimizer_samples_table;

// ---- Host tables --------------------------------------------------------------------------------

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
  // Finds an op by name; NULL (with the error stored) where there is none. Cheap: interned.
  const tenon_op* (*find)(tenon_call* call, const char* name, uint64_t name_length);
  // As tenon_op_call. Absent trailing inputs and attributes may be left out.
  tenon_status (*call)(tenon_call* call, const tenon_op* op, const tenon_value* inputs,
                       uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs,
                       tenon_tensor** out_outputs, uint32_t n_outputs);
  // As tenon_op_apply.
  tenon_status (*apply)(tenon_call* call, const tenon_op* op, const tenon_value* inputs,
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
  // Does input `index` want a gradient? For a list: does any of its tensors?
  uint32_t (*wants)(tenon_call* call, uint32_t index);
  // Saved input or output as a value (tensor, list, number, or NONE). An undeclared read is
  // TENON_E_VJP, an overwritten tensor TENON_E_VERSION.
  tenon_status (*get_input)(tenon_call* call, uint32_t index, tenon_value* out_value);
  tenon_status (*get_output)(tenon_call* call, uint32_t index, tenon_value* out_value);
  tenon_status (*get_input_meta)(tenon_call* call, uint32_t index, uint32_t item,
                                 tenon_meta* out_meta);
  tenon_status (*get_output_meta)(tenon_call* call, uint32_t index, tenon_meta* out_meta);
  // Number of tensors of a list input, 1 for a tensor, 0 where absent.
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
typedef void (*tenon_parallel_fn)(void* user, int64_t begin, int64_t end, int64_t chunk);
typedef struct tenon_host_threads {
  uint32_t struct_size;
  uint32_t flags;
  // Calls fn for [0, n) in chunks of `grain`; chunk c is [c*grain, min(n, (c+1)*grain)). The cut
  // depends on n and grain alone, so results may not depend on the number of threads. Nested calls
  // run serially. `fn` must not call the host.
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

#endif  // TENON_PLUGIN_H
