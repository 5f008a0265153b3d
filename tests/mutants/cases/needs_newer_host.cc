// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/needs_newer_host.cc: asks for a Tenon that does not exist yet, so that none
// opens it.
//
// cause: unusable
// op: TENON_CASE_ID
// backward-only: no
// level: 1
#define TENON_CASE_REQUIRED_MINOR (kMutant ? 1000u : sdk::kRequiredMinor)
#include "mutant.h"

namespace mutants {

void exp(const sdk::Launch& l) {
  map(l, [](double x) { return std::exp(x); });
}

constexpr tenon_kernel_desc kernels[] = {unary<exp>("tenon.exp")};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
