// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/reduce_scatter.cc: reduce_scatter, our row of the sum of all processes' x.
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.reduce_scatter";

constexpr std::string_view doc =
    R"(Our row of the sum over the processes of a group: `x` [n, ...] has a row for each process,
and `y` is row `r` of the sum of all `x` in rank `r`.

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives. All processes of the group call the op in the same order; one that
calls another, with another shape or dtype, or does not come within the group's time-out, is an
error in all.

Gradient: `dx` has a row of `dy` from each process (`tenon.all_gather`).

Canonical arithmetic: as `tenon.all_reduce_sum`.)";

void rule(std::span<const int64_t> shape, int64_t n, tenon_meta& out) {
  processes::need_rows(shape, n);
  sdk::set_shape(out, shape.subspan(1));
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.all_gather", {v.dy()}, {processes::group_of(v)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "reduce_scatter(x: T[...], *, group: int=0) -> T[...] where T: number",
             .doc = doc,
             .flags = TENON_OP_LINEAR | TENON_OP_EFFECT,
             .infer = processes::infer_fn<rule>})};

constexpr tenon_vjp_need needs[] = {sdk::need({})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[1,4]"),
    sdk::sample(name, "f64[1] | group=0"),
    sdk::sample(name, "f64[1,0]"),
    sdk::sample(name, "f32[1,4]{inf,-inf,nan,-0.0}"),
    sdk::sample(name, "f16[1,5]"),
    sdk::sample(name, "bf16[1,3]"),
    sdk::sample(name, "i32[1,2,2]"),
    sdk::sample(name, "i64[1,3]{-9223372036854775808,0,9223372036854775807}"),
    sdk::refused(name, "f32[1,2] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[1,2] | group=-1", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[1,2] | group=1.5", TENON_E_ATTRIBUTE, "group"),
    sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "a row for each process"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "a row for each process"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(reduce_scatter) = {.ops = ops, .vjps = vjps, .samples = samples};
