// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/all_to_all.cc: all_to_all, our row of every process's x.
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.all_to_all";

constexpr std::string_view doc =
    R"(What the others have for us: `x` [n, ...] has a row for each process of a group, and row `r`
of `y` [n, ...] is our row of the `x` of rank `r`.

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives. All processes of the group call the op in the same order; one that
calls another, with another shape or dtype, or does not come within the group's time-out, is an
error in all.

Gradient: `dx` is the same of `dy`.

Canonical arithmetic: none; bits are moved.)";

void rule(std::span<const int64_t> shape, int64_t n, tenon_meta& out) {
  processes::need_rows(shape, n);
  sdk::set_shape(out, shape);
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call(name, {v.dy()}, {processes::group_of(v)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "all_to_all(x: T[...], *, group: int=0) -> T[...]",
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
    sdk::sample(name, "bool[1,3]"),
    sdk::refused(name, "f32[1,2] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[1,2] | group=-1", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[1,2] | group=1.5", TENON_E_ATTRIBUTE, "group"),
    sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "a row for each process"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "a row for each process"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(all_to_all) = {.ops = ops, .vjps = vjps, .samples = samples};
