// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/transforms.h: what a loader does with a batch before it gives it: normalise,
// flatten, crop, flip. Part of tenon/sdk/client/loader.h, which programs include.
//
//   static const tenon_sdk_normalise ink = {1, 255, {0.1307}, {0.3081}};
//   const tenon_sdk_transform list[] = {{tenon_sdk_normalise_call, &ink, 0, 0},
//                                       {tenon_sdk_flatten_call, NULL, 0, 0}};
//   tenon_sdk_loader_set_transforms(context, &loader, list, 2, &diag);
//
// A transform replaces one field of a batch. Its arithmetic is plain C on host memory: a worker
// that runs it takes no thread of the runtime's pool. What is random depends on the loader's seed,
// the epoch and the sample alone, never on batch, position or thread; so the same transform of two
// fields, an image and its mask, does the same to both.
#ifndef TENON_SDK_TRANSFORMS_H
#define TENON_SDK_TRANSFORMS_H

#include <stdio.h>
#include <string.h>
#include <tenon/sdk/philox.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_SDK_CHANNELS 16u  // the most that tenon_sdk_normalise knows

typedef struct tenon_sdk_batch {
  int64_t n;
  const int64_t* samples;  // [n] their numbers in the dataset
  uint64_t seed;           // of the loader
  int64_t epoch;
} tenon_sdk_batch;

typedef struct tenon_sdk_transform {
  // Replaces *field, [n, ...], row-major in host memory of its own from its start, and releases
  // what was there; on failure *field stays. May be called
  // by several threads. If shape or dtype do not fit, words go into `diag`; it is asked with no
  // samples first, and what is accepted then must be accepted always (`diag` is then NULL).
  tenon_status (*call)(tenon_context* context, const void* settings, const tenon_sdk_batch* batch,
                       tenon_tensor** field, tenon_diag* diag);
  const void* settings;  // borrowed as long as the loader
  uint32_t field;
  uint32_t reserved;  // 0
} tenon_sdk_transform;

// (value / scale - mean) / deviation, as f32. u8 and f32; [n, ...] with one channel, or
// [n, channels, ...].
typedef struct tenon_sdk_normalise {
  uint32_t channels;
  float scale;  // 255 takes pixels to 0 ... 1; 1 leaves them
  float mean[TENON_SDK_CHANNELS];
  float deviation[TENON_SDK_CHANNELS];
} tenon_sdk_normalise;

// A window of height x width of each image, at a random place of the image with `padding` zeros on
// each side; in the middle if `is_random` is 0. Any dtype; [n, ..., H, W].
typedef struct tenon_sdk_crop {
  int64_t height;
  int64_t width;
  int64_t padding;
  uint32_t is_random;
  uint32_t reserved;  // 0
} tenon_sdk_crop;

static inline tenon_status tenon_sdk_transform_refuse(tenon_diag* diag, const char* name,
                                                      const char* expected, const char* found) {
  if (diag) {
    diag->status = TENON_E_ARGUMENT;
    snprintf(diag->message, sizeof diag->message, "%s: expected %s, found %s", name, expected,
             found);
    diag->length = (int32_t)strlen(diag->message);
  }
  return TENON_E_ARGUMENT;
}

// Random numbers of one sample in one epoch. `purpose` keeps transforms apart.
static inline tenon_sdk_random tenon_sdk_transform_random(const tenon_sdk_batch* batch, int64_t i,
                                                          uint64_t purpose) {
  const tenon_sdk_random random = {batch->seed ^ purpose, (uint64_t)batch->epoch,
                                   (uint64_t)batch->samples[i] << 16};
  return random;
}

// A new tensor like `old` with another shape or dtype, and where its data lies.
static inline tenon_status tenon_sdk_transform_new(tenon_context* context, tenon_dtype dtype,
                                                   int32_t rank, const int64_t* shape,
                                                   tenon_tensor** out_tensor, void** out_data) {
  tenon_status status = tenon_tensor_create(context, dtype, NULL, rank, shape, out_tensor);
  if (status != TENON_OK) return status;
  tenon_view view;
  status = tenon_tensor_get_view(context, *out_tensor, &view);
  if (status != TENON_OK) {
    tenon_tensor_release(*out_tensor);
    return status;
  }
  *out_data = view.data;
  return TENON_OK;
}

static inline void tenon_sdk_transform_swap(tenon_tensor** field, tenon_tensor* with) {
  tenon_tensor_release(*field);
  *field = with;
}

