// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/view.cc: view, the same memory in another shape, or an error.
//
// y = x in row-major order, in another shape, without a copy;  dx = dy in x's shape.
// Source: PyTorch's `Tensor.view`.
#include "shape/reshaping.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.view";

constexpr std::string_view doc =
    R"(The elements of `x`, read in row-major order, in another shape, always in the memory of
`x`: where `tenon.reshape` would copy because of the strides of `x`, this op is an error that
names them. One size may be -1: it is what is left over.

Gradient: `dx` is `dy` in the shape of `x`.

Source: PyTorch, `Tensor.view`; when a view exists as in its `computeStride`
(`aten/src/ATen/TensorUtils.cpp`).

Canonical arithmetic: none; bits are moved.)";

rules::Dims target_of(const sdk::Args& args) {
  return rules::filled_shape(args.shape(0), args.attrs.ints(0));
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], target_of(args).span());
}

void view(const sdk::Args& args, tenon_view_result& out) {
  const tenon_view& x = args.view(0);
  const rules::Dims target = target_of(args);
  if (rules::reshaped_view(x, target, out)) return;
  const std::string strides = sdk::shape_text({x.strides, static_cast<size_t>(x.rank)});
  throw sdk::Failure{TENON_E_LAYOUT,
                     "no view of " + sdk::shape_text(args.shape(0)) + " with strides " + strides +
                         " has the shape " + sdk::shape_text(target.span()),
                     "x",
                     "strides under which the merged dimensions are evenly spaced",
                     strides,
                     "tenon.reshape copies where it must"};
}

void vjp(sdk::Vjp& v) { v.grad(0, rules::reshape(v, v.dy(), rules::Dims(v.in_meta(0)))); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "view(x: T[...], *, shape: int[]) -> T[...]",
                                          .doc = doc,
                                          .flags = TENON_OP_LINEAR,
                                          .infer = sdk::infer_fn<infer>,
                                          .view = sdk::view_fn<view>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

// Dimensions are only split here, which is a view in every layout; tests/views/view_chain_test.cc
// merges some that are not a view.
constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[6] | shape=[3,2]"),
    sdk::sample(name, "f64[2,6] | shape=[2,-1,3]"),
    sdk::sample(name, "f64[2,1,4,3] | shape=[2,1,2,2,1,3]"),
    sdk::sample(name, "f64[2,3] | shape=[2,3]"),
    sdk::sample(name, "f64[1] | shape=[]"),
    sdk::sample(name, "f64[] | shape=[1,1]"),
    sdk::sample(name, "f64[2,0,3] | shape=[0,5]"),
    sdk::sample(name, "f64[0,4] | shape=[4,-1]"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,nan,1e-45} | shape=[3,2]"),
    sdk::sample(name, "f64[6]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "f16[6]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "bf16[6]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0} | shape=[3,2]"),
    sdk::sample(name, "i64[6]{-9223372036854775808,-1,0,1,2,9223372036854775807} | shape=[3,2]"),
    sdk::sample(name, "bool[6] | shape=[3,2]"),
    sdk::refused(name, "f32[2,3] | shape=[4]", TENON_E_SHAPE, "6 elements"),
    sdk::refused(name, "f32[2,3] | shape=[-1,-1]", TENON_E_SHAPE, "more than one -1"),
    sdk::refused(name, "f32[2,3] | shape=[-2,-3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[0] | shape=[0,-1]", TENON_E_SHAPE, "-1 could be any size"),
    sdk::refused(name, "f32[6]", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[6]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(view) = {.ops = ops, .vjps = vjps, .samples = samples};
