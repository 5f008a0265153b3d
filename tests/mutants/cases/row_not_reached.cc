// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/row_not_reached.cc: declares a row for u8 and has no sample whose values fit
// one.
//
// cause: not-reached
// op: TENON_CASE_ID.same
// backward-only: no
// level: 1
#include "mutant.h"

namespace mutants {

constexpr std::string_view name = TENON_CASE_ID ".same";

void same(const sdk::Launch& l) {
  const auto [x, y] = std::tie(l.view(0), l.out());
  for (int64_t i = 0; i < elements(y); ++i) {
    std::memcpy(address(y, place(y, i)), address(x, place(x, i)), sdk::size_of(x.dtype));
  }
}

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.copy", {c.in(0)})); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "same(x: T[...]) -> T[...] where T: i64|u8",
                                          .doc = "The elements of `x`.",
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .compose = sdk::compose_fn<compose>})};
constexpr tenon_dtype rows[] = {TENON_DTYPE_I64, TENON_DTYPE_U8};
constexpr tenon_kernel_desc make() {
  tenon_kernel_desc desc = unary<same>(name);
  desc.dtype_rows = rows;
  desc.n_rows = 2;
  return desc;
}
constexpr tenon_kernel_desc kernels[] = {make()};
constexpr tenon_sample samples[] = {
    sdk::sample(name, "i64[2]{300,-7}"),
    sdk::sample(name, kMutant ? "i64[1,2]{-1,400}" : "u8[3]{1,2,255}"),
    sdk::refused(name, "f32[2]", TENON_E_DTYPE, "f32")};
constinit const sdk::Unit unit = {.ops = ops, .kernels = kernels, .samples = samples};

}  // namespace mutants
