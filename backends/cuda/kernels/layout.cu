// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/layout.cu: pad, roll, slice_put: each element of the result is one of the
// operand's or a number, as its coordinates say. A thread finds the source of one element; the
// divisions that give the coordinates are multiplications (portable.h).
#include "elementwise.h"
#include "moving.h"
#include "places.h"

namespace tenon::cuda::layout_unit {
namespace {

// Where the place j of an axis with `size` elements is taken from.
enum Mode : uint32_t {
  kInside,     // from j, which may lie outside: from nowhere then
  kReflect,    // mirrored at the ends, which are not repeated
  kReplicate,  // from the nearest end
  kCircular,   // from the other end; j lies in [-size, 2 size)
  kSteps,      // from j / step if that is whole, and inside
};

struct Axis {
  Divisor length;  // of the output's part
  Divisor step;    // kSteps alone
  Mode mode;
  int64_t shift;  // j is the output's coordinate less this
  int64_t size;   // of the operand
  int64_t to_stride;
  int64_t from_stride;
};

struct Axes {
  uint32_t count;  // of the output's elements
  int32_t rank;
  Axis at[TENON_MAX_RANK];
};

// Places outside the axis come from elsewhere, or from nowhere: -1.
__device__ __forceinline__ int64_t source_of(const Axis& axis, int64_t j) {
  const int64_t size = axis.size;
  if (axis.mode == kSteps) {
    if (j < 0 || j >= INT32_MAX) return -1;
    const uint32_t whole = axis.step.divide(static_cast<uint32_t>(j));
    return whole * axis.step.value == j && whole < size ? int64_t{whole} : -1;
  }
  if (j >= 0 && j < size) return j;
  switch (axis.mode) {
    case kReflect:
      return j < 0 ? -j : 2 * size - 2 - j;
    case kReplicate:
      return j < 0 ? 0 : size - 1;
    case kCircular:
      return j < 0 ? j + size : j - size;
    default:
      return -1;
  }
}

template <class T>
__global__ void __launch_bounds__(kBlock) mapped(Axes axes, T* out, const T* x, T fill) {
  uint32_t number = blockIdx.x * kBlock + threadIdx.x;
  if (number >= axes.count) return;
  int64_t to = 0;
  int64_t from = 0;
  bool inside = true;
#pragma unroll
  for (int d = TENON_MAX_RANK - 1; d >= 0; --d) {
    if (d >= axes.rank) continue;
    const Axis& axis = axes.at[d];
    const uint32_t rest = axis.length.divide(number);
    const uint32_t place = number - rest * axis.length.value;
    number = rest;
    const int64_t source = source_of(axis, place - axis.shift);
    inside = inside && source >= 0;
    to += place * axis.to_stride;
    from += source * axis.from_stride;
  }
  out[to] = inside ? x[from] : fill;
}

// Dimensions of the output, on the host.
struct Mapping {
  struct One {
    int64_t length;
    int64_t step = 1;
    Axis axis{};
  };
  int32_t rank = 0;
  One at[TENON_MAX_RANK];

  int64_t count() const {
    int64_t total = 1;
    for (int32_t d = 0; d < rank; ++d) total *= at[d].length;
    return total;
  }
  Axes axes() const {
    Axes axes{};
    axes.count = static_cast<uint32_t>(count());
    axes.rank = rank;
    for (int32_t d = 0; d < rank; ++d) {
      axes.at[d] = at[d].axis;
      axes.at[d].length = Divisor(static_cast<uint32_t>(at[d].length));
      axes.at[d].step = Divisor(static_cast<uint32_t>(at[d].step));
    }
    return axes;
  }
};

// Every place from the same place of x; what is not so is said by the caller.
Mapping mapping_of(const tenon_view& out, const tenon_view& x) {
  Mapping mapping;
  mapping.rank = out.rank;
  for (int32_t d = 0; d < out.rank; ++d) {
    Axis& axis = mapping.at[d].axis;
    mapping.at[d].length = out.shape[d];
    axis.size = x.shape[d];
    axis.to_stride = out.strides[d];
    axis.from_stride = x.strides[d];
  }
  return mapping;
}

// Parts of at most kMaxElements: the first dimension that is not 1 is cut.
template <class T>
void run_parts(const sdk::Launch& l, Mapping mapping, T* out, const T* x, T fill) {
  if (mapping.count() == 0) return;
  if (mapping.count() <= kMaxElements) {
    return enqueue(l, &mapped<T>, {blocks_for(mapping.count(), kBlock)}, {kBlock}, 0,
                   mapping.axes(), out, x, fill);
  }
  int32_t d = 0;
  while (mapping.at[d].length == 1) ++d;
  const int64_t length = mapping.at[d].length;
  const int64_t step = std::max<int64_t>(1, kMaxElements / (mapping.count() / length));
  const Axis axis = mapping.at[d].axis;
  for (int64_t begin = 0; begin < length; begin += step) {
    mapping.at[d].length = std::min(step, length - begin);
    mapping.at[d].axis.shift = axis.shift - begin;
    run_parts(l, mapping, out + begin * axis.to_stride, x, fill);
  }
}

void run(const sdk::Launch& l, const Mapping& mapping, const void* x, uint64_t fill) {
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    run_parts<T>(l, mapping, static_cast<T*>(l.out().data), static_cast<const T*>(x),
                 static_cast<T>(fill));
  });
}

