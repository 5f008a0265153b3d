// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/bernoulli.cu: bernoulli: u(i) < p, each p in [0,1]; u(i) by logical index
// as tenon.ref draws it: of 24 bits, for p of f64 of 53.
#include "elementwise.h"
#include "random.h"
#include "report.h"

namespace tenon::cuda::bernoulli_unit {
namespace {

template <class T>
using Uniform = std::conditional_t<std::is_same_v<T, double>, double, float>;

constexpr char kWords[] = "p%p is %g, which is not a probability: 0 <= p <= 1 is expected";

template <class T>
__global__ void __launch_bounds__(kBlock)
    toss(Part<2> part, T* out, const T* in, tenon_rng rng, Refusal refusal) {
  constexpr int in_block = 16 / sizeof(Uniform<T>);
  const uint64_t block = part.first / in_block + uint64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (block * in_block >= part.first + part.geometry.count) return;
  const Block words = random_block(rng, block);
  part.template each<in_block>(block, [&](int k, uint32_t number) {
    int64_t at[2];
    part.geometry.offsets(number, at);
    const auto p = static_cast<Uniform<T>>(widen(in[at[1]]));
    if (!(p >= 0 && p <= 1)) {
      refuse_real(refusal, static_cast<int64_t>(part.first + number), static_cast<double>(p));
    }
    out[at[0]] = narrow<T>(unit_uniform<Uniform<T>>(words, k) < p ? 1.0F : 0.0F);
  });
}

void bernoulli(const sdk::Launch& l) {
  const tenon_view &out = l.out(), &p = l.view(0);
  const Layout<2> layout = layout_of<2>(shape_of(out), {&out, &p});
  const Refusal words = refusal(l, kWords, shape_of(out), 0);
  sdk::dispatch_dtype<sdk::FloatTypes>(out.dtype, [&]<class T>() {
    for_random_parts<2>(layout, 16 / sizeof(Uniform<T>), false,
                        [&](const Part<2>& part, const std::array<int64_t, 2>& at, int64_t blocks) {
                          enqueue(l, &toss<T>, {blocks_for(blocks, kBlock)}, {kBlock}, 0, part,
                                  static_cast<T*>(out.data) + at[0],
                                  static_cast<const T*>(p.data) + at[1], l.rng(), words);
                        });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.bernoulli", slots, sdk::kFloats, sdk::launch_fn<bernoulli>),
};

}  // namespace
}  // namespace tenon::cuda::bernoulli_unit

TENON_UNIT(bernoulli) = {.kernels = tenon::cuda::bernoulli_unit::kernels};
