// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/scatter.cu: scatter, scatter_add, index_put, rows_add, rows_put: elements
// put or added where indices say.
//
// Of several elements for one place the last stays, or they are added one after the other, each sum
// rounded: in order, whatever the machine does first. Two ways lead there:
// - lines: where indices run along an axis and there are many lines beside it, or they are short, a
//   thread goes through one line.
// - sorting: each element's place is its key (radix.h), so that elements for one place stand
//   together, in order. The thread that finds the first of them adds all, the one that finds the
//   last puts it. Slices of several elements have such a thread for each.
// An index that names no place is reported, and then nothing is put or added: among sorted elements
// it stands last, and lines are looked through before any is changed.
#include "index_check.h"
#include "moving.h"
#include "places.h"
#include "radix.h"

namespace tenon::cuda::scatter_unit {
namespace {

// sum + value, rounded; truths are joined.
struct Add {
  template <class T>
  __device__ __forceinline__ T operator()(T sum, T value) const {
    if constexpr (std::is_same_v<T, sdk::Bool>) {
      return sdk::Bool(sum || value);
    } else if constexpr (sdk::is_float_type<T>) {
      return narrow<T>(widen(sum) + widen(value));
    } else {
      return static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
    }
  }
};
struct Put {
  template <class T>
  __device__ __forceinline__ T operator()(T, T value) const {
    return value;
  }
};

// ---- Lines --------------------------------------------------------------------------------------

// Strides along the axis.
struct Line {
  int64_t length;  // of indices
  int64_t index_stride;
  int64_t source_stride;
  int64_t number_stride;
};

__global__ void all_right(uint32_t* wrong) { *wrong = 0; }

// Operands: where the line begins in y, in the indices and in src, and the first index's number.
__global__ void __launch_bounds__(kBlock)
    check_lines(Geometry<4> g, int64_t first, Line line, IndexList list, uint32_t* wrong) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[4];
  g.offsets(number, at);
  for (int64_t i = 0; i < line.length; ++i) {
    const int64_t index = list.at(at[1] + i * line.index_stride);
    if (index >= 0 && index < list.refusal.limit) continue;
    refuse(list.refusal, first + at[3] + i * line.number_stride, index);
    atomicExch(wrong, 1U);
  }
}

template <class T, class Joined>
__global__ void __launch_bounds__(kBlock)
    go_through_lines(Geometry<4> g, Line line, IndexList list, const uint32_t* wrong, T* y,
                     const T* src) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count || *wrong != 0) return;
  int64_t at[4];
  g.offsets(number, at);
  for (int64_t i = 0; i < line.length; ++i) {
    const int64_t index = list.at(at[1] + i * line.index_stride);
    T& place = y[at[0] + index * list.stride];
    place = Joined()(place, src[at[2] + i * line.source_stride]);
  }
}

// ---- Places as keys -----------------------------------------------------------------------------

// Operands: what the element's coordinates give of its place, and the lists.
template <int K>
__global__ void __launch_bounds__(kBlock)
    find_places(Geometry<1 + K> g, Geometry<K> numbers, IndexLists<K> lists, uint64_t nowhere,
                Pairs pairs) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[1 + K];
  g.offsets(number, at);
  int64_t place = at[0];
  const int64_t first[K] = {};
  const bool is_place = add_places(lists, at + 1, numbers, first, number, place);
  pairs.keys[number] = is_place ? static_cast<uint64_t>(place) : nowhere;
  pairs.numbers[number] = number;
}

// What the sorted pairs stand for: slices of y and src, each of `inner.count` elements.
struct Slices {
  uint32_t count;  // of pairs
  uint64_t nowhere;
  Places places;      // of y, by key
  Places elements;    // of src, by number
  Geometry<2> inner;  // of both

  // Nothing is done where one element has no place.
  __device__ __forceinline__ bool is_right(const Pairs& pairs) const {
    return pairs.keys[count - 1] != nowhere;
  }
};

