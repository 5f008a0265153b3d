// SPDX-License-Identifier: Apache-2.0
// backends/cpu/targets.h: which instruction sets the kernels are compiled for. Comes before any
// header of Highway.
//
// A kernel file is compiled once for each target:
//
//   #include "vectors.h"
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "kernels/<file>.cc"
//   #include "each_target.h"
//   HWY_BEFORE_NAMESPACE();
//   namespace tenon::cpu::HWY_NAMESPACE {
//   namespace {
//   namespace hn = hwy::HWY_NAMESPACE;
//   ...                                    lambdas that use vectors carry HWY_ATTR
//   constexpr tenon_kernel_desc kernels[] = {...};
//   }  // namespace
//   std::span<const tenon_kernel_desc> <file>_kernels() { return kernels; }
//   }  // namespace tenon::cpu::HWY_NAMESPACE
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   TENON_UNIT(<file>) = {.chosen_kernels = TENON_CPU_CHOOSE(<file>_kernels)};
//   #endif
//
// Everything that is compiled for one target stands in HWY_NAMESPACE: a template or inline function
// outside it has one copy for all targets, which must run on the oldest.
#pragma once

// Highway's own names, which it expands after this.
#if defined(TENON_CPU_AVX2_ONLY)
#define HWY_DISABLED_TARGETS (~(HWY_AVX2))
#else
#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_AVX3 | HWY_NEON))
#endif
