// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/sort.cu: sort, topk and searchsorted. NaN is larger than any number.
//
// An element becomes a key, an unsigned number with the same order (all NaNs one, both zeros one;
// descending its complement), so that one kernel serves all dtypes of a width. A key and the
// element's place are one item; no two are equal, so that the order is that of a stable sort.
//
// In lines of up to 32 elements each thread counts the items before its own, which is its place. Of
// longer ones, tiles of 1,024 items are sorted in shared memory by a bitonic network. Tiles of a
// line are then merged two by two: each item looks for its place in the other one by bisection. Of
// topk a run never holds more than the first k. The last step fetches values by place.
// Source: K. Batcher, "Sorting networks and their applications", 1968.
#include "keys.h"
#include "reduce.h"

namespace tenon::cuda::sort_unit {
namespace {

// ---- Keys ---------------------------------------------------------------------------------------

template <class K>
struct Item {
  K key;
  uint32_t place;

  __device__ bool operator<(const Item& other) const {
    return key < other.key || (key == other.key && place < other.place);
  }
};

template <class T>
__device__ __forceinline__ T element(const void* data, int64_t at) {
  return static_cast<const T*>(data)[at];
}

// The key of an element of a dtype with keys of that width.
template <class K>
__device__ K load_key(tenon_dtype dtype, const void* data, int64_t at) {
  if constexpr (sizeof(K) == 8) {
    if (dtype == TENON_DTYPE_F64) return key_of(element<double>(data, at));
    return static_cast<uint64_t>(element<int64_t>(data, at)) ^ (uint64_t{1} << 63);
  } else {
    constexpr uint32_t sign = 0x80000000U;
    if (dtype == TENON_DTYPE_F32) return key_of(element<float>(data, at));
    if (dtype == TENON_DTYPE_F16) return key_of(widen(element<sdk::F16>(data, at)));
    if (dtype == TENON_DTYPE_BF16) return key_of(widen(element<sdk::BF16>(data, at)));
    if (dtype == TENON_DTYPE_I32) return static_cast<uint32_t>(element<int32_t>(data, at)) ^ sign;
    if (dtype == TENON_DTYPE_I16) return static_cast<uint32_t>(element<int16_t>(data, at)) ^ sign;
    if (dtype == TENON_DTYPE_I8) return static_cast<uint32_t>(element<int8_t>(data, at)) ^ sign;
    const uint32_t byte = element<uint8_t>(data, at);
    return dtype == TENON_DTYPE_BOOL ? byte != 0 : byte;
  }
}

// Calls body.operator()<K>() with the keys' type.
template <class Body>
void dispatch_key(tenon_dtype dtype, Body&& body) {
  if (sdk::size_of(dtype) == 8) return body.template operator()<uint64_t>();
  body.template operator()<uint32_t>();
}

// ---- Sorting ------------------------------------------------------------------------------------

inline constexpr uint32_t kShort = 32;
inline constexpr uint32_t kTile = 1024;
enum Operand : int { kValues, kIndices, kX, kOperands };

struct SortTask {
  Geometry<kOperands> lines;
  int64_t step[kOperands];
  void* values;
  int64_t* indices;
  const void* x;
  tenon_dtype dtype;
  uint32_t size;   // of an element
  uint32_t count;  // of a line's elements
  uint32_t kept;   // the first so many are wanted
  bool descending;
};

// The runs of a line: all have `length` items but the last.
struct Runs {
  uint32_t number;
  uint32_t length;
  uint32_t last;

