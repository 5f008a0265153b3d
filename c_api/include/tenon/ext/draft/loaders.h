// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/loaders.h: batches over a dataset, shuffled or in order, read ahead by threads;
// for programs; draft. The conventions are those of tenon/tenon.h.
//
//   tenon_loader_create(context, dataset, 64, seed, TENON_LOADER_SHUFFLE, &loader);
//   for (int64_t epoch = 0; epoch < epochs; ++epoch) {
//     tenon_loader_begin(context, loader, epoch, 0);
//     for (;;) {
//       tenon_loader_run(context, loader, fields, 2, &n);
//       if (n == 0) break;  // the epoch is over
//       ...                 // release the fields
//     }
//   }
//   tenon_loader_release(loader);
//
// The order of an epoch depends on length, seed and epoch alone, never on the size of a batch or on
// threads: tenon_loader_begin with the epoch and position of an interrupted run goes on where that
// run was. Workers change when samples are read and nothing else. With buckets the order depends on
// the size of a batch, the pool and the samples' lengths too, and on nothing else.
//
// threads  one at a time for each loader, with any context of its runtime; another one meanwhile is
//          refused with TENON_E_STATE
// since    draft 2, all of it
#ifndef TENON_EXT_DRAFT_LOADERS_H
#define TENON_EXT_DRAFT_LOADERS_H

#include <tenon/ext/draft/transforms.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_loader tenon_loader;

#define TENON_LOADER_SHUFFLE 1u
#define TENON_LOADER_DROP_LAST 2u    // leaves out a last batch that is not full
#define TENON_LOADER_WORKERS 64u     // the most of one loader
#define TENON_LOADER_TRANSFORMS 16u  // the most of one loader

// Makes a loader at the start of epoch 0, without transforms and workers.
// batch    samples of a full batch, at least 1
// memory   holds the dataset, which the caller may release; *out_loader is the caller's
// errors   TENON_E_ARGUMENT (batch, flags), TENON_E_HANDLE, TENON_E_RUNTIME
TENON_EXPORT tenon_status tenon_loader_create(tenon_context* context, tenon_dataset* dataset,
                                              int64_t batch, uint64_t seed, uint32_t flags,
                                              tenon_loader** out_loader);

// The same without a dataset, for samples that the program has itself: the one field of a batch,
// "sample", holds their numbers, i64[n], each from 0 to length - 1.
// errors   TENON_E_ARGUMENT (length below 0, batch, flags)
TENON_EXPORT tenon_status tenon_loader_create_numbers(tenon_context* context, int64_t length,
                                                      int64_t batch, uint64_t seed, uint32_t flags,
                                                      tenon_loader** out_loader);

// Ends the loader and its workers, after what these read just now. Legal with NULL and, when no
// call uses the loader, on any thread; after a fork too, where the workers are not.
TENON_EXPORT void tenon_loader_release(tenon_loader* loader);

// What is done with each batch from now on, one after the other; 0 of them: nothing. Workers begin
// again at the loader's position.
// transforms, fields  [n] which one, and the number of the field that it replaces
// memory   holds the transforms, which the caller may release
// errors   TENON_E_ARGUMENT (more than TENON_LOADER_TRANSFORMS, a field that is not there), and
// what
//          a transform says of a field that does not fit; the loader then stays as it was
TENON_EXPORT tenon_status tenon_loader_set_transforms(tenon_context* context, tenon_loader* loader,
                                                      tenon_transform* const* transforms,
                                                      const uint32_t* fields, uint32_t n);

// From now on so many threads read batches ahead, up to four each; 0 ends them. They begin at once,
// at the loader's position, and again at each tenon_loader_begin.
// memory   a context for each worker and up to 4 n_workers batches, until the loader is released
// errors   TENON_E_ARGUMENT (more than TENON_LOADER_WORKERS), TENON_E_MEMORY (the system starts no
//          thread); the loader then stays as it was
TENON_EXPORT tenon_status tenon_loader_set_workers(tenon_context* context, tenon_loader* loader,
                                                   uint32_t n_workers);

