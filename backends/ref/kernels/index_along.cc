// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/index_along.cc: gather, scatter, scatter_add and take: elements by number
// along an axis; and one_hot.

#include "kernels/along.h"

namespace tenon::ref {
namespace {

size_t axis_of(const sdk::Launch& l) {
  return static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.view(0).rank, "axis"));
}

// y[a, i, b] = x[a, indices[a, i, b], b]
void gather(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const int64_t size = l.view(0).shape[axis];
  const int64_t least = l.attrs.flag(1) ? -size : 0;
  const Lines lines(sdk::strided(l.view(0)), axis);
  sdk::dispatch_dtype<IndexTypes>(indices.dtype, [&]<class I>() {
    check_indices<I>(indices, size, "indices", least);
    sdk::dispatch_size(l.out().dtype, [&]<class T>() {
      each_place<I>(
          indices, lines, sdk::strided(l.out()),
          [](char* place, char* to, int64_t) { sdk::store(to, sdk::load<T>(place)); }, size);
    });
  });
}

// Copies x to the output, which the indices have been checked for; the output's lines.
template <class I>
Lines copied_lines(const sdk::Launch& l) {
  const size_t axis = axis_of(l);
  check_indices<I>(l.view(1), l.view(0).shape[axis], "indices");
  copy_elements(l.shape(0), l.out().dtype, sdk::strided(l.out()), sdk::strided(l.view(0)));
  return {sdk::strided(l.out()), axis};
}

uint64_t scatter_workspace(const sdk::Args& args) {
  return args.wants_out(1) ? uint64_t(sdk::count_of(args.shape(0))) * sizeof(int64_t) : 0;
}

// Which elements stay: those whose number is the last that was left at their place.
template <class I>
void mark_last(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  const sdk::Strided marks = packed(l.shape(0), l.scratch().data(), sizeof(int64_t));
  const Lines lines(marks, axis_of(l));
  const sdk::Strided last = sdk::strided(l.out(1));
  each_place<I>(indices, lines, last,
                [](char* place, char*, int64_t number) { sdk::store(place, number); });
  each_place<I>(indices, lines, last, [](char* place, char* to, int64_t number) {
    sdk::store(to, sdk::Bool(sdk::load<int64_t>(place) == number));
  });
}

// y = x; y[a, indices[a, i, b], b] = src[a, i, b], i ascending
void scatter(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  sdk::dispatch_dtype<IndexTypes>(indices.dtype, [&]<class I>() {
    const Lines lines = copied_lines<I>(l);
    sdk::dispatch_size(l.out().dtype, [&]<class T>() {
      each_place<I>(
          indices, lines, broadcast(l.view(2), sdk::shape_of(indices)),
          [](char* place, char* from, int64_t) { sdk::store(place, sdk::load<T>(from)); });
    });
    if (l.wants_out(1)) mark_last<I>(l);
  });
}

// The same with a sum; every addition rounds to the dtype, in order.
void scatter_add(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  sdk::dispatch_dtype<IndexTypes>(indices.dtype, [&]<class I>() {
    const Lines lines = copied_lines<I>(l);
    sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
      each_place<I>(indices, lines, broadcast(l.view(2), sdk::shape_of(indices)),
                    [](char* place, char* from, int64_t) { add_to(place, sdk::load<T>(from)); });
    });
  });
}

// y[a, i..., b] = x[a, indices[i...], b], negative indices from the end: all of y in order, each
// element by its coordinates.
void take(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const int64_t size = x.shape[axis];
  const auto n_indices = static_cast<size_t>(indices.rank);
  const sdk::Strided from = sdk::strided(x);
  const sdk::Strided own = sdk::strided(indices);
  sdk::Strided base{from.data, {}};
  sdk::Strided numbers{own.data, {}};
  for (size_t d = 0; d < static_cast<size_t>(l.out().rank); ++d) {
    if (d >= axis && d < axis + n_indices) {
      numbers.step[d] = own.step[d - axis];
    } else {
      base.step[d] = from.step[d < axis ? d : d + 1 - n_indices];
    }
  }
  sdk::dispatch_dtype<IndexTypes>(indices.dtype, [&]<class I>() {
    check_indices<I>(indices, size, "indices", -size);
    sdk::dispatch_size(x.dtype, [&]<class T>() {
      sdk::walk<3>(sdk::shape_of(l.out()), {sdk::strided(l.out()), base, numbers},
                   [&](const sdk::Run<3>& run) {
                     for (int64_t i = 0; i < run.count; ++i) {
                       const int64_t index =
                           from_front(sdk::load<I>(run.data[2] + i * run.step[2]), size);
                       const char* line = run.data[1] + i * run.step[1];
                       sdk::store(run.data[0] + i * run.step[0],
                                  sdk::load<T>(line + index * from.step[axis]));
                     }
                   });
    });
  });
}

// y[i..., c] = (c == indices[i...])
void one_hot(const sdk::Launch& l) {
  const tenon_view& indices = l.view(0);
  const int64_t classes = l.attrs.integer(0);
  const sdk::Strided out = sdk::strided(l.out());
  const int64_t step = out.step[static_cast<size_t>(indices.rank)];
  sdk::dispatch_dtype<IndexTypes>(indices.dtype, [&]<class I>() {
    check_indices<I>(indices, classes, "indices");
    sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
      sdk::walk<2>(sdk::shape_of(indices), {out, sdk::strided(indices)},
                   [&](const sdk::Run<2>& run) {
                     for (int64_t i = 0; i < run.count; ++i) {
                       const int64_t index = sdk::load<I>(run.data[1] + i * run.step[1]);
                       char* row = run.data[0] + i * run.step[0];
                       for (int64_t c = 0; c < classes; ++c) {
                         sdk::store(row + c * step, sdk::convert<T>(c == index ? 1 : 0));
                       }
                     }
                   });
    });
  });
}

constexpr tenon_slot_rule gather_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                            sdk::strided_out()};
constexpr tenon_slot_rule add_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_in(),
                                         sdk::strided_out()};
constexpr tenon_slot_rule scatter_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                             sdk::strided_in(), sdk::strided_out(),
                                             sdk::strided_out()};

constexpr tenon_kernel_desc along(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  std::span<const tenon_dtype> rows, uint32_t n_attrs,
                                  LaunchFn launch) {
  return kernel(op, slots, rows, n_attrs, launch, {.n_variables = 2});
}

constexpr tenon_kernel_desc scatter_kernel() {
  tenon_kernel_desc desc =
      along("tenon.scatter", scatter_slots, kAnyByIndex, 1, sdk::launch_fn<scatter>);
  desc.workspace = sdk::workspace_fn<scatter_workspace>;
  return desc;
}

constexpr tenon_kernel_desc kernels[] = {
    along("tenon.gather", gather_slots, kAnyByIndex, 2, sdk::launch_fn<gather>),
    along("tenon.take", gather_slots, kAnyByIndex, 1, sdk::launch_fn<take>),
    scatter_kernel(),
    along("tenon.scatter_add", add_slots, kNumbersByIndex, 1, sdk::launch_fn<scatter_add>),
    along("tenon.one_hot", kMapSlots, kIndexByAny, 2, sdk::launch_fn<one_hot>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(index_along) = {.kernels = tenon::ref::kernels};
