// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/random.h: numbers from Philox words by logical index, for random kernels.
//
// u(i) in [0,1): f32 the top 24 bits of word i; f64 the top 53 bits of words 2i (high) and 2i+1.
#pragma once

#include <tenon/sdk/plugin/philox.hpp>

#include "kernels/ref.h"

namespace tenon::ref {

template <class T>
inline constexpr T kUlp = std::is_same_v<T, float> ? T(0x1p-24) : T(0x1p-53);

template <class T>
T unit_uniform(sdk::RandomWords& words, uint64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(words.word(i) >> 8) * kUlp<T>;
  } else {
    return static_cast<double>(words.two_words(2 * i) >> 11) * kUlp<T>;
  }
}

// out[i] = draw(words, i) over the output's logical index.
template <class T, class Draw>
void fill(const sdk::Launch& l, Draw draw) {
  const sdk::RandomWords start(l.rng());
  sdk::walk_parallel<1>(l, sdk::shape_of(l.out()), {sdk::strided(l.out())},
                        [&](const sdk::Run<1>& run) {
                          sdk::RandomWords words = start;
                          for (int64_t i = 0; i < run.count; ++i) {
                            const auto index = static_cast<uint64_t>(run.first + i);
                            sdk::store<T>(run.data[0] + i * run.step[0], draw(words, index));
                          }
                        });
}

using RandomTypes = sdk::TypeList<float, double>;
inline constexpr tenon_dtype random_dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

}  // namespace tenon::ref