template <class T>
__global__ void __launch_bounds__(kBlock)
    add_slices(Slices s, uint32_t first, Pairs pairs, T* y, const T* src) {
  const int64_t work = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  const auto pair = static_cast<uint32_t>(first + work / s.inner.count);
  if (pair >= s.count) return;
  const uint64_t key = pairs.keys[pair];
  const bool is_first = pair == 0 || pairs.keys[pair - 1] != key;
  if (!is_first || !s.is_right(pairs)) return;
  int64_t at[2];
  s.inner.offsets(static_cast<uint32_t>(work % s.inner.count), at);
  T& place = y[s.places.offset(static_cast<int64_t>(key)) + at[0]];
  T sum = place;
  for (uint32_t p = pair; p < s.count && pairs.keys[p] == key; ++p) {
    sum = Add()(sum, src[s.elements.offset(pairs.numbers[p]) + at[1]]);
  }
  place = sum;
}

template <class T>
__global__ void __launch_bounds__(kBlock)
    put_slices(Slices s, uint32_t first, Pairs pairs, T* y, const T* src) {
  const int64_t work = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  const auto pair = static_cast<uint32_t>(first + work / s.inner.count);
  if (pair >= s.count) return;
  const uint64_t key = pairs.keys[pair];
  const bool is_last = pair + 1 == s.count || pairs.keys[pair + 1] != key;
  if (!is_last || !s.is_right(pairs)) return;
  int64_t at[2];
  s.inner.offsets(static_cast<uint32_t>(work % s.inner.count), at);
  y[s.places.offset(static_cast<int64_t>(key)) + at[0]] =
      src[s.elements.offset(pairs.numbers[pair]) + at[1]];
}

// Which elements stay: of equal keys the last.
__global__ void __launch_bounds__(kBlock)
    mark_last(uint32_t count, Pairs pairs, Places places, uint8_t* last) {
  const uint32_t pair = blockIdx.x * kBlock + threadIdx.x;
  if (pair >= count) return;
  const bool stays = pair + 1 == count || pairs.keys[pair + 1] != pairs.keys[pair];
  last[places.offset(pairs.numbers[pair])] = stays ? 1 : 0;
}

// ---- On the host --------------------------------------------------------------------------------

// One call: which elements there are, and where their indices stand.
struct Call {
  // Of the elements that have an index each, or slices; row-major. Operands: what coordinates give
  // of the place, the lists, the numbers of their indices.
  static constexpr int kOperands = 1 + 2 * kMaxLists;
  Layout<kOperands> layout;
  IndexLists<kMaxLists> lists{};
  int64_t n_places = 1;
  Slices slices{};
  Layout<2> inner;
  const void* src = nullptr;

  int64_t count() const { return layout.count(); }
};

// Operands `first` to first + K.
template <int K>
Geometry<K> geometry_of(const Layout<Call::kOperands>& layout, size_t first) {
  Layout<K> some;
  for (int32_t d = 0; d < layout.rank; ++d) {
    std::array<int64_t, K> strides{};
    for (size_t o = 0; o < K; ++o) strides[o] = layout.stride[first + o][d];
    some.push(layout.shape[d], strides);
  }
  return some.geometry();
}

// Sorts the elements by place.
Pairs sort_by_place(const sdk::Launch& l, Call& call) {
  const int64_t count = call.count();
  void* const scratch = l.scratch().data();
  const auto nowhere = static_cast<uint64_t>(call.n_places);
  call.slices.count = static_cast<uint32_t>(count);
  call.slices.nowhere = nowhere;
  dispatch_lists(call.lists.count, [&]<int K>() {
    IndexLists<K> lists{};
    lists.count = call.lists.count;
    std::copy(call.lists.list, call.lists.list + lists.count, lists.list);
    enqueue(l, &find_places<K>, {blocks_for(count, kBlock)}, {kBlock}, 0,
            geometry_of<1 + K>(call.layout, 0), geometry_of<K>(call.layout, 1 + kMaxLists), lists,
            nowhere, radix_input(count, scratch));
  });
  const int bits = 64 - __builtin_clzll(nowhere | 1);
  return radix_sort(l, count, bits, scratch);
}

