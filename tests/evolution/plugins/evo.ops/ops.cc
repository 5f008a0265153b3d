// SPDX-License-Identifier: Apache-2.0
// tests/evolution/plugins/evo.ops/ops.cc: the ops of evo.first, grown: an attribute with a default,
// a trailing optional input, an aux output, and one with all three.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

void compose_join(sdk::Compose& c) {
  tenon_tensor* product = c.call("tenon.mul", {c.in(0), c.in(1)});
  c.set(0, c.in(2).is_none() ? product : c.call("tenon.add", {product, c.in(2)}));
}

// As a composition that was not carried along when its op gained an output.
void compose_partial(sdk::Compose& c) { c.set(0, c.call("tenon.neg", {c.in(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "evo.scale",
             .schema = "scale(x: T[...], *, bias: float=0.0) -> T[...] where T: float",
             .doc = "y = 2x + bias",
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE}),
    sdk::op({.name = "evo.join",
             .schema = "join(a: T[...], b: T[...], c: T[...]?) -> T[...] where T: float",
             .doc = "y = a b + c",
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE,
             .compose = sdk::compose_fn<compose_join>}),
    sdk::op({.name = "evo.gate",
             .schema = "gate(x: T[...]) -> (T[...], aux slope: T[...]) where T: float",
             .doc = "y = x x, slope = 2x",
             .shape = TENON_SHAPE_SAME_AS_0}),
    sdk::op({.name = "evo.grown",
             .schema = "grown(a: T[...], shift: T[...]?, *, power: int=1) -> "
                       "(T[...], aux twice: T[...]) where T: float",
             .doc = "y = 3 power a + shift, twice = 2y",
             .shape = TENON_SHAPE_SAME_AS_0}),
    sdk::op({.name = "evo.partial",
             .schema = "partial(a: T[...]) -> (T[...], aux forgotten: T[...]) where T: float",
             .doc = "y = -a",
             .shape = TENON_SHAPE_SAME_AS_0,
             .compose = sdk::compose_fn<compose_partial>}),
};

}  // namespace

TENON_UNIT(ops) = {.ops = ops};
