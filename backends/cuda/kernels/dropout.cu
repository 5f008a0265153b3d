// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/dropout.cu: dropout: y = u(i) >= p ? x s : 0, s = 1 / (1 - p), and whether
// an element was kept; u(i) by logical index as tenon.ref draws it.
//
// u(i) = k 2^-24 with an integer k, so u(i) >= p is k >= ceil(p 2^24). A thread makes the four
// elements of one block of random words.
#include "elementwise.h"
#include "random.h"

namespace tenon::cuda::dropout_unit {
namespace {

constexpr int kInBlock = 4;

template <class T>
__global__ void __launch_bounds__(kBlock) drop(Part<3> part, T* out, const T* in, sdk::Bool* kept,
                                               tenon_rng rng, uint32_t least, Arithmetic<T> scale) {
  const uint64_t block = part.first / kInBlock + uint64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (block * kInBlock >= part.first + part.geometry.count) return;
  const auto one = [&](T x, bool keep) {
    return narrow<T>(keep ? widen(x) * scale : Arithmetic<T>(0));
  };
  const Block words = random_block(rng, block);
  if (part.template has_whole<kInBlock>(block)) {
    const uint64_t first = block * kInBlock - part.first;
    Pack<T, kInBlock> x = *reinterpret_cast<const Pack<T, kInBlock>*>(in + first);
    Pack<sdk::Bool, kInBlock> keeps;
#pragma unroll
    for (int k = 0; k < kInBlock; ++k) {
      keeps.at[k] = sdk::Bool(words.word[k] >> 8 >= least);
      x.at[k] = one(x.at[k], keeps.at[k]);
    }
    *reinterpret_cast<Pack<T, kInBlock>*>(out + first) = x;
    if (kept) *reinterpret_cast<Pack<sdk::Bool, kInBlock>*>(kept + first) = keeps;
    return;
  }
  part.template each<kInBlock>(block, [&](int k, uint32_t number) {
    int64_t at[3];
    part.geometry.offsets(number, at);
    const bool keep = words.word[k] >> 8 >= least;
    out[at[0]] = one(in[at[1]], keep);
    if (kept) kept[at[2]] = sdk::Bool(keep);
  });
}

enum Attribute : uint32_t { kP, kAttributes };

void dropout(const sdk::Launch& l) {
  const tenon_view &out = l.out(), &in = l.view(0);
  const bool asked = l.wants_out(1);
  // If nobody asks which elements were kept, the output's strides stand in and are not used.
  const tenon_view& kept = asked ? l.out(1) : out;
  const double p = l.attrs.real(kP);
  const auto least = static_cast<uint32_t>(std::ceil(p * 0x1p24));
  const bool packable =
      holds_packs(out, kInBlock) && holds_packs(in, kInBlock) && holds_packs(kept, kInBlock);
  const Layout<3> layout = layout_of<3>(shape_of(out), {&out, &in, &kept});
  sdk::dispatch_dtype<sdk::FloatTypes>(out.dtype, [&]<class T>() {
    const auto scale = static_cast<Arithmetic<T>>(1.0 / (1.0 - p));
    for_random_parts<3>(
        layout, kInBlock, packable,
        [&](const Part<3>& part, const std::array<int64_t, 3>& at, int64_t blocks) {
          sdk::Bool* const mask = asked ? static_cast<sdk::Bool*>(kept.data) + at[2] : nullptr;
          enqueue(l, &drop<T>, {blocks_for(blocks, kBlock)}, {kBlock}, 0, part,
                  static_cast<T*>(out.data) + at[0], static_cast<const T*>(in.data) + at[1], mask,
                  l.rng(), least, scale);
        });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.dropout", slots, sdk::kFloats, sdk::launch_fn<dropout>, {.n_attrs = kAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::dropout_unit

TENON_UNIT(dropout) = {.kernels = tenon::cuda::dropout_unit::kernels};
