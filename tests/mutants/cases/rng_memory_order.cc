// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/rng_memory_order.cc: numbers its output elements by where they lie in
// memory: the same seed gives other values in a strided output.
//
// cause: random-layout
// op: tenon.uniform
// backward-only: no
// level: 1
#include "mutant.h"

#include <tenon/sdk/plugin/philox.hpp>

namespace mutants {

double unit_uniform(sdk::RandomWords& words, tenon_dtype dtype, int64_t i) {
  const auto w = static_cast<uint64_t>(i);
  if (dtype == TENON_DTYPE_F32) return static_cast<double>(words.word(w) >> 8) * 0x1p-24;
  return static_cast<double>(words.two_words(2 * w) >> 11) * 0x1p-53;
}

void uniform(const sdk::Launch& l) {
  const tenon_view& y = l.out();
  sdk::RandomWords words(l.rng());
  const auto round = [&](double value) {
    return y.dtype == TENON_DTYPE_F32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  const double low = round(l.attrs.real(1));
  const double width = round(round(l.attrs.real(2)) - low);
  for (int64_t i = 0; i < elements(y); ++i) {
    const int64_t number = kMutant ? std::abs(place(y, i)) : i;
    put(y, place(y, i), low + round(unit_uniform(words, y.dtype, number) * width));
  }
}

constexpr tenon_slot_rule slots[] = {sdk::strided_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = kernel<uniform>("tenon.uniform", slots, 4);
  desc.dtype_rows = rows;
  desc.n_rows = 2;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
