// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/pick.cu: gather, take, embedding, index: elements that indices name; and
// one_hot.
//
//   gather  y[a, i, b] = x[a, indices[a, i, b], b]
//   take    y[a, i..., b] = x[a, indices[i...], b];  embedding: of rows
//   index   y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b]
//
// Negative indices of take, and of gather with from_end, count from the end.
//
// All are one kernel: each operand has a stride along each dimension of the result, and the index
// adds its own. What lies together in x and in the result is moved in units of up to 16 bytes, one
// unit a thread; an index that several threads need comes from the cache.
#include "index_check.h"
#include "moving.h"

namespace tenon::cuda::pick_unit {
namespace {

// Operands of a layout on the host: the result and x, in bytes; the lists, and the numbers of their
// indices.
constexpr size_t kList = 2;
constexpr size_t kNumber = kList + kMaxLists;
constexpr int kOperands = 2 + 2 * kMaxLists;
using Steps = std::array<int64_t, kOperands>;

template <int K>
struct Numbers {
  Geometry<K> geometry;
  int64_t first[K];
};

template <class U, int K>
__global__ void __launch_bounds__(kBlock)
    pick(Geometry<2 + K> g, Numbers<K> numbers, IndexLists<K> lists, U* out, const U* x) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[2 + K];
  g.offsets(number, at);
  int64_t from = at[1];
  if (add_places(lists, at + 2, numbers.geometry, numbers.first, number, from))
    out[at[0]] = x[from];
}

// Operands `first` to first + K of a layout's part.
template <int K>
Geometry<K> geometry_of(const Layout<kOperands>& part, size_t first) {
  Layout<K> some;
  for (int32_t d = 0; d < part.rank; ++d) {
    std::array<int64_t, K> strides{};
    for (size_t o = 0; o < K; ++o) strides[o] = part.stride[first + o][d];
    some.push(part.shape[d], strides);
  }
  return some.geometry();
}

template <class U, int K>
void run_pick(const sdk::Launch& l, const Dims<kOperands>& dims, const IndexLists<kMaxLists>& all,
              const void* x) {
  for_launches<kOperands>(dims, {}, [&](const Layout<kOperands>& part, const Steps& at) {
    IndexLists<K> lists{};
    Numbers<K> numbers{};
    lists.count = all.count;
    for (size_t k = 0; k < all.count; ++k) {
      lists.list[k] = all.list[k];
      const int64_t bytes = at[kList + k] * (lists.list[k].is_wide ? 8 : 4);
      lists.list[k].data = static_cast<const char*>(lists.list[k].data) + bytes;
      numbers.first[k] = at[kNumber + k];
    }
    numbers.geometry = geometry_of<K>(part, kNumber);
    enqueue(l, &pick<U, K>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0,
            geometry_of<2 + K>(part, 0), numbers, lists, static_cast<U*>(l.out().data) + at[0],
            static_cast<const U*>(x) + at[1]);
  });
}

// dims: of the result's elements. The lists' strides are bytes of x.
void pick_all(const sdk::Launch& l, Dims<kOperands>& dims, IndexLists<kMaxLists>& lists) {
  const tenon_view& x = l.view(0);
  Steps bytes{};
  bytes[0] = bytes[1] = 1;
  dims.push(sdk::size_of(x.dtype), bytes);
  if (dims.empty()) {
    for (uint32_t k = 0; k < lists.count; ++k) check_all(l, l.view(1, k), lists.list[k]);
    return;
  }
  dims = collapsed(dims);
  int64_t together = address_of(x.data) | address_of(l.out().data);
  for (uint32_t k = 0; k < lists.count; ++k) together |= lists.list[k].stride;
  const int64_t unit = in_units<2>(dims, {together});
  for (uint32_t k = 0; k < lists.count; ++k) lists.list[k].stride /= unit;
  dispatch_unit(unit, [&]<class U>() {
    dispatch_lists(lists.count, [&]<int K>() { run_pick<U, K>(l, dims, lists, x.data); });
  });
}

IndexLists<kMaxLists> one_list(const sdk::Launch& l, size_t axis, bool from_end) {
  IndexLists<kMaxLists> lists{};
  lists.count = 1;
  const tenon_view& x = l.view(0);
  lists.list[0] = list_of(l, l.view(1), step_of(x, axis), x.shape[axis], words_for(0, 1), from_end);
  return lists;
}

void gather(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& indices = l.view(1);
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), x.rank, "axis"));
  const auto numbers = row_major(shape_of(indices));
  Dims<kOperands> dims;
  for (size_t d = 0; d < static_cast<size_t>(indices.rank); ++d) {
    Steps steps{};
    steps[0] = step_of(l.out(), d);
    steps[1] = d == axis ? 0 : step_of(x, d);
    steps[kList] = indices.strides[d];
    steps[kNumber] = numbers[d];
    dims.push(indices.shape[d], steps);
  }
  auto lists = one_list(l, axis, l.attrs.flag(1));
  pick_all(l, dims, lists);
}

