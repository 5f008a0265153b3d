// SPDX-License-Identifier: Apache-2.0
// tests/cpp/part.h: what two parts of a program that were compiled apart offer: handles of the C
// API.
#ifndef TESTS_CPP_PART_H
#define TESTS_CPP_PART_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- part.cc, in C++ ----------------------------------------------------------------------------

// The runtime that its calls use.
TENON_EXPORT tenon_runtime* part_runtime(void);
// f32[2] of this value; the caller's.
TENON_EXPORT tenon_tensor* part_tensor(double value);

// ---- program.c, in C ----------------------------------------------------------------------------

// Begins, with a runtime and a context of its own.
TENON_EXPORT tenon_context* program_open(tenon_runtime** out_runtime);
// f32[2] of ones. What it makes it owns until program_close.
TENON_EXPORT tenon_tensor* program_ones(void);
TENON_EXPORT tenon_tensor* program_add(tenon_tensor* a, tenon_tensor* b);
TENON_EXPORT void program_backward(tenon_tensor* loss);
TENON_EXPORT void program_close(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TESTS_CPP_PART_H
