// SPDX-License-Identifier: Apache-2.0
// tenon/tenon.h: Tenon for programs. With tenon/gradients.h, which it includes, everything libtenon
// exports.
//
// Conventions of every function here, stated once:
//  status   Calls that can fail return a tenon_status; results come last (`out_...`) and are
//  written
//           only on success. A failing call changes nothing and stores a record in the context that
//           tenon_context_get_error reads. Every function that takes handles can return
//           TENON_E_HANDLE (NULL, released, wrong kind), TENON_E_ARGUMENT (NULL pointer, bad
//           number), TENON_E_RUNTIME (operands of another runtime), TENON_E_MEMORY and
//           TENON_E_INTERRUPTED; comments below list the others.
//  memory   Arguments are borrowed until the call returns. What `create`, `call` and `retain`
//           return is owned by the caller and given back with the type's `release`; what `get` and
//           `find` return is borrowed from the object asked.
//  threads  A context is used by one thread at a time, a runtime by any. `release` is legal on any
//           thread, with NULL, and never fails.
//  state    May not be called from a plugin's callback (plugins have tenon_host); where a callback
//           does so anyway it gets TENON_E_STATE.
//  since    0.1 (draft), all of it.
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Library, texts -----------------------------------------------------------------------------

// The library's version and ABI draft; any pointer may be NULL. Never fails.
TENON_EXPORT void tenon_version_get(uint32_t* out_major, uint32_t* out_minor, uint32_t* out_patch,
                                    uint32_t* out_draft);

// The name of a status, "TENON_E_SHAPE"; a static string, never NULL.
TENON_EXPORT const char* tenon_status_get_name(tenon_status status);

// Bytes and length of a text, zero-terminated; borrowed until its release.
TENON_EXPORT tenon_status tenon_text_get(const tenon_text* text, const char** out_data,
                                         uint64_t* out_length);
TENON_EXPORT void tenon_text_release(tenon_text* text);

// ---- Runtime ------------------------------------------------------------------------------------

#define TENON_POLICY_OWNED 0u  // refuse plugins that others than root and the user could change
#define TENON_POLICY_ANY 1u
// Only libraries whose sha256 the lock file `allowlist` states, written by `tenon plugin lock`. The
// bytes that were hashed are the bytes that run: they are copied to sealed memory first.
#define TENON_POLICY_ALLOWLIST 2u

#define TENON_RUNTIME_NO_DEFAULT_PATHS 1u  // only `paths` are searched
#define TENON_RUNTIME_NO_ENVIRONMENT 2u    // TENON_* variables are not read

// All zero is a good default.
typedef struct tenon_runtime_options {
  uint32_t struct_size;
  uint32_t flags;  // TENON_RUNTIME_*
  // Folders that hold plugin folders; searched first, in order. Then come TENON_PLUGIN_PATH, the
  // user's and the system's folder, and the `plugins` folder beside libtenon.
  const tenon_string* paths;
  uint32_t n_paths;
  uint32_t policy;  // TENON_POLICY_*
  int32_t threads;  // compute threads; 0: as many as the process may use
  uint32_t n_exclude;
  const tenon_string* exclude;  // ids of plugins to leave out
  uint64_t memory_limit;        // bytes per device; 0: none
  // Check modes, comma separated, added to TENON_CHECK: layout finite threads launch handles.
  tenon_string check;
  tenon_string allowlist;  // TENON_POLICY_ALLOWLIST: path of the lock file
} tenon_runtime_options;

// Creates a runtime: finds plugins by reading their manifests and opens none of them.
// options  may be NULL
// diag     words for a failure; may be NULL
// errors   TENON_E_ARGUMENT, TENON_E_MEMORY; a broken plugin is no error here, see the report
TENON_EXPORT tenon_status tenon_runtime_create(const tenon_runtime_options* options,
                                               tenon_diag* diag, tenon_runtime** out_runtime);

// Closes the runtime: its contexts must no longer be used, its tensors stay readable through
// contexts no more, and its memory goes when the last object does.
TENON_EXPORT void tenon_runtime_release(tenon_runtime* runtime);

