// SPDX-License-Identifier: Apache-2.0
// backends/cuda/reduce.h: one output for each slice of the input, for any fold and any layout.
//
// Three ways of giving work to threads, by shapes and strides:
//   rows      the elements of an output are neighbours: a warp or a block for each output, 16 bytes
//             a load if the layout allows, four loads under way
//   columns   neighbours belong to different outputs: a thread for each output and an eighth of its
//             elements, eight loads under way, so that a warp reads neighbours
//   parts     if outputs are few, either way cuts the elements of an output into parts for several
//             blocks; a second launch joins their results, which lie in scratch
// The order in which elements are joined depends on shapes and strides alone. A thread joins few of
// them into a result of their own before it joins that to what it has, so that errors grow with the
// square root of what a sum in a row would have.
//
// A fold:
//   using In = ...;                                          what is read
//   struct State { ... };                                    at most kMaxState bytes, no pointers
//   State start() const;                                     of nothing
//   void add(State&, In, int64_t number) const;              number: row-major, behind the output
//   State operator()(State, State) const;                    joins two
//   void put(const State&, void* out, int64_t at) const;     writes the output's element `at`
#pragma once

#include "common/shapes.h"
#include "elementwise.h"
#include "groups.h"

namespace tenon::cuda {

using namespace backends;

inline constexpr uint64_t kMaxState = 32;

// ---- On the device ------------------------------------------------------------------------------

template <class Fold>
struct ReduceTask {
  Geometry<2> kept;     // output, input
  Geometry<1> reduced;  // input
  uint32_t count;       // of elements reduced into each output in this launch
  uint32_t chunk;       // of them in each part
  int64_t first;        // number of the first of them
  const typename Fold::In* in;
  void* out;
  int64_t out_offset;           // of the first output
  typename Fold::State* parts;  // of all outputs, part by part; NULL: outputs are finished
  bool packed;
};

// Offset of element n of one operand.
__device__ __forceinline__ int64_t offset_in(const Geometry<1>& g, uint32_t n) {
  if (g.rank <= 1) return static_cast<int64_t>(n) * g.stride[0][0];
  int64_t at[1];
  g.offsets(n, at);
  return at[0];
}

template <class Fold>
__device__ __forceinline__ void put_state(const ReduceTask<Fold>& t, const Fold& fold,
                                          const typename Fold::State& state, uint32_t output,
                                          int64_t at) {
  if (t.parts) {
    t.parts[static_cast<uint64_t>(blockIdx.y) * t.kept.count + output] = state;
  } else {
    fold.put(state, t.out, t.out_offset + at);
  }
}

// Elements begin, begin + step, ... below `end`, kUnroll loads under way. `load` gives an element.
template <int kUnroll, class Fold, class Load>
__device__ __forceinline__ void fold_single(const Fold& fold, typename Fold::State& total,
                                            int64_t first, uint32_t begin, uint32_t end,
                                            uint32_t step, const Load& load) {
  uint32_t i = begin;
  for (; i < end && end - i > (kUnroll - 1) * step; i += kUnroll * step) {
    typename Fold::In x[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) x[u] = load(i + u * step);
    typename Fold::State block = fold.start();
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) fold.add(block, x[u], first + i + u * step);
    total = fold(total, block);
  }
  for (; i < end; i += step) fold.add(total, load(i), first + i);
}

// Packs of V neighbours, four loads under way; `load` gives a pack.
template <int V, class Fold, class Load>
__device__ __forceinline__ void fold_packs(const Fold& fold, typename Fold::State& total,
                                           int64_t first, uint32_t begin, uint32_t end,
                                           uint32_t step, const Load& load) {
  constexpr int kUnroll = 4;
  for (uint32_t i = begin; i < end; i += kUnroll * step) {
    Pack<typename Fold::In, V> packs[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (i + u * step < end) packs[u] = load(i + u * step);
    }
    typename Fold::State block = fold.start();
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (i + u * step >= end) continue;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        fold.add(block, packs[u].at[v], first + static_cast<int64_t>(i + u * step) * V + v);
      }
    }
    total = fold(total, block);
  }
}

