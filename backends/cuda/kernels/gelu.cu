// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/gelu.cu: gelu and its gradient.
//
//   gelu = x P(x),  gelu_grad = dy (P(x) + x P'(x))
// gelu.h says what P is.
#include "gelu.h"

namespace tenon::cuda::gelu_unit {
namespace {

// The op's shape rule has seen to it that there are only two.
void gelu(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh") return unary_function(l, Gelu<true>());
  unary_function(l, Gelu<false>());
}
void gelu_grad(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh") return binary_function(l, GeluGrad<true>());
  binary_function(l, GeluGrad<false>());
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.gelu", kUnarySlots, sdk::kFloats, sdk::launch_fn<gelu>, {.n_attrs = 1}),
    kernel("tenon.gelu_grad", kBinarySlots, sdk::kFloats, sdk::launch_fn<gelu_grad>,
           {.n_attrs = 1}),
};

}  // namespace
}  // namespace tenon::cuda::gelu_unit

TENON_UNIT(gelu) = {.kernels = tenon::cuda::gelu_unit::kernels};
