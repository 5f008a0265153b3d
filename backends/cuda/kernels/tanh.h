// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/tanh.h: the hyperbolic tangent, of which kernels of several ops have the
// same bits.
#pragma once

#include "exact.h"
#include "function.h"

namespace tenon::cuda {

// (exp(2t) - 1) / (exp(2t) + 1), which neither cancels for small t nor overflows for large.
struct Tanh {
  __device__ static float brief(float x) { return tanhf(x); }
  __device__ static float single(float x) {
    const float size = fabsf(x);
    const float t = size > 10.0F ? 10.0F : size;  // from 9.1 on it is 1
    const Scaled<float> e = long_exp(2.0F * t);
    const float power = power_of_2<float>(e.n);
    Exact<float> above = any_sum(e.part.rounded * power, -1.0F);
    above = exact_sum(above.rounded, fmaf(e.part.lost, power, above.lost));
    Exact<float> below = any_sum(above.rounded, 2.0F);
    below.lost += above.lost;
    return copysignf(quotient(above, below).sum(), x);
  }
  __device__ static double full(double x) { return tanh(x); }
};

}  // namespace tenon::cuda
