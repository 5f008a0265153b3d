// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/index_lists.cc: index and index_put: places that one list of indices for
// each of the first dimensions names.

#include <vector>

#include "common/shapes.h"
#include "kernels/along.h"

namespace tenon::ref {
namespace {

template <class I>
void check_lists(const sdk::Launch& l) {
  const uint32_t n = l.count(kIndices);
  for (uint32_t item = 0; item < n; ++item) {
    const std::string operand = n == 1 ? "indices" : "indices." + std::to_string(item);
    check_indices<I>(l.view(kIndices, item), l.shape(kX)[item], operand);
  }
}

// Calls body(offset, number) for each place in row-major order: where its slice begins in an
// operand with x's dimensions and these steps.
template <class I, class Body>
void each_slice(const sdk::Launch& l, const sdk::Strided& operand, Body&& body) {
  const ListsShape lists(l, kIndices);
  const std::span<const int64_t> shape = lists.span();
  std::vector<sdk::Cursor> cursors;
  for (uint32_t item = 0; item < l.count(kIndices); ++item) {
    cursors.emplace_back(shape, broadcast(l.view(kIndices, item), shape));
  }
  for (int64_t number = 0; number < sdk::count_of(shape); ++number) {
    int64_t offset = 0;
    for (size_t d = 0; d < cursors.size(); ++d) {
      offset += sdk::load<I>(cursors[d].address()) * operand.step[d];
      cursors[d].next();
    }
    body(offset, number);
  }
}

// Steps of the dimensions from `first` on.
sdk::Strided tail_of(const sdk::Strided& strided, size_t first, char* data) {
  sdk::Strided tail{data, {}};
  std::copy(strided.step.begin() + static_cast<ptrdiff_t>(first), strided.step.end(),
            tail.step.begin());
  return tail;
}

// y[i..., b] = x[indices_0[i...], ..., b]
void index(const sdk::Launch& l) {
  const sdk::Strided x = sdk::strided(l.view(kX));
  const sdk::Strided out = sdk::strided(l.out());
  const ListsShape lists(l, kIndices);
  const std::span<const int64_t> shape = lists.span();
  const auto rest = l.shape(kX).subspan(l.count(kIndices));
  sdk::dispatch_dtype<IndexTypes>(l.view(kIndices).dtype, [&]<class I>() {
    check_lists<I>(l);
    sdk::Cursor to(shape, out);
    each_slice<I>(l, x, [&](int64_t offset, int64_t) {
      copy_elements(rest, l.out().dtype, tail_of(out, shape.size(), to.address()),
                    tail_of(x, l.count(kIndices), x.data + offset));
      to.next();
    });
  });
}

uint64_t put_workspace(const sdk::Args& args) {
  if (!args.wants_out(1)) return 0;
  const auto places = args.shape(kX).first(args.count(kIndices));
  return uint64_t(sdk::count_of(places)) * sizeof(int64_t);
}

// Which slices stay: those whose number is the last that was left at their place.
template <class I>
void mark_last(const sdk::Launch& l, bool all) {
  const ListsShape lists(l, kIndices);
  const auto places = l.shape(kX).first(l.count(kIndices));
  const sdk::Strided marks = packed(places, l.scratch().data(), sizeof(int64_t));
  each_slice<I>(l, marks,
                [&](int64_t offset, int64_t number) { sdk::store(marks.data + offset, number); });
  sdk::Cursor to(lists.span(), sdk::strided(l.out(1)));
  each_slice<I>(l, marks, [&](int64_t offset, int64_t number) {
    sdk::store(to.address(), sdk::Bool(all || sdk::load<int64_t>(marks.data + offset) == number));
    to.next();
  });
}

template <class T>
void put_slice(std::span<const int64_t> shape, const sdk::Strided& to, const sdk::Strided& from,
               bool adds) {
  sdk::walk<2>(shape, {to, from}, [&](const sdk::Run<2>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      char* place = run.data[0] + i * run.step[0];
      const T value = sdk::load<T>(run.data[1] + i * run.step[1]);
      if (adds)
        add_to(place, value);
      else
        sdk::store(place, value);
    }
  });
}

// y = x; y[indices_0[i...], ..., b] = or += values[i..., b], i ascending
void index_put(const sdk::Launch& l) {
  const bool adds = l.attrs.flag(0);
  const ListsShape lists(l, kIndices);
  const std::span<const int64_t> places = lists.span();
  const auto rest = l.shape(kX).subspan(l.count(kIndices));
  std::vector<int64_t> placed(places.begin(), places.end());
  placed.insert(placed.end(), rest.begin(), rest.end());
  const sdk::Strided out = sdk::strided(l.out());
  const sdk::Strided values = broadcast(l.view(kValues), placed);
  sdk::dispatch_dtype<IndexTypes>(l.view(kIndices).dtype, [&]<class I>() {
    check_lists<I>(l);
    copy_elements(l.shape(kX), l.out().dtype, out, sdk::strided(l.view(kX)));
    sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
      sdk::Cursor from(places, values);
      each_slice<I>(l, out, [&](int64_t offset, int64_t) {
        put_slice<T>(rest, tail_of(out, l.count(kIndices), out.data + offset),
                     tail_of(values, places.size(), from.address()), adds);
        from.next();
      });
    });
    if (l.wants_out(1)) mark_last<I>(l, adds);
  });
}

constexpr tenon_slot_rule index_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                           sdk::strided_out()};
constexpr tenon_slot_rule put_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_in(),
                                         sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.index", index_slots, kAnyByIndex, 0, sdk::launch_fn<index>, {.n_variables = 2}),
    kernel("tenon.index_put", put_slots, kAnyByIndex, 1, sdk::launch_fn<index_put>,
           {.n_variables = 2, .workspace = sdk::workspace_fn<put_workspace>}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(index_lists) = {.kernels = tenon::ref::kernels};