  __host__ __device__ uint32_t length_of(uint32_t run) const {
    return run + 1 == number ? last : length;
  }
  __host__ __device__ uint32_t items() const { return (number - 1) * length + last; }
};

// Two by two, no longer than `kept`.
Runs merged(const Runs& runs, uint32_t kept) {
  const uint32_t pairs = (runs.number + 1) / 2;
  const uint32_t tail = runs.number % 2 == 0 ? runs.length + runs.last : runs.last;
  return {pairs, std::min(2 * runs.length, kept), std::min(tail, kept)};
}

Runs tiles_of(uint32_t count, uint32_t kept) {
  const uint32_t number = blocks_for(count, kTile);
  return {number, std::min(kTile, kept), std::min(count - (number - 1) * kTile, kept)};
}

__device__ void put_sorted(const SortTask& t, uint32_t line, uint32_t rank, uint32_t place) {
  if (rank >= t.kept) return;
  int64_t at[kOperands];
  t.lines.offsets(line, at);
  const int64_t from = at[kX] + place * t.step[kX];
  const int64_t to = at[kValues] + rank * t.step[kValues];
  if (t.size == 1) static_cast<uint8_t*>(t.values)[to] = element<uint8_t>(t.x, from);
  if (t.size == 2) static_cast<uint16_t*>(t.values)[to] = element<uint16_t>(t.x, from);
  if (t.size == 4) static_cast<uint32_t*>(t.values)[to] = element<uint32_t>(t.x, from);
  if (t.size == 8) static_cast<uint64_t*>(t.values)[to] = element<uint64_t>(t.x, from);
  t.indices[at[kIndices] + rank * t.step[kIndices]] = place;
}

// The element's item; `at` says where the line begins.
template <class K>
__device__ Item<K> load_item(const SortTask& t, const int64_t (&at)[kOperands], uint32_t place) {
  const K key = load_key<K>(t.dtype, t.x, at[kX] + place * t.step[kX]);
  return {t.descending ? static_cast<K>(~key) : key, place};
}

// A thread for each element of short lines.
template <class K>
__global__ void __launch_bounds__(kBlock) sort_short(SortTask t) {
  const int64_t number = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  const auto line = static_cast<uint32_t>(number / t.count);
  if (line >= t.lines.count) return;
  int64_t at[kOperands];
  t.lines.offsets(line, at);
  const Item<K> own = load_item<K>(t, at, static_cast<uint32_t>(number % t.count));
  uint32_t rank = 0;
  for (uint32_t place = 0; place < t.count; ++place) {
    if (load_item<K>(t, at, place) < own) ++rank;
  }
  put_sorted(t, line, rank, own.place);
}

// The bitonic network over `size` items, a power of 2, in shared memory.
template <class K>
__device__ void sort_shared(Item<K>* items, uint32_t size) {
  for (uint32_t span = 2; span <= size; span *= 2) {
    for (uint32_t apart = span / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (uint32_t pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
        const uint32_t a = pair / apart * (2 * apart) + pair % apart;
        const uint32_t b = a + apart;
        const bool ascending = (a & span) == 0;
        if ((items[b] < items[a]) != ascending) continue;
        const Item<K> other = items[a];
        items[a] = items[b];
        items[b] = other;
      }
    }
  }
  __syncthreads();
}

// A block for each tile. `size`: of the tile in shared memory. `runs`: what is written; without
// `items` the result is.
template <class K>
__global__ void __launch_bounds__(kTile / 2)
    sort_tiles(SortTask t, uint32_t size, Runs runs, Item<K>* items) {
  Item<K>* const tile = dynamic_shared<Item<K>>();
  const uint32_t line = blockIdx.x / runs.number;
  const uint32_t run = blockIdx.x % runs.number;
  int64_t at[kOperands];
  t.lines.offsets(line, at);
  for (uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
    const uint32_t place = run * kTile + i;
    Item<K> item{static_cast<K>(~K{0}), 0xffffffffU};
    if (place < t.count) item = load_item<K>(t, at, place);
    tile[i] = item;
  }
  sort_shared(tile, size);
  const uint32_t length = runs.length_of(run);
  Item<K>* const own =
      items + static_cast<int64_t>(line) * runs.items() + static_cast<int64_t>(run) * runs.length;
  for (uint32_t i = threadIdx.x; i < length; i += blockDim.x) {
    if (items) {
      own[i] = tile[i];
    } else {
      put_sorted(t, line, i, tile[i].place);
    }
  }
}

// How many of a run's items are less.
template <class K>
__device__ uint32_t count_less(const Item<K>* run, uint32_t length, const Item<K>& item) {
  uint32_t begin = 0;
  while (begin < length) {
    const uint32_t middle = begin + (length - begin) / 2;
    if (run[middle] < item) {
      begin = middle + 1;
    } else {
      length = middle;
    }
  }
  return begin;
}

// A thread for each item of `from`; `to_items` NULL: the result is written.
template <class K>
__global__ void __launch_bounds__(kBlock)
    merge_runs(SortTask t, Runs from, Runs to, uint32_t blocks_per_line, const Item<K>* from_items,
               Item<K>* to_items) {
  const uint32_t line = blockIdx.x / blocks_per_line;
  const uint32_t i = blockIdx.x % blocks_per_line * kBlock + threadIdx.x;
  if (i >= from.items()) return;
  const Item<K>* const all = from_items + static_cast<int64_t>(line) * from.items();
  const uint32_t run = i / from.length;
  const uint32_t other = run ^ 1U;
  uint32_t rank = i - run * from.length;
  if (other < from.number) {
    rank +=
        count_less(all + static_cast<int64_t>(other) * from.length, from.length_of(other), all[i]);
  }
  if (rank >= to.length_of(run / 2)) return;
  if (!to_items) return put_sorted(t, line, rank, all[i].place);
  to_items[static_cast<int64_t>(line) * to.items() + static_cast<int64_t>(run / 2) * to.length +
           rank] = all[i];
}

// ---- On the host --------------------------------------------------------------------------------

struct Sorting {
  Layout<kOperands> lines;
  int32_t axis;
  uint32_t count = 0;
  uint32_t kept = 0;

