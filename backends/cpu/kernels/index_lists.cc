// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/index_lists.cc: index: y[i..., b] = x[indices_0[i...], ..., b];
// index_put: y[indices_0[i...], ..., b] = or += values[i..., b], i in row-major order.

#include "common/shapes.h"
#include "kernels/index_lines.h"

namespace tenon::cpu {
namespace {

// The lists of indices, broadcast together.
struct Lists : ListsShape {
  uint32_t count;

  explicit Lists(const sdk::Args& args) : ListsShape(args, 1), count(args.count(1)) {}
  std::span<const int64_t> places() const { return span(); }
};

void check_lists(const sdk::Launch& l) {
  const uint32_t n = l.count(1);
  for (uint32_t item = 0; item < n; ++item) {
    const std::string operand = n == 1 ? "indices" : "indices." + std::to_string(item);
    check_indices_of(l, l.view(1, item), l.shape(0)[item], operand);
  }
}

constexpr int64_t kPlacesAtOnce = 256;

// Where places [begin, begin + count) lie in a tensor with these steps.
template <class I>
void offsets_of(const sdk::Launch& l, const Lists& lists, const sdk::Strided& tensor, int64_t begin,
                int64_t count, int64_t* offsets) {
  std::fill_n(offsets, count, 0);
  for (uint32_t n = 0; n < lists.count; ++n) {
    const sdk::Strided list = broadcast(l.view(1, n), lists.places());
    sdk::walk_range<1>(lists.places(), {list}, begin, begin + count, [&](const sdk::Run<1>& run) {
      int64_t* const to = offsets + (run.first - begin);
      for (int64_t i = 0; i < run.count; ++i) {
        to[i] += sdk::load<I>(run.data[0] + i * run.step[0]) * tensor.step[n];
      }
    });
  }
}

// Calls body(offsets, first, count) for places [begin, end), some at a time, one after another.
template <class Body>
void each_places(const sdk::Launch& l, const Lists& lists, const sdk::Strided& tensor,
                 int64_t begin, int64_t end, const Body& body) {
  const auto fill = l.view(1).dtype == TENON_DTYPE_I32 ? offsets_of<int32_t> : offsets_of<int64_t>;
  int64_t offsets[kPlacesAtOnce];
  for (int64_t first = begin; first < end; first += kPlacesAtOnce) {
    const int64_t count = std::min(kPlacesAtOnce, end - first);
    fill(l, lists, tensor, first, count, offsets);
    body(static_cast<const int64_t*>(offsets), first, count);
  }
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

template <class T>
void index_all(const sdk::Launch& l, const Lists& lists) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const Slices slices(l, lists, x, sdk::strided(l.out()));
  const auto copy_slice = [&](char* from, char* to) {
    std::array<sdk::Strided, 2> operands = slices.each.operands();
    operands[0].data = from;
    operands[1].data = to;
    sdk::walk<2>(slices.each.shape(), operands, [](const sdk::Run<2>& piece) {
      copy_run(piece.data[1], piece.step[1], piece.data[0], piece.step[0], piece.count, sizeof(T));
    });
  };
  l.parallel_for(sdk::count_of(lists.places()), slices.grain(), [&](int64_t begin, int64_t end) {
    // The outputs' slices one after another.
    sdk::walk_range<1>(lists.places(), {slices.by_place}, begin, end, [&](const auto& run) {
      const auto copy = [&](const int64_t* offsets, int64_t first, int64_t count) {
        const int64_t step = run.step[0];
        char* const to = run.data[0] + (first - run.first) * step;
        if (slices.each.rank() > 0) {
          for (int64_t i = 0; i < count; ++i) copy_slice(x.data + offsets[i], to + i * step);
          return;
        }
        for (int64_t i = 0; i < count; ++i) {
          sdk::store(to + i * step, sdk::load<T>(x.data + offsets[i]));
        }
      };
      each_places(l, lists, x, run.first, run.first + run.count, copy);
    });
  });
}

void index(const sdk::Launch& l) {
  const Lists lists(l);
  check_lists(l);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { index_all<T>(l, lists); });
}

// ---- index_put ----------------------------------------------------------------------------------

// Places may be named twice, so one thread goes through them; threads share the slices' elements.
template <class Put>
void put_all(const sdk::Launch& l, const Lists& lists, const Put& put) {
  const sdk::Strided out = sdk::strided(l.out());
  std::array<int64_t, 2 * TENON_MAX_RANK> placed{};
  std::copy_n(lists.sizes.begin(), lists.rank, placed.begin());
  const auto rest = l.shape(0).subspan(lists.count);
  std::copy(rest.begin(), rest.end(), placed.begin() + static_cast<ptrdiff_t>(lists.rank));
  const sdk::Strided values = broadcast(l.view(2), {placed.data(), lists.rank + rest.size()});
  const Slices slices(l, lists, out, values);
  const int64_t count = sdk::count_of(lists.places());
  const int64_t least = sdk::kElementwiseGrain / std::max<int64_t>(1, count);
  l.parallel_for(
      slices.each.count(), std::max<int64_t>(256, least), [&](int64_t first, int64_t past) {
        const auto put_slice = [&](char* to, char* from) {
          std::array<sdk::Strided, 2> operands = slices.each.operands();
          operands[0].data = to;
          operands[1].data = from;
          sdk::walk_range<2>(slices.each.shape(), operands, first, past, [&](const auto& piece) {
            for (int64_t i = 0; i < piece.count; ++i) {
              put(piece.data[0] + i * piece.step[0], piece.data[1] + i * piece.step[1]);
            }
          });
        };
        sdk::walk<1>(lists.places(), {slices.by_place}, [&](const sdk::Run<1>& run) {
          const auto put_places = [&](const int64_t* offsets, int64_t number, int64_t n) {
            const int64_t step = run.step[0];
            char* const from = run.data[0] + (number - run.first) * step;
            if (slices.each.rank() > 0) {
              for (int64_t i = 0; i < n; ++i) put_slice(out.data + offsets[i], from + i * step);
              return;
            }
            for (int64_t i = 0; i < n; ++i) put(out.data + offsets[i], from + i * step);
          };
          each_places(l, lists, out, run.first, run.first + run.count, put_places);
        });
      });
}

uint64_t put_workspace(const sdk::Args& args) {
  if (!args.wants_out(1) || args.attrs.flag(0)) return 0;
  return uint64_t(sdk::count_of(args.shape(0).first(args.count(1)))) * sizeof(int64_t);
}

// Which places stay: those whose number is the last that was left there.
void mark_last(const sdk::Launch& l, const Lists& lists) {
  const auto named = l.shape(0).first(lists.count);
  const int64_t count = sdk::count_of(lists.places());
  const sdk::Strided marks = packed(named, l.scratch().data(), sizeof(int64_t));
  each_places(l, lists, marks, 0, count, [&](const int64_t* offsets, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) sdk::store(marks.data + offsets[i], first + i);
  });
  sdk::Cursor to(lists.places(), sdk::strided(l.out(1)));
  each_places(l, lists, marks, 0, count, [&](const int64_t* offsets, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      sdk::store(to.address(), sdk::Bool(sdk::load<int64_t>(marks.data + offsets[i]) == first + i));
      to.next();
    }
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
  check_lists(l);
  copy_elements(l, l.shape(0), sdk::size_of(l.out().dtype), sdk::strided(l.out()),
                sdk::strided(l.view(0)));
  if (adds) {
    sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
      put_all(l, lists, [](char* to, const char* from) { add_to(to, sdk::load<T>(from)); });
    });
    if (l.wants_out(1)) mark_all(l);
  } else {
    sdk::dispatch_size(l.out().dtype, [&]<class T>() {
      put_all(l, lists, [](char* to, const char* from) { sdk::store(to, sdk::load<T>(from)); });
    });
    if (l.wants_out(1)) mark_last(l, lists);
  }
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
