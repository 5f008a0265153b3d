// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/transforms.h: draft interface "tenon.transforms/1": what is done with a batch
// before a program gets it: normalise, crop, flip. The conventions are those of tenon/tenon.h.
//
// A transform replaces one field of a batch by another one, sample by sample: a sample's result
// depends on that sample, on its number, on the seed and on the epoch, never on the batch it is in,
// on its place there or on a thread. So batches are the same for any number of workers, and the
// same transform of two fields, an image and its mask, does the same to both.
//
// A draft: outside the ABI's promise until it is moved to plugin.h and tenon.h (names and the id
// will not change).
#ifndef TENON_EXT_DRAFT_TRANSFORMS_H
#define TENON_EXT_DRAFT_TRANSFORMS_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of which samples a batch is, and what random numbers may depend on. Frozen.
typedef struct tenon_batch {
  int64_t n;
  const int64_t* samples;  // [n] their numbers in the dataset
  uint64_t seed;           // of the loader
  int64_t epoch;
} tenon_batch;

// ---- For plugins --------------------------------------------------------------------------------

#define TENON_INTERFACE_TRANSFORMS "tenon.transforms/1"

typedef struct tenon_transform_option {
  tenon_string name;
  tenon_string doc;
  uint32_t tag;         // TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or FLOAT_LIST
  uint32_t required;    // 1: must be given; `initial` is then NONE
  tenon_value initial;  // taken if it is not given: of that tag, or NONE
} tenon_transform_option;

// A field of a batch that must be transformed (expect = TENON_OK), or of which the creation or the
// call must be refused with `expect` and a message that contains `fragment`.
typedef struct tenon_transform_sample {
  tenon_string text;      // sample/1: one input [n, ...] | options, "u8[3,4,4] | scale=255.0"
  tenon_string fragment;  // empty if expect is TENON_OK
  tenon_status expect;
  uint32_t flags;  // 0
} tenon_transform_sample;

// Only the shape changes: elements and their row-major order stay. `run` is NULL, and the result
// shares the memory of what was given.
#define TENON_TRANSFORM_VIEW 1u

// `object` is what `create` made. All callbacks in state [data]; `infer` and `run` may be called by
// several threads at once.
typedef struct tenon_transform_desc {
  uint32_t struct_size;
  uint32_t flags;     // TENON_TRANSFORM_VIEW
  tenon_string name;  // "tenon.normalise"
  tenon_string doc;
  const tenon_transform_option* options;
  const tenon_transform_sample* samples;
  uint32_t n_options;
  uint32_t n_samples;
  // Takes the options: values[n_options] in the order of `options`, types checked, initial values
  // filled in.
  tenon_status (*create)(tenon_call* call, const tenon_value* values, void** out_object);
  void (*release)(void* object);
  // Shape and dtype of one sample afterwards, for `sample`, those before; device is ignored.
  // Refuses what does not fit: what is accepted here is accepted by `run`.
  tenon_status (*infer)(tenon_call* call, void* object, const tenon_meta* sample,
                        tenon_meta* out_sample);
  // Writes all of `to` [n, ...] from `from` [n, ...]: row-major, host memory, not overlapping.
  tenon_status (*run)(tenon_call* call, void* object, const tenon_batch* batch,
                      const tenon_view* from, const tenon_view* to);
} tenon_transform_desc;

typedef struct tenon_transforms_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_transform_desc* const* descs;
} tenon_transforms_table;

// ---- For programs -------------------------------------------------------------------------------

typedef struct tenon_transform tenon_transform;

// Makes a transform of a registered name. The runtime query "transforms" names them, with their
// options.
// names, values  [n_values] options, copied
// memory   *out_transform is the caller's; tenon_transform_release
// threads  [one thread per context]          state  [any]
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, missing, wrong type, or a value that does
//          not fit)
// since    draft 2
TENON_EXPORT tenon_status tenon_transform_create(tenon_context* context, const char* name,
                                                 uint64_t name_length, const tenon_string* names,
                                                 const tenon_value* values, uint32_t n_values,
                                                 tenon_transform** out_transform);

// Loaders that hold the transform keep it. Legal with NULL and on any thread.
// since    draft 2
TENON_EXPORT void tenon_transform_release(tenon_transform* transform);

// Transforms a field of a batch, without a loader.
// shapes   `field` [batch->n, ...], any strides, in host memory; it is not changed
// memory   *out_field is the caller's, row-major in host memory; that of a transform that changes
//          the shape alone shares the memory of a row-major `field`
// threads  any number at once, each with a context of its own          state  [any but capture]
// errors   TENON_E_ARGUMENT (the batch: n differs from the field's, samples is NULL),
// TENON_E_DEVICE,
//          TENON_E_CAPTURE, and the transform's own, TENON_E_SHAPE or TENON_E_DTYPE for example
// since    draft 2
TENON_EXPORT tenon_status tenon_transform_call(tenon_context* context, tenon_transform* transform,
                                               const tenon_batch* batch, tenon_tensor* field,
                                               tenon_tensor** out_field);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_TRANSFORMS_H
