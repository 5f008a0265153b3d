// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/broadcast.cc: broadcast, the x of one process in all.
#include "index/along.hpp"
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.broadcast";

constexpr std::string_view doc =
    R"(The `x` of rank `root` in every process of a group. In the others `x` gives shape and dtype,
and its elements are not read.

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives. All processes of the group call the op in the same order; one that
calls another, with another shape or dtype, or does not come within the group's time-out, is an
error in all.

Gradient: `dx` of `root` is the sum of `dy` over the group; that of the others is 0.

Canonical arithmetic: none; bits are moved.)";

constexpr uint32_t kRoot = 1;

// The rule needs the call: who we are is asked of the host.
tenon_status vjp(tenon_call* call, void*) {
  return sdk::guarded(call, [&] {
    sdk::Vjp v(call);
    const int64_t group = v.attr(processes::kGroup).as.i64;
    tenon_tensor* const sum = v.call("tenon.all_reduce_sum", {v.dy()}, {group});
    const bool ours = processes::members_of(call, group).rank == v.attr(kRoot).as.i64;
    const tenon::rules::Dims shape(v.meta(sum));
    v.grad(0, ours ? sum : tenon::rules::zeros_beside(v, sum, shape));
  });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "broadcast(x: T[...], *, group: int=0, root: int=0) -> T[...]",
             .doc = doc,
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_LINEAR | TENON_OP_EFFECT})};

constexpr tenon_vjp_need needs[] = {sdk::need({})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = vjp, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4]"),
    sdk::sample(name, "f64[] | group=0"),
    sdk::sample(name, "f64[0,2]"),
    sdk::sample(name, "f32[4]{inf,-inf,nan,-0.0}"),
    sdk::sample(name, "f16[5]"),
    sdk::sample(name, "bf16[2,3]"),
    sdk::sample(name, "i32[2,2]"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}"),
    sdk::sample(name, "bool[1,3]"),
    sdk::refused(name, "f32[2] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[2] | group=-1", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "f32[2] | group=1.5", TENON_E_ATTRIBUTE, "group"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2] | root=1", TENON_E_ARGUMENT, "no such rank"),
};

}  // namespace

TENON_UNIT(broadcast) = {.ops = ops, .vjps = vjps, .samples = samples};
