// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/shape.cc: reshape and flatten where no view exists, slice_put and
// cache_append.

#include "common/cache_append.h"
#include "common/parts.h"
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

void slice_put(const sdk::Launch& l) {
  const tenon_dtype dtype = l.out().dtype;
  const auto clear = [&](const sdk::Strided& out) {
    sdk::dispatch_size(dtype, [&]<class T>() {
      sdk::walk<1>(sdk::shape_of(l.out()), {out}, [](const sdk::Run<1>& run) {
        for (int64_t i = 0; i < run.count; ++i) sdk::store(run.data[0] + i * run.step[0], T(0));
      });
    });
  };
  backends::slice_put_with(l, clear, [&](const sdk::Strided& to, const tenon_view& dy) {
    copy_elements(sdk::shape_of(dy), dtype, to, sdk::strided(dy));
  });
}

void cache_append(const sdk::Launch& l) {
  const tenon_dtype dtype = l.view(0).dtype;
  backends::cache_append_with(
      l, [dtype](std::span<const int64_t> shape, const sdk::Strided& to, const sdk::Strided& rows) {
        copy_elements(shape, dtype, to, rows);
      });
}

constexpr tenon_slot_rule append_slots[] = {sdk::strided_inout(), sdk::strided_in(),
                                            sdk::strided_in()};

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, kMapSlots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.reshape", 1, sdk::launch_fn<reshape>),
    mover("tenon.flatten", 2, sdk::launch_fn<reshape>),
    mover("tenon.slice_put", backends::kSlicePutAttributes, sdk::launch_fn<slice_put>),
    kernel("tenon.cache_append", append_slots, sdk::kAllDtypes, 0, sdk::launch_fn<cache_append>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(shape) = {.kernels = tenon::ref::kernels};
