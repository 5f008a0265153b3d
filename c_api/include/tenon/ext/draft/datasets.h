// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/datasets.h: draft interface "tenon.datasets/1": data as length and get.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (its id will not change).
#ifndef TENON_EXT_DRAFT_DATASETS_H
#define TENON_EXT_DRAFT_DATASETS_H

#include <tenon/ext/draft/transforms.h>  // tenon_batch
#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_INTERFACE_DATASETS "tenon.datasets/1"

typedef struct tenon_dataset_option {
  tenon_string name;
  tenon_string doc;
  uint32_t tag;       // TENON_VALUE_STRING, I64, F64 or BOOL
  uint32_t required;  // 1: must be given; else an absent one arrives as NONE
} tenon_dataset_option;

// One field of a sample, for example the image or the label.
typedef struct tenon_dataset_field {
  tenon_string name;  // lives as long as the dataset object
  tenon_meta sample;  // shape and dtype of one sample; device is ignored
} tenon_dataset_field;

// `object` is what `create` made. All callbacks in state [data].
typedef struct tenon_dataset_desc {
  uint32_t struct_size;
  uint32_t flags;     // 0
  tenon_string name;  // "tenon.idx"
  tenon_string doc;
  const tenon_dataset_option* options;
  uint32_t n_options;
  uint32_t reserved;
  // Opens the data. values[n_options] in the order of `options`, types already checked.
  tenon_status (*create)(tenon_call* call, const tenon_value* values, void** out_object);
  void (*release)(void* object);
  tenon_status (*length)(tenon_call* call, void* object, int64_t* out_length);
  // Sets *out_count, and fills fields[capacity] as far as they go.
  tenon_status (*fields)(tenon_call* call, void* object, tenon_dataset_field* fields,
                         uint32_t capacity, uint32_t* out_count);
  // Writes samples indices[n] (each in 0..length-1, checked by the host) one after the other:
  // destinations[f] is host memory for n samples of field f. May be called by several threads.
  tenon_status (*get)(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                      void* const* destinations);
  // Optional, NULL: the dataset does not say it. Writes to lengths[count] how long samples `first`
  // to first + count - 1 are (0 or more, a range within 0 ... length), so that a loader can put
  // samples of similar length together: the value of the field "length", i64 without dimensions,
  // if the samples have one, and else the first dimension of their first field that has one. May be
  // called by several threads; a host asks for some thousands at once and keeps them, so no sample
  // should be read for it. A descriptor of before it was appended ends with `get`.
  tenon_status (*lengths)(tenon_call* call, void* object, int64_t first, int64_t count,
                          int64_t* lengths);
  // Optional; where it is there a host calls it instead of `get`, which may then be NULL. It is for
  // samples with random numbers in them, which follow from seed, epoch and the sample's number
  // alone, never from the batch it is in, its place there, or a thread: so they are the same for
  // any number of workers, in one process or several, and in a run that goes on in the middle of an
  // epoch. Without a loader (tenon_dataset_call) the seed is the context's, and the epoch 0.
  tenon_status (*get_batch)(tenon_call* call, void* object, const tenon_batch* batch,
                            void* const* destinations);
} tenon_dataset_desc;

typedef struct tenon_datasets_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_dataset_desc* const* descs;
} tenon_datasets_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_DATASETS_H