// What the runtime knows, as JSON. Topics:
//   "plugins"     each plugin found: id, folder, state, why it was refused, what it lists
//   "devices"     each device kind: indices, roles, can it do autograd, why not
//   "ops"         each op: schema, documentation, flags, kernels, backward rule
//   "optimizers"  "datasets"  "formats"
//   "samples"  "tolerances"  "optimizer_samples"  what plugins say to test themselves with
//   "paths"       the folders searched, in order, and what was wrong with each
//   "hashes"      sha256 of each plugin's library as it is now on disk
//   "stats"       live objects, memory per device, launches
//   "environment" threads, check modes, CPU limits
//   "log"         the newest lines plugins have logged
// All but "plugins", "paths", "hashes", "stats", "environment" and "log" open every permitted
// plugin. errors   TENON_E_NOT_FOUND
TENON_EXPORT tenon_status tenon_runtime_query(tenon_context* context, const char* topic,
                                              uint64_t topic_length, tenon_text** out_json);

// Prefers kernels of `plugin` for `op` (empty: for all ops) in this runtime, whatever their
// priority and arithmetic; an empty `plugin` takes the pin back. The word "composition" in the
// place of a plugin prefers an op's composition in other ops, where it has one, to all kernels.
// errors   TENON_E_NOT_FOUND where no such plugin was found, TENON_E_PLUGIN where it cannot be used
TENON_EXPORT tenon_status tenon_runtime_set_pin(tenon_context* context, const char* op,
                                                uint64_t op_length, const char* plugin,
                                                uint64_t plugin_length);

// Takes a plugin out of use in this runtime, for good: nothing of it is found, chosen or called
// again. Waits until the calls that are running in other contexts have returned and devices have
// finished, then drops its prepared kernel objects. What it made lives on: tensors keep their data,
// and memory of its devices is given back to it. Calls that need it fail with TENON_E_PLUGIN; where
// another plugin offers a kernel or rule too, that takes over. The library stays mapped. A second
// time changes nothing.
// errors   TENON_E_NOT_FOUND, TENON_E_CAPTURE (while this context captures), TENON_E_INTERRUPTED
//          (out of use, but calls may still be running inside)
TENON_EXPORT tenon_status tenon_plugin_deactivate(tenon_context* context, const char* id,
                                                  uint64_t id_length);

// Adds a plugin that is part of the program: `query` does what the function of that name does in a
// plugin's library (tenon/plugin.h), so that ops, gradients, kernels and the rest can be defined
// without a file. All of it is registered or, on an error, none of it. Its code must stay where it
// is until the runtime is gone; `deactivate` takes it out of use as any other. No policy applies.
// errors   TENON_E_PLUGIN (the words say what is wrong; also where another plugin has a name of its
//          already), TENON_E_CAPTURE
struct tenon_host;
struct tenon_plugin;
TENON_EXPORT tenon_status tenon_plugin_load(tenon_context* context,
                                            tenon_status (*query)(const struct tenon_host* host,
                                                                  struct tenon_plugin* out,
                                                                  tenon_diag* diag));

// Bytes of memory each device of this runtime may hold; 0: no limit.
TENON_EXPORT tenon_status tenon_runtime_set_memory_limit(tenon_context* context, uint64_t bytes);

typedef struct tenon_stats {
  uint32_t struct_size;
  uint32_t flags;
  int64_t tensors;          // live tensor handles of this runtime
  int64_t storages;         // live storages
  int64_t nodes;            // live graph nodes of this context
  int64_t plans;            // live plans
  uint64_t bytes_live;      // all devices
  uint64_t bytes_peak;      // highest bytes_live
  uint64_t bytes_reserved;  // held from backends
  uint64_t allocations;     // storages allocated so far
  uint64_t launches;        // kernels launched so far by this context
} tenon_stats;

// Finishes pending releases of this context's graph, then counts.
TENON_EXPORT tenon_status tenon_runtime_get_stats(tenon_context* context, tenon_stats* out_stats);

// ---- Context ------------------------------------------------------------------------------------

TENON_EXPORT tenon_status tenon_context_create(tenon_runtime* runtime, tenon_diag* diag,
                                               tenon_context** out_context);

// Tensors outlive it with their data, and lose the graph it recorded.
TENON_EXPORT void tenon_context_release(tenon_context* context);

// The last failure. Strings are zero-terminated, never NULL, empty where not known, and valid until
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
// also a signal handler.
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
TENON_EXPORT tenon_status tenon_device_run(tenon_context* context, const tenon_device* device);

