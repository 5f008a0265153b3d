// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/sum_to.cc: sum_to: undoes broadcasting by summing what was repeated.

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

// The output's dimensions are the input's last ones; those it lacks, or has with size 1, are
// summed.
Reduction undo_broadcast(const tenon_view& in, const tenon_view& out) {
  const sdk::Strided from = sdk::strided(in);
  const sdk::Strided to = sdk::strided(out);
  const size_t lead = static_cast<size_t>(in.rank - out.rank);
  Reduction r;
  r.kept.in.data = from.data;
  r.kept.out.data = to.data;
  for (size_t d = 0; d < static_cast<size_t>(in.rank); ++d) {
    const bool summed = d < lead || (out.shape[d - lead] == 1 && in.shape[d] != 1);
    if (summed)
      r.reduced.add(in.shape[d], from.step[d], 0);
    else
      r.kept.add(in.shape[d], from.step[d], to.step[d - lead]);
  }
  return r;
}

void sum_to(const sdk::Launch& l) {
  const Reduction r = undo_broadcast(l.view(0), l.out());
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<T>(wide_sum<T>(r.reduced.sizes(), in)));
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sum_to", kMapSlots, sdk::kNumbers, 1, sdk::launch_fn<sum_to>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(sum_to) = {.kernels = tenon::ref::kernels};
