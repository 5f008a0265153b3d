// SPDX-License-Identifier: Apache-2.0
// tests/cpp/part.h: what a part of a program that was compiled apart offers: handles of the C API.
#pragma once

#include <tenon/tenon.h>

extern "C" {

// The runtime that its calls use.
TENON_EXPORT tenon_runtime* part_runtime();
// f32[2] of this value; the caller's.
TENON_EXPORT tenon_tensor* part_tensor(double value);

}  // extern "C"