// Calls body(first pair, blocks) for pieces of the slices' elements that one launch can do.
template <class Body>
void for_slices(const Call& call, Body&& body) {
  const int64_t inner = call.inner.count();
  if (inner > kMaxElements) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "slices of too many elements", "indices",
                       std::to_string(kMaxElements) + " or fewer", std::to_string(inner)};
  }
  const int64_t step = std::max<int64_t>(1, (int64_t{1} << 36) / inner);
  for (int64_t first = 0; first < call.count(); first += step) {
    const int64_t pairs = std::min(step, call.count() - first);
    body(static_cast<uint32_t>(first), blocks_for(pairs * inner, kBlock));
  }
}

void join_slices(const sdk::Launch& l, Call& call, const Pairs& pairs, const tenon_view& y,
                 bool adds) {
  if (call.inner.count() == 0) return;
  call.slices.inner = call.inner.geometry();
  for_slices(call, [&](uint32_t first, uint32_t blocks) {
    if (adds) {
      return sdk::dispatch_dtype(y.dtype, [&]<class T>() {
        enqueue(l, &add_slices<T>, {blocks}, {kBlock}, 0, call.slices, first, pairs,
                static_cast<T*>(y.data), static_cast<const T*>(call.src));
      });
    }
    sdk::dispatch_size(y.dtype, [&]<class T>() {
      enqueue(l, &put_slices<T>, {blocks}, {kBlock}, 0, call.slices, first, pairs,
              static_cast<T*>(y.data), static_cast<const T*>(call.src));
    });
  });
}

void mark_stays(const sdk::Launch& l, const Call& call, const Pairs& pairs) {
  enqueue(l, &mark_last, {blocks_for(call.count(), kBlock)}, {kBlock}, 0, call.slices.count, pairs,
          places_of(l.out(1)), static_cast<uint8_t*>(l.out(1).data));
}

// ---- scatter, scatter_add -----------------------------------------------------------------------

enum ScatterSlot : uint32_t { kX, kIndices, kSource };

size_t axis_of(const sdk::Args& l) {
  return static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.view(kX).rank, "axis"));
}

// Short lines, or enough of them for all multiprocessors.
bool goes_by_lines(const sdk::Args& l) {
  if (l.wants_out(1)) return false;
  const tenon_view& indices = l.view(kIndices);
  const int64_t length = indices.shape[axis_of(l)];
  const int64_t count = sdk::count_of(shape_of(indices));
  return length <= 32 || count / length >= 16384;
}

uint64_t scatter_bytes(const sdk::Args& l) {
  if (l.view(kX).rank == 0) return 0;
  if (goes_by_lines(l)) return sizeof(uint32_t);
  return radix_bytes(sdk::count_of(l.shape(kIndices)), "indices");
}

template <class Joined>
void scatter_lines(const sdk::Launch& l) {
  const size_t axis = axis_of(l);
  const tenon_view& y = l.out();
  const tenon_view& indices = l.view(kIndices);
  const tenon_view& src = l.view(kSource);
  const auto numbers = row_major(shape_of(indices));
  Layout<4> lines;
  Line line{};
  for (int32_t d = 0; d < indices.rank; ++d) {
    const auto n = static_cast<size_t>(d);
    const int64_t source_stride = broadcast_stride(src, src.strides, d, indices.rank);
    if (n == axis) {
      line = {indices.shape[d], indices.strides[d], source_stride, numbers[n]};
    } else {
      lines.push(indices.shape[d], {y.strides[d], indices.strides[d], source_stride, numbers[n]});
    }
  }
  const IndexList list = list_of(l, indices, y.strides[axis], y.shape[axis], words_for(0, 1));
  auto* const wrong = reinterpret_cast<uint32_t*>(l.scratch().data());
  // Calls body(part, offsets, list of the part, blocks).
  const auto for_blocks = [&](const auto& body) {
    for_parts<4>(lines, {}, [&](const Layout<4>& part, const std::array<int64_t, 4>& at) {
      IndexList moved = list;
      moved.data = static_cast<const char*>(list.data) + at[1] * sdk::size_of(indices.dtype);
      body(part.geometry(), at, moved, blocks_for(part.count(), kBlock));
    });
  };
  enqueue(l, &all_right, {1}, {1}, 0, wrong);
  for_blocks([&](const auto& part, const auto& at, const IndexList& own, uint32_t blocks) {
    enqueue(l, &check_lines, {blocks}, {kBlock}, 0, part, at[3], line, own, wrong);
  });
  const auto run = [&]<class T>() {
    for_blocks([&](const auto& part, const auto& at, const IndexList& own, uint32_t blocks) {
      enqueue(l, &go_through_lines<T, Joined>, {blocks}, {kBlock}, 0, part, line, own, wrong,
              static_cast<T*>(y.data) + at[0], static_cast<const T*>(src.data) + at[2]);
    });
  };
  if constexpr (std::is_same_v<Joined, Add>) {
    sdk::dispatch_dtype<sdk::NumberTypes>(y.dtype, run);
  } else {
    sdk::dispatch_size(y.dtype, run);
  }
}

