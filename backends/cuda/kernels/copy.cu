// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/copy.cu: copy, bit for bit, between any two layouts and any two addresses.
//
// Elements are moved as unsigned numbers of their size; where an address is no multiple of that,
// byte by byte.
#include "elementwise.h"

namespace tenon::cuda {
namespace {

struct Same {
  template <class T>
  __device__ T operator()(T x) const {
    return x;
  }
};

bool is_aligned(const tenon_view& view) {
  return reinterpret_cast<uintptr_t>(view.data) % sdk::size_of(view.dtype) == 0;
}

// Each element is one more dimension, of its bytes.
void copy_bytes(const sdk::Launch& l, const tenon_view& out, const tenon_view& in) {
  const int64_t size = sdk::size_of(out.dtype);
  Layout<2> layout;
  for (int32_t d = 0; d < out.rank; ++d) {
    layout.push(out.shape[d], {out.strides[d] * size, in.strides[d] * size});
  }
  if (layout.rank == TENON_MAX_RANK) {
    throw sdk::Failure{TENON_E_UNSUPPORTED,
                       "elements at odd addresses in 8 dimensions",
                       "x",
                       "addresses that are multiples of the element's size, or fewer dimensions",
                       "8 dimensions of size 2 or more",
                       "copy a part at a time"};
  }
  layout.push(size, {1, 1});
  for_parts<2>(layout, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& at) {
    enqueue(l, &strided<Same, uint8_t, uint8_t>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0,
            part.geometry(), static_cast<uint8_t*>(out.data) + at[0], Same(),
            Source<uint8_t>{static_cast<const uint8_t*>(in.data) + at[1], 0, true});
  });
}

void copy(const sdk::Launch& l) {
  if (!is_aligned(l.out()) || !is_aligned(l.view(0))) return copy_bytes(l, l.out(), l.view(0));
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { elementwise<T, T>(l, Same()); });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.copy", slots, sdk::kAllDtypes, sdk::launch_fn<copy>),
};

}  // namespace
}  // namespace tenon::cuda

TENON_UNIT(copy) = {.kernels = tenon::cuda::kernels};
