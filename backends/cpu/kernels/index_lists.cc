// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/index_lists.cc: index: y[i..., b] = x[indices_0[i...], ..., b];
// index_put: y[indices_0[i...], ..., b] = or += values[i..., b], i in row-major order.

#include "kernels/index_lines.h"

namespace tenon::cpu {
namespace {

constexpr size_t kMostLists = TENON_MAX_RANK;

// The lists of indices, broadcast together, and what is left of x behind the dimensions they name.
struct Lists {
  uint32_t count;
  std::array<int64_t, TENON_MAX_RANK> shape{};
  size_t rank = 0;

  explicit Lists(const sdk::Args& args) : count(args.count(1)) {
    for (uint32_t n = 0; n < count; ++n) rank = std::max(rank, args.shape(1, n).size());
    std::fill_n(shape.begin(), rank, 1);
    for (uint32_t n = 0; n < count; ++n) {
      const auto own = args.shape(1, n);
      for (size_t d = 0; d < own.size(); ++d) {
        if (own[d] != 1) shape[rank - own.size() + d] = own[d];
      }
    }
  }
  std::span<const int64_t> places() const { return {shape.data(), rank}; }
};

template <class I>
void check_lists(const sdk::Launch& l) {
  const uint32_t n = l.count(1);
  for (uint32_t item = 0; item < n; ++item) {
    const std::string operand = n == 1 ? "indices" : "indices." + std::to_string(item);
    check_indices<I>(l, l.view(1, item), l.shape(0)[item], operand);
  }
}

// Where the places that N lists name lie in a tensor with these steps, for places [begin, end):
// calls body(offset, number) for one after another.
template <class I, size_t N, class Body>
void each_place_of(const sdk::Launch& l, const Lists& lists, const sdk::Strided& tensor,
                   int64_t begin, int64_t end, const Body& body) {
  std::array<sdk::Strided, N> operands;
  for (uint32_t n = 0; n < N; ++n) operands[n] = broadcast(l.view(1, n), lists.places());
  sdk::walk_range<N>(lists.places(), operands, begin, end, [&](const sdk::Run<N>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      int64_t offset = 0;
      for (size_t n = 0; n < N; ++n) {
        offset += sdk::load<I>(run.data[n] + i * run.step[n]) * tensor.step[n];
      }
      body(offset, run.first + i);
    }
  });
}

template <class I, size_t N = 1, class Body>
void each_place(const sdk::Launch& l, const Lists& lists, const sdk::Strided& tensor, int64_t begin,
                int64_t end, const Body& body) {
  if (lists.count == N) return each_place_of<I, N>(l, lists, tensor, begin, end, body);
  if constexpr (N < kMostLists) each_place<I, N + 1>(l, lists, tensor, begin, end, body);
}

// The dimensions of x that no list names, in x (or y) and in the operand that has one such slice
// for each place.
struct Slices {
  Geometry<2> each;
  sdk::Strided by_place;  // of the operand, along the places

  Slices(const sdk::Launch& l, const Lists& lists, const sdk::Strided& tensor,
         const sdk::Strided& operand)
      : each({}, {tensor, operand}), by_place(operand) {
    for (size_t d = lists.count; d < l.shape(0).size(); ++d) {
      each.push(l.shape(0)[d], {tensor.step[d], operand.step[lists.rank + d - lists.count]});
    }
  }
  int64_t grain() const {
    return std::max<int64_t>(1, sdk::kElementwiseGrain / std::max<int64_t>(1, each.count()));
  }
};

template <class I, class T>
void index_all(const sdk::Launch& l, const Lists& lists) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const Slices slices(l, lists, x, sdk::strided(l.out()));
  l.parallel_for(sdk::count_of(lists.places()), slices.grain(), [&](int64_t begin, int64_t end) {
    // The outputs' slices one after another.
    sdk::walk_range<1>(lists.places(), {slices.by_place}, begin, end, [&](const auto& run) {
      char* to = run.data[0];
      each_place<I>(l, lists, x, run.first, run.first + run.count, [&](int64_t offset, int64_t) {
        if (slices.each.rank() == 0) {
          sdk::store(to, sdk::load<T>(x.data + offset));
        } else {
          std::array<sdk::Strided, 2> operands = slices.each.operands();
          operands[0].data = x.data + offset;
          operands[1].data = to;
          sdk::walk<2>(slices.each.shape(), operands, [](const sdk::Run<2>& piece) {
            copy_run(piece.data[1], piece.step[1], piece.data[0], piece.step[0], piece.count,
                     sizeof(T));
          });
        }
        to += run.step[0];
      });
    });
  });
}

void index(const sdk::Launch& l) {
  const Lists lists(l);
  dispatch_index(l.view(1).dtype, [&]<class I>() {
    check_lists<I>(l);
    sdk::dispatch_size(l.out().dtype, [&]<class T>() { index_all<I, T>(l, lists); });
  });
}