// blockDim.x threads for each output, blockDim.y outputs for each block.
template <class Fold>
__global__ void __launch_bounds__(kBlock) reduce_rows(ReduceTask<Fold> t, Fold fold) {
  using In = typename Fold::In;
  constexpr int V = 16 / sizeof(In);
  const uint32_t output = blockIdx.x * blockDim.y + threadIdx.y;
  const bool active = output < t.kept.count;
  int64_t at[2] = {};
  if (active) t.kept.offsets(output, at);
  const In* const row = t.in + at[1];
  uint32_t begin = blockIdx.y * t.chunk;
  const uint32_t end = active ? min(begin + t.chunk, t.count) : begin;
  typename Fold::State state = fold.start();
  if (t.packed) {
    const auto load = [&](uint32_t p) {
      return *reinterpret_cast<const Pack<In, V>*>(row + offset_in(t.reduced, p * V));
    };
    fold_packs<V>(fold, state, t.first, begin / V + threadIdx.x, end / V, blockDim.x, load);
    begin = max(begin, end / V * V);
  }
  fold_single<8>(fold, state, t.first, begin + threadIdx.x, end, blockDim.x,
                 [&](uint32_t i) { return row[offset_in(t.reduced, i)]; });
  state = join_group(state, fold);
  if (active && threadIdx.x == 0) put_state(t, fold, state, output, at[0]);
}

// A thread for each output along x, blockDim.y threads for its elements.
template <class Fold>
__global__ void __launch_bounds__(kBlock) reduce_columns(ReduceTask<Fold> t, Fold fold) {
  using Part = typename Fold::State;
  const uint32_t output = blockIdx.x * blockDim.x + threadIdx.x;
  const bool active = output < t.kept.count;
  int64_t at[2] = {};
  if (active) t.kept.offsets(output, at);
  const typename Fold::In* const column = t.in + at[1];
  const uint32_t begin = blockIdx.y * t.chunk;
  const uint32_t end = active ? min(begin + t.chunk, t.count) : begin;
  Part state = fold.start();
  fold_single<8>(fold, state, t.first, begin + threadIdx.y, end, blockDim.y,
                 [&](uint32_t i) { return column[offset_in(t.reduced, i)]; });
  if (blockDim.y > 1) {
    Part* const shared = dynamic_shared<Part>();
    shared[threadIdx.y * blockDim.x + threadIdx.x] = state;
    __syncthreads();
    for (uint32_t y = 1; threadIdx.y == 0 && y < blockDim.y; ++y) {
      state = fold(state, shared[y * blockDim.x + threadIdx.x]);
    }
  }
  if (active && threadIdx.y == 0) put_state(t, fold, state, output, at[0]);
}

// A warp for each output.
template <class Fold>
__global__ void __launch_bounds__(kBlock)
    reduce_parts(Geometry<2> kept, uint32_t n_parts, const typename Fold::State* parts, void* out,
                 int64_t out_offset, Fold fold) {
  const uint32_t output = blockIdx.x * blockDim.y + threadIdx.y;
  const bool active = output < kept.count;
  typename Fold::State state = fold.start();
  for (uint32_t p = threadIdx.x; active && p < n_parts; p += kWarp) {
    state = fold(state, parts[static_cast<uint64_t>(p) * kept.count + output]);
  }
  state = join_warp(state, fold);
  if (!active || threadIdx.x != 0) return;
  int64_t at[2];
  kept.offsets(output, at);
  fold.put(state, out, out_offset + at[0]);
}

// ---- On the host --------------------------------------------------------------------------------

// The input's dimensions split in two: an output stands for all of `reduced`.
struct Reduction {
  Layout<2> kept;  // output, input
  Layout<1> reduced;
  bool columns = false;
  Extent block;
  uint32_t outputs_per_block = 1;
  uint32_t parts = 1;   // of what one launch reduces
  uint32_t chunk = 0;   // elements of a part
  uint32_t pieces = 1;  // launches

