// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/sum_to.cc: sum_to, undoes broadcasting: sums down to a smaller shape.
//
// y = x summed over the dimensions that broadcasting `shape` to x's shape added or stretched;
// dx = dy, expanded to x's shape. Source: PyTorch's `sum_to_size`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.sum_to";

constexpr std::string_view doc =
    R"(Sums `x` down to `shape`, which must be broadcastable to the shape of `x`: leading
dimensions vanish, and dimensions that are 1 in `shape` are summed. The runtime undoes
broadcasting of gradients with this op (role SUM_TO).

Gradient: `dx` is `dy`, expanded to the shape of `x`.

Source: PyTorch, `Tensor.sum_to_size`.

Canonical arithmetic: as `tenon.sum` over those dimensions.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims target = rules::checked_shape(args.attrs.ints(0), "shape");
  const std::span<const int64_t> shape = args.shape(0);
  if (!rules::broadcasts_to(target.span(), shape)) {
    throw sdk::Failure{TENON_E_SHAPE,
                       sdk::shape_text(shape) + " cannot be summed to " +
                           sdk::shape_text(target.span()) + ", which does not broadcast to it",
                       "shape", "sizes of x or 1, aligned at the end",
                       sdk::shape_text(target.span())};
  }
  sdk::set_shape(out[0], target.span());
}

void vjp(sdk::Vjp& v) { v.grad(0, rules::expand(v, v.dy(), rules::Dims(v.in_meta(0)))); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "sum_to(x: T[...], *, shape: int[]) -> T[...] where T: number",
             .doc = doc,
             .flags = TENON_OP_LINEAR,
             .role = TENON_ROLE_SUM_TO,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | shape=[3]"),
    sdk::sample(name, "f64[2,3] | shape=[2,1]"),
    sdk::sample(name, "f64[4,2,3] | shape=[1,1,3]"),
    sdk::sample(name, "f64[2,3,1,2] | shape=[3,1,1]"),
    sdk::sample(name, "f64[2,3] | shape=[]"),
    sdk::sample(name, "f64[2,3] | shape=[2,3]"),
    sdk::sample(name, "f64[] | shape=[]"),
    sdk::sample(name, "f64[0,3] | shape=[3]"),
    sdk::sample(name, "f64[2,0] | shape=[2,1]"),
    sdk::sample(name, "f64[2,0] | shape=[0]"),
    sdk::sample(name, "f32[5,7,2](0,1) | shape=[7,1]"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,1.1754944e-38} | shape=[]"),
    sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,1e-45} | shape=[]"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324} | shape=[]"),
    sdk::sample(name, "f64[3]{5e-324,2.2250738585072014e-308,5e-324} | shape=[]"),
    sdk::sample(name, "f16[3]{60000.0,60000.0,-60000.0} | shape=[]"),
    sdk::sample(name, "f16[2]{65504.0,16.0} | shape=[]"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41} | shape=[]"),
    sdk::sample(name, "f32[3]{inf,-inf,1.0} | shape=[]"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | shape=[2,1]"),
    sdk::sample(name, "i32[2]{2147483647,1} | shape=[]"),
    sdk::sample(name, "u8[2,2]{255,1,128,128} | shape=[2]"),
    sdk::sample(name, "f16[3,1]{60000.0,60000.0,-60000.0} | shape=[1,1]"),
    sdk::refused(name, "f32[2,3] | shape=[2]", TENON_E_SHAPE, "cannot be summed"),
    sdk::refused(name, "f32[3] | shape=[1,3]", TENON_E_SHAPE, "cannot be summed"),
    sdk::refused(name, "f32[2,3] | shape=[-1,3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "f32[1,3] | shape=[2,3]", TENON_E_SHAPE, "cannot be summed"),
    sdk::refused(name, "bool[2,3] | shape=[3]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,3]", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Additions in another order round differently, by as much as the largest partial sums.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(sum_to) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
