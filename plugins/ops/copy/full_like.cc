// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/full_like.cc: full_like, one value everywhere, in the form of another tensor.
//
// y[...] = value. Source: array-api `full_like`.
#include "copy/filling.hpp"
#include "integers.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.full_like";

constexpr std::string_view doc =
    R"(A new tensor with the shape, the dtype and the device of `x`, and one value everywhere:
`y[...] = value`. By default that is 0.

No gradient: the result does not depend on the elements of `x`.

Source: Python array API standard, `full_like`, `zeros_like`, `ones_like`.

A `value` that an integer dtype does not hold is refused, as by `tenon.full`.

Canonical arithmetic: `value` is converted to the dtype as `tenon.cast` converts an f64, i64 or
bool.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_fit(args.attrs[0], out[0].dtype, "value");
  sdk::set_shape(out[0], args.shape(0));
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  tenon_tensor* one = rules::filled(c, rules::Dims(meta), c.attrs[0], meta.dtype);
  c.set(0, c.call("tenon.copy", {one}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "full_like(x: T[...], *, value: number=0) -> T[...]",
             .doc = doc,
             .flags = TENON_OP_ELEMENTWISE,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,1,3,2] | value=1.25"),
    sdk::sample(name, "i32[5] | value=-7"),
    sdk::sample(name, "f64[] | value=2.5"),
    sdk::sample(name, "f16[3,0,2] | value=1"),
    sdk::sample(name, "bool[4] | value=true"),
    sdk::sample(name, "bool[2] | value=0.5"),
    sdk::sample(name, "f32[3] | value=inf"),
    sdk::sample(name, "bf16[2] | value=nan"),
    sdk::sample(name, "f32[2]{nan,inf} | value=0"),
    sdk::sample(name, "i64[1] | value=9223372036854775807"),
    sdk::sample(name, "u8[2] | value=255"),
    sdk::sample(name, "u8[2] | value=1.5"),
    sdk::sample(name, "f16[3] | value=65520.0"),
    sdk::sample(name, "bf16[2] | value=-0.0"),
    sdk::sample(name, "f32[2] | value=1e-45"),
    sdk::sample(name, "f64[2] | value=1.7976931348623157e308"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "u8[2] | value=256", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "u8[2] | value=-1.5", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "i64[2] | value=nan", TENON_E_ATTRIBUTE, "out of range"),
    sdk::refused(name, "f32[2] | value=\"1\"", TENON_E_ATTRIBUTE, "value"),
};

}  // namespace

TENON_UNIT(full_like) = {.ops = ops, .samples = samples};
