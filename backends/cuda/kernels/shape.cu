// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/shape.cu: reshape, flatten, concat, stack, repeat, tile: one or a few moves
// (moving.h), since each element's place follows from dimensions that are split or joined.
//
// reshape reads and writes in row-major order. If both shapes can be split into the same
// dimensions, that is a move; else each element finds its two places by divisions of 64 bits.
#include "elementwise.h"
#include "moving.h"
#include "places.h"

namespace tenon::cuda::shape_unit {
namespace {

// Both operands with dimensions of their own, as dimensions of both. False if they cannot be
// split into the same ones.
bool split_alike(const tenon_view& out, const tenon_view& x, Dims<2>& dims) {
  size_t a = static_cast<size_t>(out.rank);
  size_t b = static_cast<size_t>(x.rank);
  int64_t left_a = 1;
  int64_t left_b = 1;
  int64_t step_a = 0;
  int64_t step_b = 0;
  // From the last dimension on; the order of the result does not matter.
  for (;;) {
    while (left_a == 1 && a > 0) {
      left_a = out.shape[--a];
      step_a = step_of(out, a);
    }
    while (left_b == 1 && b > 0) {
      left_b = x.shape[--b];
      step_b = step_of(x, b);
    }
    if (left_a == 1 && left_b == 1) return true;
    const int64_t size = std::min(left_a, left_b);
    if (left_a % size != 0 || left_b % size != 0) return false;
    dims.push(size, {step_a, step_b});
    left_a /= size;
    left_b /= size;
    step_a *= size;
    step_b *= size;
  }
}

void reshape(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const int64_t count = sdk::count_of(shape_of(out));
  if (count == 0) return;
  Dims<2> dims;
  if (split_alike(out, x, dims)) {
    dims.push(sdk::size_of(x.dtype), {1, 1});
    return move_bytes(l, dims, out.data, x.data);
  }
  renumber(l, x, 0);
}

void concat(const sdk::Launch& l) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.out().rank, "axis"));
  char* to = static_cast<char*>(l.out().data);
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    move_elements(l, l.out(), to, x);
    to += x.shape[axis] * step_of(l.out(), axis);
  }
}

void stack(const sdk::Launch& l) {
  const tenon_view& out = l.out();
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), out.rank, "axis"));
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    Dims<2> dims;
    for (size_t d = 0; d < static_cast<size_t>(x.rank); ++d) {
      dims.push(x.shape[d], {step_of(out, d < axis ? d : d + 1), step_of(x, d)});
    }
    dims.push(sdk::size_of(x.dtype), {1, 1});
    move_bytes(l, dims, static_cast<char*>(out.data) + item * step_of(out, axis), x.data);
  }
}

// Without an axis the result is a vector, and each of its runs one of all elements of x.
void repeat(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  const int64_t repeats = l.attrs.integer(0);
  const bool joins = !l.attrs.given(1);
  const size_t rank = static_cast<size_t>(x.rank);
  const size_t axis =
      joins ? 0 : static_cast<size_t>(sdk::normal_axis(l.attrs.integer(1), out.rank, "axis"));
  const int64_t step = step_of(out, axis);
  Dims<2> dims;
  dims.push(repeats, {step, 0});
  int64_t joined = repeats * step;
  for (size_t d = rank; d-- > 0;) {
    const int64_t own = d == axis ? repeats * step : step_of(out, d);
    dims.push(x.shape[d], {joins ? joined : own, step_of(x, d)});
    joined *= x.shape[d];
  }
  dims.push(sdk::size_of(x.dtype), {1, 1});
  move_bytes(l, dims, out.data, x.data);
}

void tile(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& out = l.out();
  if (sdk::count_of(shape_of(out)) == 0) return;
  const auto lead = static_cast<size_t>(out.rank - x.rank);
  Dims<2> dims;
  for (size_t d = 0; d < static_cast<size_t>(out.rank); ++d) {
    const int64_t size = d < lead ? 1 : x.shape[d - lead];
    dims.push(out.shape[d] / size, {step_of(out, d) * size, 0});
    if (d >= lead) dims.push(size, {step_of(out, d), step_of(x, d - lead)});
  }
  dims.push(sdk::size_of(x.dtype), {1, 1});
  move_bytes(l, dims, out.data, x.data);
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, launch, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.reshape", 1, sdk::launch_fn<reshape>),
    mover("tenon.flatten", 2, sdk::launch_fn<reshape>),
    mover("tenon.concat", 1, sdk::launch_fn<concat>),
    mover("tenon.stack", 1, sdk::launch_fn<stack>),
    mover("tenon.repeat", 2, sdk::launch_fn<repeat>),
    mover("tenon.tile", 1, sdk::launch_fn<tile>),
};

}  // namespace
}  // namespace tenon::cuda::shape_unit

TENON_UNIT(shape) = {.kernels = tenon::cuda::shape_unit::kernels};
