// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/bitwise_not.cc: bitwise_not, every bit turned, element by element.
//
// y = ~x. Source: Python array API standard, `bitwise_invert`.
#include "elementwise.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.bitwise_not";

constexpr std::string_view doc =
    R"(Every bit of an integer turned: `y = -1 - x`, of u8 `255 - x`. Of bool it is the opposite
truth value.

No gradient: the operand is not a float.

Source: Python array API standard, `bitwise_invert`; PyTorch, `bitwise_not`.

Canonical arithmetic: exact.)";

constexpr tenon_op_desc ops[] = {
    unary::op(name, "bitwise_not(x: T[...]) -> T[...] where T: bool | int", doc)};

constexpr auto samples = unary::joined(
    unary::with_refused(
        name, std::array<std::string_view, 13>{"i32[2,3](-100,100)", "i64[2,1,3,2]", "i32[]",
                                               "i32[1,5,1]", "i32[0,3]", "bool[2,3]", "bool[]",
                                               ends::kI64, ends::kI32, ends::kI16, ends::kI8,
                                               ends::kU8, "u8[7](0,255)"}),
    std::array{sdk::refused(name, "f32[3]", TENON_E_DTYPE, "f32")});

}  // namespace

TENON_UNIT(bitwise_not) = {.ops = ops, .samples = samples};
