// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/cosine_embedding_loss.cc: cosine_embedding_loss, for pairs of vectors that are
// to be alike or not.
//
// y = reduction of 1 - cos(a, b) where target is 1, of max(cos(a, b) - margin, 0) where it is -1.
// A composition, whose gradient is that of its ops.
// Source: PyTorch's `cosine_embedding_loss`.
#include "loss/reduction.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cosine_embedding_loss";

constexpr std::string_view doc =
    R"(For each pair of vectors `a` and `b` of `[N,D]`, or the one pair of `[D]`, with `cos =
sum(a * b) / (sqrt(sum(a * a) + 1e-12) * sqrt(sum(b * b) + 1e-12))`: `1 - cos` where `target` is 1,
`max(cos - margin, 0)` where it is -1, and 0 where it is another number. Of these the mean, with
`reduction` "sum" the sum, with "none" each of them. The mean of nothing is NaN. `target` has any
dtype but u8, which has no -1.

Gradient: that of its composition, so that a `cos` that is `margin` counts as above it; `target` has
none.

Source: PyTorch, `cosine_embedding_loss`.

Canonical arithmetic: each step as in the op that does it, in f64, rounded to T at the end.)";

enum Attribute : uint32_t { kReduction, kMargin };
// PyTorch's, whatever the dtype.
constexpr double kLeastSquare = 1e-12;

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> a = args.shape(0);
  const std::span<const int64_t> b = args.shape(1);
  const std::span<const int64_t> target = args.shape(2);
  if (a.size() != 1 && a.size() != 2) {
    throw sdk::Failure{TENON_E_SHAPE, "a must have 1 or 2 dimensions", "a", "[D] or [N,D]",
                       sdk::shape_text(a)};
  }
  if (!std::ranges::equal(a, b)) {
    throw sdk::Failure{TENON_E_SHAPE, "a and b must have the same shape", "b", sdk::shape_text(a),
                       sdk::shape_text(b)};
  }
  if (!std::ranges::equal(target, a.first(a.size() - 1))) {
    throw sdk::Failure{TENON_E_SHAPE, "target must have one number for each pair", "target",
                       sdk::shape_text(a.first(a.size() - 1)), sdk::shape_text(target)};
  }
  loss::set_loss_shape(out[0], loss::reduction_of(args.attrs[kReduction]), target);
}

tenon_tensor* row_sums(sdk::Calls& calls, tenon_tensor* a, tenon_tensor* b) {
  const int64_t axis = -1;
  return calls.call("tenon.sum", {calls.call("tenon.mul", {a, b})},
                    {sdk::Value(std::span(&axis, 1))});
}

tenon_tensor* length(sdk::Calls& calls, tenon_tensor* a) {
  return calls.call("tenon.sqrt", {calls.call("tenon.add", {row_sums(calls, a, a), kLeastSquare})});
}

// Numbers of any dtype, without a rounding that makes them 1 or -1.
tenon_tensor* as_f64(sdk::Calls& calls, sdk::Value target) {
  return loss::operand_as(calls, target, TENON_DTYPE_F64, TENON_DTYPE_F64);
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(0).tensor()).dtype;
  // In f64, which holds all squares of narrower floats.
  tenon_tensor* a = loss::operand_as(c, c.in(0), dtype, TENON_DTYPE_F64);
  tenon_tensor* b = loss::operand_as(c, c.in(1), dtype, TENON_DTYPE_F64);
  // Two roots and not the root of a product, which might leave the range.
  tenon_tensor* scale = c.call("tenon.mul", {length(c, a), length(c, b)});
  tenon_tensor* cosine = c.call("tenon.div", {row_sums(c, a, b), scale});
  tenon_tensor* apart =
      c.call("tenon.clamp", {c.call("tenon.sub", {cosine, c.attrs.real(kMargin)}), 0});
  tenon_tensor* target = as_f64(c, c.in(2));
  tenon_tensor* terms = c.call("tenon.where", {c.call("tenon.eq", {target, -1}), apart, 0});
  terms = c.call("tenon.where",
                 {c.call("tenon.eq", {target, 1}), c.call("tenon.sub", {1, cosine}), terms});
  const loss::Reduction reduction = loss::reduction_of(c.attrs[kReduction]);
  c.set(0, rules::rounded_to(c, loss::reduced(c, terms, reduction), dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cosine_embedding_loss(a: T[...], b: T[...], target: U[...], *, reduction: "
                       "str=\"mean\", margin: float=0.0) -> T[...] where T: float "
                       "promote; U: bool|i8|i16|i32|i64|float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[4,3], f64[4,3], i64[4]{1,-1,1,-1}"),
    sdk::sample(name, "f64[4,3], f64[4,3], f64[4]{1.0,-1.0,1.0,-1.0} | margin=0.25"),
    sdk::sample(name, "f64[4,3], f64[4,3], i64[4]{1,-1,1,-1} | reduction=\"sum\", margin=-0.5"),
    sdk::sample(name, "f64[4,3], f64[4,3], i64[4]{1,-1,0,-1} | reduction=\"none\", margin=-2.0"),
    sdk::sample(name, "f64[3], f64[3], i64[]{1}"),
    sdk::sample(name, "f64[3], f64[3], -1 | margin=-2.0"),
    sdk::sample(name, "f64[1,1](0.5,2), f64[1,1](-2,-0.5), i64[1]{-1} | margin=-2.0"),
    sdk::sample(name, "f64[0,3], f64[0,3], i64[0]"),
    sdk::sample(name, "f64[0,3], f64[0,3], i64[0] | reduction=\"sum\""),
    sdk::sample(name, "f64[2,0], f64[2,0], i64[2]{1,-1} | reduction=\"none\""),
    sdk::sample(name, "f32[3,60], f32[3,60], i64[3]{1,-1,1} | reduction=\"none\""),
    sdk::sample(name, "f32[2,3], f16[2,3], i64[2]{1,1}"),
    sdk::sample(name, "i32[2,3](1,5), f32[2,3], i8[2]{1,0}"),
    sdk::sample(name, "f32[2,3], f32[2,3], bool[2]{true,false} | reduction=\"none\""),
    sdk::sample(name, "f16[1,3]{300.0,-300.0,6e-8}, f16[1,3]{60000.0,5.0,0.0}, i64[1]{1}"),
    sdk::sample(name, "bf16[2,3](0.5,2), bf16[2,3](0.5,2), i64[2]{1,-1}"),
    sdk::sample(name,
                "f32[2,2]{0.0,0.0,3.0,4.0}, f32[2,2]{1.0,2.0,-0.0,0.0}, i64[2]{1,-1} | "
                "reduction=\"none\""),
    sdk::sample(name,
                "f32[3,2]{nan,1.0,inf,1.0,nan,2.0}, f32[3,2]{1.0,1.0,1.0,1.0,1.0,1.0}, "
                "i64[3]{1,-1,3} | reduction=\"none\""),
    sdk::sample(name, "f32[1,2]{1e15,2e15}, f32[1,2]{1e15,-1e14}, i64[1]{-1}"),
    sdk::sample(name, "f64[1,2]{1e150,0.0}, f64[1,2]{1e150,1e150}, i64[1]{-1}"),
    sdk::refused(name, "f32[2,3], f32[2,4], i64[2]", TENON_E_SHAPE, "the same shape"),
    sdk::refused(name, "f32[2,3], f32[3], i64[2]", TENON_E_SHAPE, "the same shape"),
    sdk::refused(name, "f32[2,3], f32[2,3], i64[3]", TENON_E_SHAPE, "one number for each pair"),
    sdk::refused(name, "f32[2,3], f32[2,3], 1", TENON_E_SHAPE, "one number for each pair"),
    sdk::refused(name, "f32[], f32[], i64[]", TENON_E_SHAPE, "1 or 2 dimensions"),
    sdk::refused(name, "f32[1,2,3], f32[1,2,3], i64[1,2]", TENON_E_SHAPE, "1 or 2 dimensions"),
    sdk::refused(name, "f32[3], f32[3], i64[] | reduction=\"median\"", TENON_E_ATTRIBUTE,
                 "reduction names no way"),
    sdk::refused(name, "bool[3], bool[3], i64[] | margin=\"wide\"", TENON_E_ATTRIBUTE, "margin"),
    sdk::refused(name, "f32[2,3], f32[2,3], u8[2]{1,255}", TENON_E_DTYPE, "u8 is not supported"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Roots, products and a quotient, each rounded, sums and a difference that may cancel.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {8, 4e-06}, .f64 = {8, 1e-14}});

}  // namespace

TENON_UNIT(cosine_embedding_loss) = {.ops = ops, .samples = samples, .tolerances = tolerances};
