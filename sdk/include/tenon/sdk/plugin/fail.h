// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/fail.h: failures with words, short texts, and reading attributes and options;
// part of tenon/sdk/plugin.h.
#ifndef TENON_SDK_PLUGIN_FAIL_H
#define TENON_SDK_PLUGIN_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TN_LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TN_LIKE_PRINTF(text, first)
#endif

// ---- Texts --------------------------------------------------------------------------------------

// Room for one short text; what is longer is cut off.
typedef struct tn_line {
  char text[256];
} tn_line;

// As snprintf; returns the text, which lies in `line`.
TN_LIKE_PRINTF(2, 3)
static inline const char* tn_format(tn_line* line, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(line->text, sizeof line->text, format, values);
  va_end(values);
  return line->text;
}

// "[2,3]", the shape of a view or of a meta.
static inline const char* tn_shape_text(tn_line* line, const int64_t* shape, int32_t rank) {
  size_t at = 1;
  line->text[0] = '[';
  for (int32_t d = 0; d < rank && d < TENON_MAX_RANK; ++d) {
    const int written = snprintf(line->text + at, sizeof line->text - at, d ? ",%lld" : "%lld",
                                 (long long)shape[d]);
    at += (size_t)written;
  }
  line->text[at] = ']';
  line->text[at + 1] = 0;
  return line->text;
}

// ---- Failures -----------------------------------------------------------------------------------

// The call fails with one complete line; to be returned.
TN_LIKE_PRINTF(3, 4)
static inline tenon_status tn_fail(tenon_call* call, tenon_status status, const char* format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  return call->base->fail(call, status, message, TENON_NUL);
}

// The other words of an error record; any may be NULL.
typedef struct tn_details {
  const char* operand;   // whose fault it is: an operand, an attribute, an option
  const char* expected;  // "at least 1 column"
  const char* found;     // "0 columns": tn_format and tn_shape_text make such
  const char* hint;      // what to do
} tn_details;

// The same with the other words.
TN_LIKE_PRINTF(4, 5)
static inline tenon_status tn_fail_details(tenon_call* call, tenon_status status,
                                           tn_details details, const char* format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  return call->base->fail_detail(call, status, message, details.operand, details.expected,
                                 details.found, details.hint);
}

static inline tenon_status tn_out_of_memory(tenon_call* call) {
  return call->base->fail(call, TENON_E_MEMORY, "out of memory", TENON_NUL);
}

// ---- Attributes and options: the host has checked their types -----------------------------------

// Whether it was given: an optional one may be NONE.
static inline int tn_given(tenon_value value) { return value.tag != TENON_VALUE_NONE; }

// An integer or a float as a double; 0 if it was not given.
static inline double tn_number(tenon_value value) {
  if (value.tag == TENON_VALUE_F64) return value.as.f64;
  return tn_given(value) ? (double)value.as.i64 : 0;
}

// Whether a text is this one.
static inline int tn_is_text(tenon_value value, const char* text) {
  const size_t length = strlen(text);
  return value.tag == TENON_VALUE_STRING && value.count == length &&
         memcmp(value.as.string, text, length) == 0;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PLUGIN_FAIL_H
