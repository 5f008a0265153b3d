// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/selftest.h: interface "tenon.selftest/1" and its like: the calls a plugin says it is
// to be tried with, and how exact its results are. `tenon verify` runs them. The conventions are
// those of tenon/plugin.h.
#ifndef TENON_PLUGIN_SELFTEST_H
#define TENON_PLUGIN_SELFTEST_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A call that must work (expect = TENON_OK) or must be refused with `expect` and a message that
// contains `fragment`. The text's grammar is "sample/1" in docs/schema.md.
typedef struct tenon_sample {
  tenon_string op;
  tenon_string text;      // "f32[2,3](-2,2), f32[3] | axis=1"
  tenon_string fragment;  // empty if expect is TENON_OK
  tenon_status expect;
  uint32_t revision;
} tenon_sample;

typedef struct tenon_selftest_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_sample* samples;  // [count]
} tenon_selftest_table;

// Optional interface "tenon.selftest.tolerances/1": how far a correct kernel's results may be from
// the exact ones if bits may differ (the order of a sum, a library's exp). An output without a
// tolerance must be equal bit for bit. A value passes when its bits are equal, or when
//   |found - expected| <= max(ulp * (distance of expected to the next number of the dtype),
//                             relative * largest finite |value| of the expected output)
typedef struct tenon_tolerance {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string op;
  tenon_string reason;  // one sentence, never empty
  uint32_t revision;
  tenon_dtype dtype;  // of the output
  double ulp;         // 0 or more, finite
  double relative;    // 0 or more, finite
} tenon_tolerance;

typedef struct tenon_tolerances_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_tolerance* const* descs;
} tenon_tolerances_table;

// Optional interface "tenon.selftest.optimizers/1": runs of an optimizer that must work, or whose
// creation must be refused with `expect` and a message that contains `fragment`.
typedef struct tenon_optimizer_sample {
  uint32_t struct_size;
  uint32_t flags;  // 0
  tenon_string optimizer;
  tenon_string text;      // sample/1: parameters | hyper-parameters, "f32[3,2], f32[5] | lr=0.1"
  tenon_string fragment;  // empty if expect is TENON_OK
  tenon_status expect;
  uint32_t steps;  // at least 1 if expect is TENON_OK
} tenon_optimizer_sample;

typedef struct tenon_optimizer_samples_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_optimizer_sample* const* descs;
} tenon_optimizer_samples_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_SELFTEST_H
