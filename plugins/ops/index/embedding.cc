// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/embedding.cc: embedding, rows of a table picked by number.
//
// y[..., :] = table[indices[...], :];  dtable gets the rows of dy, summed where picked twice.
// Source: PyTorch's `embedding`.
#include "index/picking.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.embedding";

constexpr std::string_view doc =
    R"(Rows of `table` picked by `indices`: the result has the shape of `indices` and the width of
the table. An index outside the table is refused, negative ones too.

Gradient: for `table` as rows, `dy` at `indices`: a leaf keeps them sparse, elsewhere they
are added into zeros, as everywhere while the gradient itself is differentiated. `indices`
has none.

Source: PyTorch, `embedding`.

Canonical arithmetic: none; bits are moved.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_rank(args, 0, "table", 2, "[N,D]");
  if ((args.view(1).flags & TENON_VIEW_HOST_SCALAR) != 0) {
    throw sdk::Failure{TENON_E_ARGUMENT, "indices must be a tensor", "indices",
                       "a tensor of i32 or i64", "a number"};
  }
  rules::Dims shape(args.shape(1));
  shape.push(args.shape(0)[1]);
  sdk::set_shape(out[0], shape.span());
}

void vjp(sdk::Vjp& v) { rules::picked_grad(v, 0, v.in(1)); }

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "embedding(table: T[N,D], indices: I[...]) -> T[...] where T: float; I: i32|i64",
     .doc = doc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(1), .input_metas = sdk::bit(0) | sdk::bit(1)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .non_differentiable = sdk::bit(1)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5,3], i64[4]{0,2,4,2}"),
    sdk::sample(name, "f64[5,3], i32[2,2]{4,4,4,0}"),
    sdk::sample(name, "f64[5,2], i64[2,1,2]{0,1,2,3}"),
    sdk::sample(name, "f64[4,2], i64[1,2,1,2]{3,0,1,1}"),
    sdk::sample(name, "f64[5,3], i64[]{3}"),
    sdk::sample(name, "f64[1,1], i64[1]{0}"),
    sdk::sample(name, "f64[5,3], i64[0]"),
    sdk::sample(name, "f64[0,3], i64[0]"),
    sdk::sample(name, "f64[4,0], i64[2]{1,3}"),
    sdk::sample(name, "bf16[3,2], i32[3]{2,1,0}"),
    sdk::sample(name, "f32[3,2]{nan,inf,-0.0,3.4028235e38,1e-45,-inf}, i64[3]{2,0,1}"),
    sdk::sample(name,
                "f64[2,2]{1.7976931348623157e308,5e-324,2.2250738585072014e-308,nan}, i64[2]{1,0}"),
    sdk::sample(name, "f16[2,2]{65504.0,6e-8,inf,-0.0}, i32[2]{1,1}"),
    sdk::refused(name, "f32[5,3], i64[2]{0,5}", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5,3], i32[1]{-1}", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5], i64[2]", TENON_E_SHAPE, "table"),
    sdk::refused(name, "f32[5,3,1], i64[2]", TENON_E_SHAPE, "table"),
    sdk::refused(name, "f32[5,3], f32[2]", TENON_E_DTYPE, "f32"),
    sdk::refused(name, "i32[5,3], i64[2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[5,3], 1", TENON_E_ARGUMENT, "a tensor"),
    sdk::refused(name, "f32[5,3]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(embedding) = {.ops = ops, .vjps = vjps, .samples = samples};
