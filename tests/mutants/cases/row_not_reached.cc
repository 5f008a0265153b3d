// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/row_not_reached.cc: declares a row for u8 and has no sample whose values fit
// one.
// cause: not-reached
// op: TENON_CASE_ID.half
// backward-only: no
// level: 1
#include "mutant.h"

#include "half.h"

namespace mutants {

// Integers are shifted, so the op needs no other arithmetic.
void half_of_integers(const sdk::Launch& l) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    const auto [x, y] = std::tie(l.view(0), l.out());
    if (x.dtype == TENON_DTYPE_I64) {
      sdk::store(address(y, place(y, i)), sdk::load<int64_t>(address(x, place(x, i))) / 2);
    } else {
      const auto number = sdk::load<uint8_t>(address(x, place(x, i)));
      sdk::store(address(y, place(y, i)), static_cast<uint8_t>(number / 2));
    }
  }
}

constexpr tenon_dtype rows[] = {TENON_DTYPE_I64, TENON_DTYPE_U8};
constexpr tenon_op_desc ops[] = {half_op({.schema = "half(x: T[...]) -> T[...] where T: i64|u8"})};
constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<half_of_integers>(kHalf);
  desc.dtype_rows = rows;
  desc.n_rows = 2;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constexpr tenon_sample samples[] = {
    sdk::sample(kHalf, "i64[2]{300,-7}"),
    sdk::sample(kHalf, kMutant ? "i64[1,2]{-1,400}" : "u8[3]{1,2,255}"),
    sdk::refused(kHalf, "f32[2]", TENON_E_DTYPE, "f32")};
constinit const sdk::Unit unit = {.ops = ops, .kernels = kernels, .samples = samples};

}  // namespace mutants
