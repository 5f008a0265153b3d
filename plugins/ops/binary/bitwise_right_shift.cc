// SPDX-License-Identifier: Apache-2.0
// plugins/ops/binary/bitwise_right_shift.cc: bitwise_right_shift, bits moved down, element by
// element.
//
// y = floor(a / 2^b).
// Source: Python array API standard, `bitwise_right_shift`; what it leaves open as in NumPy.
#include "binary/bits.hpp"
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.bitwise_right_shift";

constexpr std::string_view doc =
    R"(Moves the bits of `a` down by `b` places: `y = floor(a / 2^b)`. Signed integers keep
their sign. The operands are broadcast together. A count of the dtype's width or more leaves 0, or
-1 of a negative `a`; a negative count is taken as such a one.

No gradient: the operands are integers.

Source: Python array API standard, `bitwise_right_shift`; what it leaves open as in NumPy
and PyTorch.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "bitwise_right_shift(a: T[...], b: T[...]) -> T[...] where T: int promote",
             .doc = doc,
             .shape = TENON_SHAPE_BROADCAST,
             .flags = TENON_OP_ELEMENTWISE})};

constexpr auto samples = tenon::bits::shift_samples(name);

}  // namespace

TENON_UNIT(bitwise_right_shift) = {.ops = ops, .samples = samples};
