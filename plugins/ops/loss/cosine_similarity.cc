// SPDX-License-Identifier: Apache-2.0
// plugins/ops/loss/cosine_similarity.cc: cosine_similarity, the cosine of the angle of two vectors.
//
// y = sum over the axis of (a / max(|a|, eps)) (b / max(|b|, eps)).
// A composition, whose gradient is that of its ops.
// Source: PyTorch's `cosine_similarity`.
#include "loss/reduction.hpp"

namespace {

namespace loss = tenon::loss;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.cosine_similarity";

constexpr std::string_view doc =
    R"(The cosine of the angle between the vectors that lie along `axis`: `y = sum(a / max(|a|, eps)
* (b / max(|b|, eps)))`, with the lengths `|a|` and `|b|` as in `tenon.norm`. The operands are
broadcast together first, and `axis` is one of what comes out. A vector of zeros has the similarity
0. `eps` is finite and 0 or more.

Gradient: that of its composition: `da = dy / |a| * (b / |b| - y * a / |a|)`, and `db` likewise. A
length below `eps` is a constant: `da = dy / eps * b / |b|`. One that is `eps` is none.

Source: PyTorch, `cosine_similarity`, in whose gradient a length below `eps` is not a constant.

Canonical arithmetic: that of `tenon.norm`, `tenon.div`, `tenon.mul` and `tenon.sum` in f64, rounded
to T at the end.)";

enum Attribute : uint32_t { kAxis, kEps };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  loss::need_positive(args.attrs, kEps, "eps", true);
  const rules::Dims common = rules::common_shape(args.shape(0), args.shape(1), "a", "b");
  const auto axis =
      static_cast<size_t>(rules::axis_of(args.attrs.integer(kAxis), common.count(), "axis", "a"));
  rules::Dims rest(common.span().first(axis));
  for (const int64_t size : common.span().subspan(axis + 1)) rest.push(size);
  sdk::set_shape(out[0], rest.span());
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = loss::dtype_of(c, {c.in(0), c.in(1)});
  // In f64, which holds all squares of narrower floats.
  tenon_tensor* vectors[] = {loss::operand_as(c, c.in(0), dtype, TENON_DTYPE_F64),
                             loss::operand_as(c, c.in(1), dtype, TENON_DTYPE_F64)};
  const tenon_meta a = c.meta(vectors[0]);
  const tenon_meta b = c.meta(vectors[1]);
  const rules::Dims common = rules::common_shape(rules::shape_of(a), rules::shape_of(b), "a", "b");
  const int64_t axis = rules::axis_of(c.attrs.integer(kAxis), common.count(), "axis", "a");
  const sdk::Value axes(std::span(&axis, 1));
  for (tenon_tensor*& vector : vectors) {
    if (!std::ranges::equal(rules::shape_of(c.meta(vector)), common.span())) {
      vector = rules::expand(c, vector, common);
    }
    tenon_tensor* length = c.call("tenon.norm", {vector}, {axes, true});
    length = c.call("tenon.clamp", {length, c.attrs.real(kEps)});
    vector = c.call("tenon.div", {vector, length});
  }
  tenon_tensor* products = c.call("tenon.mul", {vectors[0], vectors[1]});
  c.set(0, rules::rounded_to(c, c.call("tenon.sum", {products}, {axes}), dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cosine_similarity(a: T[...], b: T[...], *, axis: int=1, eps: float=1e-08) "
                       "-> T[...] where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[2,3] | axis=0"),
    sdk::sample(name, "f64[2,1,3,2], f64[4,1,2](0.5,2) | axis=-2"),
    sdk::sample(name, "f64[5], f64[5] | axis=0"),
    sdk::sample(name, "f64[2,3], f64[3]"),
    sdk::sample(name, "f64[2,1](0.5,2), f64[2,4]"),
    sdk::sample(name, "f64[4,1](0.5,2), f64[4,1](-2,-0.5)"),
    sdk::sample(name, "f64[2,3], f64[2,3] | eps=0.0"),
    sdk::sample(name, "f64[2,3](-0.1,0.1), f64[2,3] | eps=1.0"),
    sdk::sample(name, "f64[2,3], 0.5"),
    sdk::sample(name, "f64[0,3], f64[0,3]"),
    sdk::sample(name, "f64[2,0], f64[2,0]"),
    sdk::sample(name, "f32[3,60], f32[3,60]"),
    sdk::sample(name, "f32[1,3], f16[1,3]"),
    sdk::sample(name, "i32[2,3](1,5), f32[2,3]"),
    sdk::sample(name, "f16[1,3]{300.0,-300.0,6e-8}, f16[1,3]{60000.0,5.0,0.0}"),
    sdk::sample(name, "bf16[2,3](0.5,2), bf16[2,3](0.5,2)"),
    sdk::sample(name, "f32[2,2]{0.0,0.0,3.0,4.0}, f32[2,2]{1.0,2.0,-0.0,0.0}"),
    sdk::sample(name, "f32[3,2]{nan,1.0,inf,1.0,1.0,2.0}, f32[3,2]{1.0,1.0,1.0,1.0,1.0,-inf}"),
    sdk::sample(name, "f32[2,2]{1e38,2e38,1e-45,1e-45}, f32[2,2]{1e38,-1e37,1e38,1e-38}"),
    sdk::sample(name, "f64[1,2]{1e150,5e-324}, f64[1,2]{1e-150,1e-150}"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "do not broadcast"),
    sdk::refused(name, "f32[2,3], f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[], f32[]", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[2,3], f32[2,3] | eps=-1.0", TENON_E_ATTRIBUTE, "eps is negative"),
    sdk::refused(name, "f32[2,3], f32[2,3] | eps=nan", TENON_E_ATTRIBUTE, "no finite number"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Roots, quotients and products, each rounded, and sums that may cancel.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {8, 4e-06}, .f64 = {8, 1e-14}});

}  // namespace

TENON_UNIT(cosine_similarity) = {.ops = ops, .samples = samples, .tolerances = tolerances};
