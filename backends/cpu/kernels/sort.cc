// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/sort.cc: sort, topk and searchsorted. NaN is larger than any number.
//
// Entries (entries.h) of long lines are sorted digit by digit (D. Knuth, The Art of Computer
// Programming 3, 5.2.5), those of short ones by std::sort.

#include "kernels/entries.h"

namespace tenon::cpu {
namespace {

// The lines of x and of both outputs along an axis, shared by at most kShares pieces of work, each
// with a room of its own in scratch memory.
struct Work {
  static constexpr int64_t kShares = 16;
  size_t axis;
  int64_t length;
  int64_t lines;

  Work(const sdk::Args& args, int64_t given_axis)
      : axis(static_cast<size_t>(sdk::normal_axis(given_axis, args.view(0).rank, "axis"))),
        length(args.shape(0)[axis]),
        lines(0) {
    if (length > 0) lines = sdk::count_of(args.shape(0)) / length;
  }
  int64_t share() const { return std::max<int64_t>(1, (lines + kShares - 1) / kShares); }
  uint64_t shares() const { return lines == 0 ? 0 : uint64_t((lines + share() - 1) / share()); }
};

// One line: where its first elements are, and the steps along it.
struct Line {
  const char* x;
  char* values;
  char* indices;
  int64_t x_step, value_step, index_step;

  // Element i of the outputs, which was at `place`.
  template <class T>
  void put(int64_t i, int64_t place) const {
    sdk::store(values + i * value_step, sdk::load<T>(x + place * x_step));
    sdk::store(indices + i * index_step, place);
  }
};

// Calls body(line, room) for each line, with `room` bytes of scratch.
template <class Body>
void each_line(const sdk::Launch& l, const Work& work, uint64_t room, const Body& body) {
  const std::array<sdk::Strided, 3> operands{sdk::strided(l.view(0)), sdk::strided(l.out(0)),
                                             sdk::strided(l.out(1))};
  std::array<int64_t, TENON_MAX_RANK> others{};
  std::copy(l.shape(0).begin(), l.shape(0).end(), others.begin());
  others[work.axis] = 1;
  const std::span<const int64_t> shape(others.data(), l.shape(0).size());
  const int64_t share = work.share();
  std::byte* const scratch = l.scratch().data();
  l.parallel_for(work.lines, share, [&](int64_t begin, int64_t end) {
    std::byte* own = scratch + uint64_t(begin / share) * room;
    sdk::walk_range<3>(shape, operands, begin, end, [&](const sdk::Run<3>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const Line line{run.data[0] + i * run.step[0], run.data[1] + i * run.step[1],
                        run.data[2] + i * run.step[2], operands[0].step[work.axis],
                        operands[1].step[work.axis],   operands[2].step[work.axis]};
        body(line, own);
      }
    });
  });
}

template <class T, class Entry>
void load_entries(const Line& line, int64_t length, uint64_t flip, Entry* entries) {
  for (int64_t i = 0; i < length; ++i) {
    entries[i] = Entry::of(key_of(sdk::load<T>(line.x + i * line.x_step), flip), i);
  }
}

template <class Entry>
using LoadEntries = void (*)(const Line&, int64_t, uint64_t, Entry*);

uint64_t sort_room(tenon_dtype dtype, int64_t length) {
  uint64_t bytes = 0;
  dispatch_entry(dtype, length, [&]<class Entry>() { bytes = sizeof(Entry); });
  return bytes * 2 * uint64_t(length);
}
uint64_t sort_workspace(const sdk::Args& args) {
  const Work work(args, args.attrs.integer(0));
  return work.shares() * sort_room(args.view(0).dtype, work.length);
}

template <class Word, class Entry>
void sort_lines(const sdk::Launch& l, const Work& work, LoadEntries<Entry> load) {
  const uint64_t flip = flip_of(l.attrs.flag(1));
  const int64_t length = work.length;
  each_line(l, work, sort_room(l.view(0).dtype, length), [&](const Line& line, std::byte* room) {
    auto* entries = reinterpret_cast<Entry*>(room);
    load(line, length, flip, entries);
    if (length < kLongLine) {
      std::sort(entries, entries + length);
    } else {
      sort_by_digits<sizeof(Word)>(entries, entries + length, length);
    }
    for (int64_t i = 0; i < length; ++i) line.put<Word>(i, entries[i].place());
  });
}

void sort(const sdk::Launch& l) {
  const Work work(l, l.attrs.integer(0));
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    dispatch_entry(l.view(0).dtype, work.length, [&]<class Entry>() {
      sort_lines<Unsigned<sizeof(T)>, Entry>(l, work, load_entries<T, Entry>);
    });
  });
}

// ---- topk ---------------------------------------------------------------------------------------

