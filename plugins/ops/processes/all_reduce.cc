// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/all_reduce.cc: all_reduce, the sum, mean or maximum of all processes' x.
#include "processes/group.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace processes = tenon::processes;
constexpr std::string_view name = "tenon.all_reduce";
constexpr uint32_t kReduction = 1;

constexpr std::string_view doc =
    R"(The sum, mean or maximum of `x` over the processes of a group, the same in all of them:
`reduction` is "sum", "mean" (of floats) or "max" (NaN if there is one).

Group 0 is this process alone, and every other one is named by the number that
`tenon_group_get_info` gives. All processes of the group call the op in the same order; one that
calls another, with another shape or dtype, or does not come within the group's time-out, is an
error in all.

Gradient: of "sum", `dx` is the sum of `dy` over the group; of "mean" that, divided by the group's
size; of "max" that, where `x` is the maximum, shared evenly among processes that have it.

Canonical arithmetic: "sum" as `tenon.all_reduce_sum`, "mean" that divided by the size, "max"
exact.)";

enum class Reduction : uint8_t { Sum, Mean, Max };

Reduction reduction_of(const tenon_value& value) {
  const std::string_view word(value.as.string, value.count);
  if (word == "sum") return Reduction::Sum;
  if (word == "mean") return Reduction::Mean;
  if (word == "max") return Reduction::Max;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "reduction names no way to reduce over processes",
                     "reduction", "\"sum\", \"mean\" or \"max\"", "\"" + std::string(word) + "\""};
}

tenon_status infer(tenon_call* call, const tenon_launch* launch, tenon_meta* out, uint32_t) {
  return sdk::guarded(call, [&] {
    const sdk::Args args(launch);
    processes::members_of(call, args.attrs.integer(processes::kGroup));
    const bool mean = reduction_of(args.attrs[kReduction]) == Reduction::Mean;
    if (mean && !sdk::is_float(args.view(0).dtype)) {
      throw sdk::Failure{TENON_E_DTYPE,   "a mean is one of floats", "x",
                         "a float dtype", "an integer dtype",        "cast x, or ask for the sum"};
    }
    if (args.shape(0).size() == TENON_MAX_RANK) {
      throw sdk::Failure{TENON_E_SHAPE, "x has too many dimensions", "x", "at most 7",
                         sdk::shape_text(args.shape(0))};
    }
    sdk::set_shape(*out, args.shape(0));
  });
}

tenon_status compose(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                     const tenon_value* attrs, uint32_t n_attrs) {
  return sdk::guarded(call, [&] {
    sdk::Compose c(call, inputs, n_inputs, attrs, n_attrs);
    const int64_t group = c.attrs.integer(processes::kGroup);
    const Reduction reduction = reduction_of(c.attrs[kReduction]);
    if (reduction == Reduction::Max) {
      const int64_t first[] = {0};
      return c.set(0, c.call("tenon.max", {c.call("tenon.all_gather", {c.in(0)}, {group})},
                             {std::span<const int64_t>(first)}));
    }
    tenon_tensor* sum = c.call("tenon.all_reduce_sum", {c.in(0)}, {group, c.attrs[kReduction]});
    if (reduction == Reduction::Mean) {
      sum = c.call("tenon.div", {sum, double(processes::members_of(call, group).size)});
    }
    c.set(0, sum);
  });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "all_reduce(x: T[...], *, group: int=0, reduction: str=\"sum\") -> T[...] "
                       "where T: number",
             .doc = doc,
             .flags = TENON_OP_EFFECT,
             .infer = infer,
             .compose = compose})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4]"),
    sdk::sample(name, "f64[3] | reduction=\"mean\""),
    sdk::sample(name, "f64[2,2] | group=0, reduction=\"max\""),
    sdk::sample(name, "f64[0,2]"),
    sdk::sample(name, "f32[4]{inf,-inf,nan,-0.0} | reduction=\"max\""),
    sdk::sample(name, "bf16[2,3] | reduction=\"mean\""),
    sdk::sample(name, "f16[3]"),
    sdk::sample(name, "i64[3] | reduction=\"max\""),
    sdk::sample(name, "i32[2]"),
    sdk::refused(name, "f32[2] | reduction=\"min\"", TENON_E_ATTRIBUTE, "no way to reduce"),
    sdk::refused(name, "i32[2] | reduction=\"mean\"", TENON_E_DTYPE, "of floats"),
    sdk::refused(name, "f32[1,1,1,1,1,1,1,2]", TENON_E_SHAPE, "too many dimensions"),
    sdk::refused(name, "f32[2] | group=77777", TENON_E_ATTRIBUTE, "no group"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(all_reduce) = {.ops = ops, .samples = samples};
