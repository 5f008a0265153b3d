// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/index_scatter.cc: scatter: y[a, indices[a, i, b], b] = src[a, i, b];
// scatter_add: +=. Every addition rounds to the dtype, with i ascending, so that sums have one
// meaning.

#include "kernels/index_lines.h"

namespace tenon::cpu {
namespace {

size_t axis_of(const sdk::Launch& l) {
  return static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.view(0).rank, "axis"));
}

// Copies x to the output and calls put(place, element) for each index, in order.
template <class Put>
void put_all(const sdk::Launch& l, const Put& put) {
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const auto shape = sdk::shape_of(indices);
  dispatch_index(indices.dtype,
                 [&]<class I>() { check_indices<I>(l, indices, l.shape(0)[axis], "indices"); });
  const IndexReader reader(indices.dtype);
  const sdk::Strided out = sdk::strided(l.out());
  copy_elements(l, l.shape(0), sdk::size_of(l.out().dtype), out, sdk::strided(l.view(0)));
  const Lines lines(out, axis);
  each_line<3>(l, shape, axis, {lines.begin, sdk::strided(indices), broadcast(l.view(2), shape)},
               [&](const sdk::Run<3>& run, int64_t, int64_t) {
                 const auto put_some = [&](int64_t first, int64_t count, const int64_t* index) {
                   char* const to = run.data[0] + first * run.step[0];
                   const char* const from = run.data[2] + first * run.step[2];
                   for (int64_t i = 0; i < count; ++i) {
                     put(to + i * run.step[0] + index[i] * lines.step, from + i * run.step[2]);
                   }
                 };
                 reader.in_pieces(run.data[1], run.step[1], run.count, put_some);
               });
}

uint64_t scatter_workspace(const sdk::Args& args) {
  return args.wants_out(1) ? uint64_t(sdk::count_of(args.shape(0))) * sizeof(int64_t) : 0;
}

// Which elements stay: those whose place along the axis is the last that was left where they go.
void mark_last(const sdk::Launch& l) {
  const tenon_view& indices = l.view(1);
  const size_t axis = axis_of(l);
  const IndexReader index_at(indices.dtype);
  const Lines lines(packed(l.shape(0), l.scratch().data(), sizeof(int64_t)), axis);
  const auto each = [&](const auto& visit) {
    each_line<3>(l, sdk::shape_of(indices), axis,
                 {lines.begin, sdk::strided(indices), sdk::strided(l.out(1))},
                 [&](const sdk::Run<3>& run, int64_t first, int64_t step) {
                   for (int64_t i = 0; i < run.count; ++i) {
                     const int64_t index = index_at(run.data[1] + i * run.step[1]);
                     visit(run.data[0] + i * run.step[0] + index * lines.step,
                           run.data[2] + i * run.step[2], first + i * step);
                   }
                 });
  };
  each([](char* mark, char*, int64_t place) { sdk::store(mark, place); });
  each([](const char* mark, char* last, int64_t place) {
    sdk::store(last, sdk::Bool(sdk::load<int64_t>(mark) == place));
  });
}

void scatter(const sdk::Launch& l) {
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    put_all(l, [](char* to, const char* from) { sdk::store(to, sdk::load<T>(from)); });
  });
  if (l.wants_out(1)) mark_last(l);
}

void scatter_add(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    put_all(l, [](char* to, const char* from) { add_to(to, sdk::load<T>(from)); });
  });
}

constexpr tenon_slot_rule scatter_slots[] = {any_in(), any_in(), any_in(), any_out(), any_out()};
constexpr tenon_slot_rule add_slots[] = {any_in(), any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.scatter", scatter_slots, kAnyByIndex, 1, sdk::launch_fn<scatter>,
           {.n_variables = 2, .workspace = sdk::workspace_fn<scatter_workspace>}),
    kernel("tenon.scatter_add", add_slots, kNumbersByIndex, 1, sdk::launch_fn<scatter_add>,
           {.n_variables = 2}),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(index_scatter) = {.kernels = tenon::cpu::kernels};