  Sorting(const sdk::Args& args, int64_t given_axis) {
    const tenon_view& x = args.view(0);
    axis = sdk::normal_axis(given_axis, x.rank, "axis");
    if (x.shape[axis] >= kMaxElements) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "the axis is too long for a kernel of tenon.cuda",
                         "x", "fewer than " + std::to_string(kMaxElements) + " elements",
                         std::to_string(x.shape[axis])};
    }
    count = static_cast<uint32_t>(x.shape[axis]);
    kept = static_cast<uint32_t>(args.out().shape[axis]);
    for (int32_t d = 0; d < x.rank; ++d) {
      if (d != axis) {
        lines.push(x.shape[d], {args.out(0).strides[d], args.out(1).strides[d], x.strides[d]});
      }
    }
  }
  bool is_nothing() const { return kept == 0 || lines.count() == 0; }
  // Items of one of the two buffers that runs are in, and of all lines.
  uint64_t items() const {
    return static_cast<uint64_t>(lines.count()) * tiles_of(count, kept).items();
  }
  uint64_t scratch(tenon_dtype dtype) const {
    if (is_nothing() || count <= kTile) return 0;
    return 2 * items() *
           (sdk::size_of(dtype) == 8 ? sizeof(Item<uint64_t>) : sizeof(Item<uint32_t>));
  }
};

template <class K>
void enqueue_sort(const sdk::Launch& l, const SortTask& t, uint64_t items) {
  if (t.count <= kShort) {  // below 2^30 elements, by lines_at_once
    const int64_t elements = int64_t{t.lines.count} * t.count;
    return enqueue(l, &sort_short<K>, {blocks_for(elements, kBlock)}, {kBlock}, 0, t);
  }
  Runs runs = tiles_of(t.count, t.kept);
  auto* from = reinterpret_cast<Item<K>*>(l.scratch().data());
  Item<K>* to = from + items;
  uint32_t size = 2;
  while (size < std::min(t.count, kTile)) size *= 2;
  enqueue(l, &sort_tiles<K>, {t.lines.count * runs.number},
          {std::clamp(size / 2, kWarp, kTile / 2)}, static_cast<uint32_t>(size * sizeof(Item<K>)),
          t, size, runs, runs.number > 1 ? from : nullptr);
  while (runs.number > 1) {
    const Runs next = merged(runs, t.kept);
    const uint32_t blocks = blocks_for(runs.items(), kBlock);
    enqueue(l, &merge_runs<K>, {t.lines.count * blocks}, {kBlock}, 0, t, runs, next, blocks, from,
            next.number > 1 ? to : nullptr);
    std::swap(from, to);
    runs = next;
  }
}