// Scopes nest; their labels, joined by '/', stand in errors, traces and plan listings.
// errors   end without begin: TENON_E_STATE
TENON_EXPORT tenon_status tenon_scope_begin(tenon_context* context, const char* label,
                                            uint64_t label_length);
TENON_EXPORT tenon_status tenon_scope_end(tenon_context* context);

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

// ---- Tensors ------------------------------------------------------------------------------------

// Creates a tensor with undefined contents, row-major.
// device   NULL: the context's
// shape    [rank], each >= 0; NULL only for rank 0
// errors   TENON_E_SHAPE (rank, negative or overflowing sizes), TENON_E_DTYPE, TENON_E_DEVICE
TENON_EXPORT tenon_status tenon_tensor_create(tenon_context* context, tenon_dtype dtype,
                                              const tenon_device* device, int32_t rank,
                                              const int64_t* shape, tenon_tensor** out_tensor);

// The same with contents copied from host memory: row-major, `bytes` of it, which must be exactly
// what shape and dtype need.
TENON_EXPORT tenon_status tenon_tensor_create_from(tenon_context* context, tenon_dtype dtype,
                                                   const tenon_device* device, int32_t rank,
                                                   const int64_t* shape, const void* data,
                                                   uint64_t bytes, tenon_tensor** out_tensor);

// Wraps host memory of the caller without copying; strides in elements, NULL: row-major.
// `deleter(user)` (may be NULL) runs once when the last user is gone, on any thread.
// flags    TENON_VIEW_READ_ONLY: Tenon refuses to write it
TENON_EXPORT tenon_status tenon_tensor_create_external(tenon_context* context, tenon_dtype dtype,
                                                       int32_t rank, const int64_t* shape,
                                                       const int64_t* strides, void* data,
                                                       uint32_t flags, void (*deleter)(void* user),
                                                       void* user, tenon_tensor** out_tensor);

// Another window on `base`'s storage: strides in elements, offset from the storage's start. It may
// overlap itself (it can then be read, not written). Not differentiable: under grad, detach first.
// errors   TENON_E_LAYOUT (leaves the storage), TENON_E_GRAD
TENON_EXPORT tenon_status tenon_tensor_create_view(tenon_context* context, tenon_tensor* base,
                                                   int32_t rank, const int64_t* shape,
                                                   const int64_t* strides, int64_t offset,
                                                   tenon_tensor** out_view);

// The same data without history; shares storage.
TENON_EXPORT tenon_status tenon_tensor_create_detached(tenon_context* context, tenon_tensor* tensor,
                                                       tenon_tensor** out_tensor);

// A copy on another device (NULL: the context's), without history: a new leaf.
TENON_EXPORT tenon_status tenon_tensor_create_copy(tenon_context* context, tenon_tensor* tensor,
                                                   const tenon_device* device,
                                                   tenon_tensor** out_tensor);

// One more owner of the same handle. Any thread.
TENON_EXPORT tenon_status tenon_tensor_retain(tenon_tensor* tensor);
TENON_EXPORT void tenon_tensor_release(tenon_tensor* tensor);

// Address, shape, strides, dtype, device; pointers borrowed from the tensor. `data` may be read or
// written by the host only where tenon_tensor_info.flags has HOST; Tenon does not see such writes.
TENON_EXPORT tenon_status tenon_tensor_get_view(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_view* out_view);

#define TENON_TENSOR_CONTIGUOUS 1u
#define TENON_TENSOR_HOST 2u      // memory of the host
#define TENON_TENSOR_EXTERNAL 4u  // memory Tenon does not own
#define TENON_TENSOR_READ_ONLY 8u
#define TENON_TENSOR_REQUIRES_GRAD 16u  // a gradient flows through it
#define TENON_TENSOR_LEAF 32u           // not made by a recorded op
#define TENON_TENSOR_HAS_GRAD 64u
#define TENON_TENSOR_GRAD_ROWS 128u  // the gradient is held as rows
typedef struct tenon_tensor_info {
  uint32_t struct_size;
  uint32_t flags;  // TENON_TENSOR_*
  int64_t elements;
  int64_t offset;    // elements from the storage's start
  uint64_t storage;  // equal for tensors that share memory
  uint64_t storage_bytes;
  uint64_t version;       // advanced by every write through Tenon
  int64_t storage_users;  // tensors and saved values that hold the storage
  const char* plugin;     // whose memory it is
  const char* node;       // op of this context that made it, "" for leaves
} tenon_tensor_info;
TENON_EXPORT tenon_status tenon_tensor_get_info(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_tensor_info* out_info);

