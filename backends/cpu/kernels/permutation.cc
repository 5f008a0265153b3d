// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/permutation.cc: permutation: the numbers i sorted by w(i), words 2i (high)
// and 2i+1, and by i if these are equal.
//
// The keys are random, so their upper bits alone part them into groups of nearly one size, each of
// which is sorted in the caches.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/permutation.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

enum Attribute : uint32_t { kN, kDtype, kAttributes };

struct Keyed {
  uint64_t key;
  int64_t number;
  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : number < other.number;
  }
};

// Groups of about 16, but no more of them than what a scattered write still finds quickly.
constexpr int kMaxBits = 14;
constexpr int64_t kGroupGrain = 1024;  // elements, about, that are worth a thread's while

int group_bits(int64_t n) {
  return std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 4, 1, kMaxBits);
}

// What fills the scratch: keys as drawn, keyed numbers group by group, where each group ends.
struct Room {
  Keyed* keyed;
  uint64_t* keys;
  int64_t* ends;
};
uint64_t bytes(const sdk::Args& args) {
  const int64_t n = args.attrs.integer(kN);
  return static_cast<uint64_t>(n) * (sizeof(Keyed) + sizeof(uint64_t)) +
         (sizeof(int64_t) << group_bits(n));
}
Room room_of(const sdk::Launch& l, int64_t n) {
  auto* const keyed = reinterpret_cast<Keyed*>(l.scratch().data());
  auto* const keys = reinterpret_cast<uint64_t*>(keyed + n);
  return {keyed, keys, reinterpret_cast<int64_t*>(keys + n)};
}

void draw_keys(const sdk::Launch& l, int64_t n, uint64_t* keys) {
  for_words<2>(l, n, [=](const uint32_t* words, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      keys[first + i] = uint64_t{words[2 * i]} << 32 | words[2 * i + 1];
    }
  });
}

// Puts the numbers into groups by the upper bits of their keys.
void part(const Room& room, int64_t n, int bits) {
  const int shift = 64 - bits;
  const size_t groups = size_t{1} << bits;
  std::fill(room.ends, room.ends + groups, 0);
  for (int64_t i = 0; i < n; ++i) ++room.ends[room.keys[i] >> shift];
  int64_t begin = 0;
  for (size_t g = 0; g < groups; ++g) begin += std::exchange(room.ends[g], begin);
  for (int64_t i = 0; i < n; ++i) {
    room.keyed[room.ends[room.keys[i] >> shift]++] = {room.keys[i], i};
  }
}

template <class T>
void permute(const sdk::Launch& l, int64_t n) {
  const Room room = room_of(l, n);
  const int bits = group_bits(n);
  draw_keys(l, n, room.keys);
  part(room, n, bits);
  const int64_t groups = int64_t{1} << bits;
  T* const out = l.out_data<T>();
  const int64_t grain = std::max<int64_t>(1, kGroupGrain * groups / (n + 1));
  l.parallel_for(groups, grain, [=](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = g == 0 ? 0 : room.ends[g - 1];
      std::sort(room.keyed + first, room.keyed + room.ends[g]);
      for (int64_t i = first; i < room.ends[g]; ++i) out[i] = static_cast<T>(room.keyed[i].number);
    }
  });
}

void permutation(const sdk::Launch& l) {
  const int64_t n = l.attrs.integer(kN);
  if (l.out().dtype == TENON_DTYPE_I64) return permute<int64_t>(l, n);
  permute<int32_t>(l, n);
}

constexpr tenon_dtype dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr tenon_slot_rule slots[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.permutation", slots, dtypes, kAttributes, sdk::launch_fn<permutation>,
           {.workspace = sdk::workspace_fn<bytes>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> permutation_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(permutation) = {.chosen_kernels = TENON_CPU_CHOOSE(permutation_kernels)};
#endif
