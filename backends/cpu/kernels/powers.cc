// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/powers.cc: exp2, log2 and log10, by the functions of math_powers-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/powers.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr tenon_kernel_desc kernels[] = {
    of<math::Exp2>("tenon.exp2"),
    of<math::Log2>("tenon.log2"),
    of<math::Log10>("tenon.log10"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> powers_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(powers) = {.chosen_kernels = TENON_CPU_CHOOSE(powers_kernels)};
#endif
