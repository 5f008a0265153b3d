// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/nonzero.cu: nonzero_static and runs: which elements are not zero, and which
// differ from the one before.
//
// Both number the elements for which something holds. They are cut into at most 1,024 pieces, one
// for each block: a first launch counts in each piece, a second adds up the counts of the pieces
// before its own and numbers what it finds. The input is read twice.
#include "reduce.h"

namespace tenon::cuda::nonzero_unit {
namespace {

inline constexpr int64_t kMaxPieces = 1024;

// Elements of a dtype, as bits: floats are compared as numbers, all others as integers.
struct Elements {
  const void* data;
  uint32_t size;
  bool truth;
  uint64_t sign;      // of floats, else 0
  uint64_t infinity;  // of floats, else 0

  Elements(const tenon_view& view)
      : data(view.data),
        size(static_cast<uint32_t>(sdk::size_of(view.dtype))),
        truth(view.dtype == TENON_DTYPE_BOOL),
        sign(0),
        infinity(0) {
    if (view.dtype == TENON_DTYPE_F16) infinity = 0x7C00;
    if (view.dtype == TENON_DTYPE_BF16) infinity = 0x7F80;
    if (view.dtype == TENON_DTYPE_F32) infinity = 0x7F800000;
    if (view.dtype == TENON_DTYPE_F64) infinity = 0x7FF0000000000000;
    if (infinity) sign = uint64_t{1} << (size * 8 - 1);
  }

  __device__ uint64_t bits(int64_t at) const {
    if (size == 8) return static_cast<const uint64_t*>(data)[at];
    if (size == 4) return static_cast<const uint32_t*>(data)[at];
    if (size == 2) return static_cast<const uint16_t*>(data)[at];
    const uint8_t byte = static_cast<const uint8_t*>(data)[at];
    return truth ? byte != 0 : byte;
  }
  __device__ bool is_zero(uint64_t x) const { return (x & ~sign) == 0; }
  __device__ bool is_nan(uint64_t x) const { return infinity && (x & ~sign) > infinity; }
  __device__ bool differ(uint64_t x, uint64_t y) const {
    if (is_nan(x) || is_nan(y)) return true;
    return x != y && !(is_zero(x) && is_zero(y));
  }
};

// ---- What is numbered ---------------------------------------------------------------------------

struct Nonzero {
  Geometry<1> x;
  Elements elements;
  int64_t* places;
  int64_t place_step;       // from one row to the next
  int64_t coordinate_step;  // within a row
  int64_t* count;
  int64_t size;  // rows
  int64_t fill;

  __device__ bool holds(uint32_t i) const {
    int64_t at[1];
    x.offsets(i, at);
    return !elements.is_zero(elements.bits(at[0]));
  }
};

// The coordinates of element `number`; of the shape, with dimensions of size 1.
struct Coordinates {
  int32_t rank;
  Divisor size[TENON_MAX_RANK];

  __device__ void put(const Nonzero& t, uint32_t number, int64_t row) const {
#pragma unroll
    for (int d = TENON_MAX_RANK - 1; d >= 0; --d) {
      if (d >= rank) continue;
      const uint32_t rest = size[d].divide(number);
      t.places[row * t.place_step + d * t.coordinate_step] = number - rest * size[d].value;
      number = rest;
    }
  }
};

struct Starts {
  Elements elements;
  int64_t step;