// Copies host memory in, or out, row-major whatever the tensor's strides; `bytes` must be exact.
// Waits for the device. set_data counts as an in-place write (errors as for it).
// errors   TENON_E_SHAPE (bytes), TENON_E_CAPTURE, TENON_E_GRAD, TENON_E_ALIAS
TENON_EXPORT tenon_status tenon_tensor_set_data(tenon_context* context, tenon_tensor* tensor,
                                                const void* data, uint64_t bytes);
TENON_EXPORT tenon_status tenon_tensor_get_data(tenon_context* context, const tenon_tensor* tensor,
                                                void* out_data, uint64_t bytes);

// The only element, as F64, I64 or BOOL.
// errors   TENON_E_SHAPE (not one element), TENON_E_CAPTURE
TENON_EXPORT tenon_status tenon_tensor_get_item(tenon_context* context, const tenon_tensor* tensor,
                                                tenon_value* out_value);

// For people: values in NumPy's shortened form with shape, dtype, device, requires_grad. With
// TENON_TEXT_INFO also strides, offset, storage, version, min, max, mean, NaN count.
#define TENON_TEXT_INFO 1u
TENON_EXPORT tenon_status tenon_tensor_get_text(tenon_context* context, const tenon_tensor* tensor,
                                                uint32_t flags, tenon_text** out_text);

// DLPack. `managed` is a DLManagedTensorVersioned* of version 1.x; on success the tensor owns it
// and calls its deleter when the last user is gone. Where the major version is another, the deleter
// is called and TENON_E_UNSUPPORTED returned.
TENON_EXPORT tenon_status tenon_tensor_create_dlpack(tenon_context* context, void* managed,
                                                     tenon_tensor** out_tensor);
// Returns a DLManagedTensorVersioned* that keeps the storage alive until its deleter is called.
// errors   TENON_E_GRAD for a tensor that requires grad: detach it first
TENON_EXPORT tenon_status tenon_tensor_get_dlpack(tenon_context* context, tenon_tensor* tensor,
                                                  void** out_managed);

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
// inputs   [n_inputs] in the schema's order; NONE where optional; numbers are weak scalars.
// Trailing
//          optional inputs may be left out.
// attrs    [n_attrs] in the schema's order; NONE or left out: the default
// outputs  [n_outputs], at most as many as the schema has; a NULL-able aux output that is not asked
//          for is left out at the end
// dtypes   promoted where the schema says so, else equal
// errors   TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_DEVICE, TENON_E_ATTRIBUTE, TENON_E_NO_KERNEL,
//          TENON_E_NO_ROLE, TENON_E_ALIAS, TENON_E_GRAD, TENON_E_GRAPH_OWNER
TENON_EXPORT tenon_status tenon_op_call(tenon_context* context, const tenon_op* op,
                                        const tenon_value* inputs, uint32_t n_inputs,
                                        const tenon_value* attrs, uint32_t n_attrs,
                                        tenon_tensor** out_outputs, uint32_t n_outputs);

