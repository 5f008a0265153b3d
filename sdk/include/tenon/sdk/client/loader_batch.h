// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/loader_batch.h: what a loader is, and how one batch of it is read; part of
// tenon/sdk/client/loader.h, which programs include.
#ifndef TENON_SDK_LOADER_BATCH_H
#define TENON_SDK_LOADER_BATCH_H

#include <stdio.h>
#include <string.h>
#include <tenon/sdk/client/transforms.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_SDK_LOADER_SHUFFLE 1u
#define TENON_SDK_LOADER_DROP_LAST 2u    // leaves out a last batch that is not full
#define TENON_SDK_LOADER_WORKERS 64u     // the most of one loader
#define TENON_SDK_LOADER_FIELDS 16u      // the most that Tenon allows a dataset
#define TENON_SDK_LOADER_TRANSFORMS 16u  // the most of one loader

struct tenon_sdk_loader_workers;

// All members may be read. Made by tenon_sdk_loader_create.
typedef struct tenon_sdk_loader {
  tenon_dataset* dataset;  // borrowed
  int64_t length;          // samples of the dataset
  int64_t batch;           // samples of a full batch
  uint64_t seed;
  uint32_t flags;                            // TENON_SDK_LOADER_*
  uint32_t reserved;                         // 0
  int64_t epoch;                             // the one begun last
  int64_t position;                          // samples of it already given
  int64_t* order;                            // [length] samples in the order of this epoch
  struct tenon_sdk_loader_workers* workers;  // NULL: each batch is read when it is asked for
  uint32_t n_transforms;
  uint32_t reserved_tail;                                       // 0
  tenon_sdk_transform transforms[TENON_SDK_LOADER_TRANSFORMS];  // done with each batch, in order
} tenon_sdk_loader;

// Batches that are still to come in this epoch.
static inline int64_t tenon_sdk_loader_get_rest(const tenon_sdk_loader* loader) {
  const int64_t left = loader->length - loader->position;
  const int64_t partial = loader->flags & TENON_SDK_LOADER_DROP_LAST ? 0 : loader->batch - 1;
  return left / loader->batch + (left % loader->batch + partial) / loader->batch;
}

static inline tenon_status tenon_sdk_loader_refuse(tenon_diag* diag, tenon_status status,
                                                   const char* words) {
  if (diag) {
    diag->status = status;
    snprintf(diag->message, sizeof diag->message, "loader: %s", words);
    diag->length = (int32_t)strlen(diag->message);
  }
  return status;
}

// The loader's transforms, one after the other, on the fields of `n` samples from `position` on.
static inline tenon_status tenon_sdk_loader_transform(tenon_context* context,
                                                      const tenon_sdk_loader* loader,
                                                      int64_t position, int64_t n,
                                                      tenon_tensor** fields, tenon_diag* diag) {
  const tenon_sdk_batch batch = {n, loader->order + position, loader->seed, loader->epoch};
  tenon_status status = TENON_OK;
  for (uint32_t t = 0; t < loader->n_transforms && status == TENON_OK; ++t) {
    const tenon_sdk_transform* const each = &loader->transforms[t];
    status = each->call(context, each->settings, &batch, &fields[each->field], diag);
  }
  return status;
}

// What next() gives, read here and now.
static inline tenon_status tenon_sdk_loader_read(tenon_context* context,
                                                 const tenon_sdk_loader* loader, int64_t position,
                                                 int64_t n, tenon_tensor** out_fields,
                                                 uint32_t n_fields) {
  tenon_tensor* fields[TENON_SDK_LOADER_FIELDS];
  tenon_tensor** const to = n_fields <= TENON_SDK_LOADER_FIELDS ? fields : out_fields;
  tenon_status status =
      tenon_dataset_call(context, loader->dataset, loader->order + position, n, to, n_fields);
  if (status != TENON_OK) return status;
  status = tenon_sdk_loader_transform(context, loader, position, n, to, NULL);
  for (uint32_t f = 0; f < n_fields && status != TENON_OK; ++f) tenon_tensor_release(to[f]);
  if (status == TENON_OK && to == fields) {
    memcpy(out_fields, fields, n_fields * sizeof(tenon_tensor*));
  }
  return status;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_LOADER_BATCH_H