  int64_t count() const { return reduced.count(); }
  uint64_t scratch() const {
    const uint64_t all = uint64_t{parts} * pieces;
    return all > 1 ? all * static_cast<uint64_t>(kept.count()) * kMaxState : 0;
  }
};

// Neighbouring dimensions that every operand walks through as one become one. Where the order does
// not matter, dimensions with a large step of operand `by` come first.
template <int N>
Layout<N> joined_dimensions(const Layout<N>& from, bool any_order, size_t by) {
  std::array<int32_t, TENON_MAX_RANK> order{};
  for (int32_t d = 0; d < from.rank; ++d) order[static_cast<size_t>(d)] = d;
  const auto step = [&](int32_t d) { return std::abs(from.stride[by][d]); };
  if (any_order) {
    std::stable_sort(order.begin(), order.begin() + from.rank,
                     [&](int32_t a, int32_t b) { return step(a) > step(b); });
  }
  Layout<N> to;
  for (int32_t i = 0; i < from.rank; ++i) {
    const int32_t d = order[static_cast<size_t>(i)];
    bool joins = to.rank > 0;
    for (int o = 0; joins && o < N; ++o) {
      joins = to.stride[o][to.rank - 1] == from.stride[o][d] * from.shape[d];
    }
    std::array<int64_t, N> strides{};
    for (size_t o = 0; o < N; ++o) strides[o] = from.stride[o][d];
    if (!joins) {
      to.push(from.shape[d], strides);
      continue;
    }
    to.shape[to.rank - 1] *= from.shape[d];
    for (size_t o = 0; o < N; ++o) to.stride[o][to.rank - 1] = strides[o];
  }
  return to;
}

// How threads share the work, from shapes and strides.
inline void plan_reduction(Reduction& r) {
  constexpr int64_t kManyBlocks = 512;
  const int64_t outputs = r.kept.count();
  const int64_t count = std::min(r.count(), kMaxElements);
  const auto last = [](const auto& layout, size_t operand) {
    return std::abs(layout.stride[operand][layout.rank - 1]);
  };
  const bool kept_is_fast = r.kept.rank > 0 && r.kept.shape[r.kept.rank - 1] >= 16 &&
                            (r.reduced.rank == 0 || last(r.kept, 1) < last(r.reduced, 0));
  r.columns = kept_is_fast || count < 16;
  int64_t least = 0;  // elements of a part
  if (r.columns) {
    r.block = count < 32 ? Extent{kBlock} : Extent{kWarp, kBlock / kWarp};
    r.outputs_per_block = r.block.x;
    least = 256;
  } else {
    r.block.x = count <= 1024 ? kWarp : kBlock;
    r.block.y = groups_for(r.block.x, outputs);
    r.outputs_per_block = r.block.y;
    least = 8192;
  }
  const int64_t blocks =
      std::max<int64_t>(1, (outputs + r.outputs_per_block - 1) / r.outputs_per_block);
  const int64_t wanted = std::min(count / least, kManyBlocks / blocks);
  r.parts = static_cast<uint32_t>(std::max<int64_t>(1, wanted));
  // A multiple of what makes a pack, whatever the dtype.
  r.chunk = blocks_for(blocks_for(count, r.parts), 256) * 256;
  r.parts = std::max<uint32_t>(1, r.chunk == 0 ? 1 : blocks_for(count, r.chunk));
  r.pieces = 0;
  for_parts<1>(r.reduced, {}, [&](const auto&, const auto&) { ++r.pieces; });
  r.pieces = std::max<uint32_t>(1, r.pieces);
}

// `in_order`: the fold asks for the elements' numbers.
inline Reduction reduction_of(const tenon_view& in, const tenon_view& out, const KeptAs& kept_as,
                              bool in_order) {
  Layout<2> kept;
  Layout<1> reduced;
  for (size_t d = 0; d < kept_as.rank; ++d) {
    const int32_t as = kept_as.dimension[d];
    if (as == kReduced) {
      reduced.push(in.shape[d], {in.strides[d]});
    } else {
      kept.push(in.shape[d], {out.strides[as], in.strides[d]});
    }
  }
  Reduction r;
  r.kept = joined_dimensions<2>(kept, true, 1);
  r.reduced = joined_dimensions<1>(reduced, !in_order, 0);
  plan_reduction(r);
  return r;
}