Call scatter_call(const sdk::Launch& l) {
  const size_t axis = axis_of(l);
  const tenon_view& y = l.out();
  const tenon_view& indices = l.view(kIndices);
  const tenon_view& src = l.view(kSource);
  const auto numbers = row_major(shape_of(indices));
  const auto places = row_major(shape_of(y));
  Call call;
  for (int32_t d = 0; d < indices.rank; ++d) {
    const auto n = static_cast<size_t>(d);
    std::array<int64_t, Call::kOperands> strides{};
    strides[0] = n == axis ? 0 : places[n];
    strides[1] = indices.strides[d];
    strides[1 + kMaxLists] = numbers[n];
    call.layout.push(indices.shape[d], strides);
    call.slices.elements.push(indices.shape[d],
                              broadcast_stride(src, src.strides, d, indices.rank));
  }
  call.lists.count = 1;
  call.lists.list[0] = list_of(l, indices, places[axis], y.shape[axis], words_for(0, 1));
  call.n_places = sdk::count_of(shape_of(y));
  call.slices.places = places_of(y);
  call.src = src.data;
  return call;
}

template <class Joined>
void scatter(const sdk::Launch& l) {
  constexpr bool adds = std::is_same_v<Joined, Add>;
  move_elements(l, l.out(), l.out().data, l.view(kX));
  if (sdk::count_of(l.shape(kIndices)) == 0) return;
  if (goes_by_lines(l)) return scatter_lines<Joined>(l);
  Call call = scatter_call(l);
  const Pairs pairs = sort_by_place(l, call);
  join_slices(l, call, pairs, l.out(), adds);
  if (!adds && l.wants_out(1)) mark_stays(l, call, pairs);
}

// ---- index_put ----------------------------------------------------------------------------------

uint64_t put_bytes(const sdk::Args& l) {
  return radix_bytes(sdk::count_of(ListsShape(l, kIndices).span()), "indices");
}

Call put_call(const sdk::Launch& l) {
  const tenon_view& y = l.out();
  const tenon_view& src = l.view(kSource);
  const uint32_t count = l.count(kIndices);
  const ListsShape shape(l, kIndices);
  const auto rank = static_cast<int32_t>(shape.rank);
  const auto first = static_cast<int32_t>(count);
  const auto places = row_major({y.shape, count});
  const int32_t placed_rank = rank + y.rank - first;
  Call call;
  for (int32_t d = 0; d < rank; ++d) {
    std::array<int64_t, Call::kOperands> strides{};
    for (uint32_t k = 0; k < count; ++k) {
      const tenon_view& list = l.view(kIndices, k);
      strides[1 + k] = broadcast_stride(list, list.strides, d, rank);
      strides[1 + kMaxLists + k] =
          broadcast_stride(list, row_major(shape_of(list)).data(), d, rank);
    }
    const int64_t size = shape.span()[static_cast<size_t>(d)];
    call.layout.push(size, strides);
    call.slices.elements.push(size, broadcast_stride(src, src.strides, d, placed_rank));
  }
  call.lists.count = count;
  for (uint32_t k = 0; k < count; ++k) {
    call.lists.list[k] =
        list_of(l, l.view(kIndices, k), places[k], y.shape[k], words_for(k, count));
    call.n_places *= y.shape[k];
    call.slices.places.push(y.shape[k], y.strides[k]);
  }
  for (int32_t d = first; d < y.rank; ++d) {
    const int32_t placed = rank + d - first;
    call.inner.push(y.shape[d],
                    {y.strides[d], broadcast_stride(src, src.strides, placed, placed_rank)});
  }
  call.src = src.data;
  return call;
}

