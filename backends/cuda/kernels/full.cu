// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/full.cu: full: every element is one number, converted as cast would.
#include "elementwise.h"

namespace tenon::cuda {
namespace {

enum Attribute : uint32_t { kShape, kValue, kDtype, kAttributes };

template <class T>
struct Always {
  T number;
  __device__ T operator()() const { return number; }
};

void full(const sdk::Launch& l) {
  const tenon_value& value = l.attrs[kValue];
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    const T element = value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64);
    // Moved as bits: one kernel for each size.
    sdk::dispatch_size(l.out().dtype, [&]<class Bits>() {
      Bits bits{};
      std::memcpy(&bits, &element, std::min(sizeof bits, sizeof element));
      elementwise<Bits>(l, Always<Bits>{bits});
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.full", slots, sdk::kAllDtypes, sdk::launch_fn<full>, {.n_attrs = kAttributes}),
};

}  // namespace
}  // namespace tenon::cuda

TENON_UNIT(full) = {.kernels = tenon::cuda::kernels};
