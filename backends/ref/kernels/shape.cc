// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/shape.cc: reshape and flatten where no view exists, and slice_put.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Both sides are read and written in row-major order of their own shape.
void reshape(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  sdk::dispatch_size(x.dtype, [&]<class T>() {
    sdk::Cursor from(sdk::shape_of(x), sdk::strided(x));
    sdk::Cursor to(sdk::shape_of(l.out()), sdk::strided(l.out()));
    for (int64_t left = sdk::count_of(sdk::shape_of(x)); left > 0; --left) {
      sdk::store(to.address(), sdk::load<T>(from.address()));
      from.next();
      to.next();
    }
  });
}

enum SlicePut : uint32_t { kShape, kAxis, kStart, kStep, kSlicePutAttributes };

// Refuses places start, start + step, ... (count of them) that are not all in [0, size).
void check_places(int64_t start, int64_t step, int64_t count, int64_t size) {
  if (count == 0) return;
  int64_t last = 0;
  const bool overflow =
      __builtin_mul_overflow(count - 1, step, &last) || __builtin_add_overflow(start, last, &last);
  if (!overflow && std::min(start, last) >= 0 && std::max(start, last) < size) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "the slice leaves the output", "start",
                     "places from 0 to " + std::to_string(size - 1),
                     std::to_string(count) + " places from " + std::to_string(start) +
                         " in steps of " + std::to_string(step)};
}

// Zeros, with dy at start, start + step, ... along the axis.
void slice_put(const sdk::Launch& l) {
  const tenon_view& dy = l.view(0);
  const tenon_view& out = l.out();
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), out.rank, "axis"));
  const int64_t start = l.attrs.integer(kStart);
  const int64_t step = l.attrs.integer(kStep);
  check_places(start, step, dy.shape[axis], out.shape[axis]);
  sdk::Strided to = sdk::strided(out);
  sdk::dispatch_size(out.dtype, [&]<class T>() {
    sdk::walk<1>(sdk::shape_of(out), {to}, [](const sdk::Run<1>& run) {
      for (int64_t i = 0; i < run.count; ++i) sdk::store(run.data[0] + i * run.step[0], T(0));
    });
  });
  if (dy.shape[axis] == 0) return;
  to.data += start * to.step[axis];
  to.step[axis] *= step;
  copy_elements(sdk::shape_of(dy), dy.dtype, to, sdk::strided(dy));
}

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, kMapSlots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.reshape", 1, sdk::launch_fn<reshape>),
    mover("tenon.flatten", 2, sdk::launch_fn<reshape>),
    mover("tenon.slice_put", kSlicePutAttributes, sdk::launch_fn<slice_put>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(shape) = {.kernels = tenon::ref::kernels};