void index_put(const sdk::Launch& l) {
  const bool adds = l.attrs.flag(0);
  move_elements(l, l.out(), l.out().data, l.view(kX));
  Call call = put_call(l);
  if (call.count() == 0) {
    for (uint32_t k = 0; k < call.lists.count; ++k) {
      check_all(l, l.view(kIndices, k), call.lists.list[k]);
    }
    return;
  }
  const Pairs pairs = sort_by_place(l, call);
  join_slices(l, call, pairs, l.out(), adds);
  if (!l.wants_out(1)) return;
  if (adds) return fill_elements(l, l.out(1), 1);
  mark_stays(l, call, pairs);
}

// ---- rows_add, rows_put -------------------------------------------------------------------------

uint64_t rows_bytes(const sdk::Args& l) {
  return radix_bytes(l.view(kIndices).shape[0], "indices");
}

template <bool kAdds>
void rows(const sdk::Launch& l) {
  const tenon_view& x = l.view(kX);
  const tenon_view& indices = l.view(kIndices);
  const tenon_view& values = l.view(kSource);
  if (indices.shape[0] == 0) return;
  Call call;
  std::array<int64_t, Call::kOperands> strides{};
  strides[1] = indices.strides[0];
  strides[1 + kMaxLists] = 1;
  call.layout.push(indices.shape[0], strides);
  call.lists.count = 1;
  call.lists.list[0] =
      list_of(l, indices, 1, x.shape[0], "indices%p is %d, outside the table's %n rows");
  call.n_places = x.shape[0];
  call.slices.places.push(x.shape[0], x.strides[0]);
  call.slices.elements.push(indices.shape[0], values.strides[0]);
  for (int32_t d = 1; d < x.rank; ++d)
    call.inner.push(x.shape[d], {x.strides[d], values.strides[d]});
  call.src = values.data;
  const Pairs pairs = sort_by_place(l, call);
  join_slices(l, call, pairs, x, kAdds);
}

constexpr tenon_dtype index_dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr auto any_by_index = sdk::pairs(sdk::kAllDtypes, index_dtypes);
constexpr auto numbers_by_index = sdk::pairs(sdk::kNumbers, index_dtypes);
constexpr tenon_slot_rule add_slots[] = {any_in(), any_in(), any_in(), any_out()};
constexpr tenon_slot_rule put_slots[] = {any_in(), any_in(), any_in(), any_out(), any_out()};
constexpr tenon_slot_rule rows_slots[] = {any_inout(), any_in(), any_in()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.scatter", put_slots, any_by_index, sdk::launch_fn<scatter<Put>>,
           {.n_attrs = 1, .n_variables = 2, .workspace = sdk::workspace_fn<scatter_bytes>}),
    kernel("tenon.scatter_add", add_slots, numbers_by_index, sdk::launch_fn<scatter<Add>>,
           {.n_attrs = 1, .n_variables = 2, .workspace = sdk::workspace_fn<scatter_bytes>}),
    kernel("tenon.index_put", put_slots, any_by_index, sdk::launch_fn<index_put>,
           {.n_attrs = 1, .n_variables = 2, .workspace = sdk::workspace_fn<put_bytes>}),
    kernel("tenon.rows_add", rows_slots, sdk::kFloats, sdk::launch_fn<rows<true>>,
           {.workspace = sdk::workspace_fn<rows_bytes>}),
    kernel("tenon.rows_put", rows_slots, sdk::kAllDtypes, sdk::launch_fn<rows<false>>,
           {.workspace = sdk::workspace_fn<rows_bytes>}),
};

}  // namespace
}  // namespace tenon::cuda::scatter_unit

TENON_UNIT(scatter) = {.kernels = tenon::cuda::scatter_unit::kernels};
