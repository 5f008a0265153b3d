// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/trace.cc: trace, the sum of the main diagonal of matrices.
//
// y = sum over i of x[i,i]. Source: array-api `linalg.trace`.
#include <tenon/ext/draft/narrow.h>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.trace";

constexpr std::string_view doc =
    R"(The sum of the main diagonal of the matrices that the last two dimensions hold. Integers and
bools are summed as i64, modulo 2^64.

Gradient: `dy` on the diagonal, 0 elsewhere, by way of the composition.

Source: Python array API standard, `linalg.trace`; of u8 as in PyTorch, where the standard asks for
u64.

Canonical arithmetic: that of `tenon.sum`.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have 2 dimensions or more", "x", "[...,M,N]",
                       sdk::shape_text(shape)};
  }
  sdk::set_shape(out[0], shape.first(shape.size() - 2));
}

void compose(sdk::Compose& c) {
  constexpr int64_t last = -1;
  tenon_tensor* line = c.call("tenon.diagonal", {c.in(0)});
  c.set(0, c.call("tenon.sum", {line}, {std::span(&last, 1), false}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "trace(x: T[...]) -> T[...] where T: float|i64 promote",
             .doc = doc,
             .flags = TENON_OP_LINEAR | TENON_OP_NARROW,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,3]"),
    sdk::sample(name, "f64[2,5]"),
    sdk::sample(name, "f64[5,2]"),
    sdk::sample(name, "f64[2,1,3,4]"),
    sdk::sample(name, "f64[1,1]"),
    sdk::sample(name, "f64[0,0]"),
    sdk::sample(name, "f64[2,0,3]"),
    sdk::sample(name, "f64[0,2,3]"),
    sdk::sample(name, "f32[2,2]{inf,0.0,nan,-inf}"),
    sdk::sample(name, "f32[2,2]{3.4028235e38,nan,1.0,1e-45}"),
    sdk::sample(name, "f64[2,2]{1.7976931348623157e308,nan,1.0,5e-324}"),
    sdk::sample(name, "f16[2,2]{65504.0,nan,1.0,6e-8}"),
    sdk::sample(name, "bf16[2,2]{3.39e38,nan,1.0,9.2e-41}"),
    sdk::sample(name, "i32[2,2]{2147483647,0,0,1}"),
    sdk::sample(name, "i64[2,2]{-9223372036854775808,0,0,-1}"),
    sdk::sample(name, "u8[2,2]{255,1,128,128}"),
    sdk::sample(name, "bool[2,2]{true,true,false,true}"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(trace) = {.ops = ops, .samples = samples, .tolerances = tolerances};
