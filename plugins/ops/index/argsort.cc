// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/argsort.cc: argsort, the indices that a sort gives.
//
// y = indices of sort(x). Source: array-api `argsort`.
#include <array>

#include "index/order.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.argsort";

constexpr std::string_view doc =
    R"(The second output of `tenon.sort`: the indices along `axis` at which the elements of a
line are found in ascending (`descending`: descending) order. Of equal elements the first comes
first.

No gradient: the result is i64.

Source: Python array API standard, `argsort`.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::axis_of(args.attrs.integer(0), args.shape(0).size(), "axis");
  sdk::set_shape(out[0], args.shape(0));
}

void compose(sdk::Compose& c) {
  std::array<tenon_tensor*, 2> sorted{};
  const std::array<sdk::Value, 1> inputs{c.in(0)};
  const std::array<sdk::Value, 3> attrs{c.attrs[0], c.attrs[1], c.attrs[2]};
  c.call_many("tenon.sort", inputs, attrs, sorted);
  c.set(0, sorted[1]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "argsort(x: T[...], *, axis: int=-1, descending: bool=false, stable: "
                       "bool=true) -> i64[...]",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,7]"),
    sdk::sample(name, "f64[4,3] | axis=0, descending=true"),
    sdk::sample(name, "f64[2,3,1,4] | axis=1"),
    sdk::sample(name, "f64[1]"),
    sdk::sample(name, "f64[3,0] | axis=1"),
    sdk::sample(name, "i64[6]{3,1,2,3,1,2} | descending=true, stable=false"),
    sdk::sample(name, "bool[5]{true,false,true,false,false}"),
    sdk::sample(name, "f32[9]{0.0,nan,-0.0,inf,1e-45,-inf,nan,-1e-45,0.0}"),
    sdk::refused(name, "f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(argsort) = {.ops = ops, .samples = samples};