// ---- roll ---------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(kBlock)
    renumbered(int64_t count, int64_t shift, Places to, Places from, T* out, const T* x) {
  const int64_t number = int64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (number >= count) return;
  const int64_t source = number + shift;
  out[to.offset(number)] = x[from.offset(source < count ? source : source - count)];
}

int64_t modulo(int64_t number, int64_t size) { return (number % size + size) % size; }

void roll(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const int64_t count = sdk::count_of(shape_of(x));
  if (count == 0) return;
  const auto shifts = l.attrs.ints(0);
  if (!l.attrs.given(1)) return renumber(l, x, modulo(-(shifts[0] % count), count));
  const auto axes = l.attrs.ints(1);
  Mapping mapping = mapping_of(l.out(), x);
  for (size_t k = 0; k < axes.size(); ++k) {
    Axis& axis = mapping.at[sdk::normal_axis(axes[k], x.rank, "axes")].axis;
    const int64_t shift = shifts[shifts.size() == 1 ? 0 : k] % axis.size;
    axis.mode = kCircular;
    axis.shift = modulo(axis.shift + shift, axis.size);
  }
  run(l, mapping, x.data, 0);
}

// ---- pad ----------------------------------------------------------------------------------------

enum Pad : uint32_t { kPads, kAxes, kMode, kValue, kPadAttributes };

Mode mode_of(std::string_view name) {
  if (name == "reflect") return kReflect;
  if (name == "replicate") return kReplicate;
  return name == "circular" ? kCircular : kInside;
}

void pad(const sdk::Launch& l) {
  const auto pads = l.attrs.ints(kPads);
  const Mode mode = mode_of(l.attrs.text(kMode));
  Mapping mapping = mapping_of(l.out(), l.view(0));
  for (size_t k = 0; 2 * k < pads.size(); ++k) {
    const int64_t axis = l.attrs.given(kAxes) ? l.attrs.ints(kAxes)[k] : static_cast<int64_t>(k);
    Axis& padded = mapping.at[sdk::normal_axis(axis, l.out().rank, "axes")].axis;
    padded.mode = mode;
    padded.shift = pads[2 * k];
  }
  run(l, mapping, l.view(0).data, bits_of(l.attrs[kValue], l.out().dtype));
}

// ---- slice_put ----------------------------------------------------------------------------------

enum SlicePut : uint32_t { kShape, kAxis, kStart, kStep, kSlicePutAttributes };

// Zeros, with dy at start, start + step, ... along the axis; the op's shape rule has checked that
// these places are there. A slice that goes backward is read from its end.
void slice_put(const sdk::Launch& l) {
  const tenon_view& dy = l.view(0);
  const auto axis = sdk::normal_axis(l.attrs.integer(kAxis), l.out().rank, "axis");
  const int64_t start = l.attrs.integer(kStart);
  const int64_t step = l.attrs.integer(kStep);
  const bool backward = step < 0;
  Mapping mapping = mapping_of(l.out(), dy);
  Mapping::One& put = mapping.at[axis];
  const int64_t past = std::max<int64_t>(0, put.axis.size - 1);
  put.axis.mode = step == 1 ? kInside : kSteps;
  put.axis.shift = backward ? start + past * step : start;
  put.step = std::min<int64_t>(std::abs(step), INT32_MAX);
  const char* from = static_cast<const char*>(dy.data);
  if (backward) {
    from += past * step_of(dy, static_cast<size_t>(axis));
    put.axis.from_stride = -put.axis.from_stride;
  }
  run(l, mapping, from, 0);
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, launch, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.roll", 2, sdk::launch_fn<roll>),
    mover("tenon.pad", kPadAttributes, sdk::launch_fn<pad>),
    mover("tenon.slice_put", kSlicePutAttributes, sdk::launch_fn<slice_put>),
};

}  // namespace
}  // namespace tenon::cuda::layout_unit

namespace tenon::cuda {

void renumber(const sdk::Launch& l, const tenon_view& x, int64_t shift) {
  const int64_t count = sdk::count_of(shape_of(x));
  sdk::dispatch_size(x.dtype, [&]<class T>() {
    enqueue(l, &layout_unit::renumbered<T>, {blocks_for(count, kBlock)}, {kBlock}, 0, count, shift,
            places_of(l.out()), places_of(x), static_cast<T*>(l.out().data),
            static_cast<const T*>(x.data));
  });
}

}  // namespace tenon::cuda

TENON_UNIT(layout) = {.kernels = tenon::cuda::layout_unit::kernels};
