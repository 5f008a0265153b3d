// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/clip_grad_norm.cu: clip_grad_norm by the root of squares, three launches
// for all gradients: `squares` sums each block's part of a gradient, `join` these parts, and
// `scale`, whose blocks each join the norms of all gradients, writes those that are too long.
// Formulas: plugins/optim/clip_grad_norm.cc.
#include "common/clip_grad_norm.h"
#include "groups.h"
#include "optim_update.h"

namespace tenon::cuda::clip_grad_norm_unit {
namespace {

namespace clip = backends::clip;

// ---- On the device ------------------------------------------------------------------------------

using List = optim::Table<1>;
inline constexpr int64_t kPerBlock = 64 * kBlock;

// A block's part of a gradient.
template <class T>
struct Piece {
  T* data;
  int count;  // may be below 0
  bool packed;
};
template <class T>
__device__ __forceinline__ Piece<T> piece_of(const optim::Item<1>& item) {
  const int64_t begin = int64_t{blockIdx.x - item.first_block} * kPerBlock;
  const int64_t rest = item.count - begin;
  return {static_cast<T*>(item.address[0]) + begin,
          static_cast<int>(rest < kPerBlock ? rest : kPerBlock), item.packed != 0};
}

// Calls body(x) for those of this thread, 16 bytes at a time if it can.
template <bool kWrites, class T, class Body>
__device__ __forceinline__ void each_element(const Piece<T>& piece, const Body& body) {
  constexpr int N = 16 / sizeof(T);
  const auto thread = static_cast<int>(threadIdx.x);
  const int whole = piece.packed ? piece.count / N * N : 0;
  for (int i = thread * N; i < whole; i += static_cast<int>(kBlock) * N) {
    auto* const at = reinterpret_cast<Pack<T, N>*>(piece.data + i);
    Pack<T, N> pack = *at;
#pragma unroll
    for (int k = 0; k < N; ++k) body(pack.at[k]);
    if (kWrites) *at = pack;
  }
  for (int i = whole + thread; i < piece.count; i += static_cast<int>(kBlock)) {
    T x = piece.data[i];
    body(x);
    if (kWrites) piece.data[i] = x;
  }
}

template <class T>
__global__ void __launch_bounds__(kBlock)
    squares(const __grid_constant__ List list, Arithmetic<T>* parts) {
  using C = Arithmetic<T>;
  C sum{};
  each_element<false>(piece_of<T>(list.item[optim::item_at(list, blockIdx.x)]), [&](const T& x) {
    const C wide = widen(x);
    sum += wide * wide;
  });
  sum = join_group(sum, Plus());
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// A block for each gradient.
template <class C>
__global__ void __launch_bounds__(kBlock)
    join(const __grid_constant__ List list, const C* parts, C* norms) {
  const optim::Item<1>& item = list.item[blockIdx.x];
  const auto count = static_cast<uint32_t>((item.count + kPerBlock - 1) / kPerBlock);
  C sum{};
  for (uint32_t i = threadIdx.x; i < count; i += kBlock) sum += parts[item.first_block + i];
  sum = join_group(sum, Plus());
  if (threadIdx.x == 0) norms[blockIdx.x] = root_of(sum);
}

template <class C>
struct Norms {
  const C* all;
  uint32_t count;
  uint32_t first;  // of the list's gradients
  C max_norm;
  bool each;
};

template <class T>
__global__ void __launch_bounds__(kBlock)
    scale(const __grid_constant__ List list, Norms<Arithmetic<T>> norms, T* out) {
  using C = Arithmetic<T>;
  C sum{};
  for (uint32_t i = threadIdx.x; i < norms.count; i += kBlock) sum += norms.all[i] * norms.all[i];
  const C total = root_of(join_group(sum, Plus()));
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = narrow<T>(total);
  const uint32_t number = optim::item_at(list, blockIdx.x);
  const C norm = norms.each ? norms.all[norms.first + number] : total;
  const C factor = clip::factor_of(norm, norms.max_norm);
  if (factor == 1) return;
  each_element<true>(piece_of<T>(list.item[number]),
                     [&](T& x) { x = narrow<T>(widen(x) * factor); });
}

// ---- On the host --------------------------------------------------------------------------------

// Calls body(list, first, blocks) for gradients that go into one launch, the first of them `first`.
template <class Body>
void for_lists(const sdk::Launch& l, const Body& body) {
  for (uint32_t first = 0; first < l.count(0); first += List::kMaxItems) {
    List list{};
    list.count = std::min(List::kMaxItems, l.count(0) - first);
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < list.count; ++i) {
      const tenon_view& grad = l.view(0, first + i);
      optim::Item<1>& item = list.item[i];
      item.address[0] = grad.data;
      item.count = sdk::count_of(shape_of(grad));
      item.first_block = blocks;
      item.packed = reinterpret_cast<uintptr_t>(grad.data) % 16 == 0;
      blocks += blocks_for(item.count, kPerBlock);
    }
    body(list, first, blocks);
  }
}

template <class T>
void clip_all(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  const uint32_t count = l.count(0);
  C* const norms = reinterpret_cast<C*>(l.scratch().data());
  C* const parts = norms + count;
  for_lists(l, [&](const List& list, uint32_t first, uint32_t blocks) {
    enqueue(l, &squares<T>, {blocks}, {kBlock}, 0, list, parts);
    enqueue(l, &join<C>, {list.count}, {kBlock}, 0, list, parts, norms + first);
  });
  Norms<C> all{norms, count, 0, static_cast<C>(l.attrs.real(clip::kMaxNorm)),
               l.attrs.flag(clip::kEach)};
  for_lists(l, [&](const List& list, uint32_t first, uint32_t blocks) {
    all.first = first;
    enqueue(l, &scale<T>, {std::max(1U, blocks)}, {kBlock}, 0, list, all, l.out_data<T>());
  });
}

void clip_grad_norm(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { clip_all<T>(l); });
}

uint64_t scratch_bytes(const sdk::Args& args) {
  uint64_t numbers = args.count(0);
  for (uint32_t i = 0; i < args.count(0); ++i) {
    numbers += blocks_for(sdk::count_of(args.shape(0, i)), kPerBlock);
  }
  return numbers * sizeof(double);
}

constexpr tenon_slot_rule slots[] = {sdk::contiguous_inout(), any_out()};

constexpr tenon_kernel_desc make_kernel() {
  tenon_kernel_desc desc =
      kernel("tenon.clip_grad_norm", slots, sdk::kFloats, sdk::launch_fn<clip_grad_norm>,
             {.n_attrs = clip::kAttrs, .workspace = sdk::workspace_fn<scratch_bytes>});
  desc.predicate = clip::is_root_of_squares;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make_kernel()};

}  // namespace
}  // namespace tenon::cuda::clip_grad_norm_unit

TENON_UNIT(clip_grad_norm) = {.kernels = tenon::cuda::clip_grad_norm_unit::kernels};
