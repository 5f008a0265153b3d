// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/layers.h: draft interface "tenon.layers/1": parameters and buffers, and a forward
// pass written in ops; and what programs do with layers.
//
// A draft: outside the ABI's promise until it is moved to plugin.h and tenon.h (its id will not
// change).
//
// A layer of a plugin is a description: options, a `describe` that turns their values into
// parameters, buffers and children, and a `forward` that calls ops. The host makes the tensors,
// owns them, and knows them by name, "0.weight" being the weight of the child "0". Nothing of a
// layer's meaning is in the host: an initialiser is an op that makes a tensor of a given shape.
#ifndef TENON_EXT_DRAFT_LAYERS_H
#define TENON_EXT_DRAFT_LAYERS_H

#include <tenon/plugin.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- For plugins --------------------------------------------------------------------------------

#define TENON_INTERFACE_LAYERS "tenon.layers/1"

typedef struct tenon_layer_option {
  tenon_string name;
  tenon_string doc;
  uint32_t tag;         // TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or DTYPE
  uint32_t required;    // 1: must be given; `initial` is then NONE
  tenon_value initial;  // taken if it is not given: of that tag, or NONE
} tenon_layer_option;

// A layer and a call of it that must work (expect = TENON_OK), or of which the creation or the call
// must be refused with `expect` and a message that contains `fragment`.
typedef struct tenon_layer_sample {
  tenon_string text;      // sample/1: inputs | options, "f64[2,3] | inputs=3, outputs=4"
  tenon_string fragment;  // empty if expect is TENON_OK
  tenon_status expect;
  uint32_t flags;  // 0
} tenon_layer_sample;

#define TENON_LAYER_CONTAINER 1u  // takes children from the program: tenon_layer_set_child

#define TENON_LAYER_TRAINING 1u  // `flags` of a forward: training, not evaluation

typedef struct tenon_layer_desc {
  uint32_t struct_size;
  uint32_t flags;     // TENON_LAYER_CONTAINER
  tenon_string name;  // "tenon.linear"
  tenon_string doc;
  const tenon_layer_option* options;
  const tenon_layer_sample* samples;
  uint32_t n_options;
  uint32_t n_samples;
  uint32_t min_inputs;  // of a call
  uint32_t max_inputs;
  uint32_t n_outputs;
  uint32_t reserved;
  // Names the layer's tensors and children through "tenon.host.layers/1" and refuses values of
  // options that do not fit. values[n_options] in the order of `options`, types checked, initial
  // values filled in. Calls no op; the host draws the initial values.
  // state [infer]
  tenon_status (*describe)(tenon_call* call, const tenon_value* values);
  // Calls ops and children, and sets each output with host dispatch->set_output. An absent input
  // is NONE. flags: TENON_LAYER_TRAINING.
  // state [compose]
  tenon_status (*forward)(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                          uint32_t n_inputs, uint32_t flags);
} tenon_layer_desc;

typedef struct tenon_layers_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_layer_desc* const* descs;
} tenon_layers_table;

#define TENON_LAYER_BUFFER 1u  // part of the layer's state, but never trained

// With TENON_LAYER_BUFFER: what a layer keeps of the positions of sequences it has seen, so that
// the next ones are computed from it (keys and values, say). It is there, beginning with zeros,
// from a tenon_layer_set_cache on; `op` is empty and there are no attrs. A cache of i64 counts the
// positions that are held. forward may use caches in evaluation only; get_tensor of one is refused
// if gradients are recorded, in a capture, and if a weight has changed since it was filled. What
// set_buffer gives to a count is taken over once the program's call has succeeded; what lies past
// the count is nothing. since draft 2
#define TENON_LAYER_CACHE 2u
// Sizes in the shape of a cache that tenon_layer_set_cache is given.
#define TENON_LAYER_CACHE_BATCH ((int64_t)-1)
#define TENON_LAYER_CACHE_POSITIONS ((int64_t)-2)

