// SPDX-License-Identifier: Apache-2.0
// tests/cpu/twin.cc: which instruction sets test.cpu_avx2 uses: AVX2 on every processor.
#include "backends/cpu/cpu.h"

namespace tenon::cpu {

bool has_avx512() { return false; }

}  // namespace tenon::cpu
