// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/nonzero_static.cc: nonzero_static, as many places that hold no zero as asked
// for.
//
// places[n, :] = coordinates of the n-th element that is not 0;  count = how many there are.
// Source: PyTorch's `nonzero_static`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.nonzero_static";

constexpr std::string_view doc =
    R"(The coordinates of the first `size` elements of `x` that are not zero, in row-major order,
one row of `places` for each; rows that are left over hold `fill`. `count` is how many such elements
`x` has, more than `size` perhaps. A NaN is not zero; zeros of either sign are. `size=0` only
counts. The sizes of the outputs do not depend on values, so that a plan can hold the op.

No gradient: the results are i64.

Source: PyTorch, `nonzero_static`.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const int64_t size = args.attrs.integer(0);
  if (size < 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "size is negative", "size", "0 or more",
                       std::to_string(size)};
  }
  rules::Dims shape;
  shape.push(size);
  shape.push(static_cast<int64_t>(args.shape(0).size()));
  sdk::set_shape(out[0], rules::checked_shape(shape.span(), "size").span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "nonzero_static(x: T[...], *, size: int, fill: int=-1) -> (places: "
                       "i64[size,R], count: i64[])",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "bool[2,3] | size=4"),
    sdk::sample(name, "bool[2,2,1,3] | size=12, fill=-7"),
    sdk::sample(name, "i64[7]{0,3,0,-1,2,0,5} | size=2"),
    sdk::sample(name, "i32[2,3]{0,1,0,2,0,3} | size=0"),
    sdk::sample(name, "u8[5]{0,255,1,0,0} | size=3"),
    sdk::sample(name, "f64[3,2] | size=6"),
    sdk::sample(name, "f64[] | size=2"),
    sdk::sample(name, "f64[]{0.0} | size=1"),
    sdk::sample(name, "f64[0,3] | size=2"),
    sdk::sample(name, "f32[8]{0.0,-0.0,nan,inf,-inf,1e-45,-1e-45,1.0} | size=8"),
    sdk::sample(name, "f64[3]{5e-324,0.0,1.7976931348623157e308} | size=3"),
    sdk::sample(name, "f16[3]{6e-8,0.0,65504.0} | size=3"),
    sdk::sample(name, "bf16[3]{9.2e-41,0.0,3.39e38} | size=3"),
    sdk::sample(name, "i64[2]{-9223372036854775808,9223372036854775807} | size=2"),
    sdk::refused(name, "bool[3] | size=-1", TENON_E_ATTRIBUTE, "size is negative"),
    sdk::refused(name, "bool[3]", TENON_E_ATTRIBUTE, "size"),
    sdk::refused(name, "bool[3], bool[3] | size=1", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(nonzero_static) = {.ops = ops, .samples = samples};
