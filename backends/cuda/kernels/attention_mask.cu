// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_mask.cu: attention_mask: y[b,0,i,j] = query i sees key j.
//
// b, i and j are told by three more operands, whose "strides" are 1 along their dimension; so the
// work can be cut as any other.
#include "attention.h"

namespace tenon::cuda::attention_mask_unit {
namespace {

enum Slot : uint32_t { kLengths, kStart };
enum Attribute : uint32_t { kQueries, kKeys, kCausal, kWindow, kAttributes };
enum Operand : uint32_t { kOut, kBatch, kQuery, kKey, kOperands };

using Places = std::array<int64_t, kOperands>;

__global__ void __launch_bounds__(kBlock) mark(Geometry<kOperands> g, Places first, Sight sight,
                                               attention::Sequences sequences, sdk::Bool* out) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[kOperands];
  g.offsets(number, at);
  const Sequence sequence = sequences[first[kBatch] + at[kBatch]];
  const Range seen = sight.of(sequence, first[kQuery] + at[kQuery]);
  out[at[kOut]] = sdk::Bool(seen.has(first[kKey] + at[kKey]));
}

void attention_mask(const sdk::Launch& l) {
  const tenon_view& out = l.out();
  const Sight sight{.causal = l.attrs.flag(kCausal), .window = l.attrs.integer(kWindow)};
  const auto sequences = attention::sequences_of(l, kLengths, kStart, out.shape[2], out.shape[3]);
  Layout<kOperands> layout;
  layout.push(out.shape[0], {out.strides[0], 1, 0, 0});
  layout.push(out.shape[2], {out.strides[2], 0, 1, 0});
  layout.push(out.shape[3], {out.strides[3], 0, 0, 1});
  for_parts<kOperands>(layout, {}, [&](const Layout<kOperands>& part, const Places& at) {
    enqueue(l, &mark, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(), at, sight,
            sequences, static_cast<sdk::Bool*>(out.data) + at[kOut]);
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention_mask", slots, {}, sdk::launch_fn<attention_mask>,
           {.n_attrs = kAttributes, .n_variables = 0}),
};

}  // namespace
}  // namespace tenon::cuda::attention_mask_unit

TENON_UNIT(attention_mask) = {.kernels = tenon::cuda::attention_mask_unit::kernels};
