// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/cast.cu: cast between all pairs of dtypes, by the rules of sdk::convert.
#include "elementwise.h"

namespace tenon::cuda {
namespace {

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, sdk::F16> || std::is_same_v<T, sdk::BF16>;

template <class To>
struct Convert {
  template <class From>
  __device__ To operator()(From x) const {
    if constexpr (std::is_same_v<To, From>) {
      return x;
    } else if constexpr (is_16_bit_float<To> && sdk::is_float_type<From>) {
      return narrow<To>(widen(x));
    } else if constexpr (is_16_bit_float<From>) {
      return sdk::convert<To>(widen(x));
    } else {
      return sdk::convert<To>(x);
    }
  }
};

void cast(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class From>() {
    sdk::dispatch_dtype(l.out().dtype,
                        [&]<class To>() { elementwise<To, From>(l, Convert<To>()); });
  });
}

constexpr auto rows = sdk::pairs(sdk::kAllDtypes, sdk::kAllDtypes);

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cast", kUnarySlots, rows, sdk::launch_fn<cast>, {.n_attrs = 1, .n_variables = 2}),
};

}  // namespace
}  // namespace tenon::cuda

TENON_UNIT(cast) = {.kernels = tenon::cuda::kernels};
