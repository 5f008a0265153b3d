// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/attention_mask.cc: attention_mask: y[b,0,i,j] = query i sees key j.

#include "common/sight.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Slot : uint32_t { kLengths, kStart };
enum Attribute : uint32_t { kQueries, kKeys, kCausal, kWindow };

void attention_mask(const sdk::Launch& l) {
  const tenon_view& out = l.out();
  const backends::Sight sight{.causal = l.attrs.flag(kCausal), .window = l.attrs.integer(kWindow)};
  const sdk::Strided to = sdk::strided(out);
  const backends::Sequences sequences(l, kLengths, kStart, out.shape[2], out.shape[3]);
  for (int64_t b = 0; b < out.shape[0]; ++b) {
    const backends::Sequence sequence = sequences[b];
    for (int64_t i = 0; i < out.shape[2]; ++i) {
      const backends::Range seen = sight.of(sequence, i);
      char* row = to.data + b * to.step[0] + i * to.step[2];
      for (int64_t j = 0; j < out.shape[3]; ++j) {
        sdk::store(row + j * to.step[3], sdk::Bool(seen.has(j)));
      }
    }
  }
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention_mask", slots, {}, 4, sdk::launch_fn<attention_mask>,
           {.n_variables = 0}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(attention_mask) = {.kernels = tenon::ref::kernels};