// A parameter or buffer to be made. `op` names an op without inputs and with the attributes `shape`
// and `dtype`, which the host sets, and attrs[n_attrs] by name. 16-bit floats are drawn as f32 and
// then rounded.
typedef struct tenon_layer_tensor_spec {
  uint32_t struct_size;
  uint32_t flags;     // TENON_LAYER_BUFFER, TENON_LAYER_CACHE
  tenon_string name;  // "weight": [a-z0-9_]+, no other tensor or child of the layer has it
  tenon_string op;    // "tenon.uniform"
  const tenon_string* attr_names;
  const tenon_value* attr_values;
  uint32_t n_attrs;
  int32_t rank;
  int64_t shape[TENON_MAX_RANK];
  tenon_dtype dtype;  // of a parameter: a float
  uint32_t reserved;
} tenon_layer_tensor_spec;

// What a host of this draft answers to get_interface(host, TENON_HOST_LAYERS, ...).
#define TENON_HOST_LAYERS "tenon.host.layers/1"
typedef struct tenon_host_layers {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // describe: makes a tensor of the layer, on the layer's device, after those named before it.
  tenon_status (*add_tensor)(tenon_call* call, const tenon_layer_tensor_spec* spec);
  // describe: makes a child, a layer of any plugin, on the same device.
  tenon_status (*add_child)(tenon_call* call, const tenon_string* name, const tenon_string* layer,
                            const tenon_string* names, const tenon_value* values,
                            uint32_t n_values);
  // forward: the layer's own tensor `name`, borrowed; NULL if describe did not add it.
  tenon_status (*get_tensor)(tenon_call* call, const char* name, uint64_t name_length,
                             tenon_tensor** out_tensor);
  // forward: copies the values of `tensor`, of the same shape and dtype, into a buffer. Not
  // recorded for backward, whatever `tensor` was made from.
  tenon_status (*set_buffer)(tenon_call* call, const char* name, uint64_t name_length,
                             tenon_tensor* tensor);
  // forward: the number of children, in order of addition.
  tenon_status (*get_child_count)(tenon_call* call, uint32_t* out_count);
  // forward: calls a child. The outputs belong to the calling callback and are released when it
  // returns.
  tenon_status (*call_child)(tenon_call* call, uint32_t index, const tenon_value* inputs,
                             uint32_t n_inputs, tenon_tensor** out_outputs, uint32_t n_outputs);
} tenon_host_layers;

// ---- For programs -------------------------------------------------------------------------------

// The conventions are those of tenon/tenon.h. A layer is used by one thread at a time, by contexts
// of its own runtime. since 0.1 (draft), all of it.
typedef struct tenon_layer tenon_layer;

// Makes a layer of a registered name; its parameters are drawn from the context's random numbers,
// one after the other, so the same seed gives the same layer. A new layer is in training.
// device   where its parameters lie; NULL: the context's
// names, values  [n_values] options
// memory   the layer owns its tensors; while a step is captured, nothing of this is recorded
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, missing, wrong type, bad value),
//          TENON_E_DEVICE, TENON_E_SHAPE, TENON_E_DTYPE
TENON_EXPORT tenon_status tenon_layer_create(tenon_context* context, const char* name,
                                             uint64_t name_length, const tenon_device* device,
                                             const tenon_string* names, const tenon_value* values,
                                             uint32_t n_values, tenon_layer** out_layer);

// The layer lives on as a child of others that hold it, and its tensors while anyone holds them.
TENON_EXPORT void tenon_layer_release(tenon_layer* layer);

// Adds `child` to a container, after the children there are. The container shares it with the
// caller, who may release it. A layer is in one container at most, until that is gone.
// name     [a-z0-9_]+; empty: the child's position, "0", "1", ...
// errors   TENON_E_UNSUPPORTED (not a container), TENON_E_ARGUMENT (the name is taken or malformed,
//          the child is in a container or holds the layer, more than 64 layers one in another)
TENON_EXPORT tenon_status tenon_layer_set_child(tenon_context* context, tenon_layer* layer,
                                                const char* name, uint64_t name_length,
                                                tenon_layer* child);

