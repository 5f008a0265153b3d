// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/loader_workers.h: threads that read the batches of a loader ahead; part of
// tenon/sdk/client/loader.h, which programs include.
#ifndef TENON_SDK_LOADER_WORKERS_H
#define TENON_SDK_LOADER_WORKERS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/sdk/client/loader_batch.h>

#ifdef __cplusplus
extern "C" {
#endif

// Batches that are read ahead for each worker: so many, because a worker that sleeps is woken only
// when half of them are gone (tenon_sdk_loader_take).
#define TENON_SDK_LOADER_AHEAD 4u

// A batch that was read ahead, or is being read.
typedef struct tenon_sdk_loader_slot {
  int32_t is_read;      // `status` and, if that is TENON_OK, `fields` are there
  tenon_status status;  // of reading it
  tenon_tensor* fields[TENON_SDK_LOADER_FIELDS];
} tenon_sdk_loader_slot;

typedef struct tenon_sdk_loader_workers {
  pthread_mutex_t mutex;  // guards what the threads change: from `source` on
  pthread_cond_t room;    // workers wait for it: a batch may be read, or all shall end
  pthread_cond_t ready;   // the loader waits for it: a batch was read
  uint32_t n_threads;
  uint32_t n_contexts;
  uint32_t n_fields;
  uint32_t n_slots;  // so many batches are read ahead
  pthread_t threads[TENON_SDK_LOADER_WORKERS];
  tenon_context* contexts[TENON_SDK_LOADER_WORKERS];  // one for each thread
  tenon_sdk_loader source;                            // the loader when it began to read ahead
  int64_t n_batches;  // of `source` from its position; 0: none may be begun
  int64_t begun;      // batches that some worker has taken on
  int64_t given;      // batches that next() has passed on
  uint32_t reading;   // workers that read just now
  uint32_t ends;      // 1: all shall end
  // batch k lies in k % n_slots
  tenon_sdk_loader_slot slots[TENON_SDK_LOADER_AHEAD * TENON_SDK_LOADER_WORKERS];
} tenon_sdk_loader_workers;

// What one thread is given; it frees it.
typedef struct tenon_sdk_loader_worker {
  tenon_sdk_loader_workers* all;
  tenon_context* context;
} tenon_sdk_loader_worker;

static inline void* tenon_sdk_loader_run(void* worker) {
  const tenon_sdk_loader_worker self = *(const tenon_sdk_loader_worker*)worker;
  tenon_sdk_loader_workers* const w = self.all;
  free(worker);
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    while (!w->ends && (w->begun >= w->n_batches || w->begun - w->given >= w->n_slots)) {
      pthread_cond_wait(&w->room, &w->mutex);
    }
    if (w->ends) break;
    const int64_t position = w->source.position + w->begun * w->source.batch;
    const int64_t left = w->source.length - position;
    tenon_sdk_loader_slot* const slot = &w->slots[w->begun % w->n_slots];
    w->begun += 1;
    w->reading += 1;
    pthread_mutex_unlock(&w->mutex);
    // Until the worker is back nobody else looks at this slot, or changes `source` or the order.
    const tenon_status status = tenon_sdk_loader_read(
        self.context, &w->source, position, left < w->source.batch ? left : w->source.batch,
        slot->fields, w->n_fields);
    pthread_mutex_lock(&w->mutex);
    slot->status = status;
    slot->is_read = 1;
    w->reading -= 1;
    pthread_cond_signal(&w->ready);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

// Waits until nobody reads, and drops what was read and not asked for. The mutex is held.
static inline void tenon_sdk_loader_drop(tenon_sdk_loader_workers* w) {
  w->n_batches = 0;
  while (w->reading > 0) pthread_cond_wait(&w->ready, &w->mutex);
  for (; w->given < w->begun; ++w->given) {
    tenon_sdk_loader_slot* const slot = &w->slots[w->given % w->n_slots];
    for (uint32_t f = 0; f < w->n_fields && slot->status == TENON_OK; ++f) {
      tenon_tensor_release(slot->fields[f]);
    }
    slot->is_read = 0;
  }
}

// From now on the batches after the loader's position are read ahead. The mutex is held.
static inline void tenon_sdk_loader_start(const tenon_sdk_loader* loader) {
  tenon_sdk_loader_workers* const w = loader->workers;
  w->source = *loader;
  w->begun = 0;
  w->given = 0;
  w->n_batches = tenon_sdk_loader_get_rest(loader);
  pthread_cond_broadcast(&w->room);
}

static inline void tenon_sdk_loader_end(tenon_sdk_loader_workers* w) {
  if (!w) return;
  pthread_mutex_lock(&w->mutex);
  w->ends = 1;
  tenon_sdk_loader_drop(w);
  pthread_cond_broadcast(&w->room);
  pthread_mutex_unlock(&w->mutex);
  for (uint32_t i = 0; i < w->n_threads; ++i) pthread_join(w->threads[i], NULL);
  for (uint32_t i = 0; i < w->n_contexts; ++i) tenon_context_release(w->contexts[i]);
  pthread_cond_destroy(&w->room);
  pthread_cond_destroy(&w->ready);
  pthread_mutex_destroy(&w->mutex);
  free(w);
}

// One more context and one more thread.
static inline tenon_status tenon_sdk_loader_add(tenon_runtime* runtime, tenon_sdk_loader_workers* w,
                                                tenon_diag* diag) {
  tenon_context* context = NULL;
  const tenon_status status = tenon_context_create(runtime, diag, &context);
  if (status != TENON_OK) return status;
  w->contexts[w->n_contexts++] = context;
  if (w->n_fields == 0) {  // counted here, so that the last refusal is in no record but this one's
    while (tenon_dataset_get_field(context, w->source.dataset, w->n_fields, NULL, NULL) ==
           TENON_OK) {
      w->n_fields += 1;
    }
  }
  tenon_sdk_loader_worker* const self = (tenon_sdk_loader_worker*)malloc(sizeof *self);
  if (!self) return tenon_sdk_loader_refuse(diag, TENON_E_MEMORY, "out of memory");
  self->all = w;
  self->context = context;
  const int why = pthread_create(&w->threads[w->n_threads], NULL, tenon_sdk_loader_run, self);
  if (why != 0) {
    free(self);
    char words[128];
    snprintf(words, sizeof words,
             "worker %u: the system starts no thread (error %d); ask for fewer", w->n_threads + 1,
             why);
    return tenon_sdk_loader_refuse(diag, TENON_E_MEMORY, words);
  }
  w->n_threads += 1;
  return TENON_OK;
}

static inline tenon_status tenon_sdk_loader_hire(tenon_runtime* runtime, tenon_dataset* dataset,
                                                 uint32_t n_workers, tenon_diag* diag,
                                                 tenon_sdk_loader_workers** out_workers) {
  tenon_sdk_loader_workers* const w = (tenon_sdk_loader_workers*)calloc(1, sizeof *w);
  if (!w) return tenon_sdk_loader_refuse(diag, TENON_E_MEMORY, "out of memory");
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->room, NULL);
  pthread_cond_init(&w->ready, NULL);
  w->source.dataset = dataset;
  w->n_slots = TENON_SDK_LOADER_AHEAD * n_workers;
  for (uint32_t i = 0; i < n_workers; ++i) {
    const tenon_status status = tenon_sdk_loader_add(runtime, w, diag);
    if (status == TENON_OK) continue;
    tenon_sdk_loader_end(w);
    return status;
  }
  *out_workers = w;
  return TENON_OK;
}

// From now on `n_workers` threads read batches ahead, four for each; 0 ends them. They begin at
// once, at the loader's position, and again at each tenon_sdk_loader_begin.
// memory   a context for each worker and up to 4 n_workers batches, until the loader is released
// threads  the dataset is called by the workers, each in a context of its own. A batch that fails
//          there is read again where it is asked for: that is the error the caller sees.
// errors   TENON_E_ARGUMENT, TENON_E_MEMORY and those of tenon_context_create, with words in `diag`
//          (may be NULL); the loader then stays as it was
static inline tenon_status tenon_sdk_loader_set_workers(tenon_runtime* runtime,
                                                        tenon_sdk_loader* loader,
                                                        uint32_t n_workers, tenon_diag* diag) {
  if (!loader) {
    return tenon_sdk_loader_refuse(diag, TENON_E_ARGUMENT,
                                   "set_workers: expected a loader, found NULL");
  }
  if (n_workers > TENON_SDK_LOADER_WORKERS) {
    char words[128];
    snprintf(words, sizeof words, "set_workers: n_workers: expected 0 to %u, found %u",
             TENON_SDK_LOADER_WORKERS, n_workers);
    return tenon_sdk_loader_refuse(diag, TENON_E_ARGUMENT, words);
  }
  tenon_sdk_loader_workers* workers = NULL;
  if (n_workers > 0) {
    const tenon_status status =
        tenon_sdk_loader_hire(runtime, loader->dataset, n_workers, diag, &workers);
    if (status != TENON_OK) return status;
  }
  tenon_sdk_loader_end(loader->workers);
  loader->workers = workers;
  if (workers) {
    pthread_mutex_lock(&workers->mutex);
    tenon_sdk_loader_start(loader);
    pthread_mutex_unlock(&workers->mutex);
  }
  return TENON_OK;
}

// The batch that was read ahead. One that failed is read again, so that `context` holds the error.
static inline tenon_status tenon_sdk_loader_take(tenon_context* context, tenon_sdk_loader* loader,
                                                 int64_t n, tenon_tensor** out_fields) {
  tenon_sdk_loader_workers* const w = loader->workers;
  pthread_mutex_lock(&w->mutex);
  tenon_sdk_loader_slot* const slot = &w->slots[w->given % w->n_slots];
  while (!slot->is_read) pthread_cond_wait(&w->ready, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
  // No worker touches the slot until the batch is given.
  if (slot->status == TENON_OK) {
    memcpy(out_fields, slot->fields, w->n_fields * sizeof(tenon_tensor*));
  } else {
    const tenon_status status =
        tenon_sdk_loader_read(context, loader, loader->position, n, out_fields, w->n_fields);
    if (status != TENON_OK) return status;
  }
  pthread_mutex_lock(&w->mutex);
  slot->is_read = 0;
  w->given += 1;
  // Not for each batch: to wake a thread costs the caller some microseconds. One that is awake
  // reads on until there is no room.
  const int64_t ahead = w->begun - w->given;
  if (ahead <= w->n_slots / 2 && w->begun < w->n_batches) pthread_cond_signal(&w->room);
  pthread_mutex_unlock(&w->mutex);
  return TENON_OK;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_LOADER_WORKERS_H