void take_along(const sdk::Launch& l, size_t axis, bool from_end) {
  const tenon_view& x = l.view(0);
  const tenon_view& indices = l.view(1);
  const auto n_indices = static_cast<size_t>(indices.rank);
  const auto numbers = row_major(shape_of(indices));
  Dims<kOperands> dims;
  for (size_t d = 0; d < static_cast<size_t>(l.out().rank); ++d) {
    Steps steps{};
    steps[0] = step_of(l.out(), d);
    if (d >= axis && d < axis + n_indices) {
      steps[kList] = indices.strides[d - axis];
      steps[kNumber] = numbers[d - axis];
    } else {
      steps[1] = step_of(x, d < axis ? d : d + 1 - n_indices);
    }
    dims.push(l.out().shape[d], steps);
  }
  auto lists = one_list(l, axis, from_end);
  pick_all(l, dims, lists);
}

void take(const sdk::Launch& l) {
  const int32_t axis = sdk::normal_axis(l.attrs.integer(0), l.view(0).rank, "axis");
  take_along(l, static_cast<size_t>(axis), true);
}
void embedding(const sdk::Launch& l) { take_along(l, 0, false); }

void index(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const uint32_t count = l.count(1);
  const auto rank = static_cast<int32_t>(ListsShape(l, 1).rank);  // of the places
  Dims<kOperands> dims;
  for (int32_t d = 0; d < l.out().rank; ++d) {
    Steps steps{};
    steps[0] = step_of(l.out(), static_cast<size_t>(d));
    if (d < rank) {
      for (uint32_t k = 0; k < count; ++k) {
        const tenon_view& list = l.view(1, k);
        steps[kList + k] = broadcast_stride(list, list.strides, d, rank);
        steps[kNumber + k] = broadcast_stride(list, row_major(shape_of(list)).data(), d, rank);
      }
    } else {
      steps[1] = step_of(x, static_cast<size_t>(d - rank) + count);
    }
    dims.push(l.out().shape[d], steps);
  }
  IndexLists<kMaxLists> lists{};
  lists.count = count;
  for (uint32_t k = 0; k < count; ++k) {
    lists.list[k] = list_of(l, l.view(1, k), step_of(x, k), x.shape[k], words_for(k, count));
  }
  pick_all(l, dims, lists);
}

// ---- one_hot ------------------------------------------------------------------------------------

// Operands: the result, the indices, their numbers, the class.
template <class T>
__global__ void __launch_bounds__(kBlock)
    is_class(Geometry<4> g, int64_t first, int64_t first_class, IndexList list, T* out, T one) {
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[4];
  g.offsets(number, at);
  const int64_t index = list.at(at[1]);
  const int64_t wanted = first_class + at[3];
  const bool is_outside = index < 0 || index >= list.refusal.limit;
  if (is_outside && wanted == 0) refuse(list.refusal, first + at[2], index);
  out[at[0]] = index == wanted ? one : T{};
}

void one_hot(const sdk::Launch& l) {
  const tenon_view& indices = l.view(0);
  const tenon_view& out = l.out();
  const int64_t classes = l.attrs.integer(0);
  const IndexList list = list_of(l, indices, 0, classes, words_for(0, 1));
  if (classes == 0) return check_all(l, indices, list);
  const auto numbers = row_major(shape_of(indices));
  Layout<4> layout;
  for (int32_t d = 0; d < indices.rank; ++d) {
    layout.push(indices.shape[d],
                {out.strides[d], indices.strides[d], numbers[static_cast<size_t>(d)], 0});
  }
  layout.push(classes, {out.strides[indices.rank], 0, 0, 1});
  const uint64_t bits = bits_of({.tag = TENON_VALUE_I64, .count = 0, .as = {.i64 = 1}}, out.dtype);
  sdk::dispatch_size(out.dtype, [&]<class T>() {
    for_parts<4>(layout, {}, [&](const Layout<4>& part, const std::array<int64_t, 4>& at) {
      IndexList moved = list;
      moved.data = static_cast<const char*>(list.data) + at[1] * sdk::size_of(indices.dtype);
      enqueue(l, &is_class<T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
              at[2], at[3], moved, static_cast<T*>(out.data) + at[0], static_cast<T>(bits));
    });
  });
}

constexpr tenon_dtype index_dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr auto any_by_index = sdk::pairs(sdk::kAllDtypes, index_dtypes);
constexpr auto floats_by_index = sdk::pairs(sdk::kFloats, index_dtypes);
constexpr auto index_to_any = sdk::pairs(index_dtypes, sdk::kAllDtypes);
constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_out()};
constexpr tenon_slot_rule one_hot_slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.gather", slots, any_by_index, sdk::launch_fn<gather>,
           {.n_attrs = 2, .n_variables = 2}),
    kernel("tenon.take", slots, any_by_index, sdk::launch_fn<take>,
           {.n_attrs = 1, .n_variables = 2}),
    kernel("tenon.embedding", slots, floats_by_index, sdk::launch_fn<embedding>,
           {.n_variables = 2}),
    kernel("tenon.index", slots, any_by_index, sdk::launch_fn<index>, {.n_variables = 2}),
    kernel("tenon.one_hot", one_hot_slots, index_to_any, sdk::launch_fn<one_hot>,
           {.n_attrs = 2, .n_variables = 2}),
};

}  // namespace
}  // namespace tenon::cuda::pick_unit

TENON_UNIT(pick) = {.kernels = tenon::cuda::pick_unit::kernels};