// Training (any `training` but 0) or evaluation, for the layer and all that are in it.
TENON_EXPORT tenon_status tenon_layer_set_training(tenon_context* context, tenon_layer* layer,
                                                   uint32_t training);

// Moves the layer and all that are in it: its parameters, with their gradients, and its buffers lie
// on `device` from now on, and it runs there. Their handles stay; what optimizers hold for them
// follows at their next step. Views made of them before keep the memory of before. What was
// recorded before for a backward, and plans captured before, are refused afterwards; addresses read
// before (tenon_tensor_get_view) are void.
//
// device   NULL: the context's
// threads  [one thread per context]; nobody else uses the layer or its tensors meanwhile
// errors   TENON_E_DEVICE, TENON_E_MEMORY, TENON_E_CAPTURE (while a step is captured); nothing has
//          moved then
// since    draft 2
TENON_EXPORT tenon_status tenon_layer_set_device(tenon_context* context, tenon_layer* layer,
                                                 const tenon_device* device);

// Gives the layer, and all in it that can keep what they have seen of a sequence, room for `batch`
// sequences of at most `positions` positions; what was kept before is lost. From now on a call in
// evaluation continues the sequences: its input is their next positions, its result is as if all
// were given at once. Calls in training are as without. What is kept are buffers of the layer,
// saved and loaded with it. A call that fails keeps nothing. If a weight of the layer that the
// program called has changed since, calls are refused until the cache is emptied; weights outside
// of it that make its inputs are the program's care.
//
// batch      at least 1: the first dimension of the inputs
// positions  0: the layer keeps nothing any more
// memory     the layer owns it; if it runs out, nothing has changed
// threads    [one thread per context]; nobody else uses the layer meanwhile
// errors     TENON_E_UNSUPPORTED (nothing in the layer keeps anything), TENON_E_ARGUMENT,
//            TENON_E_MEMORY, TENON_E_CAPTURE. Those of a call then: TENON_E_DATA (past the last
//            position), TENON_E_STATE (a weight has changed), TENON_E_GRAD (gradients are
//            recorded), TENON_E_CAPTURE
// since      draft 2
TENON_EXPORT tenon_status tenon_layer_set_cache(tenon_context* context, tenon_layer* layer,
                                                int64_t batch, int64_t positions);

// Each sequence keeps at most its first `count` positions; 0 empties the caches.
//
// errors   TENON_E_STATE (there are no caches), TENON_E_ARGUMENT, TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_layer_crop_cache(tenon_context* context, tenon_layer* layer,
                                                 int64_t count);

// Runs the layer: ops, recorded for backward and captured as any others.
// inputs   [n_inputs] tensors, or NONE if the layer can do without
// outputs  [n_outputs], all the layer has; owned by the caller. One may be an input itself, if
//          the layer changes nothing.
// errors   TENON_E_ARGUMENT (how many inputs and outputs), and those of the ops it calls
TENON_EXPORT tenon_status tenon_layer_call(tenon_context* context, tenon_layer* layer,
                                           const tenon_value* inputs, uint32_t n_inputs,
                                           tenon_tensor** out_outputs, uint32_t n_outputs);

// Tensor `index` of the layer and all that are in it: the layer's own first, in the order of its
// description, then those of its children. Any out may be NULL.
// name     "0.weight"; borrowed until children are added somewhere below
// flags    TENON_LAYER_BUFFER: a buffer, with TENON_LAYER_CACHE a cache; else a parameter, a leaf
//          that requires grad
// tensor   borrowed from the layer; the same until tenon_layer_share_tensor puts another one there
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_layer_get_tensor(tenon_context* context, tenon_layer* layer,
                                                 uint32_t index, const char** out_name,
                                                 uint32_t* out_flags, tenon_tensor** out_tensor);

