// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/masked_fill.cc: masked_fill, one value where a mask holds.
//
// y = mask ? value : x. Source: PyTorch's `masked_fill`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.masked_fill";

constexpr std::string_view doc =
    R"(`value` where `mask` is true, else `x`. `x` and `mask` are broadcast together; `value` is a
number or a tensor of rank 0.

Gradient: that of its composition, `tenon.where`.

Source: PyTorch, `masked_fill`.

Canonical arithmetic: none; bits are moved.)";

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.where", {c.in(1), c.in(2), c.in(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "masked_fill(x: T[...], mask: bool[...], value: T[]) -> T[...]",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], bool[2,3], -1.5"),
    sdk::sample(name, "f64[2,3], bool[3], f64[]"),
    sdk::sample(name, "f64[2,1,3,2], bool[2,3,1], -inf"),
    sdk::sample(name, "f64[3], bool[2,1], 0"),
    sdk::sample(name, "f64[], bool[], 2.0"),
    sdk::sample(name, "f64[0,3], bool[3], 1.0"),
    sdk::sample(name, "i64[3], bool[3]{true,false,true}, -9223372036854775808"),
    sdk::sample(name, "u8[3], bool[3], 7"),
    sdk::sample(name, "bool[3], bool[3], true"),
    sdk::sample(name, "f32[4]{nan,inf,-0.0,1e-45}, bool[4]{true,false,false,false}, nan"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, bool[2]{false,false}, 1.0"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, bool[2]{false,true}, f16[]{65504.0}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, bool[2]{false,true}, bf16[]{9.2e-41}"),
    sdk::refused(name, "f32[3], bool[2], 1.0", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[3], bool[3], f32[3]", TENON_E_SHAPE, "value"),
    sdk::refused(name, "f32[3], f32[3], 1.0", TENON_E_DTYPE, "mask"),
    sdk::refused(name, "f32[3], bool[3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(masked_fill) = {.ops = ops, .samples = samples};
