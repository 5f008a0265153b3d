// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/rows_concat.cc: concat, slice_put, cache_append: whole tensors that are
// put into a larger one.

#include "common/cache_append.h"
#include "common/parts.h"
#include "kernels/rows_copy.h"

namespace tenon::cpu {
namespace {

void concat(const sdk::Launch& l) {
  backends::concat_with(l, [&](const sdk::Strided& to, const tenon_view& x) {
    copy_elements(l, sdk::shape_of(x), sdk::size_of(x.dtype), to, sdk::strided(x));
  });
}

void slice_put(const sdk::Launch& l) {
  const int64_t size = sdk::size_of(l.out().dtype);
  const auto clear = [&](const sdk::Strided& out) {
    constexpr uint64_t zero = 0;
    const Geometry<1> all(sdk::shape_of(l.out()), {out});
    sdk::walk_parallel<1>(l, all.shape(), all.operands(), [&](const sdk::Run<1>& run) {
      if (run.step[0] == size) {
        std::memset(run.data[0], 0, static_cast<size_t>(run.count * size));
      } else {
        copy_run(run.data[0], run.step[0], reinterpret_cast<const char*>(&zero), 0, run.count,
                 size);
      }
    });
  };
  backends::slice_put_with(l, clear, [&](const sdk::Strided& to, const tenon_view& dy) {
    copy_elements(l, sdk::shape_of(dy), size, to, sdk::strided(dy));
  });
}

void cache_append(const sdk::Launch& l) {
  const int64_t size = sdk::size_of(l.view(0).dtype);
  backends::cache_append_with(
      l, [&](std::span<const int64_t> shape, const sdk::Strided& to, const sdk::Strided& rows) {
        copy_elements(l, shape, size, to, rows);
      });
}

constexpr tenon_slot_rule append_slots[] = {any_inout(), any_in(), any_in()};
constexpr tenon_slot_rule slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc mover(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return kernel(op, slots, sdk::kAllDtypes, n_attrs, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    mover("tenon.concat", 1, sdk::launch_fn<concat>),
    mover("tenon.slice_put", backends::kSlicePutAttributes, sdk::launch_fn<slice_put>),
    kernel("tenon.cache_append", append_slots, sdk::kAllDtypes, 0, sdk::launch_fn<cache_append>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(rows_concat) = {.kernels = tenon::cpu::kernels};
