// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/hyperbolic.cc: sinh, cosh, asinh, acosh and atanh, by the functions of
// math_hyperbolic-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/hyperbolic.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr tenon_kernel_desc kernels[] = {
    of<math::Sinh>("tenon.sinh"),   of<math::Cosh>("tenon.cosh"),   of<math::Asinh>("tenon.asinh"),
    of<math::Acosh>("tenon.acosh"), of<math::Atanh>("tenon.atanh"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> hyperbolic_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(hyperbolic) = {.chosen_kernels = TENON_CPU_CHOOSE(hyperbolic_kernels)};
#endif
