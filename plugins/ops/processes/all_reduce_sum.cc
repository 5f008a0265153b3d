// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/all_reduce_sum.cc: all_reduce_sum, the sum of all processes' x.
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.all_reduce_sum";

constexpr std::string_view doc =
    R"(The sum of `x` over the processes of a group, the same in all of them: what
`tenon.all_reduce` is made of.

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives. All processes of the group call the op in the same order; one that
calls another, with another shape or dtype, or does not come within the group's time-out, is an
error in all.

`reduction` says what the sum is for, such as "sum" or "mean". It changes nothing here; processes
that say different words are refused.

Gradient: `dx` is the sum of `dy` over the group: each process's loss is a part of one loss.

Canonical arithmetic: a tree over the ranks, neighbours first: `((0+1)+(2+3))+((4+5)+(6+7))`, each
sum rounded to the dtype. Under the `fast` policy the engine's own order.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call(name, {v.dy()}, {processes::group_of(v), sdk::Value(v.attr(1))}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "all_reduce_sum(x: T[...], *, group: int=0, reduction: str=\"sum\") -> T[...] "
               "where T: number",
     .doc = doc,
     .shape = TENON_SHAPE_SAME_AS_0,
     .flags = TENON_OP_LINEAR | TENON_OP_EFFECT})};

constexpr tenon_vjp_need needs[] = {sdk::need({})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4]"),
    sdk::sample(name, "f64[] | group=0"),
    sdk::sample(name, "f64[2] | group=0, reduction=\"mean\""),
    sdk::sample(name, "f64[0,2]"),
    sdk::sample(name, "f32[4]{inf,-inf,nan,-0.0}"),
    sdk::sample(name, "f16[5]"),
    sdk::sample(name, "bf16[2,3]"),
    sdk::sample(name, "i32[2,2]"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}"),
    sdk::refused(name, "f32[2] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[2] | group=-1", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[2] | group=1.5", TENON_E_ATTRIBUTE, "group"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(all_reduce_sum) = {.ops = ops, .vjps = vjps, .samples = samples};
