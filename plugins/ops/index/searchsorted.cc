// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/searchsorted.cc: searchsorted, where values belong among sorted ones.
//
// y = the number of elements of a line of `sorted` below the value (right: not above it).
// Source: array-api `searchsorted`, PyTorch's `searchsorted`.
#include <algorithm>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.searchsorted";

constexpr std::string_view doc =
    R"(For each element of `values` the place at which it can be put into `sorted` so that the
order holds: before all elements equal to it, with `right` after them. `sorted` ascends along
its last dimension, in the order of `tenon.sort`: a NaN is larger than any number. It has either
one dimension, for values of any shape, or the dimensions of `values` but for the last. What is
not in order gives places without a meaning.

No gradient: the result is i64.

Source: Python array API standard 2023.12, `searchsorted`; lines of their own as in PyTorch.

Canonical arithmetic: exact.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> sorted = args.shape(0);
  const std::span<const int64_t> values = args.shape(1);
  bool fits = sorted.size() == 1;
  if (sorted.size() > 1 && sorted.size() == values.size()) {
    fits = std::equal(sorted.begin(), sorted.end() - 1, values.begin());
  }
  if (!fits) {
    throw sdk::Failure{
        TENON_E_SHAPE, "sorted has neither one dimension nor those of values", "sorted",
        "one dimension, or the sizes of values but for the last: " + sdk::shape_text(values),
        sdk::shape_text(sorted)};
  }
  sdk::set_shape(out[0], values);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "searchsorted(sorted: T[...], values: T[...], *, right: bool=false) -> "
                       "i64[...] where T: number",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5]{1.0,2.0,2.0,3.0,5.0}, f64[7]{0.0,1.0,2.0,2.5,3.0,5.0,6.0}"),
    sdk::sample(name,
                "f64[5]{1.0,2.0,2.0,3.0,5.0}, f64[7]{0.0,1.0,2.0,2.5,3.0,5.0,6.0} | right=true"),
    sdk::sample(name, "f64[2,3]{0.0,1.0,2.0,1.0,1.0,4.0}, f64[2,4](0,4)"),
    sdk::sample(name, "f64[1,2,1,3]{0.0,1.0,2.0,1.0,1.0,4.0}, f64[1,2,1,5](0,4) | right=true"),
    sdk::sample(name, "f64[4]{0.0,1.0,2.0,3.0}, f64[2,1,3,2](0,4)"),
    sdk::sample(name, "f64[3]{0.0,1.0,2.0}, 1.0"),
    sdk::sample(name, "f64[3]{0.0,1.0,2.0}, f64[]"),
    sdk::sample(name, "f64[1]{0.0}, f64[2]"),
    sdk::sample(name, "f64[0], f64[3]"),
    sdk::sample(name, "f64[3]{0.0,1.0,2.0}, f64[0]"),
    sdk::sample(name, "i64[4]{-9223372036854775808,0,0,9223372036854775807}, i64[3]{0,1,-1}"),
    sdk::sample(name, "u8[4]{0,7,7,255}, u8[3]{7,255,0} | right=true"),
    sdk::sample(name, "f32[6]{-inf,-0.0,1e-45,inf,nan,nan}, f32[6]{0.0,-0.0,nan,inf,-inf,1e-45}"),
    sdk::sample(name,
                "f32[6]{-inf,-0.0,1e-45,inf,nan,nan}, f32[6]{0.0,-0.0,nan,inf,-inf,1e-45} | "
                "right=true"),
    sdk::sample(name,
                "f64[3]{5e-324,2.2250738585072014e-308,1.7976931348623157e308}, "
                "f64[2]{2.2250738585072014e-308,-5e-324}"),
    sdk::sample(name, "f16[3]{6e-8,6.1035e-5,65504.0}, f16[2]{6.1035e-5,65504.0}"),
    sdk::sample(name, "bf16[3]{9.2e-41,1.1755e-38,3.39e38}, bf16[2]{1.1755e-38,3.39e38}"),
    sdk::refused(name, "f32[2,3], f32[3]", TENON_E_SHAPE, "neither one dimension"),
    sdk::refused(name, "f32[2,3], f32[3,4]", TENON_E_SHAPE, "neither one dimension"),
    sdk::refused(name, "f32[], f32[3]", TENON_E_SHAPE, "neither one dimension"),
    sdk::refused(name, "f32[3], f64[3]", TENON_E_DTYPE, "values"),
    sdk::refused(name, "bool[3], bool[3]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(searchsorted) = {.ops = ops, .samples = samples};
