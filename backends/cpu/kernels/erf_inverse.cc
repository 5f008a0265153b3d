// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/erf_inverse.cc: erfinv, by the function of math_erf_inverse-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/erf_inverse.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr tenon_kernel_desc kernels[] = {
    of<math::ErfInverse>("tenon.erfinv"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> erf_inverse_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(erf_inverse) = {.chosen_kernels = TENON_CPU_CHOOSE(erf_inverse_kernels)};
#endif
