// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/huge_angle.h: the angle of a huge number within a quarter turn.
#pragma once

#include <cstdint>

namespace tenon::cpu {

// `x` is at least 2^30 in size, or no finite number. Sets *out_rest + *out_lost to what is left of
// it when the nearest multiple of pi / 2 is taken off, to about 100 binary digits, NaN for
// infinities and NaN, and returns that multiple modulo 4.
int64_t reduce_huge_angle(double x, double* out_rest, double* out_lost);

}  // namespace tenon::cpu
