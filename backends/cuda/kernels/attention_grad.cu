// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/attention_grad.cu: the gradients of attention, dq = ds k, dk = ds^T q and
// dv = w^T dy, with the weights w computed again.
//
// The arithmetic of plugins/ops/attention/attention_grad.cc. Two launches: by rows of queries, for
// dq, which keeps three numbers of each row; then by keys, where a warp computes a key's weights
// from those, 32 rows at a time, and adds the rows up in order. So nothing is added atomically. Of
// 16 bits, tensor cores make the products.
#include "attention_grad_tiles.h"

namespace tenon::cuda::attention_grad_unit {
namespace {

using namespace attention;

constexpr uint32_t kDy = 0;
constexpr uint32_t kFirst = 1;  // slot of q

template <class T>
__global__ void __launch_bounds__(kBlock) by_rows(GradTask<T> g) {
  using C = Arithmetic<T>;
  const Task<T>& t = g.t;
  C* const weights = row_memory(g.scratch, 2 * t.size.keys);
  C* const slopes = weights + t.size.keys;
  each_row(t.size.rows(), [&](int64_t row) {
    const Query<T> query = t.query(row);
    const Softmax<C> softmax =
        raise(t, query, weights, [&](int64_t j) { return t.score(query, j); });
    const Known<C> known = g.find_slopes(query, softmax, weights, slopes,
                                         [&](int64_t j) { return g.change(query, j); });
    if (row >= t.size.rows()) return;
    if (threadIdx.x == 0) g.known[row] = known;
    combine(t, query, slopes, t.k, t.size.depth, g.dq);
  });
}

// A warp for each key.
template <class T>
__global__ void __launch_bounds__(kBlock) by_keys(GradTask<T> g) {
  const Sizes& size = g.t.size;
  const int64_t number = int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const int64_t head = number / size.keys;
  if (head >= size.batch * size.groups) return;
  add_rows_of_key(KeyRows<T>{g, head / size.groups, head % size.groups, number % size.keys});
}

// ---- On the host --------------------------------------------------------------------------------

// Keys go over few columns at a time, and compute weights and slopes anew for the next ones.
template <class T>
bool is_for_tiles(const Sizes& size) {
  constexpr int64_t kFewColumns = 1024;
  return kOnTensorCores<T> && size.depth + size.width <= kFewColumns;
}

// What follows may be tiles.
template <class C>
uint64_t known_bytes(const Sizes& size) {
  constexpr uint64_t kAlignment = 64;
  const uint64_t bytes = static_cast<uint64_t>(size.rows()) * sizeof(Known<C>);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
void enqueue_rows(const sdk::Launch& l, GradTask<T> g) {
  using C = Arithmetic<T>;
  const Sizes& size = g.t.size;
  const auto set_scratch = [&](uint64_t bytes) {
    if (bytes > 0) g.scratch = reinterpret_cast<C*>(l.scratch().data() + known_bytes<C>(size));
  };
  if constexpr (kOnTensorCores<T>) {
    if (is_for_tiles<T>(size)) {
      const TileCut cut(size, 2);
      set_scratch(cut.scratch_bytes);
      enqueue(l, &tiles_by_rows<T>, {cut.blocks}, {kWarp, kTileWarps}, cut.shared_bytes, g);
      return;
    }
  }
  const Cut cut(size, 2 * sizeof(C));
  set_scratch(cut.scratch_bytes);
  enqueue(l, &by_rows<T>, {cut.blocks}, {cut.group, cut.groups}, cut.shared_bytes, g);
}

template <class T>
void enqueue_grad(const sdk::Launch& l) {
  using C = Arithmetic<T>;
  GradTask<T> g{.t = task_of<T>(l, kFirst),
                .dy = operand_of<const T>(l.view(kDy)),
                .dq = operand_of<T>(l.out()),
                .dk = {},
                .dv = {},
                .known = reinterpret_cast<Known<C>*>(l.scratch().data()),
                .scratch = nullptr};
  if (l.wants_out(1)) g.dk = operand_of<T>(l.out(1));
  if (l.wants_out(2)) g.dv = operand_of<T>(l.out(2));
  const Sizes& size = g.t.size;
  // Nothing comes of values without columns, whatever the weights are: as if no key was seen.
  if (size.width == 0) g.t.sequences.lengths = {};
  enqueue_rows(l, g);
  if (size.keys == 0 || (!g.dk.data && !g.dv.data)) return;
  if constexpr (kOnTensorCores<T>) {
    if (is_for_tiles<T>(size)) {
      const auto blocks = static_cast<uint32_t>(size.batch * size.groups * tiles_of(size.keys));
      enqueue(l, &tiles_by_keys<T>, {blocks}, {kWarp, kTileWarps}, PairMemory::kBytes, g);
      return;
    }
  }
  const int64_t keys = size.batch * size.groups * size.keys;
  enqueue(l, &by_keys<T>, {blocks_for(keys, kBlock / kWarp)}, {kWarp, kBlock / kWarp}, 0, g);
}

void run(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() { enqueue_grad<T>(l); });
}

uint64_t workspace(const sdk::Args& args) {
  const Sizes size(args, kFirst);
  uint64_t bytes = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(args.out().dtype, [&]<class T>() {
    using C = Arithmetic<T>;
    bytes = known_bytes<C>(size) + (is_for_tiles<T>(size) ? TileCut(size, 2).scratch_bytes
                                                          : Cut(size, 2 * sizeof(C)).scratch_bytes);
  });
  return bytes;
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_in(),  any_in(),  any_in(), any_in(),
                                     any_in(), any_in(), any_out(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention_grad", slots, sdk::kFloats, sdk::launch_fn<run>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::attention_grad_unit

TENON_UNIT(attention_grad) = {.kernels = tenon::cuda::attention_grad_unit::kernels};
