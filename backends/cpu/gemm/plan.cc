// SPDX-License-Identifier: Apache-2.0
// backends/cpu/gemm/plan.cc: sizes of this processor's caches.
#include "gemm/plan.h"

#include <unistd.h>

namespace tenon::cpu::gemm {
namespace {

Caches read_caches() {
  const auto size = [](int name, int64_t otherwise) {
    const auto bytes = static_cast<int64_t>(sysconf(name));
    return bytes > 0 ? bytes : otherwise;
  };
  return {size(_SC_LEVEL1_DCACHE_SIZE, 32768), size(_SC_LEVEL2_CACHE_SIZE, 524288)};
}

}  // namespace

// Asking takes microseconds on virtual machines, so it is done once.
const Caches& caches() {
  static const Caches found = read_caches();
  return found;
}

}  // namespace tenon::cpu::gemm
