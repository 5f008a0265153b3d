// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/gelu.cc: gelu and its gradient. Formulas: normal_share.h.

#include "kernels/normal_share.h"

namespace tenon::ref {
namespace {

using normal::ByErf;
using normal::ByTanh;

template <class P>
void forward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using W = Wider<T>;
    each_element<T, T>(l, [](T x) {
      return sdk::narrow<T>(normal::gelu<P>(static_cast<W>(static_cast<sdk::Wide<T>>(x))));
    });
  });
}

template <class P>
void backward(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using W = Wider<T>;
    each_element<T, T, T>(l, [](T dy, T x) {
      const W slope = normal::gelu_slope<P>(static_cast<W>(static_cast<sdk::Wide<T>>(x)));
      return sdk::narrow<T>(static_cast<W>(static_cast<sdk::Wide<T>>(dy)) * slope);
    });
  });
}

// The op's shape rule has seen to it that there are only two.
template <void (*Erf)(const sdk::Launch&), void (*Tanh)(const sdk::Launch&)>
void either(const sdk::Launch& l) {
  if (l.attrs.text(0) == "tanh")
    Tanh(l);
  else
    Erf(l);
}

constexpr tenon_kernel_desc elementwise(std::string_view op, std::span<const tenon_slot_rule> slots,
                                        LaunchFn launch) {
  return kernel(op, slots, sdk::kFloats, 1, launch, {.flags = kOracle});
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.gelu", kUnarySlots, sdk::launch_fn<either<forward<ByErf>, forward<ByTanh>>>),
    elementwise("tenon.gelu_grad", kBinarySlots,
                sdk::launch_fn<either<backward<ByErf>, backward<ByTanh>>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(gelu) = {.kernels = tenon::ref::kernels};