// `axes` has bit d set where dimension d is reduced.
inline Reduction reduce_axes(const sdk::Args& args, uint64_t axes, bool keepdims, bool in_order) {
  const tenon_view& in = args.view(0);
  return reduction_of(in, args.out(), kept_beside(in, axes, keepdims), in_order);
}

// Can every pack of V elements be loaded at once?
template <class In>
bool is_packed(const Reduction& r, const In* in) {
  constexpr int64_t V = 16 / sizeof(In);
  const int32_t last = r.reduced.rank - 1;
  if (r.columns || last < 0 || r.reduced.stride[0][last] != 1) return false;
  if (reinterpret_cast<uintptr_t>(in) % 16 != 0) return false;
  if (last > 0 && r.reduced.shape[last] % V != 0) return false;
  for (int32_t d = 0; d < last; ++d) {
    if (r.reduced.stride[0][d] % V != 0) return false;
  }
  for (int32_t d = 0; d < r.kept.rank; ++d) {
    if (r.kept.stride[1][d] % V != 0) return false;
  }
  return true;
}

// Elements of `reduced` that one launch takes, for some of the outputs.
template <class Fold>
void enqueue_piece(const sdk::Launch& l, const Reduction& r, const ReduceTask<Fold>& task,
                   const Fold& fold) {
  const Extent grid{blocks_for(task.kept.count, r.outputs_per_block), r.parts};
  if (r.columns) {
    const uint32_t shared = r.block.y > 1 ? kBlock * sizeof(typename Fold::State) : 0;
    enqueue(l, &reduce_columns<Fold>, grid, r.block, shared, task, fold);
  } else {
    enqueue(l, &reduce_rows<Fold>, grid, r.block, 0, task, fold);
  }
}

// out = fold of the elements of `in` behind each output. The kernel's workspace is r.scratch().
template <class Fold>
void reduce(const sdk::Launch& l, const Reduction& r, const Fold& fold) {
  using Part = typename Fold::State;
  static_assert(sizeof(Part) <= kMaxState && sizeof(Part) % 4 == 0);
  const auto* const in = static_cast<const typename Fold::In*>(l.view(0).data);
  const uint32_t n_parts = r.parts * r.pieces;
  for_parts<2>(r.kept, {}, [&](const Layout<2>& kept, const std::array<int64_t, 2>& at) {
    ReduceTask<Fold> task{};
    task.kept = kept.geometry();
    task.out = l.out().data;
    task.out_offset = at[0];
    task.chunk = r.chunk;
    Part* const parts = reinterpret_cast<Part*>(l.scratch().data());
    if (n_parts > 1) task.parts = parts;
    const auto piece = [&](const Layout<1>& reduced, const std::array<int64_t, 1>& from) {
      task.count = static_cast<uint32_t>(reduced.count());
      task.reduced = reduced.geometry();
      task.in = in + at[1] + from[0];
      task.packed = is_packed(r, task.in);
      enqueue_piece(l, r, task, fold);
      task.first += task.count;
      if (task.parts) task.parts += uint64_t{r.parts} * task.kept.count;
    };
    if (r.count() == 0) {
      task.in = in;
      enqueue_piece(l, r, task, fold);
    } else {
      for_parts<1>(r.reduced, {}, piece);
    }
    if (n_parts > 1) {
      const uint32_t per_block = groups_for(kWarp, task.kept.count);
      enqueue(l, &reduce_parts<Fold>, {blocks_for(task.kept.count, per_block)}, {kWarp, per_block},
              0, task.kept, n_parts, parts, task.out, task.out_offset, fold);
    }
  });
}

}  // namespace tenon::cuda
