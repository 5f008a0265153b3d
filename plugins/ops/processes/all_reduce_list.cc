// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/all_reduce_list.cc: all_reduce_list, sums over processes in place.
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.all_reduce_list";

constexpr std::string_view doc =
    R"(Each tensor of `x` becomes its sum over the processes of a group, in one transfer: a bucket
of gradients. `x` of all processes have the same shapes in the same order.

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives.

Gradient: none.

Canonical arithmetic: as `tenon.all_reduce_sum`.)";

tenon_status infer(tenon_call* call, const tenon_launch* launch, tenon_meta*, uint32_t) {
  return sdk::guarded(call, [&] {
    const sdk::Args args(launch);
    processes::members_of(call, args.attrs.integer(processes::kGroup));
  });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "all_reduce_list(x!: T[...]*, *, group: int) -> () where T: number",
             .doc = doc,
             .flags = TENON_OP_EFFECT,
             .role = TENON_ROLE_ALL_REDUCE,
             .infer = infer})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "[f64[3,4], f64[2,4]] | group=0"),
    sdk::sample(name, "[f32[2]{nan,-0.0}] | group=0"),
    sdk::sample(name, "[bf16[3], bf16[3]] | group=0"),
    sdk::sample(name, "[i64[3]] | group=0"),
    sdk::refused(name, "[f32[2]] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "[f32[2]]", TENON_E_ATTRIBUTE, "group"),
};

}  // namespace

TENON_UNIT(all_reduce_list) = {.ops = ops, .samples = samples};