// Channel `c` of `n` samples; it has `inner` elements in each.
static inline void tenon_sdk_normalise_channel(const tenon_sdk_normalise* how, uint32_t c,
                                               const tenon_view* from, int64_t n, int64_t inner,
                                               float* to) {
  const float mean = how->mean[c];
  const float deviation = how->deviation[c];
  float table[256];  // for bytes: a division for each value there is, not for each pixel
  for (int v = 0; v < 256; ++v) table[v] = ((float)v / how->scale - mean) / deviation;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t start = (i * how->channels + c) * inner;
    float* const out = to + start;
    if (from->dtype == TENON_DTYPE_U8) {
      const uint8_t* const old = (const uint8_t*)from->data + start;
      for (int64_t at = 0; at < inner; ++at) out[at] = table[old[at]];
    } else {
      const float* const old = (const float*)from->data + start;
      for (int64_t at = 0; at < inner; ++at) out[at] = (old[at] / how->scale - mean) / deviation;
    }
  }
}

static inline tenon_status tenon_sdk_normalise_call(tenon_context* context, const void* settings,
                                                    const tenon_sdk_batch* batch,
                                                    tenon_tensor** field, tenon_diag* diag) {
  const tenon_sdk_normalise* const how = (const tenon_sdk_normalise*)settings;
  tenon_view from;
  tenon_status status = tenon_tensor_get_view(context, *field, &from);
  if (status != TENON_OK) return status;
  if (from.dtype != TENON_DTYPE_U8 && from.dtype != TENON_DTYPE_F32) {
    return tenon_sdk_transform_refuse(diag, "normalise", "u8 or f32", "another dtype");
  }
  if (how->channels < 1 || how->channels > TENON_SDK_CHANNELS || how->scale == 0) {
    return tenon_sdk_transform_refuse(
        diag, "normalise", "1 to 16 channels and a scale that is not 0", "other settings");
  }
  for (uint32_t c = 0; c < how->channels; ++c) {
    if (how->deviation[c] == 0) {
      return tenon_sdk_transform_refuse(diag, "normalise", "deviations that are not 0", "0");
    }
  }
  if (how->channels > 1 && (from.rank < 2 || from.shape[1] != how->channels)) {
    return tenon_sdk_transform_refuse(diag, "normalise", "[n, channels, ...]",
                                      "another number of channels");
  }
  tenon_tensor* made = NULL;
  void* data = NULL;
  status = tenon_sdk_transform_new(context, TENON_DTYPE_F32, from.rank, from.shape, &made, &data);
  if (status != TENON_OK) return status;
  int64_t inner = 1;  // elements of one channel of one sample
  for (int32_t d = how->channels > 1 ? 2 : 1; d < from.rank; ++d) inner *= from.shape[d];
  for (uint32_t c = 0; c < how->channels; ++c) {
    tenon_sdk_normalise_channel(how, c, &from, batch->n, inner, (float*)data);
  }
  tenon_sdk_transform_swap(field, made);
  return TENON_OK;
}

// [n, ...] as [n, the rest]; shares the memory. No settings.
static inline tenon_status tenon_sdk_flatten_call(tenon_context* context, const void* settings,
                                                  const tenon_sdk_batch* batch,
                                                  tenon_tensor** field, tenon_diag* diag) {
  (void)settings;
  (void)diag;
  tenon_view from;
  const tenon_status status = tenon_tensor_get_view(context, *field, &from);
  if (status != TENON_OK) return status;
  int64_t shape[2] = {batch->n, 1};
  for (int32_t d = 1; d < from.rank; ++d) shape[1] *= from.shape[d];
  const int64_t strides[2] = {shape[1], 1};
  tenon_tensor* made = NULL;
  const tenon_status viewed =
      tenon_tensor_create_view(context, *field, 2, shape, strides, 0, &made);
  if (viewed == TENON_OK) tenon_sdk_transform_swap(field, made);
  return viewed;
}

// Copies a row of `width` elements from column `left` of a row of `columns`; what lies outside is
// 0.
static inline void tenon_sdk_crop_row(const char* from, int64_t columns, int64_t left,
                                      int64_t width, int64_t size, char* to) {
  const int64_t begin = left < 0 ? -left : 0;
  const int64_t end = left + width > columns ? columns - left : width;
  memset(to, 0, (size_t)(width * size));
  if (from && begin < end) {
    memcpy(to + begin * size, from + (left + begin) * size, (size_t)((end - begin) * size));
  }
}

