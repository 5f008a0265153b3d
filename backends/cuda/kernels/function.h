// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/function.h: functions of floats as functors over what is stored.
//
// F has up to three members, for as many digits as the dtype needs:
//   brief(float)   for f16 and bf16: CUDA's float functions are far closer than those can tell
//   single(float)  for f32; absent: `full` of the number as a double, rounded once
//   full(double)   for f64
#pragma once

#include "elementwise.h"

namespace tenon::cuda {

template <class F>
struct Function {
  F f;
  template <class T, class... More>
  __device__ __forceinline__ T operator()(T first, More... more) const {
    if constexpr (sizeof(T) == 2) {
      return narrow<T>(f.brief(widen(first), widen(more)...));
    } else if constexpr (sizeof(T) == 8) {
      return f.full(first, more...);
    } else if constexpr (requires { f.single(first, more...); }) {
      return f.single(first, more...);
    } else {
      return static_cast<float>(f.full(static_cast<double>(first), static_cast<double>(more)...));
    }
  }
};

// From floats to floats of the same dtype.
template <class F>
void unary_function(const sdk::Launch& l, F f) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { elementwise<T, T>(l, Function<F>{f}); });
}
template <class F>
void binary_function(const sdk::Launch& l, F f) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { elementwise<T, T, T>(l, Function<F>{f}); });
}

// Without attributes.
template <class F>
void plain_unary(const sdk::Launch& l) {
  unary_function(l, F());
}
template <class F>
void plain_binary(const sdk::Launch& l) {
  binary_function(l, F());
}

}  // namespace tenon::cuda
