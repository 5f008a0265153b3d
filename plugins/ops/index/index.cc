// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/index.cc: index, elements or slices picked by a list of index tensors.
//
// y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b].
// Source: NumPy's integer array indexing, PyTorch's `index`.
#include "index/places.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.index";

constexpr std::string_view doc =
    R"(`y[i..., b] = x[indices_0[i...], indices_1[i...], ..., b]`: one tensor of indices for each of
the first dimensions of `x`, broadcast together; `b` runs over the dimensions that are left. An
index outside its dimension is refused, negative ones too.

Gradient: `dy` is added into zeros at the places it came from (`tenon.index_put` with
`accumulate`); `indices` has none.

Source: Python array API standard 2024.12, integer array indexing; PyTorch, `index`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], rules::placed_shape(args).span());
}

void vjp(sdk::Vjp& v) {
  const sdk::Value zeros = rules::zeros_beside(v, v.dy(), rules::Dims(v.in_meta(0)));
  v.grad(0, v.call("tenon.index_put", {zeros, v.in(1), v.dy()}, {true}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "index(x: T[...], indices: I[...]*) -> T[...] where I: i32|i64",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,4], [i64[3]{0,2,0}, i64[3]{1,3,1}]"),
    sdk::sample(name, "f64[3,4], [i32[2,2]{0,2,1,1}]"),
    sdk::sample(name, "f64[3,2,4], [i64[2,1]{0,2}, i64[3]{1,0,1}]"),
    sdk::sample(name, "f64[2,3,2,2], [i64[2]{0,1}, i64[1]{2}, i64[]{1}]"),
    sdk::sample(name, "f64[4,3], [i64[]{3}, i64[]{0}]"),
    sdk::sample(name, "f64[1], [i64[1]{0}]"),
    sdk::sample(name, "f64[4,3], [i64[0]]"),
    sdk::sample(name, "f64[4,0], [i64[2]{1,3}]"),
    sdk::sample(name, "i32[3,2], [i64[2]{2,0}, i64[2]{0,1}]"),
    sdk::sample(name, "i64[3]{-9223372036854775808,0,9223372036854775807}, [i32[2]{2,0}]"),
    sdk::sample(name, "bool[4], [i32[3]{3,0,2}]"),
    sdk::sample(name, "u8[3]{0,255,7}, [i64[2]{1,0}]"),
    sdk::sample(name, "f32[6]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, [i64[6]{5,4,3,2,1,0}]"),
    sdk::sample(name, "f64[3]{1.7976931348623157e308,5e-324,nan}, [i64[3]{2,1,0}]"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, [i32[2]{1,0}]"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, [i32[2]{1,0}]"),
    sdk::refused(name, "f32[5,2], [i64[2]{0,4}, i64[2]{0,2}]", TENON_E_DATA, "indices.1[1] is 2"),
    sdk::refused(name, "f32[5], [i64[1]{-1}]", TENON_E_DATA, "is -1"),
    sdk::refused(name, "f32[5], [i64[1]{0}, i64[1]{0}]", TENON_E_ARGUMENT, "other dimensions"),
    sdk::refused(name, "f32[5], []", TENON_E_ARGUMENT, "indices"),
    sdk::refused(name, "f32[5,5], [i64[2]{0,0}, i64[3]{0,0,0}]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[5], [f32[1]]", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "f32[5]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(index) = {.ops = ops, .vjps = vjps, .samples = samples};
