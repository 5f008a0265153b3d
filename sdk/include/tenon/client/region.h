// SPDX-License-Identifier: Apache-2.0
// tenon/client/region.h: a runtime with its context, what it holds and releases together, and
// the check that ends the program; part of tenon/client.h, which programs include.
#ifndef TENON_CLIENT_REGION_H
#define TENON_CLIENT_REGION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/progress.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Something of which the client holds one reference.
typedef enum tn_kind {
  TN_TENSOR,
  TN_DATASET,
  TN_TRANSFORM,
  TN_LOADER,
  TN_LAYER,
  TN_OPTIMIZER,
  TN_SCHEDULE,
  TN_CHECKPOINT,
  TN_PROGRESS,
  TN_HISTORY,
  TN_PLAN,
  TN_TOKENIZER,
  TN_WORDS
} tn_kind;
typedef struct tn_kept {
  tn_kind kind;
  void* object;
} tn_kept;

typedef struct tn_client {
  tenon_runtime* runtime;
  tenon_context* context;
  tn_kept* kept;  // what regions release
  size_t n_kept;
  size_t capacity;
} tn_client;

// ---- Errors -------------------------------------------------------------------------------------

static inline void tn_print_line(const char* label, const char* text) {
  if (text && *text) fprintf(stderr, "  %-9s %s\n", label, text);
}

// Does nothing for TENON_OK; else prints the context's error record and ends the program.
static inline void tn_check(tn_client* c, tenon_status status) {
  if (status == TENON_OK) return;
  fflush(stdout);  // the words come after what the program has printed
  tenon_error error;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  if (tenon_context_get_error(c->context, &error) != TENON_OK || error.status != status) {
    fprintf(stderr, "error: %s\n", tenon_status_get_name(status));
    exit(1);
  }
  fprintf(stderr, "error: %s\n", error.message);
  tn_print_line("status", tenon_status_get_name(status));
  tn_print_line("op", error.op);
  tn_print_line("operand", error.operand);
  tn_print_line("expected", error.expected);
  tn_print_line("found", error.found);
  tn_print_line("plugin", error.plugin);
  tn_print_line("in", error.scope);
  for (uint32_t i = 0; i < error.n_causes; ++i) tn_print_line("because", error.causes[i]);
  tn_print_line("hint", error.hint);
  exit(1);
}

// ---- A client -----------------------------------------------------------------------------------

// A runtime with a context. threads: of computing; 0: as many as the process may use.
static inline void tn_open(tn_client* c, int64_t threads, uint64_t seed) {
  memset(c, 0, sizeof *c);
  tenon_runtime_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.threads = (int32_t)threads;
  tenon_diag diag;
  memset(&diag, 0, sizeof diag);
  if (tenon_runtime_create(&options, &diag, &c->runtime) != TENON_OK ||
      tenon_context_create(c->runtime, &diag, &c->context) != TENON_OK) {
    fprintf(stderr, "error: %s\n", diag.message);
    exit(1);
  }
  tn_check(c, tenon_context_set_seed(c->context, seed, 0));
}

// Gives an object to the client, which releases it at the end of the region; NULL stays NULL.
static inline void* tn_hold(tn_client* c, tn_kind kind, void* object) {
  if (!object) return NULL;
  if (c->n_kept == c->capacity) {
    const size_t capacity = c->capacity ? 2 * c->capacity : 64;
    tn_kept* kept = (tn_kept*)realloc(c->kept, capacity * sizeof *kept);
    if (!kept) {
      fprintf(stderr, "error: out of memory\n");
      exit(1);
    }
    c->kept = kept;
    c->capacity = capacity;
  }
  c->kept[c->n_kept].kind = kind;
  c->kept[c->n_kept++].object = object;
  return object;
}
static inline tenon_tensor* tn_keep(tn_client* c, tenon_tensor* tensor) {
  return (tenon_tensor*)tn_hold(c, TN_TENSOR, tensor);
}

static inline void tn_release(tn_kept kept) {
  switch (kept.kind) {
    case TN_TENSOR:
      tenon_tensor_release((tenon_tensor*)kept.object);
      break;
    case TN_DATASET:
      tenon_dataset_release((tenon_dataset*)kept.object);
      break;
    case TN_TRANSFORM:
      tenon_transform_release((tenon_transform*)kept.object);
      break;
    case TN_LOADER:
      tenon_loader_release((tenon_loader*)kept.object);
      break;
    case TN_LAYER:
      tenon_layer_release((tenon_layer*)kept.object);
      break;
    case TN_OPTIMIZER:
      tenon_optimizer_release((tenon_optimizer*)kept.object);
      break;
    case TN_SCHEDULE:
      tenon_schedule_release((tenon_schedule*)kept.object);
      break;
    case TN_CHECKPOINT:
      tenon_checkpoint_release((tenon_checkpoint*)kept.object);
      break;
    case TN_PROGRESS:
      tenon_progress_release((tenon_progress*)kept.object);
      break;
    case TN_HISTORY:
      tenon_history_release((tenon_history*)kept.object);
      break;
    case TN_PLAN:
      tenon_plan_release((tenon_plan*)kept.object);
      break;
    case TN_TOKENIZER:
      tenon_tokenizer_release((tenon_tokenizer*)kept.object);
      break;
    case TN_WORDS:
      tenon_text_release((tenon_text*)kept.object);
      break;
  }
}

// A reference of the caller's own, which no region releases.
static inline tenon_tensor* tn_own(tn_client* c, tenon_tensor* tensor) {
  tn_check(c, tenon_tensor_retain(tensor));
  return tensor;
}

// Where a region begins. Regions lie one in another.
static inline size_t tn_begin(const tn_client* c) { return c->n_kept; }
// Releases what the client was given since.
static inline void tn_end(tn_client* c, size_t begin) {
  while (c->n_kept > begin) tn_release(c->kept[--c->n_kept]);
}

static inline void tn_close(tn_client* c) {
  tn_end(c, 0);
  free(c->kept);
  tenon_context_release(c->context);
  tenon_runtime_release(c->runtime);
  memset(c, 0, sizeof *c);
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_CLIENT_REGION_H
