// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/permutation.cu: permutation: the numbers i sorted by w(i), words 2i (high)
// and 2i+1; and the sort itself, which the ops that add rows use as well (radix.h).
//
// The sort of more than a few pairs takes 8 bits of the keys at a time, the lowest first, in three
// kernels each: `count_digits` counts how often each digit stands in each block's piece;
// `scan_counts` adds the counts up, so that they say where each piece's pairs with a digit begin;
// `place_pairs` puts them there, in order: a warp finds the lanes with equal digits by votes, one
// bit at a time. Nothing depends on which block runs first. Source: D. Merrill, A. Grimshaw, "High
// Performance and Scalable Radix Sorting", Parallel Processing Letters 21, 2011.
#include <tenon/sdk/plugin/philox.hpp>

#include "geometry.h"
#include "radix.h"

namespace tenon::cuda::permutation_unit {
namespace {

constexpr int kDigitBits = 8;
constexpr uint32_t kDigits = 1U << kDigitBits;
constexpr uint32_t kWarps = kBlock / 32;
constexpr uint32_t kRounds = 8;
constexpr uint32_t kPiece = kBlock * kRounds;  // pairs of a block
static_assert(kDigits == kBlock, "a thread keeps the count of one digit");

__device__ __forceinline__ uint32_t digit_of(uint64_t key, int shift) {
  return static_cast<uint32_t>(key >> shift) % kDigits;
}

// counts[digit gridDim.x + block]
__global__ void __launch_bounds__(kBlock)
    count_digits(uint32_t count, int shift, const uint64_t* keys, uint32_t* counts) {
  __shared__ uint32_t seen[kDigits];
  seen[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint32_t number = blockIdx.x * kPiece + round * kBlock + threadIdx.x;
    if (number < count) atomicAdd(&seen[digit_of(keys[number], shift)], 1U);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = seen[threadIdx.x];
}

// The sum of `value` over the lanes up to this one.
__device__ __forceinline__ uint32_t sum_to_lane(uint32_t value, uint32_t lane) {
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const uint32_t before = __shfl_up_sync(0xFFFFFFFFU, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

constexpr uint32_t kScanBlock = 1024;

// counts[i] becomes the sum of those before it; one block does all of them.
__global__ void __launch_bounds__(kScanBlock) scan_counts(uint32_t count, uint32_t* counts) {
  __shared__ uint32_t of_warp[kScanBlock / 32];
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  uint32_t before = 0;
  for (uint32_t first = 0; first < count; first += kScanBlock) {
    const uint32_t i = first + threadIdx.x;
    const uint32_t own = i < count ? counts[i] : 0;
    const uint32_t in_warp = sum_to_lane(own, lane);
    if (lane == 31) of_warp[warp] = in_warp;
    __syncthreads();
    if (warp == 0) of_warp[lane] = sum_to_lane(of_warp[lane], lane);
    __syncthreads();
    if (i < count) counts[i] = before + (warp > 0 ? of_warp[warp - 1] : 0) + in_warp - own;
    before += of_warp[kScanBlock / 32 - 1];
    __syncthreads();
  }
}

// The lanes whose digit is this one's; those that have no pair are left out.
__device__ __forceinline__ uint32_t lanes_alike(uint32_t digit, bool has_pair) {
  uint32_t alike = __ballot_sync(0xFFFFFFFFU, has_pair);
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_set = (digit >> bit) & 1;
    const uint32_t votes = __ballot_sync(0xFFFFFFFFU, is_set);
    alike &= is_set ? votes : ~votes;
  }
  return alike;
}

__global__ void __launch_bounds__(kBlock)
    place_pairs(uint32_t count, int shift, Pairs from, Pairs to, const uint32_t* counts) {
  __shared__ uint32_t begin[kDigits];            // where this piece's next pair goes
  __shared__ uint32_t of_warp[kWarps][kDigits];  // this round's; then those of the warps before
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  begin[threadIdx.x] = counts[threadIdx.x * gridDim.x + blockIdx.x];
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (uint32_t w = 0; w < kWarps; ++w) of_warp[w][threadIdx.x] = 0;
    __syncthreads();
    const uint32_t number = blockIdx.x * kPiece + round * kBlock + threadIdx.x;
    const bool has_pair = number < count;
    const uint64_t key = has_pair ? from.keys[number] : 0;
    const uint32_t digit = digit_of(key, shift);
    const uint32_t alike = lanes_alike(digit, has_pair);
    const uint32_t before = __popc(alike & ((1U << lane) - 1));
    if (has_pair && before == 0) of_warp[warp][digit] = __popc(alike);
    __syncthreads();
    uint32_t sum = begin[threadIdx.x];
    for (uint32_t w = 0; w < kWarps; ++w) {
      const uint32_t own = of_warp[w][threadIdx.x];
      of_warp[w][threadIdx.x] = sum;
      sum += own;
    }
    begin[threadIdx.x] = sum;
    __syncthreads();
    if (has_pair) {
      const uint32_t place = of_warp[warp][digit] + before;
      to.keys[place] = key;
      to.numbers[place] = from.numbers[number];
    }
    __syncthreads();
  }
}

// Few pairs need one kernel: each counts those that stand before it in the end.
constexpr int64_t kFew = 1024;

__global__ void __launch_bounds__(kBlock) place_few(uint32_t count, Pairs from, Pairs to) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= count) return;
  const uint64_t key = from.keys[number];
  uint32_t place = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t other = from.keys[i];
    place += other < key || (other == key && i < number) ? 1 : 0;
  }
  to.keys[place] = key;
  to.numbers[place] = from.numbers[number];
}

