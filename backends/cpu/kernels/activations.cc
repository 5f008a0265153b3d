// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/activations.cc: leaky_relu, elu, selu, silu, softplus, mish, hardswish and
// logsigmoid, by the functions of math_activations-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

// What the attributes make of a function.
math::LeakyRelu leaky_relu(const sdk::Args& args) { return {args.attrs.real(0)}; }
math::Elu elu(const sdk::Args& args) { return {1.0, args.attrs.real(0)}; }
math::Elu selu(const sdk::Args&) {
  constexpr double scale = 1.0507009873554804934193349852946;
  return {scale, scale * 1.6732632423543772848170429916717};
}
math::Softplus softplus(const sdk::Args& args) { return {args.attrs.real(0), args.attrs.real(1)}; }

constexpr tenon_kernel_desc kernels[] = {
    with_attrs<leaky_relu, true>("tenon.leaky_relu", 1),
    with_attrs<elu>("tenon.elu", 1),
    with_attrs<selu>("tenon.selu", 0),
    of<math::Silu>("tenon.silu"),
    with_attrs<softplus>("tenon.softplus", 2),
    of<math::Mish>("tenon.mish"),
    of<math::Hardswish>("tenon.hardswish"),
    of<math::LogSigmoid>("tenon.logsigmoid"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> activations_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(activations) = {.chosen_kernels = TENON_CPU_CHOOSE(activations_kernels)};
#endif