// Parameter `index`: as tenon_layer_get_tensor, but buffers are not counted, and a tensor that has
// several names is there once, with its first. What an optimizer takes.
//
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_layer_get_parameter(tenon_context* context, tenon_layer* layer,
                                                    uint32_t index, const char** out_name,
                                                    tenon_tensor** out_tensor);

// The tensor of that name, borrowed.
// errors   TENON_E_NOT_FOUND (lists the names there are)
TENON_EXPORT tenon_status tenon_layer_find_tensor(tenon_context* context, tenon_layer* layer,
                                                  const char* name, uint64_t name_length,
                                                  tenon_tensor** out_tensor);

// Copies the values of `tensor`, from any device and with any strides, into the one of that name.
// An in-place write that is not recorded: what saved the old values refuses its backward.
// errors   TENON_E_NOT_FOUND, TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_ALIAS (the layer's tensor is
//          read-only or expanded), TENON_E_CAPTURE
TENON_EXPORT tenon_status tenon_layer_set_tensor(tenon_context* context, tenon_layer* layer,
                                                 const char* name, uint64_t name_length,
                                                 tenon_tensor* tensor);

// Replaces the layer's tensor of that name by `tensor` itself, the weight of a child
// included. A tensor in two places, of one layer or of several, is one parameter: tied weights.
// Files hold it under each of its names. Plans captured before with that child are refused
// afterwards; optimizers made before keep the tensor that was there, so share first.
//
// tensor   of the shape, dtype and device of the one there; for a parameter a leaf that requires a
//          gradient as that one does, for a buffer one that requires none; its elements do not
//          overlap
// memory   shared with the caller; the tensor that was there is given up
// errors   TENON_E_NOT_FOUND, TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_DEVICE, TENON_E_GRAD,
//          TENON_E_ALIAS, TENON_E_CAPTURE; nothing is changed then
// since    draft 2
TENON_EXPORT tenon_status tenon_layer_share_tensor(tenon_context* context, tenon_layer* layer,
                                                   const char* name, uint64_t name_length,
                                                   tenon_tensor* tensor);

// An optimizer over all parameters of the layer that require a gradient, in the order of
// tenon_layer_get_parameter: tenon_optimizer_create with them. One whose gradient was turned off
// before (tenon_tensor_set_requires_grad) is left out, and stays as it is.
// memory   holds the parameters, not the layer
// errors   those of tenon_optimizer_create
// since    draft 2
TENON_EXPORT tenon_status tenon_optimizer_create_for_layer(tenon_context* context, const char* name,
                                                           uint64_t name_length, tenon_layer* layer,
                                                           const tenon_string* names,
                                                           const tenon_value* values,
                                                           uint32_t n_values,
                                                           tenon_optimizer** out_optimizer);

// Makes the file hold the layer's parameters and buffers, "0.weight" and so on: all of it or, on
// any failure, what it held before. The format is that of the name's ending, ".safetensors" or
// ".npz".
//
// errors   TENON_E_IO, TENON_E_NOT_FOUND (no format for the ending), TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_layer_save(tenon_context* context, tenon_layer* layer,
                                           const char* path, uint64_t path_length);

// Copies all parameters and buffers from a file, which must have each with its shape and dtype, and
// no others. All of it is checked before anything is changed.
// errors   TENON_E_DATA (what is missing, left over, or different, by name; names of one tensor
//          with different values), TENON_E_ALIAS (a tensor of the layer is read-only or expanded),
//          TENON_E_IO, TENON_E_NOT_FOUND (no format for the ending), TENON_E_CAPTURE; nothing is
//          changed then
// since    draft 2
TENON_EXPORT tenon_status tenon_layer_load(tenon_context* context, tenon_layer* layer,
                                           const char* path, uint64_t path_length);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_LAYERS_H
