// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/bitwise_or.cc: bitwise_or, the or of all bits, element by element.
//
// y = a | b.
// Source: Python array API standard, `bitwise_or`.
#include "binary/bits.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.bitwise_or";

constexpr std::string_view doc =
    R"(The or of all bits: `y = a | b`. The operands are broadcast together. Of bool it is that
of truth values; a negative integer has the bits of two's complement.

No gradient: the operands are integers.

Source: Python array API standard, `bitwise_or`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "bitwise_or(a: T[...], b: T[...]) -> T[...] where T: bool|int promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr auto samples = tenon::bits::samples(name);

}  // namespace

TENON_UNIT(bitwise_or) = {.ops = ops, .samples = samples};
