// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/unaligned_rounded.cc: claims any alignment and rounds addresses down to
// whole elements.
//
// cause: unaligned
// op: tenon.log
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void log(const sdk::Launch& l) {
  tenon_view x = l.view(0);
  const uintptr_t start = reinterpret_cast<uintptr_t>(x.data);
  if (kMutant) x.data = static_cast<char*>(x.data) - start % sdk::size_of(x.dtype);
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i), std::log(get(x, place(x, i))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<log>("tenon.log")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
