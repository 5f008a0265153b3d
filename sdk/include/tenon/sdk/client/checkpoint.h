// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/checkpoint.h: a training run in one archive, for programs in C and C++;
// header-only.
//
// A checkpoint is an archive (tenon/ext/draft/archives.h) written with tenon_file_set as
// safetensors. By convention its tensors are named "model.<name>" and "optimizer.<o>.<p>.<state>"
// (state of parameter p of optimizer o), and its metadata holds numbers as text: "rng.seed",
// "rng.stream", "rng.counter", "loader.seed", "loader.epoch", "loader.position", and whatever else
// the program keeps (step, learning rate, a schedule's state). With all of it put back, a run goes
// on with the bits it would have had.
//
// Functions with `set` put something into the archive, those with `apply` put it back from one.
// Each returns the first status that is not TENON_OK; the context holds the words.
#ifndef TENON_SDK_CHECKPOINT_H
#define TENON_SDK_CHECKPOINT_H

#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/training.h>
#include <tenon/sdk/client/loader.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// Longest name of an optimizer's state in the archive, with its zero byte.
#define TENON_SDK_CHECKPOINT_NAME 256

// ---- Numbers ------------------------------------------------------------------------------------

static inline tenon_status tenon_sdk_checkpoint_set_number(tenon_context* context,
                                                           tenon_archive* archive, const char* key,
                                                           uint64_t number) {
  char text[24];
  const int length = snprintf(text, sizeof text, "%" PRIu64, number);
  return tenon_archive_set_metadata(context, archive, key, TENON_NUL, text, (uint64_t)length);
}

// errors   TENON_E_NOT_FOUND, TENON_E_DATA (the text is not an integer below 2^64)
static inline tenon_status tenon_sdk_checkpoint_get_number(tenon_context* context,
                                                           tenon_archive* archive, const char* key,
                                                           uint64_t* out_number) {
  const char* text = NULL;
  uint64_t length = 0;
  const tenon_status status =
      tenon_archive_find_metadata(context, archive, key, TENON_NUL, &text, &length);
  if (status != TENON_OK) return status;
  uint64_t number = 0;
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t digit = (uint64_t)(text[i] - '0');
    if (text[i] < '0' || text[i] > '9' || number > (UINT64_MAX - digit) / 10) return TENON_E_DATA;
    number = number * 10 + digit;
  }
  if (length == 0) return TENON_E_DATA;
  *out_number = number;
  return TENON_OK;
}

// A real number, bit for bit.
static inline tenon_status tenon_sdk_checkpoint_set_real(tenon_context* context,
                                                         tenon_archive* archive, const char* key,
                                                         double number) {
  uint64_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  return tenon_sdk_checkpoint_set_number(context, archive, key, bits);
}

static inline tenon_status tenon_sdk_checkpoint_get_real(tenon_context* context,
                                                         tenon_archive* archive, const char* key,
                                                         double* out_number) {
  uint64_t bits = 0;
  const tenon_status status = tenon_sdk_checkpoint_get_number(context, archive, key, &bits);
  if (status == TENON_OK) memcpy(out_number, &bits, sizeof bits);
  return status;
}

// ---- Random numbers, loader ---------------------------------------------------------------------

static inline tenon_status tenon_sdk_checkpoint_set_rng(tenon_context* context,
                                                        tenon_archive* archive) {
  uint64_t seed = 0, stream = 0, counter = 0;
  tenon_status status = tenon_context_get_seed(context, &seed, &stream, &counter);
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_set_number(context, archive, "rng.seed", seed);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_set_number(context, archive, "rng.stream", stream);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_set_number(context, archive, "rng.counter", counter);
  }
  return status;
}

static inline tenon_status tenon_sdk_checkpoint_apply_rng(tenon_context* context,
                                                          tenon_archive* archive) {
  uint64_t seed = 0, stream = 0, counter = 0;
  tenon_status status = tenon_sdk_checkpoint_get_number(context, archive, "rng.seed", &seed);
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_get_number(context, archive, "rng.stream", &stream);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_get_number(context, archive, "rng.counter", &counter);
  }
  if (status == TENON_OK) status = tenon_context_set_seed(context, seed, stream);
  return status == TENON_OK ? tenon_context_set_counter(context, counter) : status;
}

static inline tenon_status tenon_sdk_checkpoint_set_loader(tenon_context* context,
                                                           tenon_archive* archive,
                                                           const tenon_sdk_loader* loader) {
  tenon_status status =
      tenon_sdk_checkpoint_set_number(context, archive, "loader.seed", loader->seed);
  if (status == TENON_OK) {
    status =
        tenon_sdk_checkpoint_set_number(context, archive, "loader.epoch", (uint64_t)loader->epoch);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_set_number(context, archive, "loader.position",
                                             (uint64_t)loader->position);
  }
  return status;
}

