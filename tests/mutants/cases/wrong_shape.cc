// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/wrong_shape.cc: its shape rule keeps a dimension of 1 that the op should not
// have. The schema leaves the number of dimensions open, so the host cannot know.
//
// cause: wrong-shape
// op: TENON_CASE_ID.flat
// backward-only: no
// level: 1
// goldens: flat
#include "mutant.h"

namespace mutants {

constexpr std::string_view name = TENON_CASE_ID ".flat";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::array<int64_t, 2> shape = {1, sdk::count_of(args.shape(0))};
  sdk::set_shape(out[0], std::span(shape).subspan(kMutant ? 0 : 1));
}

void flat(const sdk::Launch& l) {
  map(l, [](double x) { return x; });
}

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const std::span<const int64_t> shape(x.shape, static_cast<size_t>(x.rank));
  v.grad(0, v.call("tenon.reshape", {v.dy()}, {shape}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "flat(x: T[...]) -> T[...,N] where T: float",
                                          .doc = "The elements of `x`, row by row.",
                                          .infer = sdk::infer_fn<infer>})};
constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>(name, needs)};
constexpr tenon_kernel_desc kernels[] = {unary<flat>(name)};
constexpr tenon_sample samples[] = {sdk::sample(name, "f64[2,2]{1.0,2.0,3.0,4.0}"),
                                    sdk::refused(name, "i32[2]", TENON_E_DTYPE, "i32")};
constinit const sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};

}  // namespace mutants
