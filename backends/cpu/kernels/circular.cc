// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/circular.cc: tan, asin, acos and atan, by the functions of
// math_circular-inl.h.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/circular.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

constexpr tenon_kernel_desc kernels[] = {
    of<math::Tan>("tenon.tan"),
    of<math::Asin>("tenon.asin"),
    of<math::Acos>("tenon.acos"),
    of<math::Atan>("tenon.atan"),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> circular_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(circular) = {.chosen_kernels = TENON_CPU_CHOOSE(circular_kernels)};
#endif
