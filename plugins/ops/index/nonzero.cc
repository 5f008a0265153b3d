// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/nonzero.cc: nonzero, the places that hold no zero.
//
// y[n, :] = coordinates of the n-th element that is not 0. Source: array-api `nonzero`.
#include "index/dynamic.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.nonzero";

constexpr std::string_view doc =
    R"(The coordinates of all elements of `x` that are not zero, in row-major order, one row for
each. A NaN is not zero; zeros of either sign are. How many rows there are depends on values: the
call waits for the device, and cannot be captured (`tenon.nonzero_static` can).

No gradient: the result is i64.

Source: Python array API standard, `nonzero`, which gives a vector for each dimension; one tensor as
in PyTorch.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  out[0].rank = 2;
  out[0].shape[0] = sdk::count_of(shape);
  out[0].shape[1] = static_cast<int64_t>(shape.size());
}

void compose(rules::DynamicCompose& c) { c.set(0, c.places(c.in(0), c.count_nonzero(c.in(0)))); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "nonzero(x: T[...]) -> i64[N,R]",
                                          .doc = doc,
                                          .flags = TENON_OP_DYNAMIC_OUT,
                                          .infer = sdk::infer_fn<infer>,
                                          .compose = rules::dynamic_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "bool[2,3]"),
    sdk::sample(name, "bool[2,2,1,3]"),
    sdk::sample(name, "i64[7]{0,3,0,-1,2,0,5}"),
    sdk::sample(name, "f64[3,2]"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[]{0.0}"),
    sdk::sample(name, "f64[3]{0.0,-0.0,0.0}"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f32[8]{0.0,-0.0,nan,inf,-inf,1e-45,-1e-45,1.0}"),
    sdk::refused(name, "bool[3], bool[3]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(nonzero) = {.ops = ops, .samples = samples};