// ---- index_put ----------------------------------------------------------------------------------

// Places may be named twice, so one thread goes through them; threads share the slices' elements.
template <class I, class Put>
void put_all(const sdk::Launch& l, const Lists& lists, const Put& put) {
  const sdk::Strided out = sdk::strided(l.out());
  std::array<int64_t, 2 * TENON_MAX_RANK> placed{};
  std::copy_n(lists.shape.begin(), lists.rank, placed.begin());
  const auto rest = l.shape(0).subspan(lists.count);
  std::copy(rest.begin(), rest.end(), placed.begin() + static_cast<ptrdiff_t>(lists.rank));
  const sdk::Strided values = broadcast(l.view(2), {placed.data(), lists.rank + rest.size()});
  const Slices slices(l, lists, out, values);
  const int64_t count = sdk::count_of(lists.places());
  const int64_t least = sdk::kElementwiseGrain / std::max<int64_t>(1, count);
  l.parallel_for(
      slices.each.count(), std::max<int64_t>(256, least), [&](int64_t first, int64_t past) {
        sdk::walk<1>(lists.places(), {slices.by_place}, [&](const sdk::Run<1>& run) {
          char* from = run.data[0];
          each_place<I>(
              l, lists, out, run.first, run.first + run.count, [&](int64_t offset, int64_t) {
                if (slices.each.rank() == 0) {
                  put(out.data + offset, from);
                } else {
                  std::array<sdk::Strided, 2> operands = slices.each.operands();
                  operands[0].data = out.data + offset;
                  operands[1].data = from;
                  sdk::walk_range<2>(
                      slices.each.shape(), operands, first, past, [&](const auto& piece) {
                        for (int64_t i = 0; i < piece.count; ++i) {
                          put(piece.data[0] + i * piece.step[0], piece.data[1] + i * piece.step[1]);
                        }
                      });
                }
                from += run.step[0];
              });
        });
      });
}

uint64_t put_workspace(const sdk::Args& args) {
  if (!args.wants_out(1) || args.attrs.flag(0)) return 0;
  return uint64_t(sdk::count_of(args.shape(0).first(args.count(1)))) * sizeof(int64_t);
}

// Which places stay: those whose number is the last that was left there.
template <class I>
void mark_last(const sdk::Launch& l, const Lists& lists) {
  const auto named = l.shape(0).first(lists.count);
  const int64_t count = sdk::count_of(lists.places());
  const sdk::Strided marks = packed(named, l.scratch().data(), sizeof(int64_t));
  each_place<I>(l, lists, marks, 0, count,
                [&](int64_t offset, int64_t number) { sdk::store(marks.data + offset, number); });
  sdk::Cursor to(lists.places(), sdk::strided(l.out(1)));
  each_place<I>(l, lists, marks, 0, count, [&](int64_t offset, int64_t number) {
    sdk::store(to.address(), sdk::Bool(sdk::load<int64_t>(marks.data + offset) == number));
    to.next();
  });
}

void mark_all(const sdk::Launch& l) {
  sdk::walk<1>(sdk::shape_of(l.out(1)), {sdk::strided(l.out(1))}, [](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      sdk::store(run.data[0] + i * run.step[0], sdk::Bool(true));
    }
  });
}

void index_put(const sdk::Launch& l) {
  const Lists lists(l);
  const bool adds = l.attrs.flag(0);
  dispatch_index(l.view(1).dtype, [&]<class I>() {
    check_lists<I>(l);
    copy_elements(l, l.shape(0), sdk::size_of(l.out().dtype), sdk::strided(l.out()),
                  sdk::strided(l.view(0)));
    if (adds) {
      sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
        put_all<I>(l, lists, [](char* to, const char* from) { add_to(to, sdk::load<T>(from)); });
      });
      if (l.wants_out(1)) mark_all(l);
    } else {
      sdk::dispatch_size(l.out().dtype, [&]<class T>() {
        put_all<I>(l, lists,
                   [](char* to, const char* from) { sdk::store(to, sdk::load<T>(from)); });
      });
      if (l.wants_out(1)) mark_last<I>(l, lists);
    }
  });
}

constexpr tenon_slot_rule index_slots[] = {any_in(), any_in(), any_out()};
constexpr tenon_slot_rule put_slots[] = {any_in(), any_in(), any_in(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.index", index_slots, kAnyByIndex, 0, sdk::launch_fn<index>, {.n_variables = 2}),
    kernel("tenon.index_put", put_slots, kAnyByIndex, 1, sdk::launch_fn<index_put>,
           {.n_variables = 2, .workspace = sdk::workspace_fn<put_workspace>}),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(index_lists) = {.kernels = tenon::cpu::kernels};