// From now on the loader gives a share of the batches, for one of several processes that read the
// same epoch: of each `of` batches in a row `count`, from number `first` on. Each loader of the
// others has another share, and the same seed. An epoch ends with the last round of `of` full
// batches, so that all make the same number of steps; positions and lengths count the loader's own
// samples. It begins the epoch that it is in again.
// errors   TENON_E_ARGUMENT (a share that is not one of the round, or a round larger than the
//          dataset); the loader then stays as it was
// since    draft 2
TENON_EXPORT tenon_status tenon_loader_set_share(tenon_context* context, tenon_loader* loader,
                                                 int64_t first, int64_t count, int64_t of);

// From now on batches hold samples of similar length, so that little of them is padding. The order
// that the loader has without it is cut into pools of `pool` batches; the samples of each pool are
// sorted by length, those of equal length in the order they were in, and cut into batches; and with
// TENON_LOADER_SHUFFLE the batches of the epoch change places. What fills no batch, the end of the
// order, is the last batch as it is. It begins the epoch that it is in again.
// pool     batches, 2 or more: a larger one makes batches more even, and less random in what is
//          together; 0: samples in the order of a loader without buckets
// lengths  [samples of the dataset] how long each sample is, 0 or more, copied; NULL: the dataset
//          says it (tenon_dataset_get_lengths), which is asked once. Not read for a pool of 0
// memory   8 bytes a sample, until the loader is released
// errors   TENON_E_ARGUMENT (pool, a length below 0, no lengths for a loader of numbers), those of
//          tenon_dataset_get_lengths; the loader then stays as it was
// since    draft 2
TENON_EXPORT tenon_status tenon_loader_set_buckets(tenon_context* context, tenon_loader* loader,
                                                   int64_t pool, const int64_t* lengths);

// How long samples `first` to first + count - 1 of a dataset are, as its plugin's `lengths` says
// (tenon/ext/draft/datasets.h), without reading them.
// outputs  out_lengths[count], 0 or more each
// threads  [one thread per context]          state  [any]
// errors   TENON_E_UNSUPPORTED (the dataset does not say it), TENON_E_ARGUMENT (a range beyond the
//          dataset), TENON_E_PLUGIN (a length below 0), TENON_E_HANDLE, TENON_E_RUNTIME, those of
//          the dataset
// since    draft 2
TENON_EXPORT tenon_status tenon_dataset_get_lengths(tenon_context* context, tenon_dataset* dataset,
                                                    int64_t first, int64_t count,
                                                    int64_t* out_lengths);

// Starts epoch `epoch` (from 0), `position` samples in.
// errors   TENON_E_ARGUMENT (a negative epoch, or a position outside 0 ... length)
TENON_EXPORT tenon_status tenon_loader_begin(tenon_context* context, tenon_loader* loader,
                                             int64_t epoch, int64_t position);

// The next batch. If the epoch is over, *out_n is 0 and no tensor is made.
// outputs  [n_fields], all that the loader has, each [n, ...] in host memory, owned by the caller
// errors   TENON_E_ARGUMENT (n_fields); those of the dataset and the transforms, with the number of
//          the sample. A batch that fails is not given and the position stays: the next call reads
//          it again, and tenon_loader_begin with a position further on skips it. TENON_E_STATE: the
//          workers are those of the process that was forked. TENON_E_CAPTURE: a plan would take the
//          same batch at each run
TENON_EXPORT tenon_status tenon_loader_run(tenon_context* context, tenon_loader* loader,
                                           tenon_tensor** out_fields, uint32_t n_fields,
                                           int64_t* out_n);

// Callee-filled.
typedef struct tenon_loader_info {
  uint32_t struct_size;
  uint32_t flags;     // TENON_LOADER_*
  int64_t length;     // samples of an epoch
  int64_t batch;      // samples of a full batch
  int64_t epoch;      // the one begun last
  int64_t position;   // samples of it already given
  int64_t remaining;  // batches that are still to come in this epoch
  uint64_t seed;
  uint32_t n_fields;
  uint32_t n_workers;
  int64_t pool;  // batches that are sorted by length together; 0: none
} tenon_loader_info;
TENON_EXPORT tenon_status tenon_loader_get_info(tenon_context* context, tenon_loader* loader,
                                                tenon_loader_info* out_info);

// Name of field `index` (borrowed from the loader), and shape and dtype of one sample, after the
// transforms; any out may be NULL.
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_loader_get_field(tenon_context* context, tenon_loader* loader,
                                                 uint32_t index, const char** out_name,
                                                 tenon_meta* out_sample);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_LOADERS_H
