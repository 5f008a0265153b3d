// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/gamma.cc: lgamma, digamma and trigamma, by the functions of
// math_gamma-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gamma.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr tenon_kernel_desc kernels[] = {
    of<math::LogGamma>("tenon.lgamma"),
    of<math::Digamma>("tenon.digamma"),
    of<math::Trigamma>("tenon.trigamma"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> gamma_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(gamma) = {.chosen_kernels = TENON_CPU_CHOOSE(gamma_kernels)};
#endif
