// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/huge_angle.h: the angle of a huge f32 within a quarter turn.
#pragma once

#include <cstdint>

namespace tenon::cpu {

// `x` is an f32 of at least 2^30, or no finite number. Sets *out_rest to what is left of it when
// the nearest multiple of pi / 2 is taken off, NaN for infinities and NaN, and returns that
// multiple modulo 4.
int64_t reduce_huge_angle(double x, double* out_rest);

}  // namespace tenon::cpu