uint64_t topk_room(tenon_dtype dtype, int64_t length, int64_t k) {
  uint64_t bytes = 0;
  dispatch_entry(dtype, length, [&]<class Entry>() { bytes = sizeof(Entry); });
  return bytes * uint64_t(held_entries(length, k));
}
uint64_t topk_workspace(const sdk::Args& args) {
  const Work work(args, args.attrs.integer(1));
  return work.shares() * topk_room(args.view(0).dtype, work.length, args.attrs.integer(0));
}

template <class Entry>
[[gnu::noinline]] void sort_first(Entry* held, int64_t k, int64_t count) {
  std::partial_sort(held, held + k, held + count);
}

template <class T, class Entry>
void topk_line(const Line& line, int64_t length, int64_t k, uint64_t flip, Entry* held) {
  const int64_t count = hold_first(length, k, held, [&](int64_t i) {
    return key_of(sdk::load<T>(line.x + i * line.x_step), flip);
  });
  sort_first(held, k, count);
  for (int64_t i = 0; i < k; ++i) line.put<Unsigned<sizeof(T)>>(i, held[i].place());
}

template <class T, class Entry>
void topk_lines(const sdk::Launch& l, const Work& work) {
  const int64_t k = l.attrs.integer(0);
  const uint64_t flip = flip_of(l.attrs.flag(2));
  each_line(l, work, topk_room(l.view(0).dtype, work.length, k),
            [&](const Line& line, std::byte* room) {
              topk_line<T>(line, work.length, k, flip, reinterpret_cast<Entry*>(room));
            });
}

void topk(const sdk::Launch& l) {
  const Work work(l, l.attrs.integer(1));
  if (l.attrs.integer(0) == 0) return;
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    dispatch_entry(l.view(0).dtype, work.length,
                   [&]<class Entry>() { topk_lines<T, Entry>(l, work); });
  });
}

// ---- searchsorted -------------------------------------------------------------------------------

template <class T>
bool is_less(T a, T b) {
  return b != b ? a == a : a < b;  // NOLINT(misc-redundant-expression)
}

// Elements of a line before the place of `value`.
template <class T, bool Right>
int64_t place_of(T value, const char* line, int64_t step, int64_t count) {
  int64_t begin = 0;
  while (count > 0) {
    const int64_t half = count / 2;
    const T x = sdk::load<T>(line + (begin + half) * step);
    const bool before = Right ? !is_less(value, x) : is_less(x, value);
    begin = before ? begin + half + 1 : begin;
    count = before ? count - half - 1 : half;
  }
  return begin;
}

template <class T, bool Right>
void search(const sdk::Launch& l) {
  const tenon_view& sorted = l.view(0);
  const sdk::Strided own = sdk::strided(sorted);
  const auto last = static_cast<size_t>(sorted.rank - 1);
  const int64_t step = own.step[last];
  const int64_t length = sorted.shape[last];
  sdk::Strided lines{own.data, {}};
  std::copy_n(own.step.begin(), last, lines.step.begin());
  const Geometry<3> geometry(l.shape(1), {sdk::strided(l.out()), sdk::strided(l.view(1)), lines});
  constexpr int64_t grain = sdk::kElementwiseGrain / 16;  // a search takes about that many steps
  l.parallel_for(geometry.count(), grain, [&](int64_t begin, int64_t end) {
    sdk::walk_range<3>(geometry.shape(), geometry.operands(), begin, end,
                       [&](const sdk::Run<3>& run) {
                         for (int64_t i = 0; i < run.count; ++i) {
                           const T value = sdk::load<T>(run.data[1] + i * run.step[1]);
                           const char* line = run.data[2] + i * run.step[2];
                           sdk::store(run.data[0] + i * run.step[0],
                                      place_of<T, Right>(value, line, step, length));
                         }
                       });
  });
}

void searchsorted(const sdk::Launch& l) {
  const bool right = l.attrs.flag(0);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.view(0).dtype, [&]<class T>() {
    if (right) return search<T, true>(l);
    search<T, false>(l);
  });
}

constexpr tenon_slot_rule order_slots[] = {any_in(), any_out(), any_out()};
constexpr tenon_slot_rule search_slots[] = {any_in(), any_in(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sort", order_slots, sdk::kAllDtypes, 3, sdk::launch_fn<sort>,
           {.workspace = sdk::workspace_fn<sort_workspace>}),
    kernel("tenon.topk", order_slots, sdk::kAllDtypes, 4, sdk::launch_fn<topk>,
           {.workspace = sdk::workspace_fn<topk_workspace>}),
    kernel("tenon.searchsorted", search_slots, sdk::kNumbers, 1, sdk::launch_fn<searchsorted>),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(sort) = {.kernels = tenon::cpu::kernels};
