// SPDX-License-Identifier: Apache-2.0
// backends/cpu/cpu.h: what all vector kernels have in common and no instruction set changes.
//
// The kernels are providers for the device "cpu", whose memory tenon.ref owns. They give the bits
// of each op's canonical arithmetic, for any number of threads and any instruction set: work is
// split by shape, partial sums combine in a fixed order, and fused multiply-adds stand where they
// are meant.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include "targets.h"

// clang-format off: after targets.h
#include <hwy/detect_targets.h>
// clang-format on

namespace tenon::cpu {

namespace sdk = tenon::sdk;

inline constexpr std::string_view kDevice = "cpu";
inline constexpr int32_t kPriority = 20;  // before providers that wrap a library

inline constexpr uint32_t kFast = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64;
inline constexpr uint32_t kCanonical = kFast | TENON_KERNEL_CANONICAL;

using LaunchFn = tenon_status (*)(tenon_call*, const tenon_launch*);
using WorkspaceFn = tenon_status (*)(tenon_call*, const tenon_launch*, uint64_t*);
using PredicateFn = tenon_status (*)(tenon_call*, const tenon_launch*, uint32_t*);

// What not every kernel has.
struct KernelMore {
  uint32_t n_variables = 1;
  WorkspaceFn workspace = nullptr;
  PredicateFn predicate = nullptr;
};

constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   std::span<const tenon_dtype> rows, uint32_t n_attrs,
                                   LaunchFn launch, const KernelMore& more = {}) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = rows,
                      .n_variables = more.n_variables,
                      .n_attrs = n_attrs,
                      .flags = kCanonical,
                      .priority = kPriority,
                      .launch = launch,
                      .workspace = more.workspace,
                      .predicate = more.predicate});
}

// May kernels for Highway's AVX3 run? Each plugin made of these kernels has a function of its own.
bool has_avx512();

}  // namespace tenon::cpu

// The kernels() of the best target that this processor has. All of these small functions are cold,
// so that they lie together: who opens the plugin touches no page of code that is not run.
#if HWY_ARCH_ARM
#define TENON_CPU_CHOOSE(kernels) &tenon::cpu::N_NEON::kernels
#elif HWY_TARGETS & HWY_AVX3
#define TENON_CPU_CHOOSE(kernels)                                    \
  +[]() __attribute__((cold)) {                                      \
    return tenon::cpu::has_avx512() ? tenon::cpu::N_AVX3::kernels()  \
                                    : tenon::cpu::N_AVX2::kernels(); \
  }
#else
#define TENON_CPU_CHOOSE(kernels) &tenon::cpu::N_AVX2::kernels
#endif
