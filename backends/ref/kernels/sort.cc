// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/sort.cc: sort, topk and searchsorted. NaN is larger than any number.

#include <numeric>
#include <vector>

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

// a before b in ascending order; zeros of either sign are equal, and NaNs are.
template <class T>
bool is_less(T a, T b) {
  return b != b ? a == a : a < b;
}

// Calls body(values, indices, in) for each line of x along the axis: its first elements.
template <class Body>
void each_line(const sdk::Launch& l, size_t axis, Body&& body) {
  std::vector<int64_t> others(l.shape(0).begin(), l.shape(0).end());
  others[axis] = 1;
  sdk::walk<3>(others, {sdk::strided(l.out(0)), sdk::strided(l.out(1)), sdk::strided(l.view(0))},
               [&](const sdk::Run<3>& run) {
                 for (int64_t i = 0; i < run.count; ++i) {
                   body(run.data[0] + i * run.step[0], run.data[1] + i * run.step[1],
                        run.data[2] + i * run.step[2]);
                 }
               });
}

// The first `count` elements of each line in order.
void put_in_order(const sdk::Launch& l, int64_t given_axis, bool descending) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(given_axis, l.view(0).rank, "axis"));
  const int64_t step = sdk::strided(l.view(0)).step[axis];
  const int64_t value_step = sdk::strided(l.out(0)).step[axis];
  const int64_t index_step = sdk::strided(l.out(1)).step[axis];
  std::vector<int64_t> order(static_cast<size_t>(l.view(0).shape[axis]));
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    each_line(l, axis, [&](char* values, char* indices, const char* x) {
      const auto at = [&](int64_t i) { return sdk::load<T>(x + i * step); };
      std::iota(order.begin(), order.end(), int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return descending ? is_less(at(b), at(a)) : is_less(at(a), at(b));
      });
      for (int64_t i = 0; i < l.out(0).shape[axis]; ++i) {
        const int64_t from = order[static_cast<size_t>(i)];
        sdk::store(values + i * value_step, at(from));
        sdk::store(indices + i * index_step, from);
      }
    });
  });
}

void sort(const sdk::Launch& l) { put_in_order(l, l.attrs.integer(0), l.attrs.flag(1)); }
void topk(const sdk::Launch& l) { put_in_order(l, l.attrs.integer(1), l.attrs.flag(2)); }

// Elements of a line before the place of `value`.
template <class T>
int64_t place_of(T value, const char* line, int64_t step, int64_t count, bool right) {
  int64_t begin = 0;
  int64_t end = count;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const T x = sdk::load<T>(line + middle * step);
    if (right ? !is_less(value, x) : is_less(x, value))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

void searchsorted(const sdk::Launch& l) {
  const tenon_view& sorted = l.view(0);
  const sdk::Strided own = sdk::strided(sorted);
  const auto last = static_cast<size_t>(sorted.rank - 1);
  sdk::Strided lines{own.data, {}};
  std::copy_n(own.step.begin(), last, lines.step.begin());
  sdk::dispatch_dtype<sdk::NumberTypes>(sorted.dtype, [&]<class T>() {
    sdk::walk<3>(l.shape(1), {sdk::strided(l.out()), sdk::strided(l.view(1)), lines},
                 [&](const sdk::Run<3>& run) {
                   for (int64_t i = 0; i < run.count; ++i) {
                     const T value = sdk::load<T>(run.data[1] + i * run.step[1]);
                     sdk::store(run.data[0] + i * run.step[0],
                                place_of(value, run.data[2] + i * run.step[2], own.step[last],
                                         sorted.shape[last], l.attrs.flag(0)));
                   }
                 });
  });
}

constexpr tenon_slot_rule order_slots[] = {sdk::strided_in(), sdk::strided_out(),
                                           sdk::strided_out()};
constexpr tenon_slot_rule search_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                            sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sort", order_slots, sdk::kAllDtypes, 3, sdk::launch_fn<sort>),
    kernel("tenon.topk", order_slots, sdk::kAllDtypes, 4, sdk::launch_fn<topk>),
    kernel("tenon.searchsorted", search_slots, sdk::kNumbers, 1, sdk::launch_fn<searchsorted>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(sort) = {.kernels = tenon::ref::kernels};
