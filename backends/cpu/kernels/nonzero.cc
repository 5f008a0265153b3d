// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/nonzero.cc: nonzero_static: the first places that hold no zero; runs: which
// elements differ from the one before, and how many have so far.
//
// Both number what they find: pieces of x are counted first, then each piece knows its first
// number.

#include "kernels/geometry.h"

namespace tenon::cpu {
namespace {

constexpr int64_t kPiece = sdk::kElementwiseGrain;

int64_t pieces_of(const sdk::Args& args) {
  return (sdk::count_of(args.shape(0)) + kPiece - 1) / kPiece;
}
uint64_t workspace(const sdk::Args& args) { return uint64_t(pieces_of(args)) * sizeof(int64_t); }

// Turns the pieces' counts into what is before each of them; the sum of all.
int64_t sum_up(std::span<int64_t> counts) {
  int64_t sum = 0;
  for (int64_t& count : counts) sum += std::exchange(count, sum);
  return sum;
}
std::span<int64_t> counts_of(const sdk::Launch& l) {
  return {reinterpret_cast<int64_t*>(l.scratch().data()), static_cast<size_t>(pieces_of(l))};
}

template <class T>
int64_t nonzeros(const sdk::Run<1>& run) {
  int64_t count = 0;
  const auto loop = [&](auto step) {
    for (int64_t i = 0; i < run.count; ++i) count += sdk::load<T>(run.data[0] + i * step) != T(0);
  };
  if (run.step[0] == sizeof(T)) {
    loop(std::integral_constant<int64_t, sizeof(T)>());
  } else {
    loop(run.step[0]);
  }
  return count;
}

// Rows of places, numbered from `row` on, for the elements of one run, which lie along x's last
// dimension from `at` on.
struct Places {
  sdk::Strided out;
  size_t rank;
  int64_t size;

  void put(int64_t row, std::span<const int64_t> at) const {
    char* to = out.data + row * out.step[0];
    for (size_t d = 0; d < rank; ++d) sdk::store(to + int64_t(d) * out.step[1], at[d]);
  }
};

std::array<int64_t, TENON_MAX_RANK> coordinates(std::span<const int64_t> shape, int64_t linear) {
  std::array<int64_t, TENON_MAX_RANK> at{};
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = linear % shape[d];
    linear /= shape[d];
  }
  return at;
}

template <class T>
void put_places(const sdk::Launch& l, const Places& places, std::span<const int64_t> before) {
  const auto shape = l.shape(0);
  const sdk::Strided x = sdk::strided(l.view(0));
  l.parallel_for(sdk::count_of(shape), kPiece, [&](int64_t begin, int64_t end) {
    int64_t row = before[static_cast<size_t>(begin / kPiece)];
    sdk::walk_range<1>(shape, {x}, begin, end, [&](const sdk::Run<1>& run) {
      if (row >= places.size) return;
      auto at = coordinates(shape, run.first);
      int64_t& last = at[shape.empty() ? 0 : shape.size() - 1];
      for (int64_t i = 0; i < run.count && row < places.size; ++i, ++last) {
        if (sdk::load<T>(run.data[0] + i * run.step[0]) != T(0)) places.put(row++, at);
      }
    });
  });
}

void nonzero_static(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const Places places{sdk::strided(l.out(0)), static_cast<size_t>(x.rank), l.attrs.integer(0)};
  const std::span<int64_t> counts = counts_of(l);
  int64_t count = 0;
  sdk::dispatch_dtype(x.dtype, [&]<class T>() {
    const Geometry<1> all(l.shape(0), {sdk::strided(x)});
    l.parallel_for(all.count(), kPiece, [&](int64_t begin, int64_t end) {
      int64_t own = 0;
      sdk::walk_range<1>(all.shape(), all.operands(), begin, end,
                         [&](const sdk::Run<1>& run) { own += nonzeros<T>(run); });
      counts[static_cast<size_t>(begin / kPiece)] = own;
    });
    count = sum_up(counts);
    if (places.size > 0) put_places<T>(l, places, counts);
  });
  std::array<int64_t, TENON_MAX_RANK> rest{};
  rest.fill(l.attrs.integer(1));
  for (int64_t row = count; row < places.size; ++row) places.put(row, rest);
  sdk::store(static_cast<char*>(l.out(1).data), count);
}

// ---- runs ---------------------------------------------------------------------------------------

void runs(const sdk::Launch& l) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided starts = sdk::strided(l.out(0));
  const sdk::Strided numbers = sdk::strided(l.out(1));
  const int64_t count = l.shape(0)[0];
  const std::span<int64_t> counts = counts_of(l);
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    const auto at = [&](int64_t i) { return sdk::load<T>(x.data + i * x.step[0]); };
    l.parallel_for(count, kPiece, [&](int64_t begin, int64_t end) {
      int64_t own = 0;
      for (int64_t i = begin; i < end; ++i) {
        const bool begins = i == 0 || at(i) != at(i - 1);
        own += begins;
        sdk::store(starts.data + i * starts.step[0], sdk::Bool(begins));
      }
      counts[static_cast<size_t>(begin / kPiece)] = own;
    });
    sum_up(counts);
    l.parallel_for(count, kPiece, [&](int64_t begin, int64_t end) {
      int64_t number = counts[static_cast<size_t>(begin / kPiece)] - 1;
      for (int64_t i = begin; i < end; ++i) {
        number += sdk::load<sdk::Bool>(starts.data + i * starts.step[0]);
        sdk::store(numbers.data + i * numbers.step[0], number);
      }
    });
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out(), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.nonzero_static", slots, sdk::kAllDtypes, 2, sdk::launch_fn<nonzero_static>,
           {.workspace = sdk::workspace_fn<workspace>}),
    kernel("tenon.runs", slots, sdk::kAllDtypes, 0, sdk::launch_fn<runs>,
           {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace
}  // namespace tenon::cpu

TENON_UNIT(nonzero) = {.kernels = tenon::cpu::kernels};