  __device__ bool holds(uint32_t i) const {
    if (i == 0) return true;
    return elements.differ(elements.bits(i * step),
                           elements.bits((static_cast<int64_t>(i) - 1) * step));
  }
};

// ---- Numbering ----------------------------------------------------------------------------------

struct Pieces {
  uint32_t count;   // of elements
  uint32_t length;  // of a piece, a multiple of kBlock
  uint32_t number;
  uint32_t* found;  // in each piece
};

template <class What>
__global__ void __launch_bounds__(kBlock) count_found(What what, Pieces p) {
  const uint32_t begin = blockIdx.x * p.length;
  const uint32_t end = min(begin + p.length, p.count);
  uint32_t found = 0;
  for (uint32_t i = begin + threadIdx.x; i < end; i += kBlock) found += what.holds(i);
  found = join_group(found, Plus());
  if (threadIdx.x == 0) p.found[blockIdx.x] = found;
}

// Of all pieces, and of those before this block's.
__device__ void add_found(const Pieces& p, uint32_t& before, uint32_t& all) {
  before = 0;
  all = 0;
  for (uint32_t i = threadIdx.x; i < p.number; i += kBlock) {
    if (i < blockIdx.x) before += p.found[i];
    all += p.found[i];
  }
  before = join_group(before, Plus());
  all = join_group(all, Plus());
}

// Calls put(element, holds, number of those before it that do) for this block's elements; all
// threads take part.
template <class What, class Put>
__device__ void number_found(const What& what, const Pieces& p, uint32_t before, const Put& put) {
  __shared__ uint32_t warps[kBlock / kWarp];
  const uint32_t begin = blockIdx.x * p.length;
  const uint32_t end = min(begin + p.length, p.count);
  const uint32_t lane = threadIdx.x % kWarp;
  for (uint32_t first = begin; first < end; first += kBlock) {
    const uint32_t i = first + threadIdx.x;
    const bool holds = i < end && what.holds(i);
    const uint32_t votes = __ballot_sync(kAllLanes, holds);
    if (lane == 0) warps[threadIdx.x / kWarp] = static_cast<uint32_t>(__popc(votes));
    __syncthreads();
    uint32_t number = before + static_cast<uint32_t>(__popc(votes & ((1U << lane) - 1)));
    for (uint32_t w = 0; w < kBlock / kWarp; ++w) {
      if (w < threadIdx.x / kWarp) number += warps[w];
      before += warps[w];
    }
    __syncthreads();
    if (i < end) put(i, holds, number);
  }
}

__global__ void __launch_bounds__(kBlock) put_nonzero(Nonzero t, Coordinates of, Pieces p) {
  uint32_t before = 0;
  uint32_t all = 0;
  add_found(p, before, all);
  number_found(t, p, before, [&](uint32_t i, bool holds, uint32_t number) {
    if (holds && number < t.size) of.put(t, i, number);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) *t.count = all;
  // Rows that are left over.
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kBlock;
  for (int64_t row = all + static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x; row < t.size;
       row += threads) {
    for (int32_t d = 0; d < of.rank; ++d) {
      t.places[row * t.place_step + d * t.coordinate_step] = t.fill;
    }
  }
}

__global__ void __launch_bounds__(kBlock)
    put_runs(Starts t, Pieces p, sdk::Bool* starts, int64_t start_step, int64_t* numbers,
             int64_t number_step) {
  uint32_t before = 0;
  uint32_t all = 0;
  add_found(p, before, all);
  number_found(t, p, before, [&](uint32_t i, bool holds, uint32_t number) {
    starts[i * start_step] = sdk::Bool(holds);
    numbers[i * number_step] = static_cast<int64_t>(number) + holds - 1;
  });
}

// ---- On the host --------------------------------------------------------------------------------

// At least one, which also serves no elements.
Pieces pieces_of(int64_t count) {
  if (count >= kMaxElements) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "x is too large for a kernel of tenon.cuda", "x",
                       "fewer than " + std::to_string(kMaxElements) + " elements",
                       std::to_string(count)};
  }
  const int64_t length = std::max<int64_t>(2048, (count + kMaxPieces - 1) / kMaxPieces);
  Pieces p{};
  p.count = static_cast<uint32_t>(count);
  p.length = blocks_for(length, kBlock) * kBlock;
  p.number = std::max(1U, blocks_for(count, p.length));
  return p;
}

uint64_t scratch(const sdk::Args& args) {
  return pieces_of(sdk::count_of(args.shape(0))).number * sizeof(uint32_t);
}

Pieces pieces_of(const sdk::Launch& l) {
  Pieces p = pieces_of(sdk::count_of(l.shape(0)));
  p.found = reinterpret_cast<uint32_t*>(l.scratch().data());
  return p;
}

void nonzero_static(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const Pieces p = pieces_of(l);
  Layout<1> layout;
  Coordinates of{};
  of.rank = x.rank;
  for (int32_t d = 0; d < x.rank && p.count > 0; ++d) {
    layout.push(x.shape[d], {x.strides[d]});
    of.size[d] = Divisor(static_cast<uint32_t>(x.shape[d]));
  }
  const tenon_view& places = l.out(0);
  const Nonzero what{layout.geometry(),  Elements(x),       l.out_data<int64_t>(),
                     places.strides[0],  places.strides[1], l.out_data<int64_t>(1),
                     l.attrs.integer(0), l.attrs.integer(1)};
  enqueue(l, &count_found<Nonzero>, {p.number}, {kBlock}, 0, what, p);
  enqueue(l, &put_nonzero, {p.number}, {kBlock}, 0, what, of, p);
}

void runs(const sdk::Launch& l) {
  const Pieces p = pieces_of(l);
  const Starts what{Elements(l.view(0)), l.view(0).strides[0]};
  enqueue(l, &count_found<Starts>, {p.number}, {kBlock}, 0, what, p);
  enqueue(l, &put_runs, {p.number}, {kBlock}, 0, what, p, l.out_data<sdk::Bool>(),
          l.out(0).strides[0], l.out_data<int64_t>(1), l.out(1).strides[0]);
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.nonzero_static", slots, sdk::kAllDtypes, sdk::launch_fn<nonzero_static>,
           {.n_attrs = 2, .workspace = sdk::workspace_fn<scratch>}),
    kernel("tenon.runs", slots, sdk::kAllDtypes, sdk::launch_fn<runs>,
           {.n_attrs = 0, .workspace = sdk::workspace_fn<scratch>}),
};

}  // namespace
}  // namespace tenon::cuda::nonzero_unit

TENON_UNIT(nonzero) = {.kernels = tenon::cuda::nonzero_unit::kernels};
