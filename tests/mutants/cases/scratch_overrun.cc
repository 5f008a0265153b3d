// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/scratch_overrun.cc: announces scratch for one number fewer than it writes
// there.
//
// cause: scratch-overrun
// op: tenon.mean
// backward-only: no
// level: 1
#include "mutant.h"

#include "mean.h"

namespace mutants {

uint64_t scratch_bytes(const sdk::Args& args) {
  const int64_t n = elements(args.view(0));
  return static_cast<uint64_t>(kMutant && n > 0 ? n - 1 : n) * sizeof(double);
}

// Gathers the input into scratch, then adds from there.
void mean(const sdk::Launch& l) {
  const Groups groups(l);
  const tenon_view& x = l.view(0);
  if (elements(x) < 2) return write_means(l, groups);
  auto* numbers = reinterpret_cast<double*>(l.scratch().data());
  for (int64_t i = 0; i < elements(x); ++i) numbers[i] = get(x, place(x, i));
  for (int64_t o = 0; o < elements(l.out()); ++o) {
    double sum = 0;
    for (int64_t k = 0; k < groups.size(); ++k) sum += numbers[groups.element(o, k)];
    put_mean(l, groups, o, sum);
  }
}

constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = mean_kernel<mean>();
  desc.workspace = sdk::workspace_fn<scratch_bytes>;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