static inline tenon_status tenon_sdk_crop_call(tenon_context* context, const void* settings,
                                               const tenon_sdk_batch* batch, tenon_tensor** field,
                                               tenon_diag* diag) {
  const tenon_sdk_crop* const how = (const tenon_sdk_crop*)settings;
  tenon_view from;
  tenon_status status = tenon_tensor_get_view(context, *field, &from);
  if (status != TENON_OK) return status;
  if (from.rank < 3) {
    return tenon_sdk_transform_refuse(diag, "crop", "[n, ..., H, W]", "fewer dimensions");
  }
  const int64_t rows = from.shape[from.rank - 2];
  const int64_t columns = from.shape[from.rank - 1];
  const int64_t room[2] = {rows + 2 * how->padding - how->height,
                           columns + 2 * how->padding - how->width};
  if (how->padding < 0 || how->padding > INT32_MAX || how->height < 1 || how->width < 1 ||
      room[0] < 0 || room[1] < 0) {
    return tenon_sdk_transform_refuse(diag, "crop", "a window within the padded image",
                                      "a larger or an empty one");
  }
  int64_t shape[TENON_MAX_RANK];
  memcpy(shape, from.shape, (size_t)from.rank * sizeof *shape);
  shape[from.rank - 2] = how->height;
  shape[from.rank - 1] = how->width;
  tenon_tensor* made = NULL;
  void* data = NULL;
  status = tenon_sdk_transform_new(context, from.dtype, from.rank, shape, &made, &data);
  if (status != TENON_OK) return status;
  int64_t planes = 1;  // of one sample
  for (int32_t d = 1; d < from.rank - 2; ++d) planes *= shape[d];
  const int64_t size = (int64_t)((from.dtype >> 8) & 0xFFu) / 8;
  char* to = (char*)data;
  for (int64_t i = 0; i < batch->n; ++i) {
    tenon_sdk_random random = tenon_sdk_transform_random(batch, i, 0x63726F70u);  // "crop"
    int64_t place[2];  // of the window's first element in the image
    for (int d = 0; d < 2; ++d) {
      const int64_t at = how->is_random
                             ? (int64_t)tenon_sdk_random_below(&random, (uint64_t)room[d] + 1)
                             : room[d] / 2;
      place[d] = at - how->padding;
    }
    for (int64_t plane = i * planes; plane < (i + 1) * planes; ++plane) {
      const char* const image = (const char*)from.data + plane * rows * columns * size;
      for (int64_t r = place[0]; r < place[0] + how->height; ++r, to += how->width * size) {
        tenon_sdk_crop_row(r < 0 || r >= rows ? NULL : image + r * columns * size, columns,
                           place[1], how->width, size, to);
      }
    }
  }
  tenon_sdk_transform_swap(field, made);
  return TENON_OK;
}

// Every second image, by chance, with its columns from right to left. Any dtype; [n, ..., W]. No
// settings.
static inline tenon_status tenon_sdk_flip_call(tenon_context* context, const void* settings,
                                               const tenon_sdk_batch* batch, tenon_tensor** field,
                                               tenon_diag* diag) {
  (void)settings;
  tenon_view from;
  tenon_status status = tenon_tensor_get_view(context, *field, &from);
  if (status != TENON_OK) return status;
  if (from.rank < 2) {
    return tenon_sdk_transform_refuse(diag, "flip", "[n, ..., W]", "fewer dimensions");
  }
  tenon_tensor* made = NULL;
  void* data = NULL;
  status = tenon_sdk_transform_new(context, from.dtype, from.rank, from.shape, &made, &data);
  if (status != TENON_OK) return status;
  const int64_t columns = from.shape[from.rank - 1];
  const int64_t size = (int64_t)((from.dtype >> 8) & 0xFFu) / 8;
  int64_t elements = 1;  // of one sample
  for (int32_t d = 1; d < from.rank; ++d) elements *= from.shape[d];
  for (int64_t i = 0; i < batch->n; ++i) {
    tenon_sdk_random random = tenon_sdk_transform_random(batch, i, 0x666C6970u);  // "flip"
    const int flips = (int)(tenon_sdk_random_next(&random) >> 63);
    const char* const old = (const char*)from.data + i * elements * size;
    char* const to = (char*)data + i * elements * size;
    if (!flips) {
      memcpy(to, old, (size_t)(elements * size));
      continue;
    }
    for (int64_t at = 0; at < elements; ++at) {
      const int64_t column = at % columns;
      memcpy(to + at * size, old + (at - column + (columns - 1 - column)) * size, (size_t)size);
    }
  }
  tenon_sdk_transform_swap(field, made);
  return TENON_OK;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_TRANSFORMS_H