int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }

// Two buffers of pairs, and the counts.
struct Room {
  Pairs pairs[2];
  uint32_t* counts;
  int64_t bytes;
};

Room room_in(void* scratch, int64_t count) {
  Room room{};
  const auto take = [&](int64_t bytes) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(scratch) + static_cast<uintptr_t>(room.bytes);
    room.bytes += aligned(bytes);
    return at;
  };
  for (Pairs& pairs : room.pairs) {
    pairs.keys = reinterpret_cast<uint64_t*>(take(count * 8));
    pairs.numbers = reinterpret_cast<uint32_t*>(take(count * 4));
  }
  room.counts = reinterpret_cast<uint32_t*>(take(int64_t{kDigits} * blocks_for(count, kPiece) * 4));
  return room;
}

// ---- permutation --------------------------------------------------------------------------------

enum Permutation : uint32_t { kN, kPermutationDtype, kPermutationAttributes };

__global__ void __launch_bounds__(kBlock) draw_keys(uint32_t count, tenon_rng rng, Pairs pairs) {
  const uint32_t i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;
  const uint64_t base = rng.offset + (rng.device_base ? *rng.device_base : 0);
  const uint64_t counter = base + i / 2;
  uint32_t words[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                       static_cast<uint32_t>(rng.stream), static_cast<uint32_t>(rng.stream >> 32)};
  tenon_sdk_philox(words, rng.key);
  const bool is_odd = i % 2 != 0;
  pairs.keys[i] = uint64_t{is_odd ? words[2] : words[0]} << 32 | (is_odd ? words[3] : words[1]);
  pairs.numbers[i] = i;
}

template <class T>
__global__ void __launch_bounds__(kBlock)
    write_numbers(uint32_t count, const uint32_t* numbers, T* out, int64_t stride) {
  const uint32_t i = blockIdx.x * kBlock + threadIdx.x;
  if (i < count) out[i * stride] = static_cast<T>(numbers[i]);
}

uint64_t permutation_bytes(const sdk::Args& args) {
  return radix_bytes(args.attrs.integer(kN), "n");
}

void permutation(const sdk::Launch& l) {
  const int64_t n = l.attrs.integer(kN);
  if (n == 0) return;
  void* const scratch = l.scratch().data();
  const auto count = static_cast<uint32_t>(n);
  enqueue(l, &draw_keys, {blocks_for(n, kBlock)}, {kBlock}, 0, count, l.rng(),
          radix_input(n, scratch));
  const Pairs sorted = radix_sort(l, n, 64, scratch);
  sdk::dispatch_dtype<sdk::TypeList<int32_t, int64_t>>(l.out().dtype, [&]<class T>() {
    enqueue(l, &write_numbers<T>, {blocks_for(n, kBlock)}, {kBlock}, 0, count, sorted.numbers,
            static_cast<T*>(l.out().data), l.out().strides[0]);
  });
}

constexpr tenon_dtype dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr tenon_slot_rule slots[] = {any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.permutation", slots, dtypes, sdk::launch_fn<permutation>,
           {.n_attrs = kPermutationAttributes, .workspace = sdk::workspace_fn<permutation_bytes>}),
};

}  // namespace
}  // namespace tenon::cuda::permutation_unit

namespace tenon::cuda {

uint64_t radix_bytes(int64_t count, const char* operand) {
  using namespace permutation_unit;
  if (count > kMaxPairs) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "too many elements to sort", operand,
                       std::to_string(kMaxPairs) + " or fewer", std::to_string(count)};
  }
  return static_cast<uint64_t>(room_in(nullptr, count).bytes);
}

Pairs radix_input(int64_t count, void* scratch) {
  return permutation_unit::room_in(scratch, count).pairs[0];
}

Pairs radix_sort(const sdk::Launch& l, int64_t count, int bits, void* scratch) {
  using namespace permutation_unit;
  const Room room = room_in(scratch, count);
  const auto n = static_cast<uint32_t>(count);
  if (count <= kFew) {
    enqueue(l, &place_few, {blocks_for(count, kBlock)}, {kBlock}, 0, n, room.pairs[0],
            room.pairs[1]);
    return room.pairs[1];
  }
  const uint32_t blocks = blocks_for(count, kPiece);
  int from = 0;
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const Pairs& source = room.pairs[from];
    enqueue(l, &count_digits, {blocks}, {kBlock}, 0, n, shift, source.keys, room.counts);
    enqueue(l, &scan_counts, {1}, {kScanBlock}, 0, kDigits * blocks, room.counts);
    from = 1 - from;
    enqueue(l, &place_pairs, {blocks}, {kBlock}, 0, n, shift, source, room.pairs[from],
            room.counts);
  }
  return room.pairs[from];
}

}  // namespace tenon::cuda

TENON_UNIT(permutation) = {.kernels = tenon::cuda::permutation_unit::kernels};
