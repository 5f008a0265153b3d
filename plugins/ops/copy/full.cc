// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/full.cc: full, a new tensor with one value everywhere.
//
// y[...] = value. Source: array-api `full`.
#include "integers.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.full";

constexpr std::string_view doc = R"(A new tensor of the given shape and dtype: `y[...] = value`.

No gradient: there is no tensor input.

Source: Python array API standard, `full`.

A `value` that an integer dtype does not hold is refused: 300 and NaN in u8. A float loses its
fraction.

Canonical arithmetic: `value` is converted to the dtype as `tenon.cast` converts an f64, i64 or
bool.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_fit(args.attrs[1], out[0].dtype, "value");
  sdk::set_shape(out[0], rules::checked_shape(args.attrs.ints(0), "shape").span());
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "full(*, shape: int[], value: number=0, dtype: D=f32) -> D[...]",
             .doc = doc,
             .role = TENON_ROLE_FILL,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[2,3]"),
    sdk::sample(name, "| shape=[2,1,3,2], value=1.25"),
    sdk::sample(name, "| shape=[5], value=2.5, dtype=f64"),
    sdk::sample(name, "| shape=[], value=-7, dtype=i32"),
    sdk::sample(name, "| shape=[3,0,2], value=1, dtype=f16"),
    sdk::sample(name, "| shape=[4], value=true, dtype=bool"),
    sdk::sample(name, "| shape=[2], value=0.5, dtype=bool"),
    sdk::sample(name, "| shape=[3], value=inf"),
    sdk::sample(name, "| shape=[2], value=nan, dtype=bf16"),
    sdk::sample(name, "| shape=[1], value=9223372036854775807, dtype=i64"),
    sdk::sample(name, "| shape=[2], value=9223372036854775807"),
    sdk::sample(name, "| shape=[2], value=255.75, dtype=u8"),
    sdk::sample(name, "| shape=[2], value=-0.5, dtype=u8"),
    sdk::sample(name, "| shape=[3], value=65520.0, dtype=f16"),
    sdk::sample(name, "| shape=[2], value=-0.0, dtype=bf16"),
    sdk::sample(name, "| shape=[2], value=1e-45, dtype=f32"),
    sdk::sample(name, "| shape=[2], value=-128, dtype=i8"),
    sdk::sample(name, "| shape=[2], value=32767, dtype=i16"),
    sdk::refused(name, "f32[2] | shape=[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=2", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2], value=\"1\"", TENON_E_ATTRIBUTE, "value"),
    sdk::refused(name, "| shape=[2], value=300, dtype=u8", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=-1, dtype=u8", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[0], value=-129, dtype=i8", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=70000, dtype=i16", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=256.0, dtype=u8", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=2147483648, dtype=i32", TENON_E_ATTRIBUTE,
                 "out of range"),
    sdk::refused(name, "| shape=[2], value=9.3e18, dtype=i64", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=nan, dtype=i32", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], value=inf, dtype=i64", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "| shape=[2], dtype=1", TENON_E_ATTRIBUTE, "dtype"),
    sdk::refused(name, "| shape=[2,-1]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[4294967296,4294967296]", TENON_E_SHAPE, "too many elements"),
    sdk::refused(name, "| shape=[1,1,1,1,1,1,1,1,1]", TENON_E_SHAPE, "more than 8 dimensions"),
};

}  // namespace

TENON_UNIT(full) = {.ops = ops, .samples = samples};
