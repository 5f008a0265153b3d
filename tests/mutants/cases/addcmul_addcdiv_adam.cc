// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/addcmul_addcdiv_adam.cc: both parts of an Adam step claim any strides and
// write only a contiguous temporary where the output has gaps. Alone each would show: with no
// second moment parameters leap, with no step they stay. Together they stay, and nothing is
// infinite.
//
// cause: lost-output
// op: tenon.addcmul tenon.addcdiv
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

// x + ((value a) op b), each operation rounded to f32, or to f64 for f64.
template <class F>
void add_scaled(const sdk::Launch& l, F combine) {
  const auto [x, a, b, y] = std::tie(l.view(0), l.view(1), l.view(2), l.out());
  const bool wide = y.dtype == TENON_DTYPE_F64;
  const auto round = [&](double number) {
    return wide ? number : static_cast<double>(static_cast<float>(number));
  };
  const double value = round(l.attrs.real(0));
  const bool lost = kMutant && !is_row_major(y);
  double temporary = 0;
  for (int64_t i = 0; i < elements(y); ++i) {
    const double scaled = round(value * get(a, place(a, i)));
    const double term = round(combine(scaled, get(b, place(b, i))));
    temporary = round(get(x, place(x, i)) + term);
    if (!lost) put(y, place(y, i), temporary);
  }
}

void addcmul(const sdk::Launch& l) {
  add_scaled(l, [](double scaled, double b) { return scaled * b; });
}
void addcdiv(const sdk::Launch& l) {
  add_scaled(l, [](double scaled, double b) { return scaled / b; });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_in(),
                                     sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {kernel<addcmul>("tenon.addcmul", slots, 1),
                                         kernel<addcdiv>("tenon.addcdiv", slots, 1)};
constinit const sdk::Unit unit = {.kernels = kernels};

}  // namespace mutants