void put_in_order(const sdk::Launch& l, int64_t axis, bool descending) {
  const Sorting s(l, axis);
  if (s.is_nothing()) return;
  const tenon_view& x = l.view(0);
  SortTask t{};
  t.step[kValues] = l.out(0).strides[s.axis];
  t.step[kIndices] = l.out(1).strides[s.axis];
  t.step[kX] = x.strides[s.axis];
  t.dtype = x.dtype;
  t.size = static_cast<uint32_t>(sdk::size_of(x.dtype));
  t.count = s.count;
  t.kept = s.kept;
  t.descending = descending;
  // A block for each tile is numbered with 32 bits.
  const int64_t lines_at_once = std::max<int64_t>(1, kMaxElements / s.count);
  for_parts<kOperands>(
      s.lines, {},
      [&](const Layout<kOperands>& part, const std::array<int64_t, kOperands>& at) {
        t.lines = part.geometry();
        t.values = static_cast<char*>(l.out(0).data) + at[kValues] * t.size;
        t.indices = l.out_data<int64_t>(1) + at[kIndices];
        t.x = static_cast<const char*>(x.data) + at[kX] * t.size;
        dispatch_key(x.dtype, [&]<class K>() { enqueue_sort<K>(l, t, s.items()); });
      },
      lines_at_once);
}

enum SortAttribute : uint32_t { kSortAxis, kDescending, kStable, kSortAttributes };
enum TopAttribute : uint32_t { kHowMany, kTopAxis, kLargest, kSorted, kTopAttributes };

void sort(const sdk::Launch& l) {
  put_in_order(l, l.attrs.integer(kSortAxis), l.attrs.flag(kDescending));
}
void topk(const sdk::Launch& l) {
  put_in_order(l, l.attrs.integer(kTopAxis), l.attrs.flag(kLargest));
}

template <uint32_t kAxis>
uint64_t scratch(const sdk::Args& args) {
  return Sorting(args, args.attrs.integer(kAxis)).scratch(args.view(0).dtype);
}

// ---- Searching ----------------------------------------------------------------------------------

struct SearchTask {
  Geometry<3> values;  // output, values, the beginning of their line of `sorted`
  int64_t step;
  int64_t count;
  const void* sorted;
  const void* in;
  int64_t* out;
  tenon_dtype dtype;
  bool right;
};

// A thread for each value.
template <class K>
__global__ void __launch_bounds__(kBlock) search(SearchTask t) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= t.values.count) return;
  int64_t at[3];
  t.values.offsets(number, at);
  const K value = load_key<K>(t.dtype, t.in, at[1]);
  int64_t begin = 0;
  int64_t end = t.count;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const K x = load_key<K>(t.dtype, t.sorted, at[2] + middle * t.step);
    if (t.right ? x <= value : x < value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  t.out[at[0]] = begin;
}

void searchsorted(const sdk::Launch& l) {
  const tenon_view& sorted = l.view(0);
  const tenon_view& values = l.view(1);
  const int32_t last = sorted.rank - 1;
  Layout<3> layout;
  for (int32_t d = 0; d < values.rank; ++d) {
    layout.push(values.shape[d],
                {l.out().strides[d], values.strides[d], d < last ? sorted.strides[d] : 0});
  }
  const int64_t size = sdk::size_of(sorted.dtype);
  for_parts<3>(layout, {}, [&](const Layout<3>& part, const std::array<int64_t, 3>& at) {
    const SearchTask t{part.geometry(),
                       sorted.strides[last],
                       sorted.shape[last],
                       static_cast<const char*>(sorted.data) + at[2] * size,
                       static_cast<const char*>(values.data) + at[1] * size,
                       l.out_data<int64_t>() + at[0],
                       sorted.dtype,
                       l.attrs.flag(0)};
    dispatch_key(sorted.dtype, [&]<class K>() {
      enqueue(l, &search<K>, {blocks_for(t.values.count, kBlock)}, {kBlock}, 0, t);
    });
  });
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule order_slots[] = {any_in(), any_out(), any_out()};
constexpr tenon_slot_rule search_slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sort", order_slots, sdk::kAllDtypes, sdk::launch_fn<sort>,
           {.n_attrs = kSortAttributes, .workspace = sdk::workspace_fn<scratch<kSortAxis>>}),
    kernel("tenon.topk", order_slots, sdk::kAllDtypes, sdk::launch_fn<topk>,
           {.n_attrs = kTopAttributes, .workspace = sdk::workspace_fn<scratch<kTopAxis>>}),
    kernel("tenon.searchsorted", search_slots, sdk::kNumbers, sdk::launch_fn<searchsorted>,
           {.n_attrs = 1}),
};

}  // namespace
}  // namespace tenon::cuda::sort_unit

TENON_UNIT(sort) = {.kernels = tenon::cuda::sort_unit::kernels};
