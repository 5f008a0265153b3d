// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/loader.h: batches over a dataset, shuffled or in order, for C and C++ programs.
//
//   tenon_sdk_loader loader;
//   check(tenon_sdk_loader_create(context, dataset, 32, seed, TENON_SDK_LOADER_SHUFFLE, &loader));
//   for (int64_t epoch = 0; epoch < epochs; ++epoch) {
//     check(tenon_sdk_loader_begin(&loader, epoch, 0));
//     for (;;) {
//       tenon_tensor* fields[2];
//       int64_t n;
//       check(tenon_sdk_loader_next(context, &loader, fields, 2, &n));
//       if (n == 0) break;                      // the epoch is over
//       ...                                     // release the fields
//     }
//   }
//   tenon_sdk_loader_release(&loader);
//
// Header-only; links only libtenon. The order of an epoch depends on length, seed and epoch alone,
// never on batch size or threads: begin(loader, epoch, position) with the `epoch` and `position`
// of an interrupted run goes on where that run was.
//
// With tenon_sdk_loader_set_transforms batches are normalised, cropped and so on (transforms.h).
//
// With tenon_sdk_loader_set_workers, threads of the loader's own read ahead. They change when
// samples are read and nothing else: batches come in the same order, with the same contents, and an
// error comes with the batch it belongs to. They are not threads of the runtime's pool.
//
// threads  one at a time for each loader
// errors   those of the library calls inside, recorded in the context as usual. TENON_E_ARGUMENT
//          and TENON_E_MEMORY that the loader itself returns leave no record. A batch that fails is
//          not given and the position stays: the next call reads it again, and
//          begin(loader, epoch, position + batch) skips it.
#ifndef TENON_SDK_LOADER_H
#define TENON_SDK_LOADER_H

#include <stdlib.h>
#include <string.h>
#include <tenon/sdk/client/loader_workers.h>
#include <tenon/sdk/philox.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Also ends its workers. Before the dataset and the runtime are released.
static inline void tenon_sdk_loader_release(tenon_sdk_loader* loader) {
  if (loader) {
    tenon_sdk_loader_end(loader->workers);
    loader->workers = NULL;
    free(loader->order);
    loader->order = NULL;
  }
}

static inline void tenon_sdk_loader_shuffle(tenon_sdk_loader* loader) {
  for (int64_t i = 0; i < loader->length; ++i) loader->order[i] = i;
  if (!(loader->flags & TENON_SDK_LOADER_SHUFFLE)) return;
  // Fisher and Yates, in Durstenfeld's form. The constant ("loader" in ASCII) keeps these numbers
  // apart from those that a context with the same seed draws.
  tenon_sdk_random random = {loader->seed ^ 0x6C6F61646572u, (uint64_t)loader->epoch, 0};
  for (int64_t i = loader->length - 1; i > 0; --i) {
    const int64_t j = (int64_t)tenon_sdk_random_below(&random, (uint64_t)i + 1);
    const int64_t sample = loader->order[i];
    loader->order[i] = loader->order[j];
    loader->order[j] = sample;
  }
}

// Starts epoch `epoch` (from 0), `position` samples in. A fresh loader stands at the start of
// epoch 0.
// errors   TENON_E_ARGUMENT: a negative epoch, or a position outside 0 ... length
static inline tenon_status tenon_sdk_loader_begin(tenon_sdk_loader* loader, int64_t epoch,
                                                  int64_t position) {
  if (!loader || epoch < 0 || position < 0 || position > loader->length) return TENON_E_ARGUMENT;
  tenon_sdk_loader_workers* const workers = loader->workers;
  if (workers) {
    pthread_mutex_lock(&workers->mutex);
    tenon_sdk_loader_drop(workers);
  }
  loader->epoch = epoch;
  loader->position = position;
  tenon_sdk_loader_shuffle(loader);
  if (workers) {
    tenon_sdk_loader_start(loader);
    pthread_mutex_unlock(&workers->mutex);
  }
  return TENON_OK;
}

