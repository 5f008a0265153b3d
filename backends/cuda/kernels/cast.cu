// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/cast.cu: cast between all pairs of dtypes, by the rules of sdk::convert.
//
// Each pair has a kernel for packed operands. Strided ones move an element a thread, which leaves
// time to choose the output's dtype there: one kernel for each dtype of the input.
#include "elementwise.h"

namespace tenon::cuda::cast_unit {
namespace {

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, sdk::F16> || std::is_same_v<T, sdk::BF16>;

template <class To>
struct Convert {
  tenon_dtype dtype;  // of To: strided_cast takes the functor as this number
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

template <class From, class... To>
__device__ __forceinline__ void store_as(sdk::TypeList<To...>, tenon_dtype dtype, void* out,
                                         int64_t at, From x) {
  const auto store = [=]<class One>() {
    if (dtype != sdk::dtype_of<One>()) return;
    static_cast<One*>(out)[at] = Convert<One>()(x);
  };
  (store.template operator()<To>(), ...);
}

template <class From>
__global__ void __launch_bounds__(kBlock)
    strided_cast(Geometry<2> g, void* out, tenon_dtype to, Source<From> in) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2];
  g.offsets(number, at);
  store_as(sdk::AllTypes(), to, out, at[0], load_one(in, at[1]));
}

template <class From, class To>
void cast_as(const sdk::Launch& l) {
  constexpr int per_pack = static_cast<int>(16 / std::max(sizeof(To), sizeof(From)));
  Convert<To> convert{sdk::dtype_of<To>()};
  const ElementwiseKernels<2> kernels{any_kernel(&packed<per_pack, Convert<To>, To, From>),
                                      any_kernel(&strided_cast<From>),
                                      argument(convert),
                                      {sizeof(To), sizeof(From)}};
  run_elementwise<2>(l, {&l.out(), &l.view(0)}, kernels);
}

void cast(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class From>() {
    sdk::dispatch_dtype(l.out().dtype, [&]<class To>() { cast_as<From, To>(l); });
  });
}

constexpr auto rows = sdk::pairs(sdk::kAllDtypes, sdk::kAllDtypes);

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cast", kUnarySlots, rows, sdk::launch_fn<cast>, {.n_attrs = 1, .n_variables = 2}),
};

}  // namespace
}  // namespace tenon::cuda::cast_unit

TENON_UNIT(cast) = {.kernels = tenon::cuda::cast_unit::kernels};
