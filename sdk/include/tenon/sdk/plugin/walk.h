// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/walk.h: kernels: the operands of a launch, their elements in row-major order,
// and the rules of slots that take them as they are; part of tenon/sdk/plugin.h.
#ifndef TENON_SDK_PLUGIN_WALK_H
#define TENON_SDK_PLUGIN_WALK_H

#include <string.h>
#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Operands -----------------------------------------------------------------------------------

// The view of slot `slot`, or entry `item` of its list. Slots are the schema's inputs, then its
// outputs.
static inline const tenon_view* tn_view_of(const tenon_launch* args, uint32_t slot, uint32_t item) {
  return &args->views[args->slot_begin[slot] + item];
}

// How many views a slot has: 1, none if it is absent, n for a list.
static inline uint32_t tn_count_of(const tenon_launch* args, uint32_t slot) {
  return args->slot_begin[slot + 1] - args->slot_begin[slot];
}

static inline int64_t tn_element_size(tenon_dtype dtype) { return (dtype >> 8 & 0xFF) / 8; }

static inline int64_t tn_element_count(const tenon_view* view) {
  int64_t count = 1;
  for (int32_t d = 0; d < view->rank; ++d) count *= view->shape[d];
  return count;
}

static inline int tn_same_shape(const tenon_view* a, const tenon_view* b) {
  int same = a->rank == b->rank;
  for (int32_t d = 0; same && d < a->rank; ++d) same = a->shape[d] == b->shape[d];
  return same;
}

// ---- Elements -----------------------------------------------------------------------------------

// Where the current element of one operand is. Strides may be zero or negative; addresses need no
// alignment, so elements are read and written with memcpy.
typedef struct tn_cursor {
  char* at;
  int64_t index[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];  // bytes
} tn_cursor;

// At element number `first` of a view that has elements, or at its beginning. A view of rank 0 goes
// with any shape: it steps nowhere.
static inline tn_cursor tn_cursor_at(const tenon_view* view, int64_t first) {
  tn_cursor cursor;
  memset(&cursor, 0, sizeof cursor);
  cursor.at = (char*)view->data;
  for (int32_t d = view->rank - 1; d >= 0; --d) {
    cursor.step[d] = view->strides[d] * tn_element_size(view->dtype);
    if (first == 0) continue;
    cursor.index[d] = first % view->shape[d];
    cursor.at += cursor.index[d] * cursor.step[d];
    first /= view->shape[d];
  }
  return cursor;
}

static inline void tn_cursor_next(tn_cursor* cursor, const tenon_view* view) {
  for (int32_t d = view->rank - 1; d >= 0; --d) {
    cursor->at += cursor->step[d];
    if (++cursor->index[d] < view->shape[d]) return;
    cursor->at -= cursor->index[d] * cursor->step[d];
    cursor->index[d] = 0;
  }
}

// An element of f32 or f64, whatever its address; a number becomes one, rounded once.
static inline double tn_load_real(const char* at, tenon_dtype dtype) {
  double wide = 0;
  float narrow = 0;
  if (dtype == TENON_DTYPE_F64) {
    memcpy(&wide, at, sizeof wide);
    return wide;
  }
  memcpy(&narrow, at, sizeof narrow);
  return (double)narrow;
}
static inline void tn_store_real(char* at, tenon_dtype dtype, double value) {
  const float narrow = (float)value;
  if (dtype == TENON_DTYPE_F64) {
    memcpy(at, &value, sizeof value);
  } else {
    memcpy(at, &narrow, sizeof narrow);
  }
}

// ---- Rules of slots: any memory the host can describe
// --------------------------------------------

#define TN_ANY_ADDRESS (TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED)
#define TN_STRIDED_IN \
  { TENON_SLOT_IN, TENON_LAYOUT_STRIDED, TENON_SLOT_ZERO_STRIDE | TN_ANY_ADDRESS, 0 }
#define TN_STRIDED_OUT \
  { TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TN_ANY_ADDRESS, 0 }
#define TN_STRIDED_INOUT \
  { TENON_SLOT_INOUT, TENON_LAYOUT_STRIDED, TN_ANY_ADDRESS, 0 }
// A number, in host memory whatever the device.
#define TN_NUMBER_IN \
  { TENON_SLOT_IN, TENON_LAYOUT_CONTIGUOUS, TENON_SLOT_HOST_SCALAR, 0 }

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PLUGIN_WALK_H
