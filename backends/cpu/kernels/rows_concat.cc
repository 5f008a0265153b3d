// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_concat.cc: concat, slice_put: whole tensors that are put into a larger
// one.

#include "kernels/rows_copy.h"

namespace tenon::cpu {
namespace {

void concat(const sdk::Launch& l) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.out().rank, "axis"));
  sdk::Strided to = sdk::strided(l.out());
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    const auto shape = sdk::shape_of(x);
    copy_elements(l, shape, sdk::size_of(x.dtype), to, sdk::strided(x));
    to.data += shape[axis] * to.step[axis];
  }
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
  const int64_t size = sdk::size_of(out.dtype);
  constexpr uint64_t zero = 0;
  // One element that stands for all: a source whose steps are 0.
  const sdk::Strided zeros{reinterpret_cast<char*>(const_cast<uint64_t*>(&zero)), {}};
  sdk::Strided to = sdk::strided(out);
  const Geometry<1> all(sdk::shape_of(out), {to});
  sdk::walk_parallel<1>(l, all.shape(), all.operands(), [&](const sdk::Run<1>& run) {
    if (run.step[0] == size) {
      std::memset(run.data[0], 0, static_cast<size_t>(run.count * size));
    } else {
      copy_run(run.data[0], run.step[0], zeros.data, 0, run.count, size);
    }
  });
  if (dy.shape[axis] == 0) return;
  to.data += start * to.step[axis];
  to.step[axis] *= step;
  copy_elements(l, sdk::shape_of(dy), size, to, sdk::strided(dy));
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.concat", 1, sdk::launch_fn<concat>),
    mover("tenon.slice_put", kSlicePutAttributes, sdk::launch_fn<slice_put>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(rows_concat) = {.kernels = tenon::cpu::kernels};
