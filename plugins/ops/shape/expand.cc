// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/expand.cc: expand, dimensions of size 1 repeated without copying.
//
// y = x broadcast to shape;  dx = dy summed back to x's shape.
// Source: array-api `broadcast_to`, PyTorch's `expand`.
#include "shape/expanding.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.expand";

constexpr std::string_view doc =
    R"(`x` broadcast to `shape`: dimensions of size 1 are repeated, new dimensions are put in
front. A size of -1 keeps the size of `x`. A view: repeated dimensions have stride 0, so
the result cannot be written in place.

Gradient: `dx` is `dy`, summed back to the shape of `x`.

Source: Python array API standard, `broadcast_to`; -1 as in PyTorch's `expand`.

Canonical arithmetic: none; bits are repeated.)";

rules::Dims target_of(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  rules::Dims target(args.attrs.ints(0));
  for (size_t i = 0; i < target.count(); ++i) {
    if (target[i] != -1) continue;
    if (i + shape.size() < target.count()) {
      throw sdk::Failure{TENON_E_SHAPE, "-1 stands for a new dimension, which has no size to keep",
                         "shape", "a size of 0 or more", sdk::shape_text(target.span())};
    }
    target[i] = shape[i + shape.size() - target.count()];
  }
  target = rules::checked_shape(target.span(), "shape");
  rules::need_expandable(shape, target);
  return target;
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], target_of(args).span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  rules::expanded_view(args.view(0), target_of(args), out);
}

void vjp(sdk::Vjp& v) {
  const rules::Dims shape(v.in_meta(0));
  v.grad(0, v.call("tenon.sum_to", {v.dy()}, {shape.value()}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "expand(x: T[...], *, shape: int[]) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3] | shape=[2,3]"),
    sdk::sample(name, "f64[2,1] | shape=[2,3]"),
    sdk::sample(name, "f64[2,1] | shape=[4,-1,3]"),
    sdk::sample(name, "f64[2,1,3] | shape=[2,2,4,3]"),
    sdk::sample(name, "f64[] | shape=[2,2]"),
    sdk::sample(name, "f64[] | shape=[]"),
    sdk::sample(name, "f64[2,3] | shape=[-1,-1]"),
    sdk::sample(name, "f64[1,3] | shape=[0,3]"),
    sdk::sample(name, "f64[0,1] | shape=[0,2]"),
    sdk::sample(name, "i32[1,1,2] | shape=[3,2,2]"),
    sdk::sample(name, "f32[1,6]{0.0,-0.0,inf,-inf,nan,1e-45} | shape=[2,6]"),
    sdk::sample(name,
                "f64[1,6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | shape=[2,6]"),
    sdk::sample(name, "f16[1,6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | shape=[2,6]"),
    sdk::sample(name, "bf16[1,6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | shape=[2,6]"),
    sdk::sample(name, "i64[1,6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | shape=[2,6]"),
    sdk::sample(name, "bool[1,6] | shape=[2,6]"),
    sdk::refused(name, "f32[2,3] | shape=[3]", TENON_E_SHAPE, "cannot be expanded"),
    sdk::refused(name, "f32[2] | shape=[3]", TENON_E_SHAPE, "cannot be expanded"),
    sdk::refused(name, "f32[2] | shape=[-1,2]", TENON_E_SHAPE, "no size to keep"),
    sdk::refused(name, "f32[1] | shape=[-2]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[1] | shape=[4294967296,4294967296]", TENON_E_SHAPE,
                 "too many elements"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(expand) = {.ops = ops, .vjps = vjps, .samples = samples};
