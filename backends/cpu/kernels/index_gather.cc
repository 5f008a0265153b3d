// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/index_gather.cc: gather: y[a, i, b] = x[a, indices[a, i, b], b];
// take: y[a, i..., b] = x[a, indices[i...], b]; one_hot: y[i..., c] = (c == indices[i...]).
// Negative indices of take, and of gather with from_end, count from the end.

#include "kernels/index_lines.h"

namespace tenon::cpu {
namespace {

size_t axis_of(const sdk::Launch& l) {
  return static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.view(0).rank, "axis"));
}

// to[i] = line[i][index[i]]; operands are the output, the indices and the lines' beginnings. The
// lines have `size` places, `step` apart.
template <class T, class I>
void gather_run(const sdk::Run<3>& run, int64_t step, int64_t size) {
  const auto loop = [&](auto to_step, auto index_step, auto line_step, auto place_step) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t index = from_front(sdk::load<I>(run.data[1] + i * index_step), size);
      sdk::store(run.data[0] + i * to_step,
                 sdk::load<T>(run.data[2] + i * line_step + index * place_step));
    }
  };
  constexpr std::integral_constant<int64_t, sizeof(T)> packed{};
  constexpr std::integral_constant<int64_t, sizeof(I)> packed_indices{};
  if (run.step[1] == 0) {  // one index for all, as where a slice is taken
    const int64_t index = from_front(sdk::load<I>(run.data[1]), size);
    return copy_run(run.data[0], run.step[0], run.data[2] + index * step, run.step[2], run.count,
                    sizeof(T));
  }
  if (run.step[0] == sizeof(T) && run.step[1] == sizeof(I)) {
    if (run.step[2] == 0 && step == sizeof(T)) {  // along a packed line
      return loop(packed, packed_indices, std::integral_constant<int64_t, 0>(), packed);
    }
    return loop(packed, packed_indices, run.step[2], step);
  }
  loop(run.step[0], run.step[1], run.step[2], step);
}

// The loop for elements of this dtype.
using GatherRun = void (*)(const sdk::Run<3>& run, int64_t step, int64_t size);
GatherRun gather_run_of(tenon_dtype dtype, tenon_dtype index) {
  GatherRun found = nullptr;
  dispatch_index(index, [&]<class I>() {
    sdk::dispatch_size(dtype, [&]<class T>() { found = gather_run<T, I>; });
  });
  return found;
}

void gather(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const int64_t size = l.shape(0)[axis];
  const Lines lines(sdk::strided(l.view(0)), axis);
  const Geometry<3> geometry(sdk::shape_of(indices),
                             {sdk::strided(l.out()), sdk::strided(indices), lines.begin});
  check_indices_of(l, indices, size, "indices", l.attrs.flag(1) ? -size : 0);
  const GatherRun gather_elements = gather_run_of(l.out().dtype, indices.dtype);
  sdk::walk_parallel<3>(l, geometry.shape(), geometry.operands(),
                        [&](const sdk::Run<3>& run) { gather_elements(run, lines.step, size); });
}

// Slices after the axis are copied whole; if nothing follows it, single elements are.
void take(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const auto n_indices = static_cast<size_t>(indices.rank);
  const sdk::Strided from = sdk::strided(x);
  const sdk::Strided to = sdk::strided(l.out());
  const sdk::Strided own = sdk::strided(indices);
  const auto out_shape = sdk::shape_of(l.out());
  Geometry<2> slice({}, {from, to});
  for (size_t d = axis + 1; d < l.shape(0).size(); ++d) {
    slice.push(l.shape(0)[d], {from.step[d], to.step[d + n_indices - 1]});
  }
  Geometry<3> places({}, {to, own, from});
  for (size_t d = 0; d < axis + n_indices; ++d) {
    const bool before = d < axis;
    places.push(out_shape[d],
                {to.step[d], before ? 0 : own.step[d - axis], before ? from.step[d] : 0});
  }
  const int64_t step = from.step[axis];
  const int64_t places_along = x.shape[axis];
  const int64_t size = sdk::size_of(x.dtype);
  const int64_t grain =
      std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, slice.count()));
  const IndexReader index_at(indices.dtype);
  const auto copy_slices = [&](const sdk::Run<3>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t index = from_front(index_at(run.data[1] + i * run.step[1]), places_along);
      char* target = run.data[0] + i * run.step[0];
      char* source = run.data[2] + i * run.step[2] + index * step;
      std::array<sdk::Strided, 2> operands = slice.operands();
      operands[0].data = source;
      operands[1].data = target;
      sdk::walk<2>(slice.shape(), operands, [size](const sdk::Run<2>& piece) {
        copy_run(piece.data[1], piece.step[1], piece.data[0], piece.step[0], piece.count, size);
      });
    }
  };
  check_indices_of(l, indices, places_along, "indices", -places_along);
  const GatherRun gather_elements = gather_run_of(x.dtype, indices.dtype);
  l.parallel_for(places.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<3>(places.shape(), places.operands(), begin, end, [&](const sdk::Run<3>& run) {
      if (slice.rank() > 0) return copy_slices(run);
      gather_elements(run, step, places_along);
    });
  });
}

// T has the bits of an element.
template <class T>
void one_hot_rows(const sdk::Launch& l, T one) {
  const tenon_view& indices = l.view(0);
  const int64_t classes = l.attrs.integer(0);
  const sdk::Strided out = sdk::strided(l.out());
  const int64_t step = out.step[static_cast<size_t>(indices.rank)];
  const IndexReader index_at(indices.dtype);
  const Geometry<2> rows(sdk::shape_of(indices), {out, sdk::strided(indices)});
  const int64_t grain =
      std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, classes));
  l.parallel_for(rows.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<2>(rows.shape(), rows.operands(), begin, end, [&](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        char* row = run.data[0] + i * run.step[0];
        if (step == sizeof(T)) {
          std::memset(row, 0, static_cast<size_t>(classes) * sizeof(T));
        } else {
          for (int64_t c = 0; c < classes; ++c) sdk::store(row + c * step, T{0});
        }
        sdk::store(row + index_at(run.data[1] + i * run.step[1]) * step, one);
      }
    });
  });
}

void one_hot(const sdk::Launch& l) {
  check_indices_of(l, l.view(0), l.attrs.integer(0), "indices");
  std::array<char, sizeof(uint64_t)> one{};
  sdk::dispatch_dtype(l.out().dtype,
                      [&]<class T>() { sdk::store(one.data(), sdk::convert<T>(1)); });
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { one_hot_rows(l, sdk::load<T>(one.data())); });
}

constexpr tenon_slot_rule gather_slots[] = {any_in(), any_in(), any_out()};
constexpr tenon_slot_rule one_hot_slots[] = {any_in(), any_out()};

constexpr tenon_kernel_desc by_index(std::string_view op, std::span<const tenon_slot_rule> slots,
                                     std::span<const tenon_dtype> rows, uint32_t n_attrs,
                                     LaunchFn launch) {
  return kernel(op, slots, rows, n_attrs, launch, {.n_variables = 2});
}

constexpr tenon_kernel_desc kernels[] = {
    by_index("tenon.gather", gather_slots, kAnyByIndex, 2, sdk::launch_fn<gather>),
    by_index("tenon.take", gather_slots, kAnyByIndex, 1, sdk::launch_fn<take>),
    by_index("tenon.one_hot", one_hot_slots, kIndexByAny, 2, sdk::launch_fn<one_hot>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(index_gather) = {.kernels = tenon::cpu::kernels};
