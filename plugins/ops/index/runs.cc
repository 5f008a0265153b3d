// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/runs.cc: runs, which elements begin a run of equal ones, and the runs' numbers.
//
// starts[i] = (i = 0 or x[i] != x[i-1]);  numbers[i] = (starts up to i) - 1.
// Source: what unique is made of; Thrust's `unique_by_key` finds its groups so.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.runs";

constexpr std::string_view doc =
    R"(For each element of the vector `x`: does it begin a run of equal elements, and which run is
it in, counted from 0? Zeros of either sign are equal; a NaN equals nothing, not even a NaN.
`tenon.unique` is made of it.

No gradient: the results are bool and i64.

Source: PyTorch's `unique_consecutive` gives the same of each run once.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 0, "x", 1, "[N]");
  for (tenon_meta& meta : out) sdk::set_shape(meta, args.shape(0));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "runs(x: T[N]) -> (starts: bool[N], numbers: i64[N])",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[7]{1.0,1.0,2.0,2.0,2.0,1.0,3.0}"),
    sdk::sample(name, "f64[6](0,2)"),
    sdk::sample(name, "i64[5]{-1,-1,0,9223372036854775807,9223372036854775807}"),
    sdk::sample(name, "bool[5]{false,false,true,true,false}"),
    sdk::sample(name, "u8[3]{0,255,255}"),
    sdk::sample(name, "f64[1]"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f32[8]{0.0,-0.0,nan,nan,inf,inf,1e-45,-1e-45}"),
    sdk::sample(name, "f64[3]{5e-324,5e-324,1.7976931348623157e308}"),
    sdk::sample(name, "f16[3]{6e-8,6e-8,65504.0}"),
    sdk::sample(name, "bf16[3]{9.2e-41,9.2e-41,3.39e38}"),
    sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "x"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "x"),
    sdk::refused(name, "1.0", TENON_E_SHAPE, "x"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(runs) = {.ops = ops, .samples = samples};