// errors   also TENON_E_DATA if the loader was made with another seed
static inline tenon_status tenon_sdk_checkpoint_apply_loader(tenon_context* context,
                                                             tenon_archive* archive,
                                                             tenon_sdk_loader* loader) {
  uint64_t seed = 0, epoch = 0, position = 0;
  tenon_status status = tenon_sdk_checkpoint_get_number(context, archive, "loader.seed", &seed);
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_get_number(context, archive, "loader.epoch", &epoch);
  }
  if (status == TENON_OK) {
    status = tenon_sdk_checkpoint_get_number(context, archive, "loader.position", &position);
  }
  if (status != TENON_OK) return status;
  if (seed != loader->seed || epoch > INT64_MAX || position > (uint64_t)loader->length) {
    return TENON_E_DATA;
  }
  return tenon_sdk_loader_begin(loader, (int64_t)epoch, (int64_t)position);
}

// ---- Tensors ------------------------------------------------------------------------------------

// Copies the values of the tensor `name` of the archive into `tensor`, a parameter for example.
// errors   TENON_E_NOT_FOUND; TENON_E_DATA if shape or dtype is another, and nothing is changed
static inline tenon_status tenon_sdk_checkpoint_apply_tensor(tenon_context* context,
                                                             tenon_archive* archive,
                                                             const char* name,
                                                             tenon_tensor* tensor) {
  uint32_t index = 0;
  tenon_tensor* saved = NULL;
  tenon_status status = tenon_archive_find(context, archive, name, TENON_NUL, &index);
  if (status == TENON_OK) {
    status = tenon_tensor_create_loaded(context, archive, index, TENON_ARCHIVE_COPY, &saved);
  }
  tenon_view from, to;
  if (status == TENON_OK) status = tenon_tensor_get_view(context, saved, &from);
  if (status == TENON_OK) status = tenon_tensor_get_view(context, tensor, &to);
  tenon_tensor_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  if (status == TENON_OK) status = tenon_tensor_get_info(context, saved, &info);
  if (status == TENON_OK) {
    const int same =
        from.rank == to.rank && from.dtype == to.dtype &&
        (from.rank == 0 || memcmp(from.shape, to.shape, (size_t)from.rank * sizeof *to.shape) == 0);
    if (!same) status = TENON_E_DATA;
  }
  if (status == TENON_OK) status = tenon_grad_begin(context, TENON_GRAD_DISABLED);
  if (status == TENON_OK) {
    const uint64_t bytes = (uint64_t)info.elements * ((from.dtype >> 8 & 0xff) / 8);
    status = tenon_tensor_set_data(context, tensor, from.data, bytes);
    const tenon_status ended = tenon_grad_end(context);
    if (status == TENON_OK) status = ended;
  }
  tenon_tensor_release(saved);
  return status;
}

// Calls tenon_optimizer_get_state for each of the `states` (names) of each parameter. What has made
// no step yet has no state, and none is put into the archive.
static inline tenon_status tenon_sdk_checkpoint_set_optimizer(
    tenon_context* context, tenon_archive* archive, uint32_t number, tenon_optimizer* optimizer,
    uint32_t n_params, const char* const* states, uint32_t n_states) {
  for (uint32_t p = 0; p < n_params; ++p) {
    for (uint32_t s = 0; s < n_states; ++s) {
      tenon_tensor* state = NULL;
      tenon_status status =
          tenon_optimizer_get_state(context, optimizer, p, states[s], TENON_NUL, &state);
      if (status != TENON_OK) return status;
      if (!state) continue;
      char name[TENON_SDK_CHECKPOINT_NAME];
      snprintf(name, sizeof name, "optimizer.%" PRIu32 ".%" PRIu32 ".%s", number, p, states[s]);
      status = tenon_archive_set_tensor(context, archive, name, TENON_NUL, state);
      if (status != TENON_OK) return status;
    }
  }
  return TENON_OK;
}

// What is not in the archive is left as it is.
static inline tenon_status tenon_sdk_checkpoint_apply_optimizer(
    tenon_context* context, tenon_archive* archive, uint32_t number, tenon_optimizer* optimizer,
    uint32_t n_params, const char* const* states, uint32_t n_states) {
  for (uint32_t p = 0; p < n_params; ++p) {
    for (uint32_t s = 0; s < n_states; ++s) {
      char name[TENON_SDK_CHECKPOINT_NAME];
      snprintf(name, sizeof name, "optimizer.%" PRIu32 ".%" PRIu32 ".%s", number, p, states[s]);
      uint32_t index = 0;
      tenon_status status = tenon_archive_find(context, archive, name, TENON_NUL, &index);
      if (status == TENON_E_NOT_FOUND) continue;
      tenon_tensor* state = NULL;
      if (status == TENON_OK) {
        status = tenon_tensor_create_loaded(context, archive, index, 0, &state);
      }
      if (status == TENON_OK) {
        status = tenon_optimizer_set_state(context, optimizer, p, states[s], TENON_NUL, state);
      }
      tenon_tensor_release(state);
      if (status != TENON_OK) return status;
    }
  }
  return TENON_OK;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_CHECKPOINT_H
