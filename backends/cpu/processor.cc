// SPDX-License-Identifier: Apache-2.0
// backends/cpu/processor.cc: which instruction sets tenon.cpu uses: those of the processor.
#include "cpu.h"

namespace tenon::cpu {

#if HWY_ARCH_X86
// What Highway's AVX3 stands for, and the operating system saves.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd");
}
#endif

}  // namespace tenon::cpu