// Applies `op` and writes into outputs[n_outputs], which must have the inferred shape, dtype and
// device; any layout that does not overlap itself. Where outputs overlap inputs the result is as if
// all inputs had been read first. An output that is also an input (the same handle) is in-place.
TENON_EXPORT tenon_status tenon_op_apply(tenon_context* context, const tenon_op* op,
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

// Ends recording. Storages the launches touch stay alive as long as the plan; tensors held by the
// caller keep naming them and are overwritten by each run.
// errors   TENON_E_STATE, TENON_E_CAPTURE (a launch that cannot be replayed, by name)
TENON_EXPORT tenon_status tenon_capture_end(tenon_context* context, tenon_plan** out_plan);

// Replays all launches once: no allocation, no look-up, no graph. Advances the versions of all that
// it writes, and the random counter as if the step had run eagerly.
// errors   TENON_E_STATE (a hyper-parameter that is not dynamic, or a layer's training, is not as
//          it was captured), TENON_E_ALIAS (an input that is written shares memory with another),
//          TENON_E_PLUGIN (a plugin was deactivated), those of the launches
TENON_EXPORT tenon_status tenon_plan_run(tenon_context* context, tenon_plan* plan);

// Exchanges declared input `index` for a tensor of the same shape, strides, dtype and device.
// errors   TENON_E_PLAN_SHAPE, TENON_E_ALIAS (memory that the plan itself writes, such as a result)
TENON_EXPORT tenon_status tenon_plan_set(tenon_context* context, tenon_plan* plan, uint32_t index,
                                         tenon_tensor* tensor);

// One line a launch: number, op, kernel's plugin, shapes, scope.
TENON_EXPORT tenon_status tenon_plan_get_text(tenon_context* context, tenon_plan* plan,
                                              tenon_text** out_text);
TENON_EXPORT void tenon_plan_release(tenon_plan* plan);

// ---- Optimizers ---------------------------------------------------------------------------------

// Creates an optimizer over params[n_params], leaves that require grad, all on one runtime.
// names, values  hyper-parameters that differ from their defaults
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, wrong type, out of range), TENON_E_GRAD
TENON_EXPORT tenon_status tenon_optimizer_create(tenon_context* context, const char* name,
                                                 uint64_t name_length, tenon_tensor* const* params,
                                                 uint32_t n_params, const tenon_string* names,
                                                 const tenon_value* values, uint32_t n_values,
                                                 tenon_optimizer** out_optimizer);
TENON_EXPORT void tenon_optimizer_release(tenon_optimizer* optimizer);

// One step: updates every parameter that has a gradient. Nothing is recorded for backward.
#define TENON_OPTIMIZER_CLEAR_GRAD 1u  // afterwards drop the gradients
TENON_EXPORT tenon_status tenon_optimizer_run(tenon_context* context, tenon_optimizer* optimizer,
                                              uint32_t flags);

// A hyper-parameter by name. Dynamic ones (the learning rate) may change at any time, also between
// runs of a captured plan; others only while nothing is captured, and a plan that was captured with
// another value then refuses to run.
// errors   TENON_E_ATTRIBUTE
TENON_EXPORT tenon_status tenon_optimizer_set(tenon_context* context, tenon_optimizer* optimizer,
                                              const char* name, uint64_t name_length,
                                              const tenon_value* value);
TENON_EXPORT tenon_status tenon_optimizer_get(tenon_context* context, tenon_optimizer* optimizer,
                                              const char* name, uint64_t name_length,
                                              tenon_value* out_value);

// The state tensor `name` of parameter `index`, borrowed; NULL before the parameter's first step.
// errors   TENON_E_NOT_FOUND
TENON_EXPORT tenon_status tenon_optimizer_get_state(tenon_context* context,
                                                    tenon_optimizer* optimizer, uint32_t index,
                                                    const char* name, uint64_t name_length,
                                                    tenon_tensor** out_state);

// ---- Data ---------------------------------------------------------------------------------------

// Opens a dataset by its registered name, with named options.
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE, TENON_E_IO, TENON_E_DATA
TENON_EXPORT tenon_status tenon_dataset_create(tenon_context* context, const char* name,
                                               uint64_t name_length, const tenon_string* names,
                                               const tenon_value* values, uint32_t n_values,
                                               tenon_dataset** out_dataset);
TENON_EXPORT void tenon_dataset_release(tenon_dataset* dataset);
TENON_EXPORT tenon_status tenon_dataset_get_length(tenon_context* context, tenon_dataset* dataset,
                                                   int64_t* out_length);

// Shape and dtype of one sample of field `index`, and its name (borrowed); any out may be NULL.
// errors   TENON_E_NOT_FOUND past the last field
TENON_EXPORT tenon_status tenon_dataset_get_field(tenon_context* context, tenon_dataset* dataset,
                                                  uint32_t index, tenon_meta* out_sample,
                                                  const char** out_name);

// Samples indices[n] as tensors [n, ...] in host memory, one per field; n_fields must be all.
// errors   TENON_E_ARGUMENT (names the first index out of range), TENON_E_DATA, TENON_E_IO
TENON_EXPORT tenon_status tenon_dataset_call(tenon_context* context, tenon_dataset* dataset,
                                             const int64_t* indices, int64_t n,
                                             tenon_tensor** out_fields, uint32_t n_fields);

#ifdef __cplusplus
}
#endif

#include <tenon/gradients.h>

#endif  // TENON_TENON_H