// memory   the dataset is borrowed and must outlive the loader
// errors   TENON_E_ARGUMENT: a batch below 1, unknown flags; TENON_E_MEMORY
static inline tenon_status tenon_sdk_loader_create(tenon_context* context, tenon_dataset* dataset,
                                                   int64_t batch, uint64_t seed, uint32_t flags,
                                                   tenon_sdk_loader* out_loader) {
  const uint32_t known = TENON_SDK_LOADER_SHUFFLE | TENON_SDK_LOADER_DROP_LAST;
  if (!out_loader || batch < 1 || (flags & ~known)) return TENON_E_ARGUMENT;
  int64_t length = 0;
  const tenon_status status = tenon_dataset_get_length(context, dataset, &length);
  if (status != TENON_OK) return status;
  // One element more, so that an empty dataset is not a failed allocation.
  int64_t* order = (int64_t*)calloc((size_t)length + 1, sizeof *order);
  if (!order) return TENON_E_MEMORY;
  memset(out_loader, 0, sizeof *out_loader);
  out_loader->dataset = dataset;
  out_loader->length = length;
  out_loader->batch = batch;
  out_loader->seed = seed;
  out_loader->flags = flags;
  out_loader->order = order;
  return tenon_sdk_loader_begin(out_loader, 0, 0);
}

// What is done with each batch from now on, in the order of `list`; 0 of them: nothing. Workers
// begin again at the loader's position.
// memory   the list is copied; its settings are borrowed and must outlive the loader
// errors   TENON_E_ARGUMENT, with words in `diag` (may be NULL): a field or settings that do not
//          fit; the loader then stays as it was
static inline tenon_status tenon_sdk_loader_set_transforms(tenon_context* context,
                                                           tenon_sdk_loader* loader,
                                                           const tenon_sdk_transform* list,
                                                           uint32_t n, tenon_diag* diag) {
  if (!loader || (n > 0 && !list) || n > TENON_SDK_LOADER_TRANSFORMS) {
    return tenon_sdk_loader_refuse(diag, TENON_E_ARGUMENT,
                                   "set_transforms: expected a loader and a list of at most 16, "
                                   "found NULL or more");
  }
  tenon_sdk_loader tried = *loader;
  tried.n_transforms = n;
  for (uint32_t t = 0; t < n; ++t) tried.transforms[t] = list[t];
  uint32_t n_fields = 0;
  while (tenon_dataset_get_field(context, loader->dataset, n_fields, NULL, NULL) == TENON_OK) {
    n_fields += 1;
  }
  for (uint32_t t = 0; t < n; ++t) {
    if (list[t].field < n_fields && list[t].call) continue;
    char words[128];
    snprintf(words, sizeof words,
             "set_transforms: transform %u: expected a function and a field below %u, found %s %u",
             t, n_fields, list[t].call ? "field" : "no function for field", list[t].field);
    return tenon_sdk_loader_refuse(diag, TENON_E_ARGUMENT, words);
  }
  // Tried with no samples: shapes and dtypes are known now.
  tenon_tensor* fields[TENON_SDK_LOADER_FIELDS];
  tenon_status status =
      tenon_dataset_call(context, loader->dataset, loader->order, 0, fields, n_fields);
  if (status != TENON_OK) return status;
  status = tenon_sdk_loader_transform(context, &tried, 0, 0, fields, diag);
  for (uint32_t f = 0; f < n_fields; ++f) tenon_tensor_release(fields[f]);
  if (status != TENON_OK) return status;
  if (loader->workers) {
    pthread_mutex_lock(&loader->workers->mutex);
    tenon_sdk_loader_drop(loader->workers);
  }
  *loader = tried;
  if (loader->workers) {
    tenon_sdk_loader_start(loader);
    pthread_mutex_unlock(&loader->workers->mutex);
  }
  return TENON_OK;
}

// The next batch: one tensor [n, ...] for each field, which the caller owns, and n in *out_n.
// Where the epoch is over *out_n is 0 and no tensor is made.
static inline tenon_status tenon_sdk_loader_next(tenon_context* context, tenon_sdk_loader* loader,
                                                 tenon_tensor** out_fields, uint32_t n_fields,
                                                 int64_t* out_n) {
  if (!loader || !out_n) return TENON_E_ARGUMENT;
  int64_t n = 0;
  if (tenon_sdk_loader_get_rest(loader) > 0) {
    const int64_t left = loader->length - loader->position;
    n = left < loader->batch ? left : loader->batch;
    // A wrong number of fields is left to the library's own words.
    const tenon_status status =
        loader->workers && n_fields == loader->workers->n_fields
            ? tenon_sdk_loader_take(context, loader, n, out_fields)
            : tenon_sdk_loader_read(context, loader, loader->position, n, out_fields, n_fields);
    if (status != TENON_OK) return status;
    loader->position += n;
  }
  *out_n = n;
  return TENON_OK;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_LOADER_H
