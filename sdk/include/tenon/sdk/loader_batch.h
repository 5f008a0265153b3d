// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/loader_batch.h: what a loader is, and how one batch of it is read; part of
// tenon/sdk/loader.h, which programs include.
#ifndef TENON_SDK_LOADER_BATCH_H
#define TENON_SDK_LOADER_BATCH_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_SDK_LOADER_SHUFFLE 1u
#define TENON_SDK_LOADER_DROP_LAST 2u  // leaves out a last batch that is not full
#define TENON_SDK_LOADER_WORKERS 64u   // the most of one loader
#define TENON_SDK_LOADER_FIELDS 16u    // the most that Tenon allows a data set

struct tenon_sdk_loader_workers;

// All members may be read. Made by tenon_sdk_loader_create.
typedef struct tenon_sdk_loader {
  tenon_dataset* dataset;  // borrowed
  int64_t length;          // samples of the data set
  int64_t batch;           // samples of a full batch
  uint64_t seed;
  uint32_t flags;                            // TENON_SDK_LOADER_*
  uint32_t reserved;                         // 0
  int64_t epoch;                             // the one begun last
  int64_t position;                          // samples of it already given
  int64_t* order;                            // [length] samples in the order of this epoch
  struct tenon_sdk_loader_workers* workers;  // NULL: each batch is read when it is asked for
} tenon_sdk_loader;

// Batches that are still to come in this epoch.
static inline int64_t tenon_sdk_loader_get_rest(const tenon_sdk_loader* loader) {
  const int64_t left = loader->length - loader->position;
  const int64_t partial = loader->flags & TENON_SDK_LOADER_DROP_LAST ? 0 : loader->batch - 1;
  return left / loader->batch + (left % loader->batch + partial) / loader->batch;
}

// What next() gives, read here and now.
static inline tenon_status tenon_sdk_loader_read(tenon_context* context,
                                                 const tenon_sdk_loader* loader, int64_t position,
                                                 int64_t n, tenon_tensor** out_fields,
                                                 uint32_t n_fields) {
  return tenon_dataset_call(context, loader->dataset, loader->order + position, n, out_fields,
                            n_fields);
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_LOADER_BATCH_H
