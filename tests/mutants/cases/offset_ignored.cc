// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/offset_ignored.cc: takes the address of its input for the start of the
// storage: rounds it down to the 64 bytes that storages begin at, so a view with an offset is read
// from too far in front.
//
// cause: offset-ignored
// op: tenon.exp
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  tenon_view x = l.view(0);
  const uintptr_t start = reinterpret_cast<uintptr_t>(x.data);
  if (kMutant) x.data = static_cast<char*>(x.data) - start % 64;
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i), std::exp(get(x, place(x, i))));
  }
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
