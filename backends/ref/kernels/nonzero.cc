// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/nonzero.cc: nonzero_static and runs: which elements are not zero, and which
// differ from the one before.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Goes through x with the coordinates of each element.
void nonzero_static(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const int64_t size = l.attrs.integer(0);
  const sdk::Strided places = sdk::strided(l.out(0));
  const auto rank = static_cast<size_t>(x.rank);
  int64_t count = 0;
  const auto put = [&](int64_t row, auto&& coordinate) {
    for (size_t d = 0; d < rank; ++d) {
      sdk::store(places.data + row * places.step[0] + int64_t(d) * places.step[1], coordinate(d));
    }
  };
  sdk::dispatch_dtype(x.dtype, [&]<class T>() {
    std::array<int64_t, TENON_MAX_RANK> at{};
    sdk::Cursor from(l.shape(0), sdk::strided(x));
    for (int64_t i = 0; i < sdk::count_of(l.shape(0)); ++i) {
      if (sdk::load<T>(from.address()) != T(0)) {
        if (count < size) put(count, [&](size_t d) { return at[d]; });
        ++count;
      }
      from.next();
      for (size_t d = rank; d-- > 0;) {
        if (++at[d] < x.shape[d]) break;
        at[d] = 0;
      }
    }
  });
  for (int64_t row = count; row < size; ++row) {
    put(row, [&](size_t) { return l.attrs.integer(1); });
  }
  sdk::store(static_cast<char*>(l.out(1).data), count);
}

void runs(const sdk::Launch& l) {
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided starts = sdk::strided(l.out(0));
  const sdk::Strided numbers = sdk::strided(l.out(1));
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    int64_t number = -1;
    for (int64_t i = 0; i < l.shape(0)[0]; ++i) {
      const auto at = [&](int64_t place) { return sdk::load<T>(x.data + place * x.step[0]); };
      const bool begins = i == 0 || at(i) != at(i - 1);
      number += begins;
      sdk::store(starts.data + i * starts.step[0], sdk::Bool(begins));
      sdk::store(numbers.data + i * numbers.step[0], number);
    }
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.nonzero_static", slots, sdk::kAllDtypes, 2, sdk::launch_fn<nonzero_static>),
    kernel("tenon.runs", slots, sdk::kAllDtypes, 0, sdk::launch_fn<runs>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(nonzero) = {.kernels = tenon::ref::kernels};
