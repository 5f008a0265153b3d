// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/rope.cu: rope, pairs of elements rotated by an angle of their row's
// position.
//
//   y0 = x0 c - x1 s,  y1 = x1 c + x0 s
// A thread has a pair; what of a row is not rotated is moved by a launch of its own. Each product
// and each sum is rounded.
#include "index_check.h"
#include "moving.h"

namespace tenon::cuda::rope_unit {
namespace {

enum Input : uint32_t { kX, kCos, kSin, kPositions };
enum Attribute : uint32_t { kLayout, kOffset, kInverse, kAttributes };

// Operands of a layout: the result and x, in elements; the position, in the list or from the first
// row on; its number in the list; the column of either table.
enum Operand : size_t { kTo, kFrom, kPlace, kNumber, kColumn, kSineColumn, kOperands };

template <class T>
struct Task {
  T* y;
  const T* x;
  const T* cos;
  const T* sin;
  int64_t cos_row, sin_row;  // elements from one position's line to the next
  int64_t y_other, x_other;  // from the first element of a pair to the second
  int64_t first_place, first_number;
  IndexList list;  // data NULL: positions count from first_place
  uint32_t inverse;
};

template <class T>
__global__ void __launch_bounds__(kBlock) turn(Geometry<kOperands> g, Task<T> t) {
  using C = Arithmetic<T>;
  const uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= g.count) return;
  int64_t at[kOperands];
  g.offsets(number, at);
  int64_t position = t.first_place + at[kPlace];
  if (t.list.data) {
    position = t.list.at(position);
    if (position < 0 || position >= t.list.refusal.limit) {
      refuse(t.list.refusal, t.first_number + at[kNumber], position);
      return;
    }
  }
  const C c = widen(t.cos[position * t.cos_row + at[kColumn]]);
  const C sine = widen(t.sin[position * t.sin_row + at[kSineColumn]]);
  const C s = t.inverse ? -sine : sine;
  const C x0 = widen(t.x[at[kFrom]]), x1 = widen(t.x[at[kFrom] + t.x_other]);
  t.y[at[kTo]] = cuda::narrow<T>(x0 * c - x1 * s);
  t.y[at[kTo] + t.y_other] = cuda::narrow<T>(x1 * c + x0 * s);
}

// From a pair to the next, and from the first element of a pair to the second.
struct Pairs {
  int64_t next, other;

  Pairs(const sdk::Launch& l, const tenon_view& view) {
    const bool neighbours = l.attrs.text(kLayout) == "pairs";
    const int64_t step = view.strides[view.rank - 1];
    next = neighbours ? 2 * step : step;
    other = neighbours ? step : l.shape(kCos)[1] * step;
  }
};

// Rows, and the pairs of each.
Layout<kOperands> pairs_of(const sdk::Launch& l) {
  const tenon_view &x = l.view(kX), &y = l.out();
  const int32_t rows = x.rank - 1;
  const bool given = l.given(kPositions);
  const int32_t named = given ? l.view(kPositions).rank : 1;
  Layout<kOperands> layout;
  for (int32_t d = 0; d < rows; ++d) {
    std::array<int64_t, kOperands> strides{};
    strides[kTo] = y.strides[d];
    strides[kFrom] = x.strides[d];
    if (d == rows - 1) {
      strides[kPlace] = given ? l.view(kPositions).strides[named - 1] : 1;
      strides[kNumber] = 1;
    } else if (d == 0 && named == 2) {
      strides[kPlace] = l.view(kPositions).strides[0];
      strides[kNumber] = l.view(kPositions).shape[1];
    }
    layout.push(x.shape[d], strides);
  }
  std::array<int64_t, kOperands> strides{};
  strides[kTo] = Pairs(l, y).next;
  strides[kFrom] = Pairs(l, x).next;
  strides[kColumn] = l.view(kCos).strides[1];
  strides[kSineColumn] = l.view(kSin).strides[1];
  layout.push(l.shape(kCos)[1], strides);
  return layout;
}

// The elements of each row from the last pair on.
void move_rest(const sdk::Launch& l) {
  const tenon_view &x = l.view(kX), &y = l.out();
  const auto last = static_cast<size_t>(x.rank - 1);
  const int64_t turned = 2 * l.shape(kCos)[1];
  if (turned == x.shape[last]) return;
  Dims<2> dims;
  for (size_t d = 0; d < last; ++d) dims.push(x.shape[d], {step_of(y, d), step_of(x, d)});
  dims.push(x.shape[last] - turned, {step_of(y, last), step_of(x, last)});
  dims.push(sdk::size_of(x.dtype), {1, 1});
  move_bytes(l, dims, static_cast<char*>(y.data) + turned * step_of(y, last),
             static_cast<const char*>(x.data) + turned * step_of(x, last));
}

template <class T>
Task<T> task_of(const sdk::Launch& l, const IndexList& list) {
  const tenon_view &x = l.view(kX), &y = l.out();
  return {static_cast<T*>(y.data),
          static_cast<const T*>(x.data),
          static_cast<const T*>(l.view(kCos).data),
          static_cast<const T*>(l.view(kSin).data),
          l.view(kCos).strides[0],
          l.view(kSin).strides[0],
          Pairs(l, y).other,
          Pairs(l, x).other,
          l.attrs.integer(kOffset),
          0,
          list,
          l.attrs.flag(kInverse) ? 1U : 0U};
}

void rope(const sdk::Launch& l) {
  const Layout<kOperands> layout = pairs_of(l);
  IndexList list{};
  if (l.given(kPositions)) {
    list = list_of(l, l.view(kPositions), 0, l.shape(kCos)[0],
                   "positions%p is %d, outside the %n it may name");
    if (layout.count() == 0) check_all(l, l.view(kPositions), list);
  }
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    const Task<T> whole = task_of<T>(l, list);
    for_parts<kOperands>(
        layout, {}, [&](const Layout<kOperands>& part, const std::array<int64_t, kOperands>& at) {
          Task<T> task = whole;
          task.y += at[kTo];
          task.x += at[kFrom];
          task.cos += at[kColumn];
          task.sin += at[kSineColumn];
          task.first_place += at[kPlace];
          task.first_number += at[kNumber];
          enqueue(l, &turn<T>, {blocks_for(part.count(), kBlock)}, {kBlock}, 0, part.geometry(),
                  task);
        });
  });
  move_rest(l);
}

constexpr tenon_slot_rule slots[] = {any_in(), any_in(), any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.rope", slots, sdk::kFloats, sdk::launch_fn<rope>, {.n_attrs = kAttributes}),
};

}  // namespace
}  // namespace tenon::cuda::rope_unit

TENON_UNIT(rope) = {.kernels = tenon::cuda::rope_unit::kernels};
