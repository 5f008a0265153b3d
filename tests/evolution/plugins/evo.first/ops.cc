// SPDX-License-Identifier: Apache-2.0
// tests/evolution/plugins/evo.first/ops.cc: four ops as they were when evo.old was built.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = "evo.scale",
             .schema = "scale(x: T[...]) -> T[...] where T: float",
             .doc = "y = 2x",
             .shape = TENON_SHAPE_SAME_AS_0,
             .flags = TENON_OP_ELEMENTWISE}),
    sdk::op({.name = "evo.join",
             .schema = "join(a: T[...], b: T[...]) -> T[...] where T: float",
             .doc = "y = a b",
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE}),
    sdk::op({.name = "evo.gate",
             .schema = "gate(x: T[...]) -> T[...] where T: float",
             .doc = "y = x x",
             .shape = TENON_SHAPE_SAME_AS_0}),
    sdk::op({.name = "evo.grown",
             .schema = "grown(a: T[...]) -> T[...] where T: float",
             .doc = "y = 3a",
             .shape = TENON_SHAPE_SAME_AS_0}),
};

}  // namespace

TENON_UNIT(ops) = {.ops = ops};
